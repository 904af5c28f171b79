package report

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo/alone"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Limits of a report.
const (
	MaxTop     = 10  // explained graphs
	MaxRows    = 500 // of the table
	MaxRefused = 20
)

// Judge counts verdicts and fills in those of Rows, with their q-values. It reads P, Alone, Alpha, FDR and the size of
// Holdout. If there is no p-value at all, it sets P to nil.
func (r *Report) Judge() {
	q := decide.LevelsOf(r.P)
	rule := decide.Rule{Alpha: r.Alpha, Holdout: len(r.Holdout)}
	switch {
	case r.FDR > 0:
		rule.ByRate, rule.Cut = true, q.Cut(r.FDR)
	case r.Alone != nil:
		rule.Guard = r.Guard
	}
	r.Counts = decide.Counts{}
	for i, p := range r.P {
		alone := math.NaN()
		if r.Alone != nil {
			alone = r.Alone[i]
		}
		r.Count(rule.Judge(p, alone))
	}
	for i := range r.Rows {
		e := &r.Rows[i]
		e.Row.Verdict, e.Q = rule.Judge(e.Row.P, e.Row.GuardP()), math.NaN()
		if rule.ByRate {
			e.Q = q.Of(e.Row.P)
		}
	}
	if !slices.ContainsFunc(r.P, func(p float64) bool { return !math.IsNaN(p) }) {
		r.P = nil
	}
}

// Explain sets why the entry has its score, and its drawing. f is the form of its graph. Without a SMILES whose atoms
// fit the nodes it draws the graph.
func (e *Entry) Explain(ctx context.Context, alone *alone.Scorer, alpha float64, f molecule.Form) error {
	g := e.Graph
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
	m, err := smiles.Parse(e.SMILES)
	order := smiles.Reordered(e.SMILES, f, g.N())
	if e.SMILES == "" || err != nil || len(order(unseen)) != len(m.Atoms) {
		e.Drawing = graphDrawing(g, x.Contributions, unseen)
		return nil
	}
	e.Drawing = &Drawing{Share: order(x.Contributions), Marked: order(unseen)}
	return nil
}

// HoldoutOf says where the held-out graphs come from. file is model.Card.Holdout.
func HoldoutOf(file string) string {
	if file == "" {
		return "kept from training"
	}
	return "of " + file
}

// ModelCard returns the lines of a model card. The model's file has so many bytes and this SHA-256.
func ModelCard(m *model.Model, bytes int, sha256 string) []document.Pair {
	c := m.Card
	things := document.Say(c.Schema == model.Constant, "molecules")
	program := ""
	if c.Program != "" {
		program = "baca " + c.Program
	}
	training := c.Training()
	if c.Epochs > 0 {
		training += fmt.Sprintf(", last loss %.4g", c.Loss)
	}
	pairs := []document.Pair{
		{"name", c.Name}, {"description", c.Description}, {"reads", model.Reads(c.Schema) + " (" + c.Schema + ")"},
		{"trained on", c.Dataset}, {"its sha256", c.DatasetSHA256},
		{things, c.Counts()},
		{"training", training},
		{"trained by", program},
		{"compared with", fmt.Sprintf("%d %s of the training set, %d %s", m.Bank.Len(), things, m.References(), HoldoutOf(c.Holdout))},
		{"file", fmt.Sprintf("%d bytes, sha256 %s", bytes, sha256)},
	}
	return slices.DeleteFunc(pairs, func(p document.Pair) bool { return p.Value == "" })
}

// A Basis says which graphs the answer about a list rests on.
type Basis struct {
	Graphs        int     // of the batch
	Alone         bool    // no batch: graphs were scored one by one
	Sample, First bool    // the batch is an even sample of the input, or its first graphs
	Weight        float64 // of the density ratio, see batch.Report.Weight
}

// Pairs returns the lines about the basis in a report of plain graphs or of molecules.
func (b Basis) Pairs(plain bool) []document.Pair {
	if b.Alone {
		return []document.Pair{{"batch", document.Say(plain, "none: each molecule by itself")}}
	}
	text := fmt.Sprintf("all %d molecules", b.Graphs)
	switch {
	case b.First:
		text = fmt.Sprintf("the first %d molecules; all others are scored by what was learned from them", b.Graphs)
	case b.Sample:
		text = fmt.Sprintf("an even sample of %d molecules; all others are scored by what was learned from it", b.Graphs)
	}
	return []document.Pair{
		{"batch", document.Say(plain, text)},
		{"density ratio", fmt.Sprintf("has %.0f %% of its weight in the score of the batch", 100*b.Weight)},
	}
}

// Parts returns phrases that say what the parts of a score add. A part that the model lacks has no phrase.
func Parts(x *alone.Explanation) []string {
	var list []string
	add := func(value float64, text, more, less string) {
		if math.IsNaN(value) {
			return
		}
		word := more
		if value < 0 {
			word = less
		}
		list = append(list, fmt.Sprintf(text, document.Number(math.Abs(value), 1), word))
	}
	add(x.Distance, "its nearest training molecules are %s standard deviations %s than those of training molecules usually are", "further away", "nearer")
	add(x.Ratio, "it is %s standard deviations %s like the background molecules than training molecules usually are", "more", "less")
	if x.Rare > 0 {
		list = append(list, fmt.Sprintf("its rarest parts, which hardly a training molecule has, add %s to the score", document.Number(x.Rare, 1)))
	}
	return list
}
