package job

import (
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/must"
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

// Sets of up to 7 680 graphs, tox21's 6 832 among them, are trained on as the paper's are. Larger
// ones never make more steps than these.
func TestDefaultEpochs(t *testing.T) {
	for graphs, want := range map[int]int{0: 400, 18: 400, 6832: 400, 7680: 400, 7681: 393, 99_001: 31, 3_072_000: 1, 100_000_000: 1} {
		if got := DefaultEpochs(graphs); got != want {
			t.Errorf("%d epochs of %d graphs, want %d", got, graphs, want)
		}
	}
	for graphs := 2; graphs < 3_000_000; graphs += 1 + graphs/7 {
		steps := DefaultEpochs(graphs) * ((graphs + 127) / 128)
		if steps > 24_000 || graphs > 7680 && steps < 12_000 {
			t.Errorf("%d steps on %d graphs, want 12 000 to 24 000", steps, graphs)
		}
	}
}

// Repeated molecules, which are not trained on, do not count.
func TestEpochsOfRepeats(t *testing.T) {
	repeated := make([]*graph.Graph, 9000)
	for i := range repeated {
		repeated[i] = must.Have(smiles.Parse(strings.Repeat("C", 1+i%50))).Graph()
	}
	training := Training{Graphs: repeated, Split: dataset.Hold, Card: algo.Card{Schema: algo.OGBParent, Seed: 1}}
	if must.Do(training.Prepare()); training.Card.Epochs != UsualEpochs {
		t.Errorf("%d epochs of 50 molecules that come 180 times", training.Card.Epochs)
	}
}

func TestModelDescription(t *testing.T) {
	for _, test := range []struct {
		graphs, epochs int
		want           string
	}{
		{1835, 400, "Trained on a.smi for 400 epochs."},
		{1835, 31, "Trained on a.smi for 31 epochs."},
		{99_001, 31, "Trained on a.smi for 31 epochs, which are 23994 steps."},
		{99_001, 400, "Trained on a.smi for 400 epochs."},
	} {
		if got := ModelDescription("a.smi", test.graphs, test.epochs); got != test.want {
			t.Errorf("%d graphs, %d epochs: %q, want %q", test.graphs, test.epochs, got, test.want)
		}
	}
}
