// Package service answers questions of other programs as plain values with limits: models, scores, verdicts,
// explanations, training (Model.Score, Service.Train). Callers bring the transport.
package service

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"sync"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training"
	"baca/weights"
)

// Limits of one question.
const (
	MaxRecords   = 1 << 16 // records scored one by one
	MaxBatch     = 1 << 20 // records scored as a batch
	MaxTraining  = 1 << 20 // records to train on
	MaxExplained = 1 << 12
	MaxNodes     = 1 << 24 // nodes of plain graphs in total
	maxKept      = 4       // models in the cache
)

// Default is the model that is used if none is named.
const Default = weights.Default

// ErrUnknown is the error for a model that is neither built in nor in the folder nor cached.
var ErrUnknown = weights.ErrUnknown

// A Service answers questions and caches models. It is safe for concurrent use.
type Service struct {
	workers int
	folder  []offered

	mu   sync.Mutex
	kept []*Model // most recently used last
}

// New returns a service that works on so many goroutines (0: one for each core).
func New(workers int) *Service { return &Service{workers: workers} }

// A Model answers questions. It is read-only.
type Model struct {
	*algo.Model
	Name   string // name in questions; the SHA-256 for a model from Open
	SHA256 string // SHA-256 of File
	File   []byte

	workers int
	single  *algo.SingleScorer

	widening sync.Mutex
	wide     *Model // nil before Wide
}

// Model returns the model of a name: a cached one, which then counts as the last used, or else it loads one from the
// program or the folder. Only cached models can be named by their SHA-256. For other names the error wraps
// ErrUnknown.
func (s *Service) Model(ctx context.Context, name string) (*Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.kept, func(m *Model) bool { return m.Name == name }); i >= 0 {
		m := s.kept[i]
		s.kept = append(slices.Delete(s.kept, i, i+1), m)
		return m, nil
	}
	file, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return s.keep(ctx, name, file)
}

// Open loads and caches the model of a file. Its name is the SHA-256 of the file. Later models may evict it.
func (s *Service) Open(ctx context.Context, file []byte) (*Model, error) {
	name := Sum(file)
	if m, err := s.Model(ctx, name); err == nil {
		return m, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keep(ctx, name, file)
}

// Sum returns the SHA-256 of a file in hexadecimal.
func Sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// keep loads and caches a model. If maxKept are cached already, it evicts the one that was not used for longest,
// which is the first. The caller holds s.mu.
func (s *Service) keep(ctx context.Context, name string, file []byte) (*Model, error) {
	loaded, err := weights.Load(file)
	if err != nil {
		return nil, err
	}
	m := &Model{Model: loaded, Name: name, SHA256: Sum(file), File: file, workers: s.workers}
	if m.single, err = algo.NewSingleScorer(ctx, loaded, s.workers); err != nil {
		return nil, err
	}
	s.kept = append(s.kept[max(0, len(s.kept)-maxKept+1):], m)
	return m, nil
}

// Wide returns the model with p-values that also compare with training graphs, see Widen.
func (m *Model) Wide(ctx context.Context) (*Model, error) {
	m.widening.Lock()
	defer m.widening.Unlock()
	if m.wide != nil {
		return m.wide, nil
	}
	single, loaded, err := Widen(ctx, m.Model, m.single, m.workers)
	if err == nil {
		m.wide = &Model{Model: loaded, Name: m.Name, SHA256: m.SHA256, File: m.File, workers: m.workers, single: single}
	}
	return m.wide, err
}

// Widen returns a scorer and a model whose p-values also compare with training graphs. To score those it needs the
// background of m, which must be the built-in one or none: the file of m does not hold another one.
func Widen(ctx context.Context, m *algo.Model, single *algo.SingleScorer, workers int) (*algo.SingleScorer, *algo.Model, error) {
	if m.Background == nil {
		return single.Approximate(ctx, nil)
	}
	if m.Card.Background != algo.BuiltInBackground {
		return nil, nil, fmt.Errorf("--by approximate: model %s has the background %s, which its file does not hold: want a model with the built-in background, or with none", m.Card.Name, m.Card.Background)
	}
	o := dataset.Options{Format: dataset.SMI, Form: m.Form(), Workers: workers}
	outside, _, err := training.ReadBackground(ctx, weights.Background(), o, nil)
	if err != nil {
		return nil, nil, err
	}
	return single.Approximate(ctx, outside)
}

// A Summary describes a model.
type Summary struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	SHA256      string `json:"sha256"`
	Molecules   bool   `json:"molecules"` // whether it reads molecules, not plain graphs
	Reads       string `json:"reads"`     // how it reads them
	Dataset     string `json:"dataset"`
	Train       int    `json:"train"`      // number of training graphs
	References  int    `json:"references"` // number of held-out graphs
}

