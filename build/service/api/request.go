package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/document"
	"baca/algo/run"
	"baca/build/service"
)

// A body reads a request's body with limits.
type body struct {
	ctx     context.Context
	in      *bufio.Reader // the body by Read, buffered
	from    io.Reader
	control *http.ResponseController
	limits  Limits
	n       int64
	waited  time.Duration // time spent waiting for the client
	read    bool          // whether the body was read to its end
	err     error
}

// newBody returns the body of a request, which is read within the limits.
func newBody(ctx context.Context, from io.Reader, control *http.ResponseController, limits Limits) *body {
	b := &body{ctx: ctx, from: from, control: control, limits: limits}
	b.in = bufio.NewReaderSize(b, headSize)
	return b
}

// Read reads from the client. An error other than io.EOF is a problem.
func (b *body) Read(to []byte) (int, error) {
	if b.err == nil {
		b.err = context.Cause(b.ctx)
	}
	if b.err != nil {
		return 0, b.err
	}
	begun := time.Now()
	b.control.SetReadDeadline(begun.Add(b.limits.Stall))
	n, err := b.from.Read(to)
	b.n += int64(n)
	b.waited += time.Since(begun)
	switch seconds := int64(b.waited / time.Second); {
	case b.n > b.limits.Bytes:
		err = tooLarge(b.limits.Bytes)
	case errors.Is(err, os.ErrDeadlineExceeded) || err == nil && b.waited > b.limits.Stall && b.n < leastRate*seconds:
		err = problemf(http.StatusRequestTimeout, "%d bytes came in %d s: want %d a second on average, and none "+
			"more than %v apart", b.n, seconds, leastRate, b.limits.Stall)
	case err != nil && err != io.EOF:
		err = problemf(http.StatusBadRequest, "the request broke off after %d bytes: %v", b.n, err)
	}
	if b.err = err; err != nil {
		b.read = err == io.EOF
		b.end()
	}
	return n, err
}

// drainTime is how long the rest of a request may take that is read no further.
const drainTime = time.Second

// end removes the read deadline, so that the connection serves the next request. If the client has not sent all of this
// one, it sets the deadline to drainTime from now instead.
func (b *body) end() {
	if b.read {
		b.control.SetReadDeadline(time.Time{})
	} else {
		b.control.SetReadDeadline(time.Now().Add(drainTime))
	}
}

// head waits for the first headSize bytes of the body, or for its end, so that a slow client delays nobody.
func (b *body) head() error {
	_, err := b.in.Peek(headSize)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// tooLarge returns the problem of a body of more than limit bytes.
func tooLarge(limit int64) *problem {
	return problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes: send fewer records at once", limit)
}

// An inputError concerns a whole request.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// inputf returns an inputError with a formatted message.
func inputf(format string, args ...any) error { return &inputError{fmt.Errorf(format, args...)} }

// A reader reads the bodies of a media type.
type reader struct {
	answer form // form of the answer, unless the client asks for another
	read   func(*question, *run.Plan, *body) (run.Input, error)
}

var readers = map[string]reader{
	"application/json":           {answer: whole, read: readDocument},
	"application/x-ndjson":       {answer: lines, read: readText(dataset.JSONL)},
	"application/jsonl":          {answer: lines, read: readText(dataset.JSONL)},
	"text/csv":                   {answer: csv, read: readText(dataset.CSV)},
	"text/tab-separated-values":  {answer: csv, read: readText(dataset.TSV)},
	"text/plain":                 {answer: csv, read: readText(dataset.SMI)},
	"chemical/x-daylight-smiles": {answer: csv, read: readText(dataset.SMI)},
	"chemical/x-mdl-sdfile":      {answer: csv, read: readText(dataset.SDF)},
}

// mediaTypes returns the media types of bodies, sorted.
func mediaTypes() []string { return slices.Sorted(maps.Keys(readers)) }

// readText returns a function that reads records as from a file. For a model of plain graphs, lines of JSON are node-link
// graphs.
func readText(format dataset.Format) func(*question, *run.Plan, *body) (run.Input, error) {
	return func(q *question, p *run.Plan, b *body) (run.Input, error) {
		format := format
		if p.Model.Card.Schema == algo.Constant {
			if format != dataset.JSONL {
				return run.Input{}, inputf("model %s reads plain graphs: want application/json or application/x-ndjson with nodes and links", q.model)
			}
			format = dataset.NodeLink
		}
		// Compressed bodies are refused, since the limit counts bytes as sent.
		if head, _ := b.in.Peek(4); bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			return run.Input{}, problemf(http.StatusUnsupportedMediaType, "the body is compressed: want plain text")
		}
		o := dataset.Options{Format: format, Column: q.column, Sheet: q.sheet, Form: p.Form(), Plain: true,
			Own: func(_, names []string) { q.own = names }}
		o.Stop = func() error { return context.Cause(b.ctx) }
		o.Note = func(sentence string) { q.notes = append(q.notes, document.Printable(sentence)) }
		text, _, err := o.Text(b.in)
		if err != nil {
			return run.Input{}, wrapped(err)
		}
		return run.Input{Records: func(yield func(dataset.Record, error) bool) {
			for r, err := range dataset.Records(text, o) {
				if !yield(r, wrapped(err)) {
					return
				}
			}
		}}, nil
	}
}

