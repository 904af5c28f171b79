package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/table"
)

// New returns a report with sections by parts. It gathers scored rows in the order of the input, see Add.
func New(alone *alone.Scorer, o batch.Options, fdr float64, parts ...Part) *Report {
	return &Report{Alpha: o.Alpha, FDR: fdr, Holdout: alone.Holdout(), alone: alone, by: o.By, Parts: parts}
}

// Fitted takes the warnings of a batch and, if it had enough graphs, what the list as a whole differs in. If the batch decides,
// it also takes the guard and the scores of the holdout. It must be called before rows are added.
func (r *Report) Fitted(f *batch.Report) {
	r.Warnings = append(r.Warnings, f.Warnings...)
	if f.Few {
		return
	}
	r.Whole, r.Differences = batch.Whole("this list", f.Evidence, f.P), f.Differences
	switch r.by {
	case batch.ByBatch:
		r.Alone, r.Guard = []float64{}, decide.Guard(len(f.Rows), r.Alpha)
		r.Holdout = lists.Map(f.Holdout, func(row batch.Row) float64 { return row.Batch })
	case batch.ByAttention:
		r.Alone, r.Guard = []float64{}, decide.PaperGuard(r.Alpha)
		r.Holdout = lists.Map(f.Holdout, func(row batch.Row) float64 { return row.BaCa })
	}
}

// Add adds rows, in the order of the input.
func (r *Report) Add(rows []table.Row) {
	for _, row := range rows {
		if s, scored := row.(*table.Scored); scored {
			r.AddEntry(Entry{ID: s.ID, SMILES: s.SMILES, SetAside: s.Aside.String(), Graph: s.Graph, Row: s.Scores})
		} else {
			r.Refuse(row.Input().Err.Error())
		}
	}
}

// Refuse adds a record that cannot be read.
func (r *Report) Refuse(why string) {
	r.Read++
	r.Refused++
	if len(r.Refusals) < MaxRefused {
		r.Refusals = append(r.Refusals, why)
	}
}

// AddEntry adds a row. Its graph may be set later, see Finish.
func (r *Report) AddEntry(e Entry) {
	r.Read++
	r.Scores, r.P = append(r.Scores, e.Row.Score), append(r.P, e.Row.P)
	if r.Alone != nil {
		r.Alone = append(r.Alone, e.Row.GuardP())
	}
	for _, part := range r.Parts {
		part.Take(&e)
	}
	e.Place, e.Q = r.Read, math.NaN()
	r.Rows = append(r.Rows, e)
	if len(r.Rows) > 4*MaxRows {
		r.cut()
	}
}

// cut keeps the MaxRows rows of the highest scores, the highest first, ties in the order of the input.
func (r *Report) cut() {
	slices.SortStableFunc(r.Rows, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(y.Row.Score, x.Row.Score), cmp.Compare(x.Place, y.Place))
	})
	r.Rows = slices.Clip(r.Rows[:min(len(r.Rows), MaxRows)])
}

// Finish judges the rows, and explains and draws the first of them. graphs returns the graphs at places of the input, from
// 1. It may be nil if the entries have their graphs.
func (r *Report) Finish(ctx context.Context, form molecule.Form, graphs func(places []int) ([]*graph.Graph, error)) error {
	r.cut()
	r.Judge()
	top := r.Rows[:min(len(r.Rows), MaxTop)]
	if graphs != nil {
		of, err := graphs(lists.Map(top, func(e Entry) int { return e.Place }))
		if err != nil {
			return err
		}
		for i, g := range of {
			top[i].Graph = g
		}
	}
	for _, e := range top {
		if err := e.Explain(ctx, r.alone, r.Alpha, form); err != nil {
			return err
		}
		r.Top = append(r.Top, e)
	}
	return nil
}

// A Making says how a report was made.
type Making struct {
	Name    string // of the input in the title, empty for none
	By      string
	Seed    uint64
	Basis   Basis
	Program string

	// The file of the model, and the version of its format.
	ModelBytes, ModelFormat int
	ModelSHA256             string

	// Flags, Out and Input are those of the command that makes the report again. --by, --alpha, --fdr and --seed are added.
	Flags      []document.Flag
	Out, Input string
}

// Describe sets the title, the settings, the versions and the command of a report, and the card of its model.
func (m Making) Describe(r *Report, of *model.Model) {
	r.Title, r.Plain = "Out-of-distribution report", of.Card.Schema == model.Constant
	if m.Name != "" {
		r.Title += ": " + m.Name
	}
	alpha, rate, seed := fmt.Sprint(r.Alpha), "not asked for", fmt.Sprint(m.Seed)
	if r.FDR > 0 {
		rate = fmt.Sprint(r.FDR)
	}
	r.Model = ModelCard(of, m.ModelBytes, m.ModelSHA256)
	r.Settings = append([]document.Pair{
		{"decided by", m.By}, {"alpha", fmt.Sprintf("%.3g", r.Alpha)},
		{"false-discovery rate", rate}, {"seed", seed},
	}, m.Basis.Pairs(r.Plain)...)
	r.Versions = []document.Pair{
		{"program", "baca " + m.Program},
		{"built with", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{"model file format", fmt.Sprint(m.ModelFormat)},
	}
	usual := batch.DefaultOptions()
	r.Command = document.Command("baca report", append(m.Flags,
		document.Flag{Name: "--by", Value: m.By, Usual: usual.By}, document.Flag{Name: "--alpha", Value: alpha, Usual: fmt.Sprint(usual.Alpha)},
		document.Flag{Name: "--fdr", Value: fmt.Sprint(r.FDR), Usual: "0"}, document.Flag{Name: "--seed", Value: seed}, document.Flag{Name: "--out", Value: m.Out},
	), m.Input)
}