type About struct {
	Summary
	// Threshold is the lowest score that is outside. It is nil if alpha needs more references.
	Threshold *float64 `json:"threshold"`
}

// About describes a model, with the threshold for the alpha and confidence of a [How].
func (m *Model) About(alpha, confidence float64) (*About, error) {
	if err := decide.CheckAlpha(alpha); err != nil {
		return nil, err
	}
	a := &About{Summary: summary(m.Model, m.Card.Name, m.SHA256)}
	if confidence > 0 {
		alpha = decide.Confident(alpha, confidence, m.References())
	}
	if t, ok := decide.Threshold(m.single.Holdout(), alpha); ok && alpha > 0 {
		a.Threshold = &t
	}
	return a, nil
}

// summary returns what lists of models say of m.
func summary(m *algo.Model, name, sha256 string) Summary {
	c := m.Card
	return Summary{
		Name: name, Description: c.Description, SHA256: sha256, Molecules: c.Schema != algo.Constant, Reads: algo.Reads(c.Schema),
		Dataset: c.Dataset, Train: c.Train, References: m.References(),
	}
}

// A List holds molecules or plain graphs.
type List struct {
	SMILES []string `json:"smiles"`
	Graphs []Plain  `json:"graphs"`
	IDs    []string `json:"ids"` // an id for each record, or "" for the number of its row; nil for none
	First  int      `json:"-"`   // row of the first record in the whole list, from 0
}

// A Plain graph has nodes 0…N−1 and undirected edges, in one direction or both.
type Plain struct {
	N     int
	Edges [][2]int32
}

// UnmarshalJSON reads an object of n and edges. Unlike encoding/json it refuses other fields, edges of more than two numbers
// and missing numbers.
func (p *Plain) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return errors.New("a graph must be an object")
	}
	for name := range fields {
		if name != "n" && name != "edges" {
			return fmt.Errorf("unknown field %.40q of a graph", name)
		}
	}
	if _, err := dataset.Twice(data, "n", "edges"); err != nil {
		return fmt.Errorf("a graph: %w", err)
	}
	if n := fields["n"]; json.Unmarshal(n, &p.N) != nil || string(n) == "null" {
		return fmt.Errorf("n of a graph is %.40q: want a number of nodes", n)
	}
	edges := fields["edges"]
	if edges == nil || string(edges) == "null" {
		return nil
	}
	whole := false
	p.Edges, whole = pairsOf(edges)
	if !whole {
		return fmt.Errorf("edge %d of a graph: want two whole numbers", len(p.Edges)+1)
	}
	return nil
}

// pairsOf reads a valid JSON list of pairs of whole numbers. whole is false if an element is not such a pair; pairs are
// then those before it.
func pairsOf(list []byte) (pairs [][2]int32, whole bool) {
	var pair [2]int32
	depth, n := 0, 0 // open brackets; numbers of the pair so far
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '[' && depth < 2:
			depth, n = depth+1, 0
		case c == ']' && depth == 1: // the end of the list
		case c == ']' && n == 2:
			pairs, depth = append(pairs, pair), 1
		case c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case depth == 2 && n < 2:
			end := i + 1
			for list[end] >= '0' && list[end] <= '9' {
				end++
			}
			x, err := strconv.ParseInt(string(list[i:end]), 10, 32)
			if err != nil {
				return pairs, false
			}
			pair[n], n, i = int32(x), n+1, end-1
		default:
			return pairs, false
		}
	}
	return pairs, true
}

// Len returns the number of records.
func (l *List) Len() int { return len(l.SMILES) + len(l.Graphs) }

// records returns the list's records for a schema, molecules in a form. It returns an error for more than most records
// or for graphs of the wrong kind.
func (l *List) records(schema string, form molecule.Form, most int) (iter.Seq2[dataset.Record, error], error) {
	nodes := 0
	for _, p := range l.Graphs {
		nodes += min(max(p.N, 0), MaxNodes+1)
	}
	switch molecules := schema != algo.Constant; {
	case nodes > MaxNodes:
		return nil, fmt.Errorf("graphs of %d nodes at once: want at most %d", nodes, MaxNodes)
	case l.Len() > most:
		return nil, fmt.Errorf("%d records at once: want at most %d", l.Len(), most)
	case molecules && len(l.Graphs) > 0:
		return nil, errors.New("the model reads molecules, and the list holds plain graphs")
	case !molecules && len(l.SMILES) > 0:
		return nil, errors.New("the model reads plain graphs, and the list holds molecules")
	}
	return func(yield func(dataset.Record, error) bool) {
		for i := range l.Len() {
			r := l.record(i)
			if l.IDs != nil {
				r.ID = l.IDs[i]
			}
			r.Form = form
			if !yield(r, nil) {
				return
			}
		}
	}, nil
}

