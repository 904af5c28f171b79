package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/document"
	"baca/algo/run"
	"baca/algo/table"
	"baca/build/internal/spool"
	"baca/build/service"
)

// A form is a media type of requests or answers.
type form string

const (
	whole form = "application/json"
	lines form = "application/x-ndjson"
	csv   form = "text/csv"
)

// A question is what a request asks by its parameters and fields.
type question struct {
	model  string
	how    service.How
	column string // column with the SMILES
	sheet  string // sheet of a workbook
	in     string // media type of the body
	read   func(*question, *run.Plan, *body) (run.Input, error)
	out    form
	own    []string // columns of the input, known once it is read
	notes  []string // sentences on what is not read of the input
}

// parameters are those of the URL, each allowed once.
var parameters = []string{"model", "alpha", "by", "seed", "column", "sheet"}

// questionOf reads the parameters and fields of a request. An error is a problem.
func questionOf(r *http.Request) (*question, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problemf(http.StatusBadRequest, "the query of the URL: %v", err)
	}
	for name, list := range values {
		if !slices.Contains(parameters, name) || len(list) > 1 || list[0] == "" {
			return nil, problemf(http.StatusBadRequest, "parameter %.40q: want each of %s once at most, with a value",
				name, strings.Join(parameters, ", "))
		}
	}
	q := &question{model: cmp.Or(values.Get("model"), service.Default), column: cmp.Or(values.Get("column"), "smiles"), sheet: values.Get("sheet")}
	q.how = service.How{Alpha: 0.05, By: cmp.Or(values.Get("by"), algo.ByAlone), Seed: algo.DefaultOptions().Seed, Explain: r.URL.Path != "/v1/score"}
	if text := values.Get("alpha"); text != "" {
		if q.how.Alpha, err = strconv.ParseFloat(text, 64); err != nil {
			return nil, problemf(http.StatusBadRequest, "parameter alpha=%.40q: want a number between 0 and 1", text)
		}
	}
	if text := values.Get("seed"); text != "" {
		if q.how.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, problemf(http.StatusBadRequest, "parameter seed=%.40q: want a number from 0", text)
		}
	}
	if err := q.how.Check(); err != nil {
		return nil, problemf(http.StatusBadRequest, "%v", err)
	}
	q.in, _, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	reader, known := readers[q.in]
	types := strings.Join(mediaTypes(), ", ")
	if r.URL.Path == trustPath {
		known, types = q.in == string(whole), string(whole)
		reader = judgedReader
		if q.how.By != algo.ByAlone {
			return nil, problemf(http.StatusBadRequest, "parameter by=%s: predictions are judged by each molecule alone", q.how.By)
		}
	}
	if !known {
		return nil, problemf(http.StatusUnsupportedMediaType, "Content-Type %.80q: want one of %s", q.in, types)
	}
	q.read = reader.read
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, problemf(http.StatusUnsupportedMediaType, "Content-Encoding %.40q: want none", encoding)
	}
	q.out, err = answerForm(r.Header.Values("Accept"), reader.answer)
	return q, err
}

// answerForm returns the form that the Accept fields give the largest weight q, the first of equals. Without such
// fields it returns usual. It ignores unknown types and those with a malformed weight. If no type is left, or all
// have weight 0, it returns a problem with status 406.
func answerForm(accept []string, usual form) (form, error) {
	list := strings.Join(accept, ",")
	forms := map[string]form{
		"*/*": usual, "application/json": whole, "application/*": whole, "application/x-ndjson": lines,
		"application/jsonl": lines, "text/csv": csv, "text/*": csv,
	}
	best, bestWeight := form(""), 0.0
	for part := range strings.SplitSeq(cmp.Or(list, "*/*"), ",") {
		name, parameters, _ := mime.ParseMediaType(part)
		weight, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
		if to, ok := forms[name]; ok && err == nil && weight > bestWeight {
			best, bestWeight = to, weight
		}
	}
	if best != "" {
		return best, nil
	}
	return "", problemf(http.StatusNotAcceptable, "Accept %.80q: want %s, %s or %s", list, whole, lines, csv)
}

// rows answers /v1/score, /v1/explain and /v1/trust.
func (a *API) rows(w http.ResponseWriter, r *http.Request) {
	q, err := questionOf(r)
	if err != nil {
		fail(w, problemOf(r.Context(), err))
		return
	}
	a.respond(w, r, q.out, func(ctx context.Context, body *body, out *reply) error { return a.compute(ctx, q, body, out) })
}

// noteField is the header field with sentences on what was not read, in answers of any form.
const noteField = "Baca-Note"

