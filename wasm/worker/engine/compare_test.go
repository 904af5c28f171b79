package engine

import (
	"fmt"
	"strings"
	"testing"

	"baca/wasm/message"
)

// lists are acids and amines, which differ in their ends, and have one molecule in common.
func lists() (acids, amines string) {
	var a, b strings.Builder
	for i := range 60 {
		chain := strings.Repeat("C", 1+i%30)
		fmt.Fprintf(&a, "%sC(=O)O acid%d\n", chain+strings.Repeat("C(C)", i/30), i)
		fmt.Fprintf(&b, "%sN amine%d\n", chain+strings.Repeat("c1ccccc1", i/30), i)
	}
	return a.String() + "CCO\nC1CC\n", b.String() + "OCC\nCCN again\n"
}

// The page shows how the lists differ, and saves a report that says how to have it again.
func TestCompare(t *testing.T) {
	acids, amines := lists()
	e, h := loaded(t, "bbbp")
	fails(e, h, &message.Compare{With: message.Open{Data: []byte(acids)}}, message.CodeNotReady, "no input")
	must[*message.Opened](e, h, &message.Open{Name: "amines.smi", Data: []byte(amines)})
	events, got := must[*message.Found](e, h, &message.Compare{With: message.Open{Name: "acids.smi", Data: []byte(acids)}})
	_, warnings, _ := strings.Cut(got.HTML, "<h2>Warnings</h2>")
	holds(t, warnings, "acids.smi:62:")
	if got.Short != "acids.smi" || got.File.Name != "against-acids.html" {
		t.Errorf("of %q it saves %q", got.Short, got.File.Name)
	}
	holds(t, string(got.File.Data), "How amines.smi differs from acids.smi", "baca compare --model bbbp", "Commoner in B")
	told := stages(events)
	for _, stage := range []string{message.StageParse, message.StageLists, "substructures"} {
		if told[stage].Stage == "" {
			t.Errorf("the page hears nothing of %s, but of %v", stage, told)
		}
	}
	// The open input stays as it was.
	must[*message.Scored](e, h, &message.Score{})
	// Nothing to compare with.
	for _, test := range []struct{ name, data, says string }{
		{"broken.smi", "C1CC\n", "no record could be read, 1 refused"}, {"words.csv", "a,b\n1,2\n", "no column holds SMILES"},
		{"rings.jsonl", nodeLink(5, 0), "two lists of one kind"},
	} {
		fails(e, h, &message.Compare{With: message.Open{Name: test.name, Data: []byte(test.data)}}, message.CodeBadInput, test.says)
	}
	// It can be ended. What waits for the page ends it at its first turn.
	h.yield = e.Pause
	fails(e, h, &message.Compare{With: message.Open{Data: []byte(strings.Repeat(acids, 20))}}, message.CodeCancelled, "cancelled")
}
