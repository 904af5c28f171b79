package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/build/depict"
)

// What a report shows at most.
const (
	MaxTop     = 10  // graphs that are drawn and explained
	MaxRows    = 500 // of the table
	MaxRefused = 20
)

// Judge counts the verdicts that follow from P, Alpha and FDR, and gives Rows theirs
// and their q-values. Without any p-value it leaves P nil.
func (r *Report) Judge() {
	tally := decide.NewTally()
	for _, p := range r.P {
		tally.Add(p, 1)
	}
	q := tally.QValues()
	judge := func(p float64) (decide.Verdict, float64) {
		if r.FDR > 0 && !math.IsNaN(p) {
			return decide.JudgeBatch(p, q[p], r.Alpha, r.FDR), q[p]
		}
		return decide.Judge(p, r.Alpha), math.NaN()
	}
	r.Outside, r.Borderline, r.Inside = 0, 0, 0
	for _, p := range r.P {
		switch v, _ := judge(p); v {
		case decide.Outside:
			r.Outside++
		case decide.Borderline:
			r.Borderline++
		case decide.Inside:
			r.Inside++
		}
	}
	for i := range r.Rows {
		e := &r.Rows[i]
		e.Row.Verdict, e.Q = judge(e.Row.P)
	}
	if !slices.ContainsFunc(r.P, func(p float64) bool { return !math.IsNaN(p) }) {
		r.P = nil
	}
}

// Explain fills in why the entry got the score that its graph gets by itself, and
// draws it with what its nodes add to that. canonical says that g is of the canonical
// form of the entry's molecule.
func (e *Entry) Explain(ctx context.Context, alone *algo.Alone, g *graph.Graph, alpha float64, canonical bool) error {
	x, err := alone.Explain(ctx, g, alpha)
	if err != nil {
		return err
	}
	e.Why = x
	unseen := make([]float64, g.N())
	for _, reason := range x.Reasons {
		if reason.Weight >= explain.Unseen {
			for _, i := range reason.Nodes {
				unseen[i] = 1
			}
		}
	}
	title := "structure of " + e.ID
	if e.SMILES == "" {
		title = "graph " + e.ID
	}
	m, err := molecule.Parse(e.SMILES)
	if e.SMILES == "" || err != nil || len(m.Atoms) != g.N() {
		e.Drawing = depict.Graph(g, x.Occlusion, marks(unseen), title)
		return nil
	}
	order := func(v []float64) []float64 { return v }
	if canonical {
		order = Written(e.SMILES, g.N())
	}
	e.Drawing = depict.Molecule(m, order(x.Occlusion), marks(order(unseen)), title)
	return nil
}

// Written returns a function that puts values of the n atoms of a canonical form in
// the order in which a SMILES has them. Where that has others, there are no values.
func Written(smiles string, n int) func([]float64) []float64 {
	m, err := molecule.Parse(smiles)
	if smiles == "" || err != nil || len(m.Atoms) != n {
		return func([]float64) []float64 { return nil }
	}
	_, order, _ := m.Canonical()
	return func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		w := make([]float64, n)
		for k, i := range order {
			w[i] = v[k]
		}
		return w
	}
}

// Quote makes a word of a shell's command line.
func Quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func marks(v []float64) []bool {
	marked := make([]bool, len(v))
	for i, x := range v {
		marked[i] = x > 0
	}
	return marked
}

// ModelCard are the lines of a model card. The file has so many bytes and that
// sha-256.
func ModelCard(m *algo.Model, bytes int, sha256 string) []Pair {
	c := m.Card
	program := ""
	if c.Program != "" {
		program = "baca " + c.Program
	}
	pairs := []Pair{
		{"name", c.Name}, {"description", c.Description}, {"reads", c.Schema},
		{"trained on", c.Dataset}, {"its sha256", c.DatasetSHA256},
		{"graphs", fmt.Sprintf("%d: %d trained on, %d kept from training", c.Graphs, c.Train, len(c.HoldoutRows))},
		{"training", fmt.Sprintf("%d epochs, batches of %d, learning rate %g, seed %d, last loss %.4g", c.Epochs, c.Batch, c.LearningRate, c.Seed, c.Loss)},
		{"trained by", program},
		{"compared with", fmt.Sprintf("%d graphs of the training set, %d kept from training", m.Bank.Len(), m.References())},
		{"file", fmt.Sprintf("%d bytes, sha256 %s", bytes, sha256)},
	}
	return slices.DeleteFunc(pairs, func(p Pair) bool { return p.Value == "" })
}

// A Basis is what scores rest on.
type Basis struct {
	Graphs           int  // that were scored together
	Alone            bool // each by itself
	Sample, First    bool // of the input: drawn evenly, or the first ones
	Evidence, Weight float64
}

// Pairs says it in words.
func (b Basis) Pairs() []Pair {
	text := fmt.Sprintf("a batch of %d graphs", b.Graphs)
	switch {
	case b.Alone:
		return []Pair{{"scored", "each graph by itself"}}
	case b.First:
		text = fmt.Sprintf("the first %d graphs, together; all others by what was learned from them", b.Graphs)
	case b.Sample:
		text = fmt.Sprintf("an even sample of %d graphs, together; all others by what was learned from it", b.Graphs)
	}
	return []Pair{
		{"scored", text},
		{"evidence", fmt.Sprintf("AUC %.3f of telling this batch from the training set; the density ratio has %.0f %% of its weight", b.Evidence, 100*b.Weight)},
	}
}
