package paper

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// A model that was kept is the one that a fresh training makes.
func TestKeptModel(t *testing.T) {
	e, kept := evaluated(t, 4), t.TempDir()
	// Rates are too coarse to show all differences.
	var models []*algo.Model
	for _, folder := range []string{filepath.Join(kept, "deeper"), kept, kept} {
		e.weights = folder
		models = append(models, e.model(t.Context(), 3))
	}
	for i, m := range models[1:] {
		a, b := models[0], m
		if !slices.Equal(a.Encoder.Params, b.Encoder.Params) || !slices.Equal(a.Bank.Q, b.Bank.Q) || !slices.Equal(a.Bank.ZF(), b.Bank.ZF()) ||
			!slices.Equal(a.Holdout.Q, b.Holdout.Q) || !slices.Equal(a.Bank.NodeScore, b.Bank.NodeScore) {
			t.Errorf("model %d differs from one that was not kept", i+1)
		}
	}
	training := job.Training{Graphs: e.id.graphs, Split: dataset.Split, Card: models[0].Card}
	for what, change := range map[string]func(c *algo.Card){
		"":                                  func(*algo.Card) {},
		"the schema x":                      func(c *algo.Card) { c.Schema = "x" },
		"other data":                        func(c *algo.Card) { c.DatasetSHA256 = "x" },
		"seed 4":                            func(c *algo.Card) { c.Seed = 4 },
		"for 9 epochs":                      func(c *algo.Card) { c.Epochs = 9 },
		"trained with other options":        func(c *algo.Card) { c.Batch = 64 },
		"with other options":                func(c *algo.Card) { c.LearningRate = 1 },
		"trained on another split of the s": func(c *algo.Card) { c.HoldoutRows = c.HoldoutRows[1:] },
	} {
		m := *models[0]
		change(&m.Card)
		if err := made(&training, &m); (what == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
}

func TestEpochs(t *testing.T) {
	for name, want := range map[string]int{"BZR": 400, "enzymes": 150, "ENZYMES": 150, "IMDB-Multi": 20, "bbbp": 400, "ENZYMES@common": 150} {
		if got := (&pair{ID: name}).epochs(); got != want {
			t.Errorf("%s: %d epochs, want %d", name, got, want)
		}
	}
}

// rods returns path graphs of 1, 2, 3 … nodes, which their size tells apart.
func rods(t *testing.T, n int) []*graph.Graph {
	t.Helper()
	var gs []*graph.Graph
	for k := range n {
		gs = append(gs, path(t, k+1))
	}
	return gs
}

func TestTestBatch(t *testing.T) {
	gs := rods(t, 150)
	e := &evaluation{id: &loadedSet{graphs: gs[:100]}, outside: &loadedSet{graphs: gs[100:]}}
	m := &algo.Model{Holdout: &contrast.Representation{Width: 1, Q: make([]float32, 20), NodeScore: make([]float64, 10)}}
	_, test := dataset.Split(100, 9)
	firstFew := []int{101, 102, 103, 104, 105, 106, 107, 108, 109, 110}
	for _, order := range []string{firstOOD, randomOOD} {
		b := e.batch(m, 9, order)
		sizes := mapped(b.graphs, (*graph.Graph).N)
		for k, i := range test {
			if sizes[k] != i+1 {
				t.Errorf("ID graph %d has %d nodes, want graph %d of the set", k, sizes[k], i)
			}
		}
		if b.nID != 10 || slices.Index(b.ood, true) != 10 || slices.Contains(b.ood[10:], false) || len(b.ood) != 20 {
			t.Errorf("%d ID graphs, OOD graphs %v: want ten and ten", b.nID, b.ood)
		}
		if slices.Equal(sizes[10:], firstFew) != (order == firstOOD) || slices.Min(sizes[10:]) <= 100 {
			t.Errorf("%s: OOD graphs %v", order, sizes[10:])
		}
		// The ID test graphs are what the model kept from training.
		if b.model.Holdout == nil || b.model.Holdout.Len() != 0 {
			t.Error("the method gets the ID test graphs as known ID graphs")
		}
		if m.Holdout.Len() != 10 {
			t.Error("the caller's model is changed")
		}
	}
	e.outside.graphs = gs[100:104]
	if b := e.batch(m, 9, randomOOD); len(b.graphs) != 14 {
		t.Errorf("%d graphs, want ten and the four OOD graphs that there are", len(b.graphs))
	}
}

// trained returns a test batch of the fixture with its model.
func trained(t *testing.T) *testBatch {
	t.Helper()
	return evaluated(t, 2).prepare(t.Context(), 1, firstOOD)
}

// The truth does not reach the method, and neither does the order in which ID
// and OOD graphs are put together.
func TestScoresKnowNoLabels(t *testing.T) {
	b := trained(t)
	o := algo.DefaultOptions()
	o.Seed = b.seed
	out := b.score(t.Context(), o, columnBatch)
	flipped := *b
	flipped.ood = make([]bool, len(b.ood))
	for i, v := range b.ood {
		flipped.ood[i] = !v
	}
	again := flipped.score(t.Context(), o, columnBatch)
	if fmt.Sprint(again.rows) != fmt.Sprint(out.rows) {
		t.Error("with the labels turned round the rows differ")
	}
	if a, c := metric.AUROC(out.scores, b.ood), metric.AUROC(out.scores, flipped.ood); math.Abs(a+c-1) > 1e-12 {
		t.Errorf("AUROC %g, with the labels turned round %g", a, c)
	}

	// The rows are put back: S_Pre does not depend on the order of a batch but
	// for rounding.
	scorer := try.To(algo.NewScorer(t.Context(), b.model, o))
	plain := try.To(scorer.Batch(t.Context(), b.graphs))
	differ := false
	for i := range b.graphs {
		if math.Abs(plain.Rows[i].Pre-out.rows[i].Pre) > 1e-4 {
			t.Errorf("graph %d: S_Pre %g in order, %g shuffled and put back", i, plain.Rows[i].Pre, out.rows[i].Pre)
		}
		differ = differ || plain.Rows[i].Attn != out.rows[i].Attn
		if out.scores[i] != out.rows[i].Batch || plain.Rows[i].Alone != out.rows[i].Alone {
			t.Errorf("graph %d: %+v, to measure %g; in order %+v", i, out.rows[i], out.scores[i], plain.Rows[i])
		}
	}
	// S_Attn draws by place in the batch, so it shows that there was a shuffle.
	if !differ {
		t.Error("the batch is not shuffled")
	}
}

// S_BaCa is recomputed as the scorer does it.
func TestWeighted(t *testing.T) {
	b := trained(t)
	o := algo.DefaultOptions()
	out := b.score(t.Context(), o, columnAttention)
	for i, got := range out.weighted(o.Beta) {
		// Sums over another order of the batch differ in the last bits.
		if math.Abs(got-out.rows[i].BaCa) > 1e-9 || out.scores[i] != out.rows[i].BaCa {
			t.Errorf("graph %d: S_BaCa %g recomputed, %g of the scorer, score %g", i, got, out.rows[i].BaCa, out.scores[i])
		}
	}
}
