package engine

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/feature/suggest"
	"baca/algo/table"
	"baca/wasm/message"
)

// shelvedPiece graphs are scored at a time.
const shelvedPiece = 64

// suggest says which records of the open input to measure. The finding has a page and, unless no record is worth it,
// a CSV file of the picks. It returns an error for options out of range.
func (e *Engine) suggest(t *task, r *message.Suggest) (*message.Found, error) {
	o := suggest.Options{Most: r.Most, Alpha: cmp.Or(r.Alpha, algo.DefaultOptions().Alpha),
		Budget: cmp.Or(r.Budget, math.Inf(1)), Seed: algo.DefaultOptions().Seed, Workers: 1}
	if err := e.checkSuggest(r, &o); err != nil {
		return nil, err
	}
	shelf := suggest.NewShelf(t.alone, r.Price, r.Exclude)
	records := dataset.Parse(t, 1, e.input.records(nil, e.form().Unordered(), shelf.Columns()...))
	err := shelf.Fill(t, 1, shelvedPiece, records, func() {
		t.showProgress(message.StageLists, shelf.Read, e.input.opened.Records)
	})
	if err != nil {
		return nil, err
	}
	looked := 0
	o.Looked = func() {
		looked++
		t.showProgress(message.StageChoose, looked, shelf.Library.Len())
	}
	s, err := shelf.Suggest(t, o)
	if err != nil {
		return nil, err
	}
	shown := &suggest.Report{
		Suggestion: s.Suggestion, Picks: s.Rows, Sentences: s.Sentences(), Warnings: shelf.Refusals,
		Things:  map[bool]string{true: "molecules", false: "graphs"}[e.card.Molecules],
		Command: e.suggestCommand(r, &o),
	}
	found := &message.Found{HTML: shown.HTML(), Short: strconv.Itoa(len(s.Rows))}
	if len(s.Rows) > 0 {
		found.File, err = exported("suggested.csv", s.WriteCSV, table.Text{SpreadsheetSafe: true})
	}
	return found, err
}

// checkSuggest returns an error for options out of range, and for columns that the input cannot have.
func (e *Engine) checkSuggest(r *message.Suggest, o *suggest.Options) error {
	switch {
	case r.Most < 1 || r.Most > suggest.MaxSuggested:
		return failf(message.CodeBadOption, "%d to suggest: want 1 to %d", r.Most, suggest.MaxSuggested)
	case !(o.Budget > 0):
		return failf(message.CodeBadOption, "a budget of %g: want more than 0, or none", r.Budget)
	case r.Budget != 0 && r.Price == "":
		return failf(message.CodeBadOption, "a budget without prices: choose the column with the prices")
	case e.input.format.Graphs() && r.Price+r.Exclude != "":
		return failf(message.CodeBadOption, "%s holds plain graphs: there is no column %s", e.input.title(), cmp.Or(r.Price, r.Exclude))
	}
	return coded(message.CodeBadOption, decide.CheckAlpha(o.Alpha))
}

// suggestCommand is the command line that suggests the same.
func (e *Engine) suggestCommand(r *message.Suggest, o *suggest.Options) string {
	budget := ""
	if r.Budget != 0 {
		budget = fmt.Sprint(r.Budget)
	}
	return document.Command("baca suggest", []document.Flag{
		{Name: "-n", Value: fmt.Sprint(r.Most)}, {Name: "--model", Value: e.modelValue()}, e.input.columnFlag(),
		{Name: "--price", Value: r.Price}, {Name: "--budget", Value: budget}, {Name: "--exclude", Value: r.Exclude},
		{Name: "--alpha", Value: fmt.Sprint(o.Alpha), Usual: fmt.Sprint(algo.DefaultOptions().Alpha)},
	}, e.input.path("input.smi"))
}
