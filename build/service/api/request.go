package api

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/build/service"
)

// A body reads a request's body with limits.
type body struct {
	in      *bufio.Reader // unlimited
	from    io.Reader
	control *http.ResponseController
	limits  Limits
	n       int64
	waited  time.Duration // for the client
	read    bool          // to its end
	err     error
}

func newBody(from io.Reader, control *http.ResponseController, limits Limits) *body {
	b := &body{from: from, control: control, limits: limits}
	b.in = bufio.NewReaderSize(b, headSize)
	return b
}

// Read reads from the client. Its errors are problems.
func (b *body) Read(to []byte) (int, error) {
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
		err = problemf(http.StatusRequestTimeout, "%d bytes came in %d s: want %d a second on average, and none more than %v apart", b.n, seconds, leastRate, b.limits.Stall)
	case err != nil && err != io.EOF:
		err = problemf(http.StatusBadRequest, "the request ends behind %d bytes: %v", b.n, err)
	}
	if b.err = err; err != nil {
		b.read = err == io.EOF
		b.end()
	}
	return n, err
}

// end resets the deadline for the next request, without waiting for the rest of this one.
func (b *body) end() {
	if b.read {
		b.control.SetReadDeadline(time.Time{})
	} else {
		b.control.SetReadDeadline(time.Now().Add(time.Second))
	}
}

// discard reads on until the answer is sent, and a moment longer, which the returned function waits
// for. A connection closed while the client sends loses unread parts of the answer.
func (b *body) discard() (wait func()) {
	if b.read {
		return func() {}
	}
	b.control.SetReadDeadline(time.Now().Add(b.limits.Stall))
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(io.Discard, b.from)
	}()
	return func() {
		b.control.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		<-done
	}
}

// head waits for the start of the body. A client that is slow here delays nobody.
func (b *body) head() error {
	_, err := b.in.Peek(headSize)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func tooLarge(limit int64) *problem {
	return problemf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes: send fewer records at once", limit)
}

// An inputError concerns a whole request.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

func inputf(format string, args ...any) error { return &inputError{fmt.Errorf(format, args...)} }

// A reader reads bodies of a media type.
type reader struct {
	answer form // unless the client asks for another
	read   func(*question, *service.Model, *body) (job.Input, error)
}

var readers = map[string]reader{
	"application/json":           {answer: document, read: readDocument},
	"application/x-ndjson":       {answer: lines, read: readLines},
	"application/jsonl":          {answer: lines, read: readLines},
	"text/csv":                   {answer: csv, read: readText(dataset.CSV)},
	"text/tab-separated-values":  {answer: csv, read: readText(dataset.TSV)},
	"text/plain":                 {answer: csv, read: readText(dataset.SMI)},
	"chemical/x-daylight-smiles": {answer: csv, read: readText(dataset.SMI)},
	"chemical/x-mdl-sdfile":      {answer: csv, read: readText(dataset.SDF)},
}

func mediaTypes() []string { return slices.Sorted(maps.Keys(readers)) }

// readText reads molecules as from a file.
func readText(format dataset.Format) func(*question, *service.Model, *body) (job.Input, error) {
	return func(q *question, m *service.Model, b *body) (job.Input, error) {
		if m.Card.Schema == algo.Constant {
			return job.Input{}, inputf("model %s reads plain graphs: want application/json or application/x-ndjson with nodes and edges", m.Name)
		}
		// Compressed bodies are refused: the limit counts what is read.
		if head, _ := b.in.Peek(4); bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			return job.Input{}, problemf(http.StatusUnsupportedMediaType, "the body is compressed: want plain text")
		}
		o := dataset.Options{Format: format, Column: q.column, Form: m.Form(q.how), Own: func(names []string) { q.own = names }}
		text, _, err := o.Text(b.in)
		if err != nil {
			return job.Input{}, wrapped(err)
		}
		return job.Input{Records: func(yield func(table.Unread, error) bool) {
			for u, err := range table.Molecules(text, o) {
				if !yield(u, wrapped(err)) {
					return
				}
			}
		}}, nil
	}
}

// wrapped distinguishes errors of the input.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return &inputError{err}
}

type graph struct {
	N     int        `json:"n"`
	Edges [][2]int32 `json:"edges"`
}

// A requested list is a JSON document.
type requested struct {
	SMILES []string `json:"smiles"`
	Graphs []graph  `json:"graphs"`
	IDs    []string `json:"ids"`
}

