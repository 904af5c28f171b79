package engine

import (
	"math"
	"slices"
	"testing"

	"baca/algo/molecule/smiles"
	"baca/algo/property"
	"baca/wasm/message"
)

const computed = "O=C1CCNCC1 piperidinone\nCc1ccncc1 picoline\nx( broken\nCC(=O)Oc1ccccc1C(=O)O aspirin\nCc1ccncc1.Cl salt\n"

func TestComputeStructures(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(computed)})
	nan := math.NaN()
	for text, want := range map[string][]float64{
		"c1ccncc1":                {0, 1, nan, 0, 1},
		"C1=CC=NC=C1":             {0, 1, nan, 0, 1}, // a fragment as some programs write it
		"C1CCNCC1":                {1, 0, nan, 0, 0},
		"[CX3](=O)[OX2H1]":        {0, 0, nan, 1, 0},
		"[Cl;D0]":                 {0, 0, nan, 0, 1},
		"[$([#7;R]);!$(N~C(=O))]": {1, 1, nan, 0, 1},
	} {
		_, c := must[*message.Computed](e, h, &message.Compute{What: message.OfStructure, SMARTS: text})
		got := message.Columns(c.Rows).Numbers(message.OfStructure)
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	// What is drawn has charges in brackets.
	must[*message.Opened](e, h, &message.Open{Data: []byte("Cc1ccc(cc1)[N+](=O)[O-] nitrotoluene\nCC[N+](=O)[O-] nitroethane\n")})
	_, drawn := must[*message.Computed](e, h, &message.Compute{What: message.OfStructure, SMARTS: "C1=CC=C(C=C1)[N+](=O)[O-]"})
	if got := message.Columns(drawn.Rows).Numbers(message.OfStructure); !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("nitrobenzene, as drawn, is in %v, want the first", got)
	}
	fails(e, h, &message.Compute{What: message.OfStructure, SMARTS: "C("}, message.CodeBadOption, "column 3: the branch is never closed")
	fails(e, h, &message.Compute{What: "else"}, message.CodeBadOption, "else")
}

// The properties are those of the compound that the model reads.
func TestComputeProperties(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(computed)})
	_, c := must[*message.Computed](e, h, &message.Compute{What: message.OfProperties})
	for i, text := range []string{"O=C1CCNCC1", "Cc1ccncc1", "", "CC(=O)Oc1ccccc1C(=O)O", "Cc1ccncc1"} {
		for k, p := range property.Columns {
			got, want := c.Rows[k].Numbers[i], math.NaN()
			if text != "" {
				m := have(smiles.Parse(text))
				read, _, _ := smiles.In(m, e.form())
				of := property.Of(read)
				want = p.Of(&of)
			}
			if c.Rows[k].Name != p.Name || math.Abs(got-want) > 1e-9 || math.IsNaN(got) != math.IsNaN(want) {
				t.Errorf("record %d: %s %v, want %v", i, c.Rows[k].Name, got, want)
			}
		}
	}
}

// everyRecord are all records of the input.
func everyRecord(e *Engine) (list message.Ints) {
	for i := range e.input.opened.Records {
		list = append(list, int32(i))
	}
	return list
}

// A record lies at the same place in any input and among any others, and a training molecule at its own.
func TestComputePlaces(t *testing.T) {
	e, h := loaded(t, "bbbp")
	places := func(text string) *message.Computed {
		must[*message.Opened](e, h, &message.Open{Data: []byte(text)})
		_, c := must[*message.Computed](e, h, &message.Compute{What: message.OfPlaces, Record: everyRecord(e)})
		return c
	}
	all := places(computed)
	_, some := must[*message.Computed](e, h, &message.Compute{What: message.OfPlaces, Record: message.Ints{1, 3}})
	if !slices.Equal(some.Places, append(slices.Clone(all.Places[2:4]), all.Places[6:8]...)) {
		t.Errorf("two records at %v, among all at %v", some.Places, all.Places)
	}
	fails(e, h, &message.Compute{What: message.OfPlaces, Record: message.Ints{5}}, message.CodeBadOption, "record 5: want one of 5")
	one := places("CC(=O)Oc1ccccc1C(=O)O aspirin\n")
	if !slices.Equal(all.Places[6:8], one.Places) || all.Places[4] == all.Places[4] {
		t.Errorf("%v in a list, %v alone", all.Places, one.Places)
	}
	if n := e.model.Bank.Len(); len(all.Training) != 2*n {
		t.Errorf("%d places of %d training molecules", len(all.Training)/2, n)
	}
	if all.Training[0] != one.Training[0] {
		t.Error("the map depends on the input")
	}
	// A map that the page has kept is not laid out again.
	kept := slices.Clone(one.Training)
	kept[0]++
	must[*message.Model](e, h, &message.LoadModel{Name: "bbbp"})
	h.yield = e.Pause
	fails(e, h, &message.Compute{What: message.OfPlaces}, message.CodeCancelled, "")
	h.yield = nil
	for _, c := range []struct{ kept, want message.Singles }{{one.Training, one.Training}, {kept, kept}, {kept[2:], one.Training}} {
		must[*message.Model](e, h, &message.LoadModel{Name: "bbbp"})
		_, again := must[*message.Computed](e, h, &message.Compute{What: message.OfPlaces, Training: c.kept})
		if !slices.Equal(again.Training, c.want) {
			t.Errorf("with %d numbers kept, the first place is %v, want %v", len(c.kept), again.Training[:2], c.want[:2])
		}
	}
}
