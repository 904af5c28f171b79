package engine

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/report"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// reasons makes a file of rows with why.
func (e *Engine) reasons(r *message.Reasons, post func(message.Event)) (*message.Exported, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	n := len(r.Rows.ID)
	if err := even(r.Rows); err != nil {
		return nil, err
	}
	if len(r.Record) != n || n > message.MostExplained {
		return nil, failf(message.CodeBadOption, "%d records for %d rows: want as many, and at most %d", len(r.Record), n, message.MostExplained)
	}
	t := e.begin(post)
	alone, err := e.single(t.pulse)
	if err != nil {
		return nil, t.failed(err)
	}
	records, err := e.pick(t, r.Record)
	if err != nil {
		return nil, t.failed(err)
	}
	alpha := algo.DefaultOptions().Alpha
	cells := make([][]any, n)
	for i, record := range r.Record {
		t.goes(message.StageExplain, i, n)
		if r.Rows.Error[i] != "" {
			continue
		}
		if cells[i], err = e.explained(t, alone, records[int(record)], int(record), alpha); err != nil {
			return nil, t.failed(err)
		}
	}
	out, err := write(r.Format, r.Rows, table.ExplainColumns, cells)
	if err == nil {
		out.Name = "reasons." + r.Format
	}
	return out, err
}

// explained are the values of table.ExplainColumns for a record.
func (e *Engine) explained(t *task, alone *algo.SingleScorer, r table.Record, record int, alpha float64) ([]any, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	x, err := alone.Explain(t, r.Graph, alpha)
	if err != nil {
		return nil, err
	}
	like, err := e.like(t, alone, r.Graph, record)
	if err != nil {
		return nil, err
	}
	return table.Explained(x, like, report.Written(r.SMILES, e.form(), r.Graph.N())), nil
}

// like returns the records of the input that the OOD dictionary of the attention
// holds and that it looks at most for this graph.
func (e *Engine) like(t *task, alone *algo.SingleScorer, g *graph.Graph, record int) ([]float64, error) {
	if e.last == nil {
		return []float64{}, nil
	}
	q, err := alone.Embedding(t, g)
	if err != nil {
		return nil, err
	}
	return table.LikeOutside(e.last.scorer, q, e.last.find(record), e.last.places), nil
}