// record returns record i of the list: a SMILES or a plain graph.
func (l *List) record(i int) dataset.Record {
	row := l.First + i + 1
	if len(l.Graphs) == 0 {
		return dataset.Listed(row, l.SMILES[i])
	}
	r, dropped := dataset.Record{Entry: dataset.Entry{Row: row}}, graph.Dropped{}
	r.Graph, dropped, r.Err = graph.New(l.Graphs[i].N, l.Graphs[i].Edges)
	r.Aside.Loops = uint32(dropped.SelfLoops)
	return r
}

type How struct {
	Alpha      float64 // rate of false alarms
	Confidence float64 // probability, over the choice of held-out graphs, with which the rate is kept; 0: on average
	// By is one of algo.Deciders, or ByBoth. Except for algo.ByAlone the records, or an even sample of many, form a batch
	// on which each answer depends.
	By      string
	Seed    uint64 // for the attention and the sample
	Explain bool   // whether rows have Why
}

// ByBoth decides by each record alone, and also gives what the batch says.
const ByBoth = "both"

// Decider returns the one of algo.Deciders that decides.
func (h How) Decider() string {
	if h.By == ByBoth {
		return algo.ByAlone
	}
	return h.By
}

// Check returns an error for values that the command refuses.
func (h How) Check() error { return cmp.Or(algo.CheckBy(h.Decider()), decide.CheckAlpha(h.Alpha)) }

// batch reports whether the records form a batch.
func (h How) batch() bool { return h.By != algo.ByAlone }

// A Whole describes a batch.
type Whole struct {
	// Few is set if there were too few records for a batch, so that each was judged by itself.
	Few         bool     `json:"few"`
	AUC         *float64 `json:"auc"`         // AUC against held-out graphs, nil if Few
	P           *float64 `json:"p_value"`     // p-value of the list, nil if too few graphs are held out
	Differences []string `json:"differences"` // how the list differs
	Notes       []string `json:"notes"`       // sentences and warnings
}

// WholeOf describes the batch of a run. It returns nil if there is none.
func WholeOf(r *run.Run) *Whole {
	f := r.Fit
	if f == nil {
		return nil
	}
	w := &Whole{Few: f.Few, Differences: append([]string{}, f.Differences...), Notes: append([]string{}, r.Sentences()...)}
	w.Notes = append(w.Notes, f.Warnings...)
	if !f.Few {
		w.AUC, w.P = known(f.Evidence), known(f.P)
	}
	return w
}

// known returns x, or nil for NaN.
func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// Plan returns the plan of a run that answers as how asks. Rows have the usual columns, for a batch also its own, and
// with Explain reasons, neighbours and, if the model has them, their values. Callers set the input and where rows go.
func (m *Model) Plan(how How) run.Plan {
	o := algo.DefaultOptions()
	o.Alpha, o.By, o.Seed, o.Workers, o.Single = how.Alpha, how.Decider(), how.Seed, m.workers, m.single
	p := run.Plan{Model: m.Model, Options: o, Batch: how.batch(), Confidence: how.Confidence, Columns: table.Usual}
	if how.batch() {
		p.Columns |= table.OfBatch
	}
	if how.Explain {
		p.Columns |= table.OfReasons | table.OfNeighbors
		if m.Structures.HasValues() {
			p.Columns |= table.OfValues
		}
	}
	return p
}

// Score runs a plan of the model on a list. It returns a description of the batch, or nil without one. It returns an
// error for a list that is too long.
func (m *Model) Score(ctx context.Context, l List, p run.Plan) (whole *Whole, err error) {
	most := MaxRecords
	if p.Batch {
		most = MaxBatch
	}
	if p.Columns&table.OfReasons != 0 {
		most = MaxExplained
	}
	if p.Input, err = l.Input(&p, most); err != nil {
		return nil, err
	}
	r, err := run.New(ctx, p)
	if err == nil {
		err = r.Do(ctx)
	}
	if err != nil {
		return nil, err
	}
	return WholeOf(r), nil
}

// Input returns a list of at most most records as the input of a plan.
func (l *List) Input(p *run.Plan, most int) (run.Input, error) {
	records, err := l.records(p.Model.Card.Schema, p.Form(), most)
	again := func() (iter.Seq2[dataset.Record, error], func(), error) { return records, func() {}, nil }
	return run.Input{Records: records, Again: again}, err
}
