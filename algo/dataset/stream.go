package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
)

// MaxRecord bounds, in bytes, a line of .smi and a record of .csv, .tsv or .sdf. MaxField bounds its SMILES and its id.
// Longer ones are refused and reading continues. A stream needs a few times MaxRecord of memory, and for the records on n
// goroutines at most 32·n·MaxField, or 32·n·[molfile.MaxLength] for SDF.
const (
	MaxRecord = molfile.MaxRecord
	MaxField  = smiles.MaxLength
)

type Options struct {
	Name   string // of the file, for errors and the format
	Format Format // Auto or a format of molecules
	Unpack Unpack // decompression
	Column string // column with the SMILES, of tables, JSONL and Parquet; empty means "smiles"
	ID     string // column or SDF data with the ids; empty: found by names and cells
	Sheet  string // sheet of a workbook; empty: the first one that holds structures
	// Sheets, if not nil, is told the names of a workbook's visible sheets and of the one that is read.
	Sheets  func(visible []string, read string)
	Workers int // parsing goroutines; 0: one for each core

	// Cells names further columns for Record.Cells, in any case: columns of tables and Parquet, keys of
	// JSONL, data of SDF. SMI has none.
	Cells []string

	// Own, if not nil, is called before the first record. all are the names of all columns. For JSONL they come from the
	// first objects, for SDF from the first record. own are those except the SMILES and the id. Record.Own then has the
	// cells of own.
	Own func(all, own []string)

	// Form is the form of the records' molecules, see Record.Parsed.
	Form molecule.Form

	// Plain also allows formats of plain graphs.
	Plain bool

	// Guessed, if not nil, is called with the column of SMILES if it was found by content among several columns.
	Guessed func(column string)

	// Stop, if not nil, is called while reading. An error ends the input.
	Stop func() error

	// Note, if not nil, is called with a sentence for everything that is not read: files of an archive, sheets of a
	// workbook, columns.
	Note func(sentence string)

	// Keep stores what a reader gives until done is called, because Parquet is not read from the front. If Keep is nil,
	// memory stores up to MaxKept bytes.
	Keep func(io.Reader) (r io.ReaderAt, size int64, done func(), err error)

	maxRecord int // for tests; 0: MaxRecord
}

// Text returns r as text, and its format, from the options or recognised. If the format is recognised and the text
// has no molecules, it returns an error.
func (o Options) Text(r io.Reader) (*Text, Format, error) {
	u := o.Unpack
	u.note, u.stop, u.sheet, u.sheets, u.column = o.Note, o.Stop, o.Sheet, o.Sheets, o.Column
	text, err := NewText(r, u)
	if err != nil || o.Format != Auto {
		return text, o.Format, err
	}
	format := text.Format(o.Name)
	return text, format, text.check(format, o.Column)
}

// An Entry is what an input says of a molecule or plain graph, or why it was refused.
type Entry struct {
	Row    int    // from 1, without header, blank lines and comments
	Line   int    // where the record begins, from 1; 0 if the input has no lines
	ID     string // empty if there is none, until the record is parsed
	SMILES string // empty for SDF and plain graphs

	// Cells are the trimmed cells of Options.Cells, see FailCell.
	Cells []string
	// cellAt has the line and column of each of the Cells, or is nil if they are unknown.
	cellAt [][2]int

	// Written is the SMILES of a parsed molecule that came without one.
	Written string

	// Own are the cells of the columns that Options.Own was told, trimmed.
	Own []string

	// Aside says what the graph leaves out: of a molecule in its parent, or of a plain graph.
	Aside molecule.Aside

	// Err, a *SyntaxError, says why the record is refused.
	Err error

	at      SyntaxError // position where the SMILES or molfile begins
	molfile string      // a molfile instead of SMILES, or the text of a plain graph
	linked  bool        // molfile is the text of a plain graph
}

// Input returns e. Types that embed an Entry have it too.
func (e *Entry) Input() *Entry { return e }