// wrapped returns err as an inputError, nil for nil.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return &inputError{err}
}

// malformed says what is wrong with JSON, without Go's type names.
func malformed(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case err == io.EOF:
		return "it is empty"
	case err == io.ErrUnexpectedEOF:
		return "it ends too early"
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:] // without what is embedded
		return fmt.Sprintf("found %s in %s at byte %d", kind.Value, cmp.Or(field, "place of an object"), kind.Offset)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// decode reads a JSON document. An unknown or repeated field is an error. Errors show like, an example of what is wanted.
func decode(b *body, into any, like string) error {
	data, err := io.ReadAll(io.LimitReader(b.in, maxJSON+1))
	if err != nil {
		return err
	}
	if len(data) > maxJSON {
		return problemf(http.StatusRequestEntityTooLarge,
			"a JSON document of more than %d bytes: send fewer records at once, or application/x-ndjson", maxJSON)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return inputf("the JSON document: %s: want such as %s, or the list graphs", malformed(err), like)
	}
	if _, err := d.Token(); err != io.EOF {
		return inputf("text after the JSON document, at byte %d", d.InputOffset())
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return wrapped(err)
	}
	keys := slices.Sorted(maps.Keys(fields))
	for _, key := range keys {
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" { // the decoder would accept "SMILES" for smiles
			return inputf("the JSON document: unknown field %.40q: want such as %s, or the list graphs", key, like)
		}
	}
	if at, err := dataset.Twice(data, keys...); err != nil {
		return inputf("the JSON document: %w, at byte %d", err, at+1)
	}
	return nil
}

const trustPath = "/v1/trust"

// judgedReader reads the JSON document of trustPath.
var judgedReader = reader{answer: whole, read: readJudged}

// readJudged reads a list with predictions from JSON, and makes the plan judge them.
func readJudged(_ *question, p *run.Plan, b *body) (run.Input, error) {
	var asked struct {
		service.List
		service.Predictions
		service.Judging
	}
	if err := decode(b, &asked, `{"smiles": ["CCO"], "predicted": [-0.5], "uncertainty": [0.2]}`); err != nil {
		return run.Input{}, err
	}
	values, err := asked.Values()
	if err == nil {
		err = asked.Join(b.ctx, p, asked.List, values)
	}
	if err != nil {
		return run.Input{}, wrapped(err)
	}
	return inputOf(&asked.List, p, service.MaxExplained)
}

// readDocument reads a list from JSON.
func readDocument(_ *question, p *run.Plan, b *body) (run.Input, error) {
	var l service.List
	if err := decode(b, &l, `{"smiles": ["CCO", "CCN"], "ids": ["a", "b"]}`); err != nil {
		return run.Input{}, err
	}
	return inputOf(&l, p, service.MaxBatch)
}

// inputOf checks a list of a JSON document and returns it as an input. Other than one list, or more than most records, is an error.
func inputOf(l *service.List, p *run.Plan, most int) (run.Input, error) {
	if (l.SMILES == nil) == (l.Graphs == nil) {
		return run.Input{}, inputf("want one of the lists smiles and graphs")
	}
	if n := l.Len(); l.IDs != nil && len(l.IDs) != n {
		return run.Input{}, inputf("ids has %d: want %d, one for each record, or none", len(l.IDs), n)
	}
	in, err := l.Input(p, most)
	return in, wrapped(err)
}
