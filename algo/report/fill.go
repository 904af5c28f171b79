package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/alone"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/feature/compare"
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

// Judge counts verdicts by P, Alone, Alpha, FDR and the size of Holdout, and fills in those of Rows
// with their q-values. Without any p-value it leaves P nil.
func (r *Report) Judge() {
	q := decide.LevelsOf(r.P)
	rule := decide.Rule{Alpha: r.Alpha, Holdout: len(r.Holdout)}
	switch {
	case r.FDR > 0:
		rule.ByRate, rule.Cut = true, q.Cut(r.FDR)
	case r.Alone != nil:
		rule.Guard = decide.Guard
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
		if e.Row.Verdict, e.Q = rule.Judge(e.Row.P, e.Row.GuardP()), math.NaN(); rule.ByRate {
			e.Q = q.Of(e.Row.P)
		}
	}
	if !slices.ContainsFunc(r.P, func(p float64) bool { return !math.IsNaN(p) }) {
		r.P = nil
	}
}

// Explain fills in why the entry has its score, and its drawing. Its graph is in form f.
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
	order := Written(e.SMILES, f, g.N())
	if e.SMILES == "" || err != nil || len(order(unseen)) != len(m.Atoms) {
		e.Drawing = graphDrawing(g, x.Contributions, unseen)
		return nil
	}
	e.Drawing = &Drawing{share: order(x.Contributions), marked: order(unseen)}
	return nil
}

// Written returns a function that reorders values of the n atoms of a molecule in form f to the
// atoms of its SMILES, NaN for omitted atoms. It returns no values if the SMILES has other atoms.
func Written(text string, f molecule.Form, n int) func([]float64) []float64 {
	if f == molecule.AsWritten {
		return func(v []float64) []float64 { return v }
	}
	var read *molecule.Molecule
	var order []int32
	m, err := smiles.Parse(text)
	if err == nil {
		read, order, _ = smiles.In(m, f)
	}
	if text == "" || err != nil || len(read.Atoms) != n {
		return func([]float64) []float64 { return nil }
	}
	return func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		w := slices.Repeat([]float64{math.NaN()}, len(m.Atoms))
		for k, i := range order {
			w[i] = v[k]
		}
		return w
	}
}

// Quote quotes a word for a shell.
func Quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// QuotePath is Quote for an input path, whose leading - must not become a flag. A lone - is
// standard input.
func QuotePath(path string) string {
	if strings.HasPrefix(path, "-") && path != "-" {
		path = "./" + path
	}
	return Quote(path)
}

// HoldoutOf says where the held-out graphs come from, by model.Card.Holdout.
func HoldoutOf(file string) string {
	if file == "" {
		return "kept from training"
	}
	return "of " + file
}

// ModelCard has the lines of a model card for a file of that size and SHA-256.
func ModelCard(m *model.Model, bytes int, sha256 string) []Pair {
	c := m.Card
	things := compare.Say(c.Schema == model.Constant, "molecules")
	program := ""
	if c.Program != "" {
		program = "baca " + c.Program
	}
	training := c.Training()
	if c.Epochs > 0 {
		training += fmt.Sprintf(", last loss %.4g", c.Loss)
	}
	pairs := []Pair{
		{"name", c.Name}, {"description", c.Description}, {"reads", model.Reads(c.Schema) + " (" + c.Schema + ")"},
		{"trained on", c.Dataset}, {"its sha256", c.DatasetSHA256},
		{things, c.Counts()},
		{"training", training},
		{"trained by", program},
		{"compared with", fmt.Sprintf("%d %s of the training set, %d %s", m.Bank.Len(), things, m.References(), HoldoutOf(c.Holdout))},
		{"file", fmt.Sprintf("%d bytes, sha256 %s", bytes, sha256)},
	}
	return slices.DeleteFunc(pairs, func(p Pair) bool { return p.Value == "" })
}

// A Basis says what the answer about a list rests on.
type Basis struct {
	Graphs        int  // of the batch
	Alone         bool // no batch: graphs were scored one by one
	Sample, First bool // of the input: an even sample, or the first ones
	Evidence, P   float64
	Weight        float64
}

// Pairs are its lines in a report, of plain graphs or of molecules.
func (b Basis) Pairs(plain bool) []Pair {
	if b.Alone {
		return []Pair{{"batch", compare.Say(plain, "none: each molecule by itself")}}
	}
	text := fmt.Sprintf("all %d molecules", b.Graphs)
	switch {
	case b.First:
		text = fmt.Sprintf("the first %d molecules; all others are scored by what was learned from them", b.Graphs)
	case b.Sample:
		text = fmt.Sprintf("an even sample of %d molecules; all others are scored by what was learned from it", b.Graphs)
	}
	return []Pair{
		{"batch", compare.Say(plain, text)},
		{"density ratio", fmt.Sprintf("has %.0f %% of its weight in the score of the batch", 100*b.Weight)},
	}
}

// Whole says whether a list differs from the training set, by batch.Report.Evidence and P.
func Whole(list string, evidence, p float64) string {
	text := fmt.Sprintf("p = %.2g", p)
	if p < 0.001 {
		text = "p < 0.001"
	}
	switch {
	case math.IsNaN(p):
		return fmt.Sprintf("%s is told from the training set with an AUC of %.2f; the model holds too few to say how often that is chance", list, evidence)
	case p <= wholeLevel:
		return fmt.Sprintf("as a whole %s differs from the training set: AUC %.2f, %s", list, evidence, text)
	}
	return fmt.Sprintf("nothing says that %s as a whole differs from the training set (AUC %.2f, %s)", list, evidence, text)
}

// MakesTheDifference says how a list differs from the training set.
func MakesTheDifference(differences []string) string {
	return "What makes the difference: " + strings.Join(differences, "; ")
}

// parts describes the parts of a score, one without a background.
func parts(x *alone.Explanation) []string {
	var list []string
	add := func(value float64, text, more, less string) {
		if math.IsNaN(value) {
			return
		}
		word := more
		if value < 0 {
			word = less
		}
		list = append(list, fmt.Sprintf(text, number(math.Abs(value), 1), word))
	}
	add(x.Distance, "its nearest training molecules are %s standard deviations %s than those of training molecules usually are", "further away", "nearer")
	add(x.Ratio, "it is %s standard deviations %s like the background molecules than training molecules usually are", "more", "less")
	if x.Rare > 0 {
		list = append(list, fmt.Sprintf("its rarest parts, which hardly a training molecule has, add %s to the score", number(x.Rare, 1)))
	}
	return list
}

// wholeLevel is the largest p-value of a list that differs.
const wholeLevel = 0.05