// A Record is an entry, and its graph once it is parsed.
type Record struct {
	Entry
	// Graph is the molecule in Form, after parsing. A record of GraphML has it before. A refused record never has it.
	Graph *graph.Graph
	Form  molecule.Form

	molecule *molecule.Molecule // after Parse
}

// Listed returns a record of a program's list. row is its row. Errors give the column within the SMILES only. The SMILES
// is trimmed. If it is empty or too long, the record has Err.
func Listed(row int, smiles string) Record {
	r := Record{Entry: Entry{Row: row, at: SyntaxError{Column: 1}}}
	if text := r.trim([]byte(smiles)); len(text) <= MaxField {
		r.SMILES = string(text)
	}
	return r
}

// checkLength returns an error for a SMILES of n bytes if that is 0 or too many.
func (r *Entry) checkLength(n int) error {
	switch {
	case n == 0:
		return r.Fail(errNoSMILES)
	case n > MaxField:
		return r.Fail(fmt.Errorf("SMILES of %d bytes: want at most %d", n, MaxField))
	}
	return nil
}

// Molfile returns the molfile of an SDF record, or "" for other records.
func (r *Entry) Molfile() string {
	if r.linked {
		return ""
	}
	return r.molfile
}

// Size returns the length of r's texts and graph in units of at least a byte, a measure of the memory they take.
func (r Record) Size() int {
	n := len(r.ID) + len(r.SMILES) + len(r.molfile)
	for _, cells := range [][]string{r.Cells, r.Own} {
		for _, cell := range cells {
			n += len(cell)
		}
	}
	if r.Graph != nil {
		n += len(r.Graph.Offsets) + len(r.Graph.Neighbors)
	}
	return n
}

// Fail returns a [*SyntaxError] that locates err, an error about the SMILES or molfile of r, in the input.
func (r *Entry) Fail(err error) error {
	e := r.at
	var m *molecule.SyntaxError
	if errors.As(err, &m) {
		e.Line += max(m.Line-1, 0)
		e.Column += m.Column - 1
	}
	e.Err = err
	return &e
}

// FailCell returns a [*SyntaxError] that locates err, an error about cell k of Cells, in the input: at the cell if its place
// is known, or else at the record's row in a file of columns and at its first line in others.
func (r *Entry) FailCell(k int, err error) error {
	e := SyntaxError{File: r.at.File, Row: r.at.Row, Err: err}
	if k < len(r.cellAt) {
		e.Line, e.Column = r.cellAt[k][0], r.cellAt[k][1]
	} else if e.Row == 0 {
		e.Line, e.Column = r.Line, 1
	}
	return &e
}

// Parse returns the molecule of r. The error is r.Err or a [*SyntaxError].
func (r *Record) Parse() (*molecule.Molecule, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if r.linked || r.Graph != nil {
		return nil, r.Fail(errors.New("a plain graph: want a molecule"))
	}
	if r.molecule != nil {
		return r.molecule, nil
	}
	var m *molecule.Molecule
	var err error
	if r.molfile != "" {
		m, err = molfile.Parse(r.molfile)
	} else if m, err = smiles.Parse(r.SMILES); err != nil {
		err = otherwise(r.SMILES, err)
	}
	if err != nil {
		return nil, r.Fail(err)
	}
	r.molecule = m
	return m, nil
}

// Parsed returns r with its Graph, or Err. The default id is the row number.
func (r Record) Parsed() Record { return r.parsed().Named() }

// In returns r as a record of form f. If r was parsed in f, it still is, with a copy of its graph.
func (r Record) In(f molecule.Form) Record {
	if r.Graph != nil && r.Form == f {
		g := *r.Graph // what is computed of the copy is not kept
		r.Graph = &g
	} else if r.SMILES != "" || r.molfile != "" && !r.linked {
		r.Graph, r.Aside = nil, molecule.Aside{}
	}
	r.Form = f
	return r
}

