package run

import (
	"strings"
	"testing"

	"baca/web"
)

const examplesCSV = "name,class,smiles\naspirin,other drug,CC(=O)Oc1ccccc1C(=O)O\nRDX,explosive,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\nTNT,explosive,Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\n"

func TestExamples(t *testing.T) {
	e := Example{names: []string{"RDX", "TNT"}}
	if got := e.Molecules([]byte(examplesCSV)); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, " TNT\n") {
		t.Errorf("two by name are %q", got)
	}
	if got := (Example{}).Molecules([]byte(examplesCSV)); strings.Count(got, "\n") != 3 {
		t.Errorf("all are %q", got)
	}
	if got := Examples()[0].Molecules(web.Examples()); strings.Count(got, "\n") != len(shelf) {
		t.Errorf("of %d molecules of the first example there are %d", len(shelf), strings.Count(got, "\n"))
	}
}

// Columns are found by what they are called.
func TestValuesIn(t *testing.T) {
	for _, c := range []struct {
		columns             []string
		predicted, observed string
	}{
		{[]string{"smiles", "logS", "logS_pred"}, "logS_pred", "logS"},
		{[]string{"measured log solubility", "ESOL predicted log solubility"}, "ESOL predicted log solubility", "measured log solubility"},
		{[]string{"y", "y_pred"}, "y_pred", "y"},
		{[]string{"Prediction", "Exp. value"}, "Prediction", "Exp. value"},
		{[]string{"yhat", "spread", "expansion"}, "yhat", ""},
		{[]string{"observed", "predator", "mw"}, "", ""},
		{[]string{"mine", "predicted"}, "mine", ""},
	} {
		if predicted, observed := valuesIn(c.columns, "mine"); predicted != c.predicted || observed != c.observed {
			t.Errorf("%q: %q and %q, want %q and %q", c.columns, predicted, observed, c.predicted, c.observed)
		}
	}
}