// report makes the file of `baca report`.
func (e *Engine) report(r *message.Report, post func(message.Event)) (*message.Exported, error) {
	if err := e.ready(); err != nil {
		return nil, err
	}
	if err := even(r.Top); err != nil {
		return nil, err
	}
	n := len(r.Top.ID)
	switch err := decide.CheckAlpha(r.Alpha); {
	case err != nil:
		return nil, failf(message.CodeBadOption, "%w", err)
	case len(r.Score) != len(r.P):
		return nil, failf(message.CodeBadOption, "%d scores beside %d p-values", len(r.Score), len(r.P))
	case r.By == algo.ByBatch && len(r.AloneP) != len(r.P):
		return nil, failf(message.CodeBadOption, "%d p-values by themselves beside %d of the batch", len(r.AloneP), len(r.P))
	case n != len(r.Record) || n > report.MaxRows:
		return nil, failf(message.CodeBadOption, "%d rows of %d records: want as many, and at most %d", n, len(r.Record), report.MaxRows)
	}
	if r.FDR != 0 {
		if err := decide.CheckFDR(r.FDR); err != nil {
			return nil, failf(message.CodeBadOption, "%w", err)
		}
	}
	t := e.begin(post)
	alone, err := e.single(t.pulse)
	if err != nil {
		return nil, t.failed(err)
	}
	if r.By != "" && !slices.Contains(algo.Deciders(), r.By) {
		return nil, failf(message.CodeBadOption, "decide by %q: want one of %v", r.By, algo.Deciders())
	}
	seed := max(1, r.Scored.Seed)
	drift, err := e.watch(t, seed)
	if err != nil {
		return nil, t.failed(err)
	}
	whole, differences := "", []string(nil)
	if f := r.Fitted; f != nil && !f.Few {
		whole, differences = report.Whole("this list", f.Evidence, f.P), f.Differences
	}
	in, name := e.input, e.input.name
	out := &report.Report{
		Title: "Out-of-distribution report",
		Read:  in.opened.Records, Refused: in.opened.Refused, Alpha: r.Alpha, FDR: r.FDR,
		Scores: r.Score, P: r.P, Holdout: r.Holdout, Whole: whole, Differences: differences, Wealth: drift.wealth, Delta: defaultDelta,
		Refusals: r.Refusals[:min(len(r.Refusals), report.MaxRefused)], Warnings: r.Warnings,
		Model: report.ModelCard(e.model, e.card.Bytes, e.card.SHA256),
		Again: "With the same model file and input the command finds the same.",
	}
	if r.By == algo.ByBatch {
		out.Alone = r.AloneP
	}
	if name == "" {
		name = "input.smi"
		out.Input = []report.Pair{{Name: "input", Value: "text that was pasted or drawn"}}
		out.Again += " The text that was pasted is here called input.smi."
	} else {
		out.Title += ": " + name
		out.Input = []report.Pair{{Name: "input", Value: name}}
	}
	out.Input = append(out.Input, report.Pair{Name: "bytes", Value: fmt.Sprint(in.source.Size())}, report.Pair{Name: "its sha256", Value: in.opened.SHA256})
	for i, record := range r.Record {
		out.Rows = append(out.Rows, report.Entry{ID: r.Top.ID[i], SMILES: r.Top.SMILES[i], Place: int(record) + 1, Row: rowAt(&r.Top, i), Q: math.NaN()})
	}
	out.Judge()
	top := r.Record[:min(n, report.MaxTop)]
	records, err := e.pick(t, top)
	if err != nil {
		return nil, t.failed(err)
	}
	for i, record := range top {
		t.goes(message.StageExplain, i, len(top))
		entry, found := out.Rows[i], records[int(record)]
		if found.Err != nil {
			return nil, t.failed(found.Err)
		}
		if err := entry.Explain(t, alone, found.Graph, r.Alpha, e.form()); err != nil {
			return nil, t.failed(err)
		}
		out.Top = append(out.Top, entry)
	}
	e.settings(out, r, name)
	var b bytes.Buffer
	if err := report.Write(&b, out); err != nil {
		return nil, err
	}
	return &message.Exported{Name: "report.html", Type: "text/html", Data: b.Bytes()}, nil
}

// settings fills in how the scores came about, and how to get them again.
func (e *Engine) settings(out *report.Report, r *message.Report, input string) {
	usual, fdr := algo.DefaultOptions(), "not asked for"
	if r.FDR > 0 {
		fdr = fmt.Sprint(r.FDR)
	}
	by := r.By
	if by == "" {
		by = usual.By
	}
	basis := report.Basis{Alone: true}
	if f := r.Fitted; f != nil {
		basis = report.Basis{Graphs: f.Graphs, Alone: f.Few, Sample: f.Sample, Evidence: f.Evidence, P: f.P, Weight: f.Weight}
	}
	seed := fmt.Sprint(max(1, r.Scored.Seed))
	out.Settings = append([]report.Pair{
		{Name: "decided by", Value: by}, {Name: "alpha", Value: fmt.Sprint(r.Alpha)},
		{Name: "false-discovery rate", Value: fdr}, {Name: "seed", Value: seed},
	}, basis.Pairs()...)
	out.Versions = []report.Pair{
		{Name: "program", Value: "baca " + algo.Version + ", the page"},
		{Name: "built with", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{Name: "model file format", Value: fmt.Sprint(weights.Version)},
	}
	model := e.card.Name
	if !e.card.BuiltIn {
		model = "./" + model + ".msgpack"
	}
	command := []string{"baca", "report", "--model", report.Quote(model)}
	if e.input.column != "" {
		command = append(command, "--column", report.Quote(e.input.column))
	}
	if by != usual.By {
		command = append(command, "--by", by)
	}
	if r.Alpha != usual.Alpha {
		command = append(command, "--alpha", fmt.Sprint(r.Alpha))
	}
	if r.FDR > 0 {
		command = append(command, "--fdr", fdr)
	}
	if strings.HasPrefix(input, "-") {
		input = "./" + input // no flag
	}
	command = append(command, "--seed", seed, "--out", "report.html", report.Quote(input))
	out.Command = strings.Join(command, " ")
}