// Named returns r with an id: its own, or the row number.
func (r Record) Named() Record {
	if r.ID == "" {
		r.ID = strconv.Itoa(r.Row)
	}
	return r
}

// parsed is Parsed without a default id.
func (r Record) parsed() Record {
	if r.Err != nil || r.Graph != nil {
		return r
	}
	if r.linked {
		plain := r // a copy keeps r off the heap
		plain.Graph, plain.Err = plain.nodeLinkGraph()
		plain.molfile, plain.linked = "", false
		return plain
	}
	if r.molfile == "" && r.molecule == nil {
		var err error
		if r.Graph, r.Aside, err = smiles.ParseIn(r.SMILES, r.Form); err != nil {
			r.Err = r.Fail(otherwise(r.SMILES, err))
		}
		return r
	}
	m, err := r.Parse()
	r.molecule = nil // the graph replaces it
	if r.Err = err; err == nil {
		if r.molfile != "" {
			r.Written = smiles.Write(m)
		}
		m, _, r.Aside = smiles.In(m, r.Form)
		r.Graph = m.Graph()
		r.Graph.Reading = r.Form.Reading()
	}
	return r
}

// Records yields the records of r in order. It does not parse them, see [Record.Parse] and [Ordered]. The sequence can be
// used once.
//
// A record that cannot be read has Err, and the next one follows. If the stream breaks or has no column of SMILES, the
// last pair has an error and no record. Gzip and UTF-16 are recognised, and any line ends work, see [NewText].
//
// SMI: each line is a SMILES and, after blanks, a name, which may hold blanks. If most of the first
// lines have their SMILES as the last word, or after a short name or number, all lines are read so.
// CXSMILES extensions, blank lines, lines that begin with # and a header are skipped.
//
// CSV and TSV: quoted fields may hold separators, line ends and doubled quotes. A quote inside an unquoted field is text.
// The separator of CSV is comma, semicolon, tab or bar: the one that sets off the wanted column's name, else the one
// whose columns hold most molecules, else the one that makes most columns of the first row. Comments and titles before
// the header are skipped: rows that name at most half as many columns.
//
// The column of SMILES is Options.Column in any case, or by place, as "column 2". Columns that differ only in case must
// be spelled exactly. Without a column smiles it is the one with that word in its name, or the best of several, or the
// one with most molecules. If the first cell of that column could be a molecule, there is no header, and columns are
// called "column 1" and so on, see [Text.Table]. The id is in Options.ID, or in the first of the columns id, mol_id,
// molecule_id, compound_id, cid, chembl_id, name, title, iupac and some others, or in a column whose cells all differ.
//
// Text that is not UTF-8 is read as Windows-1252. Blanks around SMILES and ids and curled quotes around SMILES are
// dropped. A second SMILES in a cell is refused. Blank rows are skipped, and columns beyond the header must be empty.
//
// JSON is an object on each line, a list of objects, or objects over several lines. After a damaged object, reading
// resumes at the next one that begins as others do. The refusal says where, and about how many objects are in between.
//
// SDF is read by [molfile.SDF]. The id is the first line of the record, or else its first data item with such a name.
//
// The files of a zip or tar archive are one sequence. They must have one format and, if Options.Own is set, tables of
// the same columns. Files with other names are left out.
func Records(r io.Reader, opt Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := read(r, opt, func(rec Record) bool { return yield(rec, nil) }); err != nil {
			yield(Record{}, err)
		}
	}
}

// Molecules yields the parsed records of r in order: each has Graph or Err. See [Records] for the
// input and [Ordered] for concurrency.
func Molecules(ctx context.Context, r io.Reader, opt Options) iter.Seq2[Record, error] {
	return Parse(ctx, opt.Workers, Records(r, opt))
}

// Parse yields records in order, parsed on so many goroutines, 0 for one on each core. See [Ordered].
func Parse(ctx context.Context, workers int, records iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return Ordered(ctx, workers, records, Record.Parsed)
}

