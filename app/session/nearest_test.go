package session

import (
	"math"
	"slices"
	"testing"

	"baca/wasm/message"
)

func TestNearestOf(t *testing.T) {
	named := []message.Neighbor{
		{Origin: "training", Row: 4, ID: "aspirin", SMILES: "CC(=O)Oc1ccccc1C(=O)O", Similarity: 1, Observed: 1, Predicted: math.NaN()},
		{Origin: "training", Row: 9, SMILES: "CCO", Similarity: 0.9999, Observed: -2.1768, Predicted: 12345.6},
		{Origin: "training", Row: -1, SMILES: "C", Similarity: 0.125, Observed: math.NaN(), Predicted: math.NaN()},
	}
	cards, line := NearestOf(&message.Model{Molecules: true}, &message.Detailed{Nearest: named})
	want := []Nearest{
		{"aspirin", "CC(=O)Oc1ccccc1C(=O)O", 1, "1.00", "observed\u00a01"}, {"row 10", "CCO", 0.9999, "0.99", "observed\u00a0−2.18, predicted\u00a012300"}, {"", "C", 0.125, "0.12", ""},
	}
	if !slices.Equal(cards, want) || line != "" {
		t.Errorf("%+v, %q", cards, line)
	}
	inspector := Inspector{Detail: &message.Detailed{Nearest: named}}
	if got := inspector.NearestSMILES(); !slices.Equal(got, []string{"CC(=O)Oc1ccccc1C(=O)O", "CCO", "C"}) {
		t.Errorf("%q are drawn", got)
	}
	bare := []message.Neighbor{{Row: 4, Similarity: 0.5}, {Row: 0, Similarity: 0.25}}
	for _, c := range []struct {
		molecules bool
		detail    message.Detailed
		want      string
	}{
		{true, message.Detailed{Nearest: bare}, "This model does not hold its training molecules. Nearest rows of its data set: 5 (similarity\u00a00.50), 1 (similarity\u00a00.25)."},
		{false, message.Detailed{Nearest: bare[:1]}, "This model does not hold its training graphs. Nearest rows of its data set: 5 (similarity\u00a00.50)."},
		{true, message.Detailed{Nearest: []message.Neighbor{{Row: -1}}}, "This model does not hold its training molecules."},
	} {
		if cards, line := NearestOf(&message.Model{Molecules: c.molecules}, &c.detail); cards != nil || line != c.want {
			t.Errorf("%+v, %q, want %q", cards, line, c.want)
		}
	}
	if (&Inspector{}).NearestSMILES() != nil {
		t.Error("an inspector without a detail has molecules to draw")
	}
}
