package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// reasons explains some records.
func (e *Engine) reasons(t *task, r *message.Reasons) (*message.Explained, error) {
	n := len(r.Record)
	if n > message.MostExplained {
		return nil, failf(message.CodeBadOption, "%d records: want at most %d", n, message.MostExplained)
	}
	records, err := e.pick(t, r.Record)
	if err != nil {
		return nil, err
	}
	explainer := &job.Explainer{Alone: t.alone, Alpha: algo.DefaultOptions().Alpha, Form: e.form()}
	if e.last != nil {
		explainer.Scorer, explainer.Batch = e.last.scorer, e.last.places
	}
	rows := make([]table.Scored, n)
	for i, record := range r.Record {
		t.showProgress(message.StageExplain, i, n)
		if rows[i].Record = records[int(record)]; rows[i].Err != nil {
			continue
		}
		rows[i].Scores = &algo.Row{} // the page has them
		if rows[i].Why, err = explainer.Why(t, rows[i].Record); err != nil {
			return nil, err
		}
	}
	groups := table.OfReasons | table.OfNeighbors
	if e.model.Structures.HasValues() {
		groups |= table.OfValues
	}
	return &message.Explained{Rows: table.Of(table.Fields(groups), rows)}, nil
}

// report makes the file of `baca report`.
func (e *Engine) report(t *task, r *message.Report) (*message.Exported, error) {
	top, err := checkReport(r)
	if err != nil {
		return nil, err
	}
	drift, err := e.watch(t, max(1, r.Scored.Seed))
	if err != nil {
		return nil, err
	}
	out := e.rowsOfReport(r, top)
	out.Wealth = drift.Wealth
	first := r.Record[:min(len(r.Record), report.MaxTop)]
	records, err := e.pick(t, first)
	if err != nil {
		return nil, err
	}
	err = job.Complete(t, out, t.alone, e.form(), func(i int) (*graph.Graph, error) {
		t.showProgress(message.StageExplain, i, len(first))
		found := records[int(first[i])]
		return found.Graph, found.Err
	})
	if err != nil {
		return nil, err
	}
	e.making(r).Describe(out, e.model)
	out.Script, out.Undrawn = e.drawer()
	return exported("report.html", report.Write, out)
}

// drawer returns the drawing script of a report, or why there is none.
func (e *Engine) drawer() (script []byte, undrawn string) {
	script, err := e.host.Fetch(Drawer)
	if err != nil {
		return nil, "what draws could not be loaded"
	}
	return script, ""
}

// exported is a file of that name, written from v.
func exported[T any](name string, write func(io.Writer, T) error, v T) (*message.Exported, error) {
	var b bytes.Buffer
	err := write(&b, v)
	types := map[string]string{".html": "text/html", ".json": "application/json", ".csv": "text/csv"}
	return &message.Exported{Name: name, Type: types[path.Ext(name)], Data: b.Bytes()}, err
}

// checkReport rejects an inconsistent request.
func checkReport(r *message.Report) (*entries, error) {
	switch err := cmp.Or(decide.CheckAlpha(r.Alpha), algo.CheckBy(cmp.Or(r.By, algo.ByAlone))); {
	case err != nil:
		return nil, failf(message.CodeBadOption, "%w", err)
	case len(r.Score) != len(r.P):
		return nil, failf(message.CodeBadOption, "%d scores beside %d p-values", len(r.Score), len(r.P))
	case r.By == algo.ByBatch && len(r.AloneP) != len(r.P):
		return nil, failf(message.CodeBadOption, "%d p-values by themselves beside %d of the batch", len(r.AloneP), len(r.P))
	case len(r.Record) > report.MaxRows:
		return nil, failf(message.CodeBadOption, "%d records: want at most %d", len(r.Record), report.MaxRows)
	}
	if r.FDR != 0 {
		if err := decide.CheckFDR(r.FDR); err != nil {
			return nil, failf(message.CodeBadOption, "%w", err)
		}
	}
	return entriesOf(r.Top, len(r.Record))
}

// rowsOfReport makes the report of the page's rows.
func (e *Engine) rowsOfReport(r *message.Report, top *entries) *report.Report {
	in := e.input
	out := &report.Report{
		Read: in.opened.Records, Refused: in.opened.Refused, Alpha: r.Alpha, FDR: r.FDR,
		Scores: r.Score, P: r.P, Holdout: r.Holdout,
		Refusals: r.Refusals[:min(len(r.Refusals), report.MaxRefused)], Warnings: r.Warnings,
		Again: "With the same model file and input the command finds the same.",
	}
	if f := r.Fitted; f != nil && !f.Few {
		out.Whole, out.Differences = report.Whole("this list", f.Evidence, f.P), f.Differences
	}
	if r.By == algo.ByBatch {
		out.Alone = r.AloneP
	}
	if in.name == "" {
		out.Again += " The text that was pasted is here called input.smi."
	}
	out.Input = in.describe()
	for i, record := range r.Record {
		entry := report.Entry{ID: top.id[i], SMILES: top.smiles[i], SetAside: top.aside[i], Place: int(record) + 1, Row: top.row(i), Q: math.NaN()}
		if in.format == dataset.SDF {
			entry.SMILES = "" // it came without
		}
		out.Rows = append(out.Rows, entry)
	}
	return out
}

func (in *input) describe() []report.Pair {
	return []report.Pair{
		{Name: "input", Value: cmp.Or(in.name, "text that was pasted or drawn")},
		{Name: "bytes", Value: fmt.Sprint(in.source.Size())}, {Name: "its sha256", Value: in.opened.SHA256},
	}
}

// path is the input's name in a command, or a name for pasted text.
func (in *input) path(pasted string) string { return noFlag(cmp.Or(in.name, pasted)) }

// noFlag keeps a file name from being read as a flag.
func noFlag(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

func (in *input) columnFlag() job.Flag { return job.Flag{Name: "--column", Value: in.column} }

func (e *Engine) modelValue() string {
	if e.card.BuiltIn {
		return e.card.Name
	}
	return "./" + e.card.Name + ".msgpack"
}

// making is the report's provenance.
func (e *Engine) making(r *message.Report) job.Making {
	m := job.Making{
		Name: e.input.name, By: cmp.Or(r.By, algo.DefaultOptions().By), Seed: max(1, r.Scored.Seed), Basis: report.Basis{Alone: true},
		Program: program, ModelBytes: e.card.Bytes, ModelFormat: weights.Version, ModelSHA256: e.card.SHA256,
		Flags: []job.Flag{{Name: "--model", Value: e.modelValue()}, e.input.columnFlag()},
		Out:   "report.html", Input: e.input.path("input.smi"),
	}
	if f := r.Fitted; f != nil {
		m.Basis = report.Basis{Graphs: f.Graphs, Alone: f.Few, Sample: f.Sample, Evidence: f.Evidence, P: f.P, Weight: f.Weight}
	}
	return m
}

// program names the maker in reports.
const program = algo.Version + ", the page"
