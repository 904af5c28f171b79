package paper

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/build/internal/opened"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/weights"
)

// A builtIn is an embedded model, with its pair where it is of one of the paper's ID sets, or the model in a file.
type builtIn struct {
	name string
	*algo.Model
	pair *pair
	file string // SHA-256
}

// eachModel measures a cell by run for each requested model, and gives the results to take. sets names the data that a model's
// cell reads, nil to leave the model out. If no model is left, the error says that none of them does what words say.
func eachModel[T any](
	ctx context.Context, b *bench, words string, sets func(*builtIn) []string, run func(context.Context, *builtIn) T, take func(T),
) {
	p := &plan{bench: b}
	for _, m := range b.listed() {
		names := sets(m)
		if names == nil {
			continue
		}
		key := b.modelKey(m.name, names...)
		key.IDData = m.file
		add(p, key, b.name, func(ctx context.Context) T { return run(ctx, m) }, take)
	}
	if len(p.cells) == 0 {
		try.Check(usage.Errorf("--models %s: none of them %s", b.modelList, words))
	}
	p.do(ctx)
}

// listed returns the embedded models that --models names, or all, in the order of the paper, and then those of files (ID/OOD=FILE).
// Any other name is an error.
func (b *bench) listed() (models []*builtIn) {
	list := strings.Split(b.modelList, ",")
	all := mapped(paperPairs, func(p *pair) *builtIn { return &builtIn{name: strings.ToLower(p.ID), pair: p} })
	for _, m := range append(all, &builtIn{name: "drugs"}, &builtIn{name: "bioactive"}) {
		if b.modelList == "" || slices.Contains(list, m.name) {
			m.Model = try.To(weights.Open(m.name))
			models = append(models, m)
		}
	}
	for _, item := range list {
		name, file, isFile := strings.Cut(item, "=")
		p, known := parsePair(name)
		if isFile && known {
			data := try.To(os.ReadFile(file))
			models = append(models, &builtIn{p.ID, try.To(weights.Load(data)), p, fmt.Sprintf("%x", sha256.Sum256(data))})
		} else if item != "" && !slices.ContainsFunc(models, func(m *builtIn) bool { return m.name == item }) {
			try.Check(usage.Errorf("--models %s: want names of embedded models, or ID/OOD=FILE", item))
		}
	}
	return models
}

func (m *builtIn) readsMolecules() bool { return m.Card.Schema != algo.Constant }

// modelKey returns the key of a cell that reads a model and these sets.
func (b *bench) modelKey(model string, sets ...string) runKey {
	key := runKey{Pair: model}
	for _, name := range sets {
		key.OODData += setSum(b.data, name)
	}
	return key
}

// setSum returns the SHA-256 of the files of a set, by name: a folder of tu, or else a table of mol or external.
func setSum(folder, name string) string {
	files := os.DirFS(folder)
	names := try.To(fs.Glob(files, "tu/"+name+"/*"))
	if len(names) == 0 {
		names = append(try.To(fs.Glob(files, "mol/"+name+".csv*")), try.To(fs.Glob(files, "external/"+name+".csv*"))...)
	}
	return try.To(opened.Sum(files, names...))
}

// decisionStream is the second half of the seed of splits and draws.
const decisionStream = 0xba1a_1009

// streamed returns the random numbers of a seed.
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

// newHeldOut scores and describes the graphs of a set that the training of m left out.
func newHeldOut(ctx context.Context, m *algo.Model, set []*graph.Graph, workers int) *heldOut {
	checkSet(m, len(set))
	r := &heldOut{model: m, workers: workers, graphs: pick(set, m.Card.HoldoutRows)}
	r.split = len(r.graphs) / 2
	r.tested = len(r.graphs) - r.split
	r.alone = try.To(algo.NewSingleScorer(ctx, m, workers))
	r.scores = try.To(r.alone.Scores(ctx, r.graphs))
	r.represented = try.To(contrast.Describe(ctx, workers, m.Encoder, r.graphs))
	r.traits = m.Traits(r.graphs, r.represented.Prints)
	return r
}

// checkSet refuses a model that was made from another number of graphs.
func checkSet(m *algo.Model, graphs int) {
	if graphs != m.Card.Graphs {
		try.Check(fmt.Errorf("the set has %d graphs, the model %s was made from %d", graphs, m.Card.Name, m.Card.Graphs))
	}
}

// halves parts the indices of the held-out graphs at random. rng is seeded by draw, and goes on from there.
func (r *heldOut) halves(draw uint64) (rng *rand.Rand, tested, reference []int) {
	rng = streamed(draw)
	order := rng.Perm(len(r.graphs))
	return rng, order[r.split:], order[:r.split]
}

// testedAt returns how many tested ID graphs are in a batch with this share of OOD graphs: all, but none at a share of 1.
func (r *heldOut) testedAt(share float64) int {
	if share == 1 {
		return 0
	}
	return r.tested
}

// outside draws the indices of OOD graphs that make up a share of a batch with the tested graphs, or for a share of 1 as many as
// there are tested graphs. It draws all if there are fewer.
func (r *heldOut) outside(rng *rand.Rand, share float64) []int {
	n := r.tested
	if share < 1 {
		n = int(math.Round(share / (1 - share) * float64(r.tested)))
	}
	return rng.Perm(len(r.ood))[:min(n, len(r.ood))]
}

// mixed returns a batch: tested graphs, and after them OOD graphs, which are a share of all.
func (r *heldOut) mixed(rng *rand.Rand, tested []int, share float64) []*graph.Graph {
	return slices.Concat(pick(r.graphs, tested[:r.testedAt(share)]), pick(r.ood, r.outside(rng, share)))
}

// withReference returns the model and its scorer of single graphs with some of the held-out graphs as reference.
func (r *heldOut) withReference(ctx context.Context, reference []int) (*algo.Model, *algo.SingleScorer) {
	m := *r.model
	m.Holdout, m.HoldoutTraits = r.represented.Select(reference), pick(r.traits, reference)
	return &m, try.To(r.alone.WithHoldout(ctx, &m))
}

// scorer returns the scorer of batches for a model and its scorer of single graphs.
func (r *heldOut) scorer(ctx context.Context, m *algo.Model, alone *algo.SingleScorer, seed uint64) *algo.Scorer {
	o := columnOptions(columnBatch, seed)
	o.By, o.Workers, o.Single = algo.ByBatch, r.workers, alone
	return try.To(batch.NewScorer(ctx, m, o))
}

// batch calibrates graphs as a batch, with a reference of some of the held-out graphs.
// The rows of the report are in the order of the graphs.
func (r *heldOut) batch(ctx context.Context, gs []*graph.Graph, reference []int, seed uint64) *algo.Report {
	m, alone := r.withReference(ctx, reference)
	mixed, order := shuffled(gs, seed)
	report := try.To(r.scorer(ctx, m, alone, seed).Batch(ctx, mixed))
	report.Rows = restored(report.Rows, order)
	return report
}
