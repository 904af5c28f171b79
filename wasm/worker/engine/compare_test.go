package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"baca/algo/compare"
	"baca/algo/dataset"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// listOf is a list as the command makes it.
func listOf(t *testing.T, name, input string, number int) *compare.List {
	t.Helper()
	l := compare.NewList(name, 1, number)
	for u, err := range table.Molecules(strings.NewReader(input), dataset.Options{Name: name, Form: molecule.Unordered}) {
		if err != nil {
			t.Fatal(err)
		}
		r := u()
		if r.Err != nil {
			l.Refuse(1)
			continue
		}
		if err := l.Add(t.Context(), 2, []compare.Source{{ID: r.ID, SMILES: r.SMILES, Graph: r.Graph}}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

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

// The page finds what `baca compare` does.
func TestCompare(t *testing.T) {
	acids, amines := lists()
	model, err := weights.Open("bbbp")
	if err != nil {
		t.Fatal(err)
	}
	want, err := compare.Compare(t.Context(), listOf(t, "acids.smi", acids, 0), listOf(t, "amines.smi", amines, 1), compare.Options{Encoder: model.Encoder, FDR: 0.05, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	e := New(h)
	must[*message.Model](e, h, &message.LoadModel{})
	fails(e, h, &message.Compare{With: message.Open{Data: []byte(acids)}}, message.CodeNotReady, "no input")
	must[*message.Opened](e, h, &message.Open{Name: "amines.smi", Data: []byte(amines)})
	events, got := must[*message.Compared](e, h, &message.Compare{With: message.Open{Name: "acids.smi", Data: []byte(acids)}})
	if want.Evidence.Skipped != "" || want.Evidence.P > 0.05 || len(want.Named) < 4 || want.Overlap.Molecules != 1 {
		t.Fatalf("the lists do not differ: %+v", want)
	}
	if sentences := []string{want.Differs(), want.Shares(), want.TooEasy()}; !slices.Equal(got.Sentences, sentences) {
		t.Errorf("it says %q, want %q", got.Sentences, sentences)
	}
	if got.A.Name != "acids.smi" || got.A.Refused != 1 || got.B.Copies != 1 || got.A.Molecules != want.A.Molecules || got.B.Read != want.B.Read {
		t.Errorf("the lists are %+v and %+v", got.A, got.B)
	}
	if got.BtoA.Coverage != want.BtoA.Coverage || got.AtoA.Coverage != want.AtoA.Coverage || !reflect.DeepEqual(got.A.Atoms, want.A.Atoms) || got.B.Rings.Counts[1] != 30 {
		t.Errorf("the nearest molecules are %v, want %v; atoms %v; rings %v", got.BtoA, want.BtoA, got.A.Atoms, got.B.Rings)
	}
	if len(got.Named) != len(want.Named) || got.NamedTested != want.NamedTested || len(got.Fragments) != len(want.Fragments) {
		t.Fatalf("%d and %d differences, want %d and %d", len(got.Named), len(got.Fragments), len(want.Named), len(want.Fragments))
	}
	for i := range got.Fragments {
		if g, w := got.Fragments[i], want.Fragments[i]; g.Name != w.Name || g.Q != w.Q || g.Odds != w.Odds || g.Example != w.Example || len(g.Atoms) != len(w.Atoms) {
			t.Errorf("fragment %+v, want %+v", g, w)
		}
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "acids.smi:62:") {
		t.Errorf("the warnings are %q", got.Warnings)
	}
	for _, text := range []string{"How amines.smi differs from acids.smi", "baca compare --model bbbp", "Commoner in B"} {
		if !strings.Contains(string(got.Report), text) {
			t.Errorf("the report lacks %q", text)
		}
	}
	stages := map[string]bool{}
	for _, ev := range events {
		if p, ok := ev.(*message.Progress); ok {
			stages[p.Stage] = true
		}
	}
	if !stages[message.StageParse] || !stages[message.StageLists] || !stages["substructures"] {
		t.Errorf("the stages are %v", stages)
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
	fails(e, h, &message.Compare{FDR: 2, With: message.Open{Data: []byte(acids)}}, message.CodeBadOption, "2")
	// It can be ended. What waits for the page ends it at its first turn.
	h.yield = e.Pause
	fails(e, h, &message.Compare{With: message.Open{Data: []byte(strings.Repeat(acids, 20))}}, message.CodeCancelled, "cancelled")
}

// Plain graphs are compared by their shapes.
func TestComparePlainGraphs(t *testing.T) {
	h := newHost(t)
	e := New(h)
	must[*message.Model](e, h, &message.LoadModel{Name: "bzr"})
	var rings, trees strings.Builder
	for i := range 30 {
		rings.WriteString(nodeLink(3+i, 0) + "\n")
		trees.WriteString(nodeLink(3+i%3, 2+i) + "\n")
	}
	must[*message.Opened](e, h, &message.Open{Name: "rings.jsonl", Data: []byte(rings.String())})
	_, got := must[*message.Compared](e, h, &message.Compare{With: message.Open{Name: "tails.jsonl", Data: []byte(trees.String())}})
	if got.A.Molecules != 30 || got.B.Molecules != 30 || len(got.Sentences) < 3 || !slices.ContainsFunc(got.Named, func(d compare.Difference) bool { return d.Name == "ring of 5" && d.Odds < 1 }) {
		t.Errorf("compared %+v with %+v: %+v", got.A, got.B, got.Named)
	}
}
