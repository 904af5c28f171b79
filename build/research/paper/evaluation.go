package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/weights"
)

// An evaluation is a pair with its graphs and encoders.
type evaluation struct {
	pair        *pair
	id, outside *loadedSet
	sets        *sets
	encoders
}

// encoders says how to train them.
type encoders struct {
	train   Trainer
	epochs  int // 0: the paper's
	workers int
	weights string // folder that keeps them; empty keeps none
}

// newEvaluation reads a pair's sets. In choosePairs and reportPairs, OOD graphs that equal an ID graph are left out. Sets with
// different node features are an error.
func newEvaluation(ctx context.Context, s *sets, p *pair, how encoders) *evaluation {
	e := &evaluation{pair: p, sets: s, encoders: how, id: s.open(ctx, p.ID, ""), outside: s.open(ctx, p.OOD, p.ID)}
	if slices.Contains(choosePairs, p) || slices.Contains(reportPairs, p) {
		e.outside = e.outside.without(e.id)
	}
	e.epochs = cmp.Or(e.epochs, p.epochs())
	if e.id.schema != e.outside.schema {
		try.Check(fmt.Errorf("%s has node features %s, %s has %s: want two sets of the same kind", p.ID, e.id.schema, p.OOD, e.outside.schema))
	}
	return e
}

// Readings of molecules: as OGB does, or as parents, each once.
const readOGB, readParent = "ogb", "parent"

// without returns a copy of the set without the graphs that equal one of another set.
func (l *loadedSet) without(other *loadedSet) *loadedSet {
	known := fingerprint.NewIndex(mapped(other.graphs, printOf))
	rest := *l
	rest.smiles = nil // sets.smiles knows them by graph
	rest.graphs = slices.DeleteFunc(slices.Clone(l.graphs), func(g *graph.Graph) bool { return known.Has(printOf(g)) })
	return &rest
}

// reading returns how the pair's molecules are read: readParent, or readOGB, also for plain graphs.
func (e *evaluation) reading() string {
	if e.id.schema == algo.OGBParent {
		return readParent
	}
	return readOGB
}

// suffix is the reading in file names, empty for OGB's.
func (e *evaluation) suffix() string {
	if e.reading() == readParent {
		return "-" + readParent
	}
	return ""
}

// trained returns the ID graphs that a seed trains on.
func (e *evaluation) trained(seed uint64) []*graph.Graph {
	train, _ := dataset.Split(len(e.id.graphs), seed)
	return pick(e.id.graphs, train)
}

// locks has a lock for each path of a stored encoder: cells that need the same one wait for the first to train it.
var locks sync.Map

// model returns the model of a seed: the one stored in e.weights, or one that is trained now and stored there, if there is such a
// folder. Either is loaded from its file, which rounds weights, so that results do not depend on which it was.
func (e *evaluation) model(ctx context.Context, stderr io.Writer, seed uint64) *algo.Model {
	t := training.Training{
		Graphs: e.id.graphs, Workers: e.workers, Split: dataset.Split,
		Card: algo.Card{
			Name:        fmt.Sprintf("%s%s-seed%d-epochs%d", e.pair.ID, e.suffix(), seed, e.epochs),
			Description: fmt.Sprintf("Trained on %s, seed %d, for an evaluation.", e.pair.ID, seed),
			Schema:      e.id.schema, Dataset: e.pair.ID, DatasetSHA256: e.id.sha256, Seed: seed, Epochs: e.epochs,
		},
	}
	if e.weights == "" {
		return try.To(weights.Load(try.To(e.train(ctx, stderr, t, ""))))
	}
	path := filepath.Join(e.weights, t.Card.Name+".msgpack")
	one, _ := locks.LoadOrStore(path, new(sync.Mutex))
	one.(*sync.Mutex).Lock()
	defer one.(*sync.Mutex).Unlock()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		try.Check(os.MkdirAll(e.weights, 0o777))
		data, err = e.train(ctx, stderr, t, path)
	}
	try.Check(err)
	m, err := weights.Load(data)
	if err == nil {
		err = made(&t, m)
	}
	if err != nil {
		try.Check(fmt.Errorf("%s: %w; remove it, or give another folder as --weights", path, err))
	}
	return m
}

// detector trains a model for about so many steps. trained is the number of graphs of t that are not held out.
func (train Trainer) detector(ctx context.Context, t training.Training, steps, trained int) *algo.Model {
	t.Workers, t.Card.Epochs = 1, max(1, steps/training.StepsPerEpoch(trained))
	t.Card.Description = "Trained on a part of " + t.Card.Dataset + "."
	return try.To(weights.Load(try.To(train(ctx, io.Discard, t, ""))))
}

// made returns an error for a stored model that this training would not make.
func made(t *training.Training, m *algo.Model) error {
	width, err := algo.SchemaWidth(t.Card.Schema)
	if err != nil {
		return err
	}
	options := pretrain.Defaults(width)
	_, holdout := t.Split(len(t.Graphs), t.Card.Seed)
	got, want := m.Card, t.Card
	switch {
	case got.Schema != want.Schema:
		return fmt.Errorf("it reads graphs with the schema %s, want %s", got.Schema, want.Schema)
	case got.DatasetSHA256 != want.DatasetSHA256:
		return fmt.Errorf("it was trained on other data (sha-256 %.12s…, want %.12s…)", got.DatasetSHA256, want.DatasetSHA256)
	case got.Seed != want.Seed || got.Epochs != want.Epochs:
		return fmt.Errorf("it was trained with seed %d for %d epochs, want seed %d and %d epochs", got.Seed, got.Epochs, want.Seed, want.Epochs)
	case got.Batch != options.Batch || got.LearningRate != options.LearningRate || m.Encoder.Config != gin.Default(width):
		return errors.New("it was trained with other options")
	case !slices.Equal(got.HoldoutRows, holdout):
		// Otherwise training graphs would be tested.
		return errors.New("it was trained on another split of the set")
	}
	return nil
}