// read calls emit with the records of r until it returns false. An error is that of the stream.
func read(r io.Reader, opt Options, emit func(Record) bool) error {
	text, format, err := opt.Text(r)
	if err != nil {
		return opt.fail(err)
	}
	s := scanner{file: opt.Name, emit: emit, opt: &opt}
	kind := text.Format(opt.Name)
	for !s.stopped { // for each file of an archive, or once
		if s.file = opt.Name; text.file != "" {
			s.file = path.Join(opt.Name, text.file)
		}
		if also := text.Format(""); text.file != "" && also != kind {
			return opt.fail(fmt.Errorf("%s is read as %s and those before it as %s: want files of one format", text.file, also, kind))
		}
		if err := s.readText(text, format); err != nil {
			return err
		}
		if text.more == nil {
			break
		}
		if text, err = text.more(); err == io.EOF {
			break
		} else if err != nil {
			return opt.fail(err)
		}
	}
	return nil
}

// fail returns err with the name of the file.
func (o *Options) fail(err error) error { return fmt.Errorf("%s: %w", named(o.Name), err) }

// readText emits the records of a text, up to the one at which emit returns false. It fails if the text breaks, demands
// too much work, or cannot be read in its format with the options. The error names the file.
func (s *scanner) readText(text *Text, format Format) error {
	fail := func(err error) error { return fmt.Errorf("%s: %w", named(s.file), err) }
	known := format.of()
	if err := s.opt.check(text, format, known); err != nil {
		return fail(err)
	}
	limit := cmp.Or(s.opt.maxRecord, MaxRecord) + 1 // with its line feed
	s.window, s.meter = newWindow(text, 64<<10, limit), text.meter
	s.further, s.own = nil, nil
	if format == JSONL || format == NodeLink {
		s.head = text.start()
	} else if !text.parquet {
		s.head = text.head()
	}
	if err := known.read(s, s.opt.Column); err != nil {
		if at, ok := err.(*SyntaxError); ok && s.file != "" {
			at.File = s.file
			return at
		}
		return fail(err)
	}
	if !s.stopped { // a reader may end before its text, whose end has a checksum
		s.pos = s.end
		for s.more() {
			s.pos = s.end
		}
	}
	if s.over != nil {
		return fail(s.over)
	}
	if err := s.broken(); err != nil && !s.stopped {
		return fail(fmt.Errorf("line %d: %w", s.line, err))
	}
	return nil
}

// check returns an error if a text cannot be read in its format with these options.
func (o *Options) check(text *Text, format Format, known *fileFormat) error {
	head, _ := text.Peek(len(zipMagic))
	columns := append(slices.Clone(o.Cells), o.ID)
	switch {
	case format != TU && beginsZip(head):
		return errors.New("this zip archive or Excel workbook is damaged, or its files are of another format")
	case known == nil || known.read == nil:
		return fmt.Errorf("format %q: want one of %s for a stream of molecules", format, strings.Join(Formats(true), ", "))
	case known.graphs && !o.Plain:
		return fmt.Errorf("format %s holds plain graphs: want molecules", format)
	case format == Parquet && len(head) == 0:
		return errors.New("this is an empty file: it cannot be read as parquet")
	case format == Parquet && !text.parquet:
		return errors.New("this is no file of columns: it cannot be read as parquet")
	case format != Parquet && text.parquet:
		return fmt.Errorf("this is a Parquet file: it cannot be read as %s", format)
	case columns[0] != "" && (known.graphs || format == SMI):
		return fmt.Errorf("column %q of a file of format %s, which has no columns: want csv, tsv, jsonl, sdf or parquet", columns[0], format)
	}
	return nil
}

var errCells = fmt.Errorf("%w; rows that lack nearly all of the columns do so, too", errBomb)

