package engine

import (
	"cmp"
	"io"
	"path"
	"slices"

	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/domain"
	"baca/wasm/message"
)

// domain makes a domain report.
func (e *Engine) domain(t *task, r *message.Domain) (*message.Exported, error) {
	if err := e.checkDomain(r); err != nil {
		return nil, err
	}
	q := domain.New(domain.Domain{
		Model: e.model, SHA256: e.card.SHA256, Bytes: e.card.Bytes, Program: "baca " + program, Alpha: r.Alpha,
		Confidence: domain.Confidence,
		Alone:      t.alone, Name: e.modelValue(), Neighbors: domain.Neighbors,
	})
	name := r.Form + "." + r.Format
	if r.Form == "qmrf" {
		page := q.ModelPage(name)
		page.Again = "With the same model file the command finds the same."
		return exportedAs(name, domain.WriteModelPage, domain.WriteModelPageJSON, page)
	}
	if err := e.substances(t, q, r.Record, name); err != nil {
		return nil, err
	}
	return exportedAs(name, domain.Write, domain.WriteJSON, q)
}

// exportedAs writes v as JSON if the name ends in .json, else as HTML.
func exportedAs[T any](name string, html, json func(io.Writer, T) error, v T) (*message.Exported, error) {
	if path.Ext(name) == ".json" {
		return exported(name, json, v)
	}
	return exported(name, html, v)
}

// checkDomain rejects an inconsistent request.
func (e *Engine) checkDomain(r *message.Domain) error {
	n := len(r.Record)
	switch {
	case r.Form != "qprf" && r.Form != "qmrf":
		return failf(message.CodeBadOption, "form %q: want qprf or qmrf", r.Form)
	case r.Format != "html" && r.Format != "json":
		return failf(message.CodeBadOption, "format %q: want html or json", r.Format)
	case r.Form == "qprf" && (n == 0 || n > domain.MaxSubstances):
		return failf(message.CodeBadOption, "%d records: want 1 to %d", n, domain.MaxSubstances)
	}
	return cmp.Or(coded(message.CodeBadOption, decide.CheckAlpha(r.Alpha)), coded(message.CodeBadModel, domain.Check(e.model)))
}

// substances adds records to a report, with the command that writes the same file of that name.
func (e *Engine) substances(t *task, d *domain.Domain, wanted []int32, name string) error {
	order := slices.Compact(slices.Sorted(slices.Values(wanted)))
	records, err := e.pick(t, order)
	if err != nil {
		return err
	}
	for i, record := range order {
		t.showProgress(message.StageExplain, i, len(order))
		if err := d.Add(t, records[int(record)]); err != nil {
			return err
		}
	}
	if len(d.Substances) == 0 {
		return failf(message.CodeBadOption, "nothing to report: all of these records were refused")
	}
	d.Warnings = append(d.Warnings, e.input.opened.Warnings...)
	d.Input = e.input.describe()
	d.Command, d.Again = e.domainCommand(d, len(order), name)
	d.Script, d.Undrawn = e.drawer()
	return nil
}

// domainCommand adds the command that repeats the report.
func (e *Engine) domainCommand(d *domain.Domain, records int, out string) (command, again string) {
	in := e.input
	molfiles := slices.ContainsFunc(d.Substances, func(s domain.Substance) bool { return s.Molfile })
	all := records == in.opened.Records
	if !molfiles && !(all && in.name != "") {
		return d.Piped(out), "The command is given the molecules themselves. With the same model file it finds the " +
			"same of them, and counts rows from 1."
	}
	flags, path, called := []document.Flag{in.columnFlag()}, in.path("input.sdf"), ""
	if in.name == "" {
		called = " The text that was pasted is here called input.sdf."
	}
	if all {
		return d.Repeat(flags, out, path), "With the same model file and input the command finds the same." + called
	}
	return d.Score(flags, path), "With the same model file and input the command finds scores, p-values, " +
		"distances, reasons and analogues again, among those of all its rows." + called
}
