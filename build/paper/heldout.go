package paper

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/build/internal/usage"
	"baca/weights"
)

// A builtIn is an embedded model, with its pair where it is of one of the paper's ID sets.
type builtIn struct {
	name string
	*algo.Model
	pair *pair
}

// models opens those that are asked for, and that suit.
func (b *bench) models(suits func(*builtIn) bool, words string) (list []*builtIn, err error) {
	all := mapped(paperPairs, func(p *pair) *builtIn { return &builtIn{name: strings.ToLower(p.ID), pair: p} })
	for _, m := range append(all, &builtIn{name: "drugs"}, &builtIn{name: "bioactive"}) {
		if b.modelList != "" && !slices.Contains(strings.Split(b.modelList, ","), m.name) {
			continue
		}
		if m.Model, err = weights.Open(m.name); err != nil {
			return nil, err
		}
		if suits(m) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, usage.Errorf("--models %s: none of them %s", b.modelList, words)
	}
	return list, nil
}

func readsMolecules(m *builtIn) bool { return m.Card.Schema != algo.Constant }

// modelKey is that of a cell that reads a model and some sets.
func (b *bench) modelKey(model string, sets ...string) (key runKey, err error) {
	key.Pair = model
	for _, name := range sets {
		sum, err := setSum(b.data, name)
		if err != nil {
			return key, err
		}
		key.OODData += sum
	}
	return key, nil
}

// setSum is the SHA-256 of the files of a set, in their order.
func setSum(folder, name string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "tu", name, "*"))
	if err != nil || len(files) == 0 {
		files, err = filepath.Glob(filepath.Join(folder, "mol", name+".csv*"))
	}
	hash := sha256.New()
	for _, file := range files {
		var data []byte
		if data, err = os.ReadFile(file); err != nil {
			break
		}
		hash.Write(data)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}

// openSetFor reads the set of that name below a folder as a model reads it: molecules in
// its form.
func openSetFor(ctx context.Context, m *algo.Model, folder, name string, workers int) ([]*graph.Graph, error) {
	form := algo.FormOf(m.Card.Schema)
	if form == molecule.AsWritten {
		set, err := dataset.Open(ctx, os.DirFS(folder), name, workers)
		if err != nil {
			return nil, err
		}
		return set.Graphs, nil
	}
	gs, _, err := readMolecules(ctx, folder, name, form, workers)
	return gs, err
}

// decisionStream is the second half of the seed of splits and draws.
const decisionStream = 0xba1a_1009

// streamed are the draws by a seed.
func streamed(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, decisionStream)) }

// A heldOut has the graphs of a set that training left out. They are parted at random
// into a reference, which gives p-values, and graphs that are tested.
type heldOut struct {
	model         *algo.Model
	graphs, ood   []*graph.Graph
	represented   *contrast.Representation // of the graphs
	traits        []algo.Trait
	alone         *algo.SingleScorer
	scores        []float64
	oodScores     []float64
	workers       int
	split, tested int // sizes of the halves
}

func newHeldOut(ctx context.Context, m *algo.Model, set []*graph.Graph, workers int) (*heldOut, error) {
	if len(set) != m.Card.Graphs {
		return nil, fmt.Errorf("the set has %d graphs, the model %s was made from %d", len(set), m.Card.Name, m.Card.Graphs)
	}
	r := &heldOut{model: m, workers: workers, graphs: pick(set, m.Card.HoldoutRows)}
	r.split = len(r.graphs) / 2
	r.tested = len(r.graphs) - r.split
	var err error
	if r.alone, err = algo.NewSingleScorer(ctx, m, workers); err != nil {
		return nil, err
	}
	if r.scores, err = r.alone.Scores(ctx, r.graphs); err != nil {
		return nil, err
	}
	if r.represented, err = contrast.Describe(ctx, workers, m.Encoder, r.graphs); err != nil {
		return nil, err
	}
	r.traits = m.Traits(r.graphs, r.represented.Prints)
	return r, nil
}

// halves parts the held-out graphs at random, by a number.
func (r *heldOut) halves(draw uint64) (rng *rand.Rand, tested, reference []int) {
	rng = streamed(draw)
	order := rng.Perm(len(r.graphs))
	return rng, order[r.split:], order[:r.split]
}

// outside draws OOD graphs for a share of a batch with the tested graphs.
func (r *heldOut) outside(rng *rand.Rand, share float64) []int {
	n := int(math.Round(share / (1 - share) * float64(r.tested)))
	return rng.Perm(len(r.ood))[:min(n, len(r.ood))]
}

// mixed are the tested graphs with a share of OOD graphs behind them.
func (r *heldOut) mixed(rng *rand.Rand, tested []int, share float64) []*graph.Graph {
	return slices.Concat(pick(r.graphs, tested), pick(r.ood, r.outside(rng, share)))
}

// withReference returns what scores alone with a reference of some of the held-out graphs.
func (r *heldOut) withReference(ctx context.Context, reference []int) (*algo.Model, *algo.SingleScorer, error) {
	m := *r.model
	m.Holdout, m.HoldoutTraits = r.represented.Select(reference), pick(r.traits, reference)
	alone, err := r.alone.WithHoldout(ctx, &m)
	return &m, alone, err
}

// scorer scores batches by a model and its Alone.
func (r *heldOut) scorer(ctx context.Context, m *algo.Model, alone *algo.SingleScorer, seed uint64) (*algo.Scorer, error) {
	o := columnOptions(columnBatch, seed)
	o.By, o.Workers, o.Single = algo.ByBatch, r.workers, alone
	return algo.NewScorer(ctx, m, o)
}

// batch calibrates graphs as a batch, with a reference of some of the held-out graphs.
// The rows of the report are in the order of the graphs.
func (r *heldOut) batch(ctx context.Context, gs []*graph.Graph, reference []int, seed uint64) (*algo.Report, error) {
	m, alone, err := r.withReference(ctx, reference)
	if err != nil {
		return nil, err
	}
	s, err := r.scorer(ctx, m, alone, seed)
	if err != nil {
		return nil, err
	}
	mixed, order := shuffled(gs, seed)
	report, err := s.Batch(ctx, mixed)
	if err != nil {
		return nil, err
	}
	report.Rows = restored(report.Rows, order)
	return report, nil
}
