package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/training"
	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// evalJSON runs `baca-paper eval --json` and returns the result without its seconds,
// which vary, beside the whole text.
func evalJSON(t *testing.T, args ...string) (result evalResult, text string) {
	t.Helper()
	text, _ = succeed(t, append([]string{"eval", "--json"}, args...)...)
	try.Check(json.Unmarshal([]byte(text), &result))
	for i := range result.Seeds {
		if result.Seeds[i].Seconds <= 0 {
			t.Errorf("seed %d took %g seconds", result.Seeds[i].Seed, float64(result.Seeds[i].Seconds))
		}
		result.Seeds[i].Seconds = 0
	}
	result.Mean.Seconds, result.Std.Seconds = 0, 0
	return result, text
}

// A model that was kept is the one that a fresh training makes.
func TestKeptModel(t *testing.T) {
	e, kept := evaluated(t, 4, ""), t.TempDir()
	// Rates are too coarse to show all differences.
	var models []*algo.Model
	for _, folder := range []string{"", filepath.Join(kept, "deeper"), kept, kept} {
		e.weights = folder
		m := e.model(context.Background(), io.Discard, 3)
		models = append(models, m)
	}
	a := models[0]
	for i, b := range models[1:] {
		if !slices.Equal(a.Encoder.Params, b.Encoder.Params) || !slices.Equal(a.Bank.Q, b.Bank.Q) || !slices.Equal(a.Bank.ZF(), b.Bank.ZF()) ||
			!slices.Equal(a.Holdout.Q, b.Holdout.Q) || !slices.Equal(a.Bank.NodeScore, b.Bank.NodeScore) {
			t.Errorf("model %d differs from one that was not kept", i+1)
		}
	}
	job := training.Training{Graphs: e.id.graphs, Split: dataset.Split, Card: a.Card}
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
		m := *a
		change(&m.Card)
		if err := made(&job, &m); (what == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
}

func TestEvalJSON(t *testing.T) {
	data := testset.Pair(t)
	kept := t.TempDir()
	args := []string{"--pair", "TREES/RINGS", "--data", data, "--epochs", "2", "--weights", kept}
	result, text := evalJSON(t, append(args, "--seeds", "1,2")...)
	const rates = `"auroc_pre":0,"auroc_alone":0,"auroc_batch":0,"auroc_attention":0,"auroc":0,"aupr":0,"fpr95":0,"seconds":0`
	const seed = `{"seed":0,` + rates + `,"n_id":0,"n_ood":0}`
	want := `{"pair":"TREES/RINGS","protocol":"fixed","calibrator":"alone","contamination":0,"ood":"first","seeds":[` + seed + "," + seed + `],"mean":{` + rates + `},"std":{` + rates + "}}"
	var compact bytes.Buffer
	try.Check(json.Compact(&compact, []byte(text)))
	if got := regexp.MustCompile(`:-?[0-9][^,}]*`).ReplaceAllString(compact.String(), ":0"); got != want {
		t.Errorf("but for numbers\n%s, want\n%s", got, want)
	}
	a, b := result.Seeds[0], result.Seeds[1]
	for _, s := range []seedResult{a, b} {
		if s.NID != 12 || s.NOOD != 12 {
			t.Errorf("seed %d: %d ID and %d OOD graphs, want 12 each", s.Seed, s.NID, s.NOOD)
		}
		for _, r := range []rate{s.AUROCPre, s.AUROCAlone, s.AUROCBatch, s.AUROCAttention, s.AUROC, s.AUPR, s.FPR95} {
			if !(r >= 0 && r <= 1) {
				t.Errorf("rate %g in %+v", float64(r), s)
			}
		}
		// Rings in place of trees are easy.
		if s.AUROC < 0.8 || s.AUROCBatch < 0.8 || s.AUROC != s.AUROCAlone {
			t.Errorf("seed %d: %+v", s.Seed, s)
		}
	}
	mean, std := (a.AUROC+b.AUROC)/2, math.Abs(float64(a.AUROC-b.AUROC))/math.Sqrt2
	if math.Abs(float64(result.Mean.AUROC-mean)) > 1e-12 || math.Abs(float64(result.Std.AUROC)-std) > 1e-12 {
		t.Errorf("mean %g and deviation %g, want %g and %g", float64(result.Mean.AUROC), float64(result.Std.AUROC), float64(mean), std)
	}

	// What is not defined is null, and said.
	result, text = evalJSON(t, append(args, "--seeds", "1", "--contamination", "0")...)
	if s := result.Seeds[0]; s.AUROC.defined() || s.AUPR.defined() || s.NOOD != 0 || !strings.Contains(text, `"auroc": null`) || !strings.Contains(text, `"seconds": null`) {
		t.Errorf("without OOD graphs, and with a single seed: %s", text)
	}
	want = "seed 1: the batch has no OOD graphs, so there are no rates; seed 1: fewer than 20 graphs are no batch, so each graph is scored by itself"
	if got := strings.Join(result.Warnings, "; "); got != want {
		t.Errorf("warnings %q", got)
	}
}

func TestEvalRefuses(t *testing.T) {
	data := testset.Pair(t)
	testset.Write(t, filepath.Join(data, "mol", "some.csv"), "smiles\nC\nCC\nCCC\n")
	pair := []string{"--pair", "TREES/RINGS", "--data", data}
	with := func(args ...string) []string { return append(slices.Clone(pair), args...) }
	for _, c := range []struct {
		mistake bool
		message string
		args    []string
	}{
		{true, "want --pair ID/OOD and --data DIR", nil},
		{true, "--pair TREES: want the names of two sets", []string{"--pair", "TREES", "--data", data}},
		{true, "want the names of two sets", []string{"--pair", "TREES/RINGS/X", "--data", data}},
		{true, "want the names of two sets", []string{"--pair", "TREES/TREES", "--data", data}},
		{true, "--calibrator x: want", with("--calibrator", "x")},
		{true, "--ood last: want", with("--ood", "last")},
		{true, "contamination -1", with("--contamination", "-1")},
		{true, "contamination NaN", with("--contamination", "NaN")},
		{true, "--seeds", with("--seeds", "1,x")},
		{true, "--seeds: 1 is there twice", with("--seeds", "1,2,1")},
		{true, "--epochs 0", with("--epochs", "0")},
		{true, "--workers -2", with("--workers", "-2")},
		{false, `no data set "NONE": want a folder tu/NONE or a file mol/NONE.csv or mol/NONE.csv.gz`, []string{"--pair", "TREES/NONE", "--data", data}},
		{false, "want two sets of the same kind", []string{"--pair", "TREES/some", "--data", data}},
	} {
		refuse(t, c.mistake, c.message, append([]string{"eval"}, c.args...)...)
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
func rods(n int) []*graph.Graph {
	return mapped(indices(n), func(k int) *graph.Graph { return path(k + 1) })
}

func TestEvalBatch(t *testing.T) {
	gs := rods(150)
	e := &evaluation{pair: &pair{OOD: "OOD"}, id: &loadedSet{graphs: gs[:100]}, outside: &loadedSet{graphs: gs[100:]}}
	m := &algo.Model{Holdout: &contrast.Representation{Width: 1, Q: make([]float32, 20), NodeScore: make([]float64, 10)}}
	_, test := dataset.Split(100, 9)
	for _, c := range []struct {
		share   float64
		order   dataset.Order
		ood     int
		warning string
	}{
		{1, dataset.First, 10, ""},
		{1, dataset.Random, 10, ""},
		{0.5, dataset.First, 5, ""},
		{0.04, dataset.First, 0, "no OOD graphs"},
		{0, dataset.Random, 0, "no OOD graphs"},
		{2, dataset.First, 20, ""},
		{7, dataset.First, 50, "only 50 graphs where 70 are wanted"},
		{1e300, dataset.Random, 50, "only 50 graphs"},
	} {
		b := e.batch(m, 9, c.order, c.share)
		sizes := mapped(b.graphs, (*graph.Graph).N) // ID graph i of the set has i+1 nodes, and OOD graphs have more than 100
		if !slices.Equal(sizes[:10], mapped(test, func(i int) int { return i + 1 })) {
			t.Errorf("ID graphs of %v nodes, want those at %v of the set", sizes[:10], test)
		}
		ood := sizes[10:]
		if truth := slices.Concat(make([]bool, 10), slices.Repeat([]bool{true}, c.ood)); b.nID != 10 || !slices.Equal(b.ood, truth) || len(ood) != c.ood {
			t.Errorf("contamination %g: %d ID graphs, %v: want 10 and %d OOD graphs", c.share, b.nID, b.ood, c.ood)
		}
		firsts := len(ood) > 0 && slices.Max(ood) <= 100+max(10, c.ood)
		if len(ood) > 0 && (slices.Min(ood) <= 100 || c.ood < 50 && firsts != (c.order == dataset.First)) {
			t.Errorf("contamination %g, order %d: OOD graphs %v", c.share, c.order, ood)
		}
		if w := strings.Join(b.warnings, "; "); (c.warning == "") != (w == "") || !strings.Contains(w, c.warning) {
			t.Errorf("contamination %g: warnings %q, want %q", c.share, w, c.warning)
		}
		// The ID test graphs are what the model kept from training.
		if b.model.Holdout == nil || b.model.Holdout.Len() != 0 || m.Holdout.Len() != 10 {
			t.Error("the method gets the ID test graphs as known ID graphs, or the caller's model is changed")
		}
	}
}

// trained returns a test batch of the fixture with its model.
func trained(t *testing.T) *testBatch {
	t.Helper()
	return evaluated(t, 2, "").prepare(t.Context(), 1, firstOOD)
}

// The truth does not reach the method, and neither does the order in which ID
// and OOD graphs are put together.
func TestScoresKnowNoLabels(t *testing.T) {
	b := trained(t)
	o := algo.DefaultOptions()
	o.Seed = b.seed
	out := b.score(context.Background(), o, columnBatch)
	flipped := *b
	flipped.ood = mapped(b.ood, func(v bool) bool { return !v })
	again := flipped.score(context.Background(), o, columnBatch)
	if fmt.Sprint(again.rows) != fmt.Sprint(out.rows) {
		t.Error("with the labels turned round the rows differ")
	}
	if a, c := float64(b.measure(out).AUROC), float64(flipped.measure(out).AUROC); math.Abs(a+c-1) > 1e-12 {
		t.Errorf("AUROC %g, with the labels turned round %g", a, c)
	}

	// The rows are put back: S_Pre does not depend on the order of a batch but
	// for rounding.
	scorer := try.To(batch.NewScorer(context.Background(), b.model, o))
	plain := try.To(scorer.Batch(context.Background(), b.graphs))
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
