package engine

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/document"
	"baca/algo/feature/compare"
	"baca/wasm/message"
)

// comparedFDR is the rate of false discoveries of a comparison.
const comparedFDR = 0.05

// compare says how the open input differs from another one.
func (e *Engine) compare(t *task, r *message.Compare) (*message.Found, error) {
	with, warnings, err := e.second(&r.With)
	if err != nil {
		return nil, err
	}
	seed := algo.DefaultOptions().Seed
	out := &compare.Report{About: document.About{Warnings: warnings}}
	var lists [2]*compare.List
	for k, in := range []*input{with, e.input} {
		lists[k] = compare.NewList(listName(in), seed, k)
		show := func(n, read int) {
			if in == with {
				t.showProgress(message.StageParse, read, int(in.source.Size()))
			} else {
				t.showProgress(message.StageLists, n, in.opened.Records)
			}
		}
		refused, err := e.gather(t, lists[k], in, show)
		if err != nil {
			return nil, in.unreadable(err)
		}
		out.Warnings = append(out.Warnings, refused...)
		out.Input = append(out.Input, document.Pair{fmt.Sprintf("%c: input", 'A'+k), lists[k].Name},
			document.Pair{fmt.Sprintf("%c: bytes", 'A'+k), fmt.Sprint(in.source.Size())})
	}
	out.Comparison, err = compare.Compare(t, lists[0], lists[1], compare.Options{
		FDR: comparedFDR, Workers: 1,
		Stage: func(name string) { t.showProgress(name, 0, 0) },
	})
	if err != nil {
		return nil, with.unreadable(err)
	}
	e.describe(out, seed)
	against, _, _ := strings.Cut(out.A.Name, ".")
	file, err := exported("against-"+against+".html", compare.Write, out)
	return &message.Found{HTML: out.HTML(), Short: out.A.Name, File: file}, err
}

// second opens another input of the same kind.
func (e *Engine) second(r *message.Open) (*input, []string, error) {
	in, err := e.inputOf(r)
	if err != nil {
		return nil, nil, err
	}
	if err := in.recognize(r.Choices, func(message.Event) {}); err != nil {
		return nil, nil, in.unreadable(err)
	}
	if in.format.Graphs() == e.card.Molecules {
		kind := map[bool]string{true: "molecules", false: "plain graphs"}
		return nil, nil, failf(message.CodeBadInput, "%s holds %s, %s holds %s: want two lists of one kind",
			e.input.title(), kind[e.card.Molecules], in.title(), kind[!e.card.Molecules])
	}
	if in.format == dataset.TU {
		if err := in.readSet(func(message.Event) {}); err != nil {
			return nil, nil, in.unreadable(err)
		}
	}
	return in, in.opened.Warnings, nil
}

func listName(in *input) string { return cmp.Or(in.name, "the list") }

const gathered = 64

// gather reads an input into a list, and returns what was refused. It calls show with records and bytes read.
func (e *Engine) gather(t *task, l *compare.List, in *input, show func(records, read int)) (refused []string, err error) {
	read := &counter{w: io.Discard}
	records := dataset.Parse(t, 1, in.records(read, e.form().Unordered()))
	refused, err = compare.Gather(t, l, 1, gathered, records, func() { show(l.Read, read.n) })
	if err != nil {
		return nil, err
	}
	if l.Len() == 0 {
		return nil, fmt.Errorf("no record could be read, %d refused: want a list to compare with", l.Read)
	}
	return refused, nil
}

// describe sets the report's title, settings, command and drawing script.
func (e *Engine) describe(r *compare.Report, seed uint64) {
	r.Title = fmt.Sprintf("How %s differs from %s", r.B.Name, r.A.Name)
	r.Settings = []document.Pair{
		{"read as", algo.Reads(e.model.Card.Schema)}, {"false discoveries", fmt.Sprint(comparedFDR)},
		{"seed", fmt.Sprint(seed)}, {"program", "baca " + program},
	}
	r.Command = document.Command("baca compare", []document.Flag{
		{Name: "--model", Value: e.modelValue()}, {Name: "--fdr", Value: fmt.Sprint(comparedFDR)},
		{Name: "--seed", Value: fmt.Sprint(seed)},
		{Name: "--html", Value: "difference.html"},
	}, noFlag(r.A.Name), noFlag(r.B.Name))
	r.Script, r.Undrawn = e.drawer()
}
