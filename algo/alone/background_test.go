package alone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/background"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func parse(texts ...string) (gs []*graph.Graph) {
	for _, s := range texts {
		gs = append(gs, must.Have(smiles.ParseGraph(s)))
	}
	return gs
}

// alcohols are n chains with one branch and an oxygen, amines the same with nitrogen in
// a ring.
func alcohols(n int) []string { return branched(n, "C(", ")", "O") }
func amines(n int) []string   { return branched(n, "C1CN(", ")C", "1") }

func branched(n int, before, behind, end string) (list []string) {
	for i := range n {
		list = append(list, strings.Repeat("C", 1+i%9)+before+strings.Repeat("C", 1+i/9%5)+behind+strings.Repeat("C", 1+i/45)+end)
	}
	return list
}

// soft is max(0, z), rounded off.
func soft(z float64) float64 { return (z + math.Sqrt(z*z+softness)) / 2 }

const softness = 0.854

var ctx = context.Background()

// molecules is a model of alcohols that is not trained, with amines as its background. It holds out every fifth graph.
func molecules() *model.Model {
	gs := parse(alcohols(120)...)
	var train, holdout []int
	for i := range gs {
		if i%5 == 0 {
			holdout = append(holdout, i)
		} else {
			train = append(train, i)
		}
	}
	e := gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1)))
	m := must.Have(model.New(ctx, 1, e, gs, train, holdout, model.Card{Name: "alcohols", Schema: model.OGB}))
	training := lists.Map(train, func(i int) *graph.Graph { return gs[i] })
	must.Do(m.AddBackground(ctx, 1, training, parse(amines(90)...)))
	return m
}

func TestBackgroundOfAModel(t *testing.T) {
	m := molecules()
	if m.Background == nil || m.Sizes == nil || m.Card.BackgroundGraphs != 90 || m.Background.AUC < 0.99 {
		t.Fatalf("background %+v, card %+v", m.Background, m.Card)
	}
	// So plain a difference weighs nothing; here it is to be seen.
	m.Background.AUC = 0.9
	a := must.Have(New(ctx, m, 1))
	gs := parse(append(alcohols(10), amines(10)...)...)
	scores := must.Have(a.Scores(ctx, gs))
	if in, out := slices.Max(scores[:10]), slices.Min(scores[10:]); in >= out {
		t.Errorf("alcohols score up to %g, amines from %g on", in, out)
	}
	for i, g := range gs {
		x := must.Have(a.Explain(ctx, g, 0.1))
		if x.Score != scores[i] {
			t.Errorf("graph %d: explained as %g, scored %g", i, x.Score, scores[i])
		}
		mean, deviation := m.Sizes.Of(g.N())
		want := (soft(x.Distance)+soft(x.Ratio)-mean)/deviation + x.Rare
		whole, parts := floats.Sum(x.Contributions), floats.Sum(x.BySubtrees)+floats.Sum(x.ByEmbedding)
		if math.Abs(whole-(x.Score-x.Limit)) > 1e-9 || math.Abs(parts-(want+mean/deviation)) > 1e-9 {
			t.Errorf("graph %d: atoms add %g, by parts %g, want %g and %g", i, whole, parts, x.Score-x.Limit, want+mean/deviation)
		}
		if x.Duplicate {
			want = 0
		}
		if math.Abs(x.Score-want) > 1e-12 {
			t.Errorf("graph %d: %g, the parts %g and %g make %g", i, x.Score, x.Distance, x.Ratio, want)
		}
	}
	// A training graph is inside, whatever its parts say.
	known := parse(alcohols(2)[1])
	for f := range m.Background.Weights {
		m.Background.Weights[f] = slices.Repeat([]float32{5}, background.Buckets+1)
	}
	if scores := must.Have(a.Scores(ctx, known)); scores[0] != 0 {
		t.Errorf("a training molecule scores %g, want 0", scores[0])
	}
}

// Salts and stereochemistry do not move a molecule to another fold, so it never meets a
// head that saw its parent.
func TestFoldsOfSaltsAndStereoisomers(t *testing.T) {
	fold := func(g *graph.Graph) int {
		m := &model.Model{Card: model.Card{Schema: model.OGBCanonical}}
		return m.Traits([]*graph.Graph{g}, []fingerprint.Print{fingerprint.New(g, fingerprint.DefaultHeight)})[0].Fold
	}
	for _, same := range [][]string{
		{"C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "CC(N)C(=O)O", "CC(N)C(=O)O.Cl", "[Na+].[Cl-].C[C@H](N)C(=O)O"},
		{"CCN(CC)CC", "CCN(CC)CC.O", "Br.CCN(CC)CC"},
		{"F/C=C/F", `F/C=C\F`, "FC=CF"},
	} {
		for _, s := range same[1:] {
			if f, want := fold(parse(s)[0]), fold(parse(same[0])[0]); f != want {
				t.Errorf("%s is in fold %d, %s in %d", s, f, same[0], want)
			}
		}
	}
	folds := map[int]int{}
	for _, g := range parse(append(alcohols(100), amines(100)...)...) {
		folds[fold(g)]++
	}
	for f := range background.Folds {
		if folds[f] < 40 {
			t.Errorf("%d of 200 molecules are in fold %d", folds[f], f)
		}
	}
}

// A shared model has no background weight that fewer than k graphs decide, and scores its reference
// as it scores new graphs.
func TestSharedBackground(t *testing.T) {
	m := molecules()
	m.Background.AUC = 0.9
	const k = 2 // of the weights some are of exactly two
	s := must.Have(Share(ctx, 1, m, k))
	holders := map[uint32]map[int]bool{}
	for i, p := range m.Bank.Prints {
		for _, key := range p.Keys {
			b := key % background.Buckets
			if holders[b] == nil {
				holders[b] = map[int]bool{}
			}
			holders[b][i] = true
		}
	}
	kept := 0
	for f, w := range s.Background.Weights {
		for b := range background.Buckets {
			n := len(holders[uint32(b)])
			switch {
			case n > 0 && n < k && w[b] != 0:
				t.Fatalf("fold %d, bucket %d has weight %g of %d graphs", f, b, w[b], n)
			case n >= k && w[b] != m.Background.Weights[f][b]:
				t.Fatalf("fold %d, bucket %d has weight %g, want %g", f, b, w[b], m.Background.Weights[f][b])
			case n >= k:
				kept++
			}
		}
	}
	if kept == 0 {
		t.Error("no weight is left")
	}
	if s.Sizes.Low < m.Sizes.Low || s.Sizes.High > m.Sizes.High || s.Sizes.High-s.Sizes.Low >= m.Sizes.High-m.Sizes.Low {
		t.Errorf("sizes from %d to %d of %d to %d", s.Sizes.Low, s.Sizes.High, m.Sizes.Low, m.Sizes.High)
	}
	if len(s.Reference) != m.Holdout.Len() {
		t.Fatalf("%d scores of %d held-out graphs", len(s.Reference), m.Holdout.Len())
	}
	a := must.Have(New(ctx, s, 1))
	texts := alcohols(120)
	holdout := lists.Map(m.Card.HoldoutRows, func(row int) string { return texts[row] })
	scores := must.Have(a.Scores(ctx, parse(holdout...)))
	slices.Sort(scores)
	for i := range scores {
		if math.Abs(scores[i]-s.Reference[i]) > 1e-5 {
			t.Fatalf("held-out graphs score %v, the reference is %v", scores, s.Reference)
		}
	}
}
