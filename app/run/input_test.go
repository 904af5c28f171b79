package run

import (
	"strings"
	"testing"
)

const examplesCSV = "name,class,smiles\naspirin,other drug,CC(=O)Oc1ccccc1C(=O)O\nRDX,explosive,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\nTNT,explosive,Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\n"

func TestExamples(t *testing.T) {
	e := Example{classes: []string{"explosive"}}
	if got := e.text([]byte(examplesCSV)); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, " TNT\n") {
		t.Errorf("explosives are %q", got)
	}
	e.most = 1
	if got := e.text([]byte(examplesCSV)); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, " RDX\n") {
		t.Errorf("one explosive is %q", got)
	}
	if got := (Example{}).text([]byte(examplesCSV)); strings.Count(got, "\n") != 3 {
		t.Errorf("all are %q", got)
	}
}
