package training

import (
	"strings"
	"testing"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule/smiles"
)

func TestModelName(t *testing.T) {
	for file, want := range map[string]string{
		"bbbp.csv.gz": "bbbp", "PTC_MR": "ptc_mr", "BZR.zip": "bzr", "a.b.smi": "a.b", "IMDB-MULTI": "imdb-multi", "Mine.smi.zst": "mine",
	} {
		if got := ModelName(file); got != want {
			t.Errorf("ModelName(%q) = %q, want %q", file, got, want)
		}
	}
}

// For the paper's method sets of up to 7 680 graphs, tox21's 6 832 among them, are trained on as the paper's are.
// Larger ones never make more steps than these.
func TestDefaultEpochs(t *testing.T) {
	for _, test := range []struct {
		schema, purpose string
		graphs, want    int
	}{
		{model.OGBParent, "", 1318, 0}, {model.OGBCanonical, "", 99_001, 0}, {model.OGB, "", 18, 0},
		{model.OGBParent, batch.ByAttention, 1318, 400}, {model.OGBParent, batch.ByAttention, 99_001, 31},
		{model.Constant, "", 0, 300}, {model.Constant, "", 128, 300}, {model.Constant, "", 129, 150}, {model.Constant, "", 38_400, 1}, {model.Constant, "", 99_001, 1},
		{model.Constant, batch.ByAttention, 0, 400}, {model.Constant, batch.ByAttention, 6832, 400}, {model.Constant, batch.ByAttention, 7680, 400},
		{model.Constant, batch.ByAttention, 7681, 393}, {model.Constant, batch.ByAttention, 100_000_000, 1},
	} {
		if got := DefaultEpochs(test.schema, test.purpose, test.graphs); got != test.want {
			t.Errorf("%+v: %d epochs", test, got)
		}
	}
	for graphs := 2; graphs < 3_000_000; graphs += 1 + graphs/7 {
		of := func(purpose string) int {
			return DefaultEpochs(model.Constant, purpose, graphs) * ((graphs + 127) / 128)
		}
		if steps := of(batch.ByAttention); steps > 24_000 || graphs > 7680 && steps < 12_000 {
			t.Errorf("%d steps on %d graphs, want 12 000 to 24 000", steps, graphs)
		}
		if steps := of(""); graphs <= 38_400 && (steps > 300 || steps < 150) {
			t.Errorf("%d steps on %d plain graphs, want 150 to 300", steps, graphs)
		}
	}
}

// Repeated molecules, which are not trained on, do not count.
func TestEpochsOfRepeats(t *testing.T) {
	repeated := make([]*graph.Graph, 9000)
	for i := range repeated {
		repeated[i] = must.Have(smiles.Parse(strings.Repeat("C", 1+i%50))).Graph()
	}
	training := Training{Graphs: repeated, Split: dataset.Hold, For: batch.ByAttention, Card: model.Card{Schema: model.OGBParent, Seed: 1}}
	if must.Do(training.Prepare()); training.Card.Epochs != UsualEpochs {
		t.Errorf("%d epochs of 50 molecules that come 180 times", training.Card.Epochs)
	}
}

func TestModelDescription(t *testing.T) {
	for epochs, want := range map[int]string{
		0: "Trained on a.smi, with an encoder drawn from the seed.", 1: "Trained on a.smi for 1 epoch.", 400: "Trained on a.smi for 400 epochs.",
	} {
		if got := ModelDescription("a.smi", epochs); got != want {
			t.Errorf("%d epochs: %q, want %q", epochs, got, want)
		}
	}
}
