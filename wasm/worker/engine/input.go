package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mikelolasagasti/xz"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
	"baca/wasm/message"
)

// An input is re-read for every run, so memory does not grow with its records.
type input struct {
	name, column string
	sheet        string
	data         []byte // or file, see Open
	file         int
	source       Source
	zstd         func(io.Reader) (io.Reader, error) // decompresses
	format       dataset.Format
	labels       []int8 // by record, see labelOf; nil without any
	opened       message.Opened
	// kept are all records, parsed, nil for more than mostAtoms, which are read again for every run. They have graphs for
	// scoring, or molecules once a search has asked for them.
	kept  []dataset.Record
	atoms int // of all
}

// mostAtoms bounds kept graphs, to about 50 MB.
const mostAtoms = 1 << 20

// keep keeps a parsed record, or lets all go.
func (in *input) keep(m dataset.Record) {
	if m.Graph != nil {
		in.atoms += m.Graph.N()
	}
	if in.atoms > mostAtoms {
		in.kept = nil
		return
	}
	m.Own = nil
	in.kept = append(in.kept, m)
}

// records yields the records in a form, with the cells of some columns: those that were kept, or, with
// cells too, those that are read again. Read counts bytes, unless nil.
func (in *input) records(read *counter, form molecule.Form, cells ...string) iter.Seq2[dataset.Record, error] {
	if len(cells) > 0 || in.kept == nil {
		o := in.options()
		o.Cells, o.Form = cells, form
		return dataset.Records(in.all(read), o)
	}
	return func(yield func(dataset.Record, error) bool) {
		for _, m := range in.kept {
			if !yield(m.In(form), nil) {
				return
			}
		}
	}
}

// Size of a Records message: a number of records or of their own cells, or a time.
const (
	recordsChunk = 512
	recordsCells = 65536
	recordsTime  = 100 * time.Millisecond
)

// open opens and reads an input, whose records the page gets as events. An earlier input is closed even if that
// fails.
func (e *Engine) open(r *message.Open, post func(message.Event)) (*message.Opened, error) {
	e.input, e.last, e.atlas = nil, nil, nil
	in, err := e.inputOf(r)
	if err != nil {
		return nil, err
	}
	if formats := dataset.Formats(false); r.Format != "" && !slices.Contains(formats, r.Format) {
		return nil, failf(message.CodeBadOption, "format %q: want one of %s", r.Format, strings.Join(formats, ", "))
	}
	if err := in.recognize(r.Choices, post); err != nil {
		return nil, in.unreadable(err)
	}
	in.opened.Name, in.opened.Format, in.opened.Molecules = in.name, string(in.format), !in.format.Graphs()
	sum := sha256.New()
	if in.format == dataset.TU {
		if _, err = io.Copy(sum, in.all(nil)); err == nil {
			err = in.readSet(post)
		}
	} else {
		err = e.readRecords(in, r.Ahead && e.model != nil, sum, post)
	}
	if err != nil {
		return nil, in.unreadable(err)
	}
	in.opened.SHA256 = hex.EncodeToString(sum.Sum(nil))
	e.input = in
	opened := in.opened
	return &opened, nil
}

// recognize finds format and SMILES column, by the user's choice for such a table or by content,
// and posts a table's header.
func (in *input) recognize(choices []message.Choice, post func(message.Event)) error {
	text, format, err := in.options().Text(in.all(nil))
	if err != nil && text == nil {
		return err
	}
	in.format = format
	defer func() { in.opened.Line = text.Line(format, in.column) }()
	t, ok := text.Table(format, in.column)
	if !ok {
		return err
	}
	header := &message.Header{Columns: t.Columns[:min(len(t.Columns), message.MostColumns)], Key: keyOf(t.First), Guessed: t.Guessed}
	for _, c := range choices {
		if in.column == "" && c.Key == header.Key && slices.Contains(t.Columns, c.Column) {
			// A choice holds even if nothing in it is readable.
			in.column, header.Guessed, err = c.Column, false, nil
			t, _ = text.Table(format, in.column)
		}
	}
	if t.SMILES >= 0 {
		header.Column = t.Columns[t.SMILES]
	}
	if t.SMILES >= len(header.Columns) {
		header.Columns = append(slices.Clone(header.Columns), header.Column)
	}
	post(header)
	return err
}

// keyOf hashes a table's first row, without revealing it.
func keyOf(row []string) string {
	sum := sha256.Sum256([]byte(strings.Join(row, "\t")))
	return hex.EncodeToString(sum[:8])
}

