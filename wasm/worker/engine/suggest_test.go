package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/wasm/message"
)

// priced is a table of chains with ends, with prices and with what was measured.
func priced() string {
	var b strings.Builder
	b.WriteString("smiles,name,EUR,measured\n")
	ends := []string{"O", "N", "C(=O)O", "S(=O)(=O)O", "c1ccccc1", "[N+](=O)[O-]", "C#N", "P(=O)(O)O"}
	for i := range 160 {
		price, measured := fmt.Sprint(1+i%7), "no"
		switch {
		case i%20 == 3:
			price = ""
		case i%20 == 7:
			measured = "yes"
		}
		fmt.Fprintf(&b, "%s%s,m%d,%s,%s\n", strings.Repeat("C", 1+i%23), ends[i%len(ends)], i, price, measured)
	}
	b.WriteString("C1CC,open ring,1,no\nCCBr,owed,-4,no\n")
	return b.String()
}

// The page shows each suggestion, what they cost, and how to have them again.
func TestSuggest(t *testing.T) {
	e, h := bare(t)
	fails(e, h, &message.Suggest{Most: 3}, message.CodeNotReady, "no model")
	must[*message.Model](e, h, &message.LoadModel{})
	_, opened := must[*message.Opened](e, h, &message.Open{Name: "priced.csv", Data: []byte(priced())})
	if !slices.Equal(opened.Columns, []string{"smiles", "name", "EUR", "measured"}) {
		t.Errorf("the columns are %q", opened.Columns)
	}
	events, got := must[*message.Found](e, h, &message.Suggest{Most: 8, Alpha: 0.1, Price: "EUR", Exclude: "measured", Budget: 25})
	picks := strings.Split(strings.TrimSpace(string(got.File.Data)), "\n")[1:]
	if len(picks) < 4 || got.Short != fmt.Sprint(len(picks)) || strings.Count(got.HTML, "data-pick=") != len(picks) {
		t.Errorf("%s are suggested:\n%s", got.Short, got.File.Data)
	}
	holds(t, got.HTML, "8 without a price", "ogether they cost", "deviations away", "of 160 are outside",
		`row 162: priced.csv:163:11: column EUR: price &#34;-4&#34;: want a number of at least 0`,
		"<pre>baca suggest -n 8 --model bbbp --price EUR --budget 25 --exclude measured --alpha 0.1 priced.csv</pre>")
	if told := stages(events); told[message.StageChoose] != (message.Progress{Stage: message.StageChoose, Done: 160, Total: 160}) || told[message.StageLists].Done != 162 {
		t.Errorf("the stages are %+v", told)
	}
	// What was open and scored stays.
	must[*message.Scored](e, h, &message.Score{})
	for says, r := range map[string]*message.Suggest{
		"0 to suggest: want 1 to 100000":    {},
		"want more than 0":                  {Most: 1, Price: "EUR", Budget: -1},
		"more than 0, or none":              {Most: 1, Price: "EUR", Budget: math.NaN()},
		"choose the column with the prices": {Most: 1, Budget: 7},
		"false-alarm rate":                  {Most: 1, Alpha: 2},
	} {
		fails(e, h, r, message.CodeBadOption, says)
	}
	fails(e, h, &message.Suggest{Most: 1, Price: "cost"}, message.CodeBadInput, `no column "cost"`)
	// It can be ended.
	h.yield = e.Pause
	acids, _ := lists()
	must[*message.Opened](e, h, &message.Open{Name: "long.smi", Data: []byte(strings.Repeat(acids, 40))})
	fails(e, h, &message.Suggest{Most: 1}, message.CodeCancelled, "cancelled")
}

// Of few there are as many picks as help, and of none that may be picked there is none. Keys of JSONL are columns, too.
func TestSuggestFromFew(t *testing.T) {
	e, h := loaded(t, "bbbp")
	for _, c := range []struct {
		name, data string
		ask        message.Suggest
		shows      []string
	}{
		{"", "O=[N+]([O-])N1CN(CN(C1)[N+](=O)[O-])[N+](=O)[O-] RDX\nCCO\n", message.Suggest{Most: 20}, []string{`data-pick="0"><b>1. RDX`, "of 20 are suggested", "<pre>baca suggest -n 20 --model bbbp input.smi</pre>"}},
		{"all.csv", "smiles,had\nCCO,x\nCCN,1\n", message.Suggest{Most: 20, Exclude: "had"}, []string{"all 2 molecules are excluded"}},
		{"dear.jsonl", `{"smiles":"CCO","had":true,"eur":7}` + "\n" + `{"smiles":"FC(F)(F)C(F)(F)F","eur":2.5}` + "\n", message.Suggest{Most: 2, Price: "eur", Exclude: "had"}, []string{`data-pick="1"`, "price 2.5,"}},
	} {
		must[*message.Opened](e, h, &message.Open{Name: c.name, Data: []byte(c.data)})
		_, got := must[*message.Found](e, h, &c.ask)
		holds(t, got.HTML, c.shows...)
		if none := c.name == "all.csv"; none != (got.File == nil) {
			t.Errorf("%s: suggested %+v", c.name, got)
		}
	}
	must[*message.Opened](e, h, &message.Open{Name: "dear.csv", Data: []byte("smiles,EUR\nCCO,much\n")})
	fails(e, h, &message.Suggest{Most: 20, Price: "EUR"}, message.CodeBadInput, `price "much"`)
}