// A testBatch is a seed's batch.
type testBatch struct {
	of       *evaluation
	seed     uint64
	model    *algo.Model    // nil if unused
	graphs   []*graph.Graph // ID test graphs, then OOD graphs
	ood      []bool         // the truth, for metrics only
	nID      int
	warnings []string
	alone    *algo.SingleScorer // of the model, nil to prepare it each time
}

// batch returns a seed's test batch, with contamination OOD graphs for each ID graph and a copy of m without held-out graphs.
func (e *evaluation) batch(m *algo.Model, seed uint64, order dataset.Order, contamination float64) *testBatch {
	b := e.tested(seed, order, contamination)
	// The model's held-out graphs are the tested ID graphs. The method must see them only in the
	// unlabelled batch, not as known ID graphs.
	stripped := *m
	stripped.Holdout, stripped.HoldoutTraits = m.Holdout.Select(nil), nil
	b.model = &stripped
	return b
}

// tested makes the test batch of a seed without a model.
func (e *evaluation) tested(seed uint64, order dataset.Order, contamination float64) *testBatch {
	_, test := dataset.Split(len(e.id.graphs), seed)
	n := len(e.outside.graphs)
	// As many OOD graphs as ID graphs, then thinned; more only if more are asked for.
	wanted := math.Round(contamination * float64(len(test)))
	take := max(len(test), int(min(wanted, float64(n))))
	ood := try.To(dataset.Thin(dataset.TakeOOD(n, take, order, seed), len(test), contamination, seed))
	b := &testBatch{
		of: e, seed: seed, nID: len(test), graphs: slices.Concat(pick(e.id.graphs, test), pick(e.outside.graphs, ood)),
		ood: slices.Concat(make([]bool, len(test)), slices.Repeat([]bool{true}, len(ood))),
	}
	switch {
	case len(ood) == 0:
		b.warnings = append(b.warnings, "the batch has no OOD graphs, so there are no rates")
	case float64(len(ood)) < wanted:
		b.warnings = append(b.warnings, fmt.Sprintf("%s has only %d graphs where %.0f are wanted", e.pair.OOD, n, wanted))
	}
	return b
}

// shuffleStream is the PCG stream of the batch order.
const shuffleStream = 0xba1a_1001

// shuffled returns graphs in a random order, so that a graph's place reveals nothing. mixed[k] is gs[order[k]].
func shuffled(gs []*graph.Graph, seed uint64) (mixed []*graph.Graph, order []int) {
	order = rand.New(rand.NewPCG(seed, shuffleStream)).Perm(len(gs))
	return pick(gs, order), order
}

// restored undoes shuffled: it returns the list in which mixed[k] has place order[k].
func restored[T any](mixed []T, order []int) []T {
	list := make([]T, len(mixed))
	for k, i := range order {
		list[i] = mixed[k]
	}
	return list
}

// An outcome is the method's result for a batch, in its order.
type outcome struct {
	rows     []algo.Row
	scores   []float64 // of the column to measure
	seconds  float64
	warnings []string

	scorer *algo.Scorer
	order  []int // the scorer's order
}

// score scores a batch in a random order drawn by seed, without the truth.
func (b *testBatch) score(ctx context.Context, o algo.Options, column string) *outcome {
	mixed, order := shuffled(b.graphs, b.seed)
	o.Single = b.alone
	start := time.Now()
	scorer := try.To(batch.NewScorer(ctx, b.model, o))
	report := try.To(scorer.Batch(ctx, mixed))
	out := &outcome{
		rows:    restored(report.Rows, order),
		seconds: time.Since(start).Seconds(), scorer: scorer, order: order,
	}
	out.scores = columnScores(column, out.rows)
	if report.Few {
		out.warnings = append(out.warnings, fmt.Sprintf("fewer than %d graphs are no batch, so each graph is scored by itself", algo.MinBatch))
	}
	for _, w := range report.Warnings {
		if !strings.HasSuffix(w, "so there are no p-values") { // not asked for
			out.warnings = append(out.warnings, w)
		}
	}
	return out
}

// measure compares the scores of an outcome with the truth.
func (b *testBatch) measure(o *outcome) seedResult {
	auroc := func(column string) rate { return rate(metric.AUROC(columnScores(column, o.rows), b.ood)) }
	return seedResult{
		Seed: b.seed,
		seedRates: seedRates{
			AUROCPre: auroc(columnPre), AUROCAlone: auroc(columnAlone), AUROCBatch: auroc(columnBatch), AUROCAttention: auroc(columnAttention),
			AUROC: rate(metric.AUROC(o.scores, b.ood)), AUPR: rate(metric.AUPR(o.scores, b.ood)), FPR95: rate(metric.FPR95(o.scores, b.ood)),
			Seconds: rate(o.seconds),
		},
		NID: b.nID, NOOD: len(b.ood) - b.nID,
	}
}