// inputOf makes a request's input, unread.
func (e *Engine) inputOf(r *message.Open) (*input, error) {
	in := &input{name: r.Name, column: r.Column, sheet: r.Sheet, data: r.Data, file: r.File, source: bytes.NewReader(r.Data),
		zstd: e.host.Zstd, format: dataset.Format(r.Format)}
	if r.Site != "" {
		data, err := e.host.Fetch(r.Site)
		if err != nil {
			return nil, in.unreadable(err)
		}
		in.data, in.source = data, bytes.NewReader(data)
	}
	if r.File != 0 {
		var err error
		if in.source, err = e.host.File(r.File); err != nil {
			return nil, in.unreadable(err)
		}
	}
	return in, nil
}

func (in *input) title() string {
	if in.name == "" {
		return "the input"
	}
	return in.name
}

// unreadable returns the failure for an error of the whole input.
func (in *input) unreadable(err error) error {
	var failed *message.Failed
	if errors.As(err, &failed) {
		return failed
	}
	if bad, ok := err.(*dataset.SyntaxError); ok && bad.Line > 0 {
		err = &dataset.SyntaxError{Line: bad.Line, Column: bad.Column, Err: bad.Err} // the name precedes it
	}
	text := strings.TrimPrefix(err.Error(), cmp.Or(in.name, "input")+": ")
	if in.name == "" {
		return failf(message.CodeBadInput, "%s%s.", strings.ToUpper(text[:1]), text[1:])
	}
	return failf(message.CodeBadInput, "%s: %s", in.name, text)
}

// readSet reads a TUDataset set.
func (in *input) readSet(post func(message.Event)) error {
	head := make([]byte, 2)
	if _, err := io.ReadFull(in.all(nil), head); err != nil || string(head) != "PK" {
		return failf(message.CodeBadInput, "%s is one file of a TUDataset set: give the .zip of the whole set", in.title())
	}
	set, err := dataset.ReadTUZip(in.source, in.source.Size(), "", dataset.Unpack{})
	if err != nil {
		return err
	}
	in.opened.Records, in.opened.Warnings = len(set.Graphs), set.Warnings
	var rows []table.Row
	for i, g := range set.Graphs {
		in.kept = append(in.kept, dataset.Record{Entry: dataset.Entry{Row: i + 1}, Graph: g})
		r := in.kept[i].Named()
		rows = append(rows, &r.Entry)
	}
	post(new(message.Records).Pack(table.Of(readFields(nil), rows)...))
	return nil
}

// readFields are the fields of read records, with the input's own.
func readFields(own []string) []table.Field {
	return append(slices.DeleteFunc(table.Fields(table.OfRecord),
		func(f table.Field) bool { return f.Name != "id" && f.Name != "smiles" }), table.OwnFields(own)...)
}

// readRecords reads all records to report mistakes. All bytes go through sum. With helpFirst, helpers score what has been
// read meanwhile.
func (e *Engine) readRecords(in *input, helpFirst bool, sum hash.Hash, post func(message.Event)) error {
	p := newPulse(e.host)
	bytesRead := &counter{w: sum}
	var rows []table.Row
	fields := readFields(nil)
	chunk, sent := &message.Records{}, time.Now()
	flush := func() {
		if len(rows) > 0 {
			post(chunk.Pack(table.Of(fields, rows)...))
		}
		post(&message.Progress{Stage: message.StageParse, Done: bytesRead.n, Total: int(in.source.Size()), Records: in.opened.Records})
		if helpFirst {
			e.recruit(in, algo.DefaultOptions().Alpha)
		}
		if e.team != nil {
			e.team.give(min(in.opened.Records, ahead*pieceSize), false)
		}
		chunk, rows, sent = &message.Records{From: in.opened.Records}, nil, time.Now()
	}
	o := in.options()
	if e.model != nil {
		o.Form = e.form().Unordered() // that of scoring, which so need not parse again
	}
	large, label := in.source.Size() > mostOwn, -1
	o.Own = func(all, names []string) {
		in.opened.Columns = all[:min(len(all), message.MostColumns)]
		label = labelIn(names)
		if !large {
			fields = readFields(names)
		}
	}
	o.Sheets = func(visible []string, read string) {
		in.opened.Sheets, in.opened.Sheet = visible[:min(len(visible), message.MostColumns)], read
	}
	o.Note = func(sentence string) { in.opened.Warnings = append(in.opened.Warnings, sentence) }
	var aside molecule.Asides
	for m, err := range dataset.Records(in.all(bytesRead), o) {
		if err != nil {
			flush() // what could be read
			return err
		}
		r := m.Parsed()
		in.keep(r)
		if r.Err != nil {
			chunk.Problems = append(chunk.Problems, problem(r))
			in.opened.Refused++
		}
		if label >= 0 {
			in.labels = append(in.labels, -1)
			if label < len(r.Own) {
				in.labels[len(in.labels)-1] = labelOf(r.Own[label])
			}
		}
		read := r.Entry // without its graph
		rows, chunk.Line = append(rows, &read), append(chunk.Line, int32(r.Line))
		if in.format.Graphs() { // a score tells that of molecules
			aside.Count(r.Aside)
		}
		in.opened.Records++
		if len(rows) >= recordsChunk || len(rows)*len(fields) >= recordsCells || time.Since(sent) >= recordsTime {
			flush()
		}
		p.Err()
	}
	flush()
	if large && len(in.opened.Columns) > 0 {
		in.opened.Warnings = append(in.opened.Warnings, fmt.Sprintf("files of more than %d MB are shown, and "+
			"saved, without columns of their own; the command keeps them", mostOwn>>20))
	}
	if said := aside.Of(in.opened.Records - in.opened.Refused); said != "" {
		in.opened.Warnings = append(in.opened.Warnings, said)
	}
	rest := io.NewSectionReader(in.source, int64(bytesRead.n), in.source.Size()-int64(bytesRead.n))
	_, err := io.Copy(sum, rest)
	return err
}