// respond waits for its turn, computes the answer, and sends it when it is complete, or a problem instead.
func (a *API) respond(w http.ResponseWriter, r *http.Request, to form, compute func(context.Context, *body, *reply) error) {
	leave, err := a.enter(r.ContentLength)
	if err != nil {
		fail(w, problemOf(r.Context(), err))
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(r.Context(), a.options.Limits.Time, errTime)
	defer cancel()
	body := newBody(ctx, r.Body, http.NewResponseController(w), a.options.Limits)
	out := &reply{Spool: spool.Spool{Memory: spoolMemory, Folder: a.options.Folder}, ctx: ctx}
	defer out.Close()
	err = a.inTurn(ctx, body, func() error { return compute(ctx, body, out) })
	body.end()
	if p := problemOf(ctx, err); p != nil {
		if !body.read {
			io.Copy(io.Discard, r.Body) // a client that sends all before it reads sees the problem
			w.Header().Set("Connection", "close")
		}
		fail(w, p)
		return
	}
	w.Header().Set("Content-Type", string(to))
	for _, note := range out.notes {
		w.Header().Add(noteField, strings.Trim(strconv.QuoteToASCII(note), `"`))
	}
	if _, err := io.Copy(w, out.Reader()); err != nil {
		panic(http.ErrAbortHandler) // so that no client takes this for all rows
	}
}

// inTurn waits for the first bytes of the body, and then for the turn to compute.
func (a *API) inTurn(ctx context.Context, body *body, compute func() error) error {
	if err := body.head(); err != nil {
		return err
	}
	done, err := a.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return compute()
}

// compute scores the records of a request and writes the answer to out: the rows or, in the form whole, the document
// with them. It also sets the notes of out.
func (a *API) compute(ctx context.Context, q *question, body *body, out *reply) error {
	m, err := a.service.Model(ctx, q.model)
	if err != nil {
		return err
	}
	if err := batch.CheckModel(m.Model, q.how.Decider()); err != nil {
		return problemf(http.StatusBadRequest, "%v", err)
	}
	p := m.Plan(q.how)
	if p.Input, err = q.read(q, &p, body); err != nil {
		return err
	}
	p.From, p.Own = &table.Run{Model: m.Card.Name, SHA256: m.SHA256, By: q.how.Decider(), Alpha: q.how.Alpha}, &q.own
	p.Open = func(fields []table.Field) (rows, rejects *table.Sink, err error) {
		return q.open(out, fields), nil, nil
	}
	r, err := run.New(ctx, p)
	if err != nil {
		return err
	}
	if err := r.Do(ctx); err != nil {
		return err
	}
	if r.Predictions != nil {
		q.notes = append(q.notes, r.Predictions.Sentences()...)
	}
	out.notes = q.notes
	if q.out != whole {
		return nil
	}
	return end(out, r)
}

// problemOf returns the problem that answers an error: the one that it wraps, or one with the status
//
//   - 503 if the time of the request was over,
//   - 404 for an unknown model,
//   - 400 for a wrong input,
//   - 500 for all others.
//
// It returns nil for nil.
func problemOf(ctx context.Context, err error) *problem {
	if p := new(problem); errors.As(err, &p) {
		return p
	}
	var bad *inputError
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errTime):
		return problemf(http.StatusServiceUnavailable, "%v: send fewer records at once", errTime)
	case errors.Is(err, service.ErrUnknown):
		return problemf(http.StatusNotFound, "%v", err)
	case errors.As(err, &bad):
		return problemf(http.StatusBadRequest, "%s", document.Printable(err.Error()))
	}
	return problemf(http.StatusInternalServerError, "%v", err)
}

// open returns a sink that writes the rows of an answer in the client's form. For whole it also begins the document,
// which end completes.
func (q *question) open(out *reply, fields []table.Field) *table.Sink {
	to, w := "jsonl", io.Writer(out)
	switch q.out {
	case csv:
		to = "csv"
	case whole:
		io.WriteString(out, `{"rows":[`)
		w = &listed{out: out}
	}
	return table.NewSink(w, to, table.Text{}, true, fields)
}

// end completes the document of the form whole: it closes the list of rows, and writes the answer about the whole
// list, the counts of verdicts and, for judged predictions, the notes.
func end(out *reply, r *run.Run) error {
	answer := map[string]any{"whole": service.WholeOf(r), "schema": table.SchemaVersion, "counts": map[string]int{
		"records": r.Tally.Records, "refused": r.Tally.Refused, "outside": r.Tally.Outside,
		"borderline": r.Tally.Borderline, "inside": r.Tally.Inside, "undecided": r.Tally.Undecided,
	}}
	if r.Predictions != nil {
		answer["notes"] = out.notes
	}
	rest, err := json.Marshal(answer)
	if err == nil {
		_, err = fmt.Fprintf(out, "\n],%s\n", rest[1:])
	}
	return err
}

// listed turns lines of JSON into the values of a list.
type listed struct {
	out   *reply
	comma string // before the next row
}

// Write writes lines of JSON as elements of a list, with commas between them. b must end with a whole line.
func (l *listed) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		if _, err := io.WriteString(l.out, l.comma+"\n"+string(bytes.TrimSuffix(line, []byte("\n")))); err != nil {
			return 0, err
		}
		l.comma = ","
	}
	return len(b), nil
}