// malformed describes an error without Go's type names.
func malformed(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case err == io.EOF:
		return "it is empty"
	case err == io.ErrUnexpectedEOF:
		return "it ends too early"
	case errors.As(err, &kind):
		return fmt.Sprintf("found %s in %s at byte %d", kind.Value, cmp.Or(kind.Field, "place of an object"), kind.Offset)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// readDocument reads a list from JSON.
func readDocument(q *question, m *service.Model, b *body) (job.Input, error) {
	data, err := io.ReadAll(io.LimitReader(b.in, maxJSON+1))
	if err != nil {
		return job.Input{}, err
	}
	if len(data) > maxJSON {
		return job.Input{}, problemf(http.StatusRequestEntityTooLarge, "a JSON document of more than %d bytes: send fewer records at once, or application/x-ndjson", maxJSON)
	}
	var l requested
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return job.Input{}, inputf("the JSON document: %s: want such as {\"smiles\": [\"CCO\", \"CCN\"], \"ids\": [\"a\", \"b\"]}, or the list graphs", malformed(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return job.Input{}, inputf("the JSON document: text behind it, at byte %d", d.InputOffset())
	}
	if at, err := dataset.Twice(data, "smiles", "graphs", "ids"); err != nil {
		return job.Input{}, inputf("the JSON document: %w, at byte %d", err, at+1)
	}
	n := len(l.SMILES) + len(l.Graphs)
	if (l.SMILES == nil) == (l.Graphs == nil) {
		return job.Input{}, inputf("want one of the lists smiles and graphs")
	}
	if l.IDs != nil && len(l.IDs) != n {
		return job.Input{}, inputf("ids has %d: want %d, one for each record, or none", len(l.IDs), n)
	}
	id := func(i int) string {
		if l.IDs == nil {
			return ""
		}
		return l.IDs[i]
	}
	records := func(yield func(table.Unread, error) bool) {
		for i, text := range l.SMILES {
			if !yield(molecule(i, text, id(i), m, q, fmt.Sprintf("smiles[%d], ", i)), nil) {
				return
			}
		}
		for i, g := range l.Graphs {
			if !yield(plain(i, g, id(i), m, fmt.Sprintf("graphs[%d]: ", i)), nil) {
				return
			}
		}
	}
	again := func() (iter.Seq2[table.Unread, error], func(), error) { return records, func() {}, nil }
	return job.Input{Records: records, Again: again}, nil
}

// refused returns an unreadable record, by row from 0.
func refused(row int, id string, err error) table.Unread {
	r := table.FromMolecule(dataset.Record{Row: row, ID: id})
	r.Err = err
	return func() table.Record { return r }
}

// molecule returns a record whose errors begin with a place.
func molecule(row int, text, id string, m *service.Model, q *question, place string) table.Unread {
	if m.Card.Schema == algo.Constant {
		return refused(row, id, fmt.Errorf("%sa molecule: model %s reads plain graphs", place, m.Name))
	}
	form := m.Form(q.how)
	return func() table.Record {
		rec := dataset.Listed(row, text).Parsed(form)
		if rec.ID = id; rec.Err != nil {
			rec.Err = fmt.Errorf("%s%w", place, rec.Err)
		}
		return table.FromMolecule(rec)
	}
}

// plain is the record of a plain graph.
func plain(row int, g graph, id string, m *service.Model, place string) table.Unread {
	if m.Card.Schema != algo.Constant {
		return refused(row, id, fmt.Errorf("%sa plain graph: model %s reads molecules", place, m.Name))
	}
	return func() table.Record {
		r := service.Plain{N: g.N, Edges: g.Edges}.Record(row + 1)
		if id != "" {
			r.ID = id
		}
		if r.Err != nil {
			r.Err = fmt.Errorf("%s%w", place, r.Err)
		}
		return r
	}
}

// A line is one record of lines of JSON.
type line struct {
	ID     string     `json:"id"`
	SMILES *string    `json:"smiles"`
	N      *int       `json:"n"`
	Edges  [][2]int32 `json:"edges"`
}

// readLines streams records from JSON lines.
func readLines(q *question, m *service.Model, b *body) (job.Input, error) {
	return job.Input{Records: func(yield func(table.Unread, error) bool) {
		for row, number := 0, 1; ; number++ {
			text, long, err := readLine(b.in)
			if len(bytes.TrimSpace(text)) > 0 || long {
				u := lineRecord(row, number, text, m, q)
				if long {
					u = refused(row, "", fmt.Errorf("line %d: more than %d bytes", number, dataset.MaxRecord))
				}
				if row++; !yield(u, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
		}
	}}, nil
}

// readLine returns the next line, or reports that it is too long.
func readLine(r *bufio.Reader) (text []byte, long bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if long = long || len(text)+len(piece) > dataset.MaxRecord; !long {
			text = append(text, piece...)
		}
		if err != bufio.ErrBufferFull {
			return text, long, err
		}
	}
}

// lineRecord parses a line on demand.
func lineRecord(row, number int, text []byte, m *service.Model, q *question) table.Unread {
	return func() table.Record {
		place := fmt.Sprintf("line %d", number)
		l, err := parseLine(text)
		var u table.Unread
		switch {
		case err != nil:
			u = refused(row, l.ID, fmt.Errorf("%s: %w", place, err))
		case l.SMILES != nil:
			u = molecule(row, *l.SMILES, l.ID, m, q, place+", ")
		default:
			u = plain(row, graph{*l.N, l.Edges}, l.ID, m, place+": ")
		}
		r := u()
		r.Line = number
		return r
	}
}

// parseLine reads a SMILES, or an object with smiles, or with n and edges.
func parseLine(text []byte) (l line, err error) {
	if text = bytes.TrimSpace(text); text[0] == '"' {
		l.SMILES = new(string)
		err = json.Unmarshal(text, l.SMILES)
	} else {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err = d.Decode(&l); err == nil && d.More() {
			err = errors.New("text behind the value")
		}
	}
	if err != nil {
		return l, errors.New("want one JSON value: " + strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dataset.Twice(text, "id", "smiles", "n", "edges"); err != nil {
		return l, err
	}
	if (l.SMILES == nil) == (l.N == nil) {
		return l, errors.New(`want "SMILES", {"smiles": "…"} or {"n": 3, "edges": [[0, 1], …]}`)
	}
	return l, nil
}