// mostOwn is the largest input whose own columns the page keeps.
const mostOwn = 32 << 20

// parse reads a molecule, or a plain graph into the record.
func (in *input) parse(m *dataset.Record) (*molecule.Molecule, error) {
	if in.format.Graphs() {
		*m = m.Parsed()
		return nil, m.Err
	}
	m.Graph = nil // that of a kept record
	return m.Parse()
}

func (in *input) options() dataset.Options {
	return dataset.Options{Name: in.name, Format: in.format, Column: in.column, Sheet: in.sheet, Workers: 1, Plain: true, Unpack: in.unpack()}
}

// unpack returns the decompressors of formats that the standard library lacks. Brotli is left out: its module would add
// net/http, 0.7 MB, to the first visit.
func (in *input) unpack() dataset.Unpack {
	return dataset.Unpack{
		Zstd: in.zstd,
		XZ:   func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, xz.DefaultDictMax) },
	}
}

// at returns the graph of a record, from 0, in a form, and the molecule as written.
func (in *input) at(record int, form molecule.Form) (dataset.Record, *molecule.Molecule, error) {
	for m, err := range in.records(nil, form) {
		if err != nil {
			return dataset.Record{}, nil, in.unreadable(err)
		}
		if m.Row-1 != record {
			continue
		}
		mol, err := in.parse(&m)
		if err != nil {
			return dataset.Record{}, nil, failf(message.CodeBadInput, "%w", err)
		}
		r := m.Named()
		if mol != nil {
			var read *molecule.Molecule
			read, _, r.Aside = smiles.In(mol, form)
			r.Graph = read.Graph()
		}
		return r, mol, nil
	}
	return dataset.Record{}, nil, failf(message.CodeBadOption, "record %d: want one of %d", record, in.opened.Records)
}

// pick parses some records.
func (e *Engine) pick(ctx context.Context, wanted []int32) (map[int]dataset.Record, error) {
	left := map[int]bool{}
	for _, record := range wanted {
		left[int(record)] = true
	}
	found := make(map[int]dataset.Record, len(left))
	at := 0
	for m, err := range e.input.records(nil, e.form()) {
		if len(left) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if left[at] {
			found[at] = m.Parsed()
			delete(left, at)
		}
		at++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for record := range left {
		return nil, failf(message.CodeBadOption, "record %d: want one of %d", record, at)
	}
	return found, nil
}

// problem says why a record was refused and, as far as known, at which line, column and piece of its SMILES.
func problem(r dataset.Record) message.Problem {
	p := message.Problem{Record: r.Row - 1, Line: r.Line, Text: r.Err.Error(), Reason: r.Err.Error(), At: -1}
	var place *dataset.SyntaxError
	if errors.As(r.Err, &place) {
		p.Line, p.Column = place.Line, place.Column
		p.Reason = place.Err.Error()
	}
	var piece *molecule.SyntaxError
	if errors.As(r.Err, &piece) {
		p.Reason, p.Piece = piece.Reason, piece.Piece
		p.Caret = strings.TrimRight(piece.Caret(r.SMILES), "\n")
		if r.SMILES != "" && piece.Line == 0 {
			p.At = piece.Column - 1
		}
	}
	return p
}
