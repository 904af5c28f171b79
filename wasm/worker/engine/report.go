package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/drift"
	"baca/algo/graph"
	"baca/algo/report"
	"baca/algo/run"
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
	explainer := &run.Explainer{Alone: t.alone, Alpha: algo.DefaultOptions().Alpha, Form: e.form()}
	if e.last != nil {
		explainer.Scorer, explainer.Batch = e.last.scorer, e.last.places
	}
	rows := make([]table.Row, n)
	for i, record := range r.Record {
		t.showProgress(message.StageExplain, i, n)
		read := records[int(record)]
		rows[i] = &read.Entry
		if read.Err != nil {
			continue
		}
		s := table.NewScored(read, algo.Row{}) // the page has the scores
		if s.Why, err = explainer.Why(t, read); err != nil {
			return nil, err
		}
		rows[i] = s
	}
	groups := table.OfReasons | table.OfNeighbors
	if e.model.Structures.HasValues() {
		groups |= table.OfValues
	}
	return &message.Explained{Rows: table.Of(table.Fields(groups), rows)}, nil
}

// report makes the file of `baca report`.
func (e *Engine) report(t *task, r *message.Report) (*message.Exported, error) {
	out, err := e.reportOf(t, r)
	if err != nil {
		return nil, err
	}
	err = out.Finish(t, e.form(), func(places []int) (list []*graph.Graph, err error) {
		wanted := make([]int32, len(places))
		for i, place := range places {
			wanted[i] = int32(place - 1)
		}
		records, err := e.pick(t, wanted)
		for i, record := range wanted {
			t.showProgress(message.StageExplain, i, len(wanted))
			list, err = append(list, records[int(record)].Graph), cmp.Or(err, records[int(record)].Err)
		}
		return list, err
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

// reportOf returns the report on the rows that the page sends. It returns an error for options out of range, and for
// columns that do not have a value for each record of the input.
func (e *Engine) reportOf(t *task, r *message.Report) (*report.Report, error) {
	o := algo.DefaultOptions()
	o.Alpha, o.By = r.Alpha, cmp.Or(r.By, o.By)
	err := cmp.Or(decide.CheckAlpha(o.Alpha), algo.CheckBy(o.By))
	if r.FDR != 0 {
		err = cmp.Or(err, decide.CheckFDR(r.FDR))
	}
	in := e.input
	n := in.opened.Records
	for _, list := range []message.Floats{r.Score, r.P, r.Alone, r.AloneP} {
		if len(list) != n {
			err = cmp.Or(err, fmt.Errorf("%d numbers: want one of each of %d records", len(list), n))
		}
	}
	entry, missing := entries(r)
	if err = cmp.Or(err, missing); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	out := report.New(t.alone, o, r.FDR, drift.New(t.alone, o.Seed))
	out.Holdout, out.Warnings = r.Holdout, r.Warnings
	out.Again = "With the same model file and input the command finds the same."
	if f := r.Fitted; f != nil && !f.Few {
		out.Whole, out.Differences = batch.Whole("this list", f.Evidence, f.P), f.Differences
	}
	switch o.By {
	case algo.ByBatch:
		out.Alone, out.Guard = []float64{}, decide.Guard(r.Fitted.Graphs, o.Alpha)
	case algo.ByAttention:
		out.Alone, out.Guard = []float64{}, decide.PaperGuard(o.Alpha)
	}
	if in.name == "" {
		out.Again += " The text that was pasted is here called input.smi."
	}
	out.Input = in.describe()
	why := make(map[int]string, len(r.Refused))
	for k, record := range r.Refused {
		text := "" // the page sends the first reasons alone
		if k < len(r.Refusals) {
			text = r.Refusals[k]
		}
		why[int(record)] = text
	}
	for i := range n {
		if text, refused := why[i]; refused {
			out.Refuse(text)
			continue
		}
		e := entry(i)
		if in.format == dataset.SDF {
			e.SMILES = "" // it came without
		}
		out.AddEntry(e)
	}
	return out, nil
}

// describe returns what a report says about the input: its name, size and SHA-256.
func (in *input) describe() []document.Pair {
	return []document.Pair{
		{"input", cmp.Or(in.name, "text that was pasted or drawn")},
		{"bytes", fmt.Sprint(in.source.Size())}, {"its sha256", in.opened.SHA256},
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

func (in *input) columnFlag() document.Flag { return document.Flag{Name: "--column", Value: in.column} }

func (e *Engine) modelValue() string {
	if e.card.BuiltIn {
		return e.card.Name
	}
	return "./" + e.card.Name + ".msgpack"
}

// making is the report's provenance.
func (e *Engine) making(r *message.Report) report.Making {
	m := report.Making{
		Name: e.input.name, By: cmp.Or(r.By, algo.DefaultOptions().By), Seed: algo.DefaultOptions().Seed, Basis: report.Basis{Alone: true},
		Program: program, ModelBytes: e.card.Bytes, ModelFormat: weights.Version, ModelSHA256: e.card.SHA256,
		Flags: []document.Flag{{Name: "--model", Value: e.modelValue()}, e.input.columnFlag()},
		Out:   "report.html", Input: e.input.path("input.smi"),
	}
	if f := r.Fitted; f != nil {
		m.Basis = report.Basis{Graphs: f.Graphs, Alone: f.Few, Sample: f.Sample, Weight: f.Weight}
	}
	return m
}

// program names the maker in reports.
const program = algo.Version + ", the page"