type scanner struct {
	*window
	head    []byte // see Text.head; not consumed
	file    string
	row     int
	emit    func(Record) bool
	opt     *Options
	stopped bool // emit returned false, or over is set
	meter   *meter
	over    error  // why the text ended: work or columns exceed a bound
	both    []byte // memory for a record's texts

	smiles, id   int             // columns; id is -1 for none
	further, own []int           // columns of Options.Cells and of Options.Own
	told         []string        // names of own columns in the first file of an archive; nil before it
	noted        map[string]bool // what Options.Note was told about columns
	late         map[string]bool // columns that tellLate has told

	// of JSON
	firsts map[string]bool // first keys of records, as far as known
	texts  int             // where the last text of a damaged object begins
}

// emitText emits rec with its id, and with the SMILES that trim finds in the text smiles. A SMILES or an id longer than
// MaxField is left out, and rec.Err says so.
func (s *scanner) emitText(rec Record, id, smiles []byte) {
	if smiles = rec.trim(smiles); rec.Err == nil && len(id) > MaxField {
		rec.at.Column = 1
		rec.Err = rec.Fail(idTooLong(len(id)))
	}
	if len(id) > MaxField {
		id = nil
	}
	if len(smiles) > MaxField {
		smiles = nil
	}
	if utf8.Valid(smiles) && utf8.Valid(id) {
		// One allocation for both.
		s.both = append(append(s.both[:0], smiles...), id...)
		both := string(s.both)
		rec.SMILES, rec.ID = both[:len(smiles)], both[len(smiles):]
	} else {
		rec.SMILES, rec.ID = nameOf(smiles), nameOf(id)
	}
	s.send(rec)
}

func idTooLong(size int) error {
	return fmt.Errorf("id of %d bytes: want at most %d", size, MaxField)
}

// refuse emits a record that cannot be read and begins on line.
func (s *scanner) refuse(line int, err error) {
	s.send(Record{Entry: Entry{Line: line, Err: err}})
}

// send numbers a record and emits it.
func (s *scanner) send(rec Record) {
	s.row++
	rec.Row, rec.Form, rec.at.File = s.row, s.opt.Form, s.file
	if bad, ok := rec.Err.(*SyntaxError); ok {
		bad.File = s.file
	}
	s.stopped = !s.emit(rec)
	s.spend(unitsOfRecord + unitsOfCell*len(rec.Own))
	if s.over == error(errBomb) && len(rec.Own) > unitsOfRecord { // empty cells took most units
		s.over = errCells
	}
}

// spend adds units of work. If the meter has too few left, it sets over and stopped, which end the text. Without a meter,
// as for a head, it does nothing.
func (s *scanner) spend(units int) {
	if s.meter == nil {
		return
	}
	if err := s.meter.spend(units); err != nil && !s.stopped {
		s.over, s.stopped = err, true
	}
}

// tooLong returns the error for a line or record that begins on line and does not fit into the window.
func (s *scanner) tooLong(line int) *SyntaxError {
	return syntaxError(line, 1, fmt.Errorf("more than %d bytes: want a shorter record, is a line end or a quote missing?", s.max-1))
}

// readSMI emits the records of a SMILES file, one a line.
func (s *scanner) readSMI(string) error {
	place, _ := placeOf(s.head)
	begun := false // a header can only be the first line
	s.eachLine(func(full []byte, whole bool) bool {
		if !whole {
			if full[0] != '#' {
				s.refuse(s.line, s.tooLong(s.line))
			}
			return !s.stopped
		}
		s.spend(unitsOfLine)
		for from, line := range linesOf(full) {
			text := bytes.TrimLeftFunc(line, isSpace)
			column := from + len(line) - len(text) + 1
			if text = bytes.TrimRightFunc(text, isSpace); len(text) == 0 || text[0] == '#' || s.stopped {
				continue
			}
			if begun || !place.isHeader(text) {
				molecule, id, at := place.cut(text)
				s.emitText(Record{Entry: Entry{Line: s.line, at: SyntaxError{Line: s.line, Column: column + at}}}, id, molecule)
			}
			begun = true
		}
		return !s.stopped
	})
	return nil
}
