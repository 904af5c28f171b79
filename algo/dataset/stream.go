package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
)

// MaxRecord bounds a line of a .smi file and a record of a .csv, .tsv or .sdf file,
// MaxField its SMILES and its id, all in bytes. What is longer is refused, and
// reading goes on behind it. A stream needs no more memory than a few times
// MaxRecord and, for the records under way on n goroutines, 32·n·MaxField at
// the very worst, or 32·n·[molfile.MaxLength] for SDF.
const (
	MaxRecord = molfile.MaxRecord
	MaxField  = smiles.MaxLength
)

// Options say how to read a stream of molecules. The zero value is right for
// most.
type Options struct {
	Name    string // of the file: stands in errors, and tells the format
	Format  Format // Auto or a format of molecules
	Unpack  Unpack // how to read compressed text
	Column  string // with the SMILES, for tables, JSONL and files of columns; empty is the same as "smiles"
	Workers int    // goroutines that parse; 0: one for each core

	// Cells names further columns, upper or lower case, which Record.Cells has: of tables and
	// files of columns, keys of JSONL, data of SDF. Lines of SMI have none.
	Cells []string

	// Own, unless nil, is told the names of all columns but those of the SMILES and the id, before any
	// record is. Record.Own then has their cells. The names are those that Header gets.
	Own func(names []string)

	// Form is the form of each molecule that Molecules gives the graph of.
	Form molecule.Form

	// Plain lets formats of plain graphs be read, too.
	Plain bool

	// Guessed, unless nil, is told the column of the SMILES where no name tells it, but for the
	// formats that [Text.Table] tells of.
	Guessed func(column string)

	// Header, unless nil, is told the names that Cells may have, before any record is: for JSONL
	// those in the first objects, for SDF those of the first record.
	Header func(names []string)

	// Keep keeps all that a reader gives, until done is called: a Parquet file is not read from
	// its front. Without it memory does, up to MaxKept bytes.
	Keep func(io.Reader) (r io.ReaderAt, size int64, done func(), err error)

	maxRecord int // for tests; 0: MaxRecord
}

// Text returns r as a text and its format, which is told from the name and the text unless
// the options have one. Where it is told, the error may be that the text holds no molecules.
func (o Options) Text(r io.Reader) (*Text, Format, error) {
	text, err := NewText(r, o.Unpack)
	if err != nil || o.Format != Auto {
		return text, o.Format, err
	}
	format := text.Format(o.Name)
	return text, format, text.check(format, o.Column)
}

// A Record is one molecule of a stream.
type Record struct {
	Row    int    // from 0; header, blank lines and comments not counted
	Line   int    // on which the record begins, from 1
	ID     string // empty if there is none
	SMILES string // empty in SDF, and of plain graphs

	// Cells are those of the columns Options.Cells, trimmed; empty where a row has none.
	Cells []string
	// cellAt are the lines and columns where they begin, nil where that is not known.
	cellAt [][2]int

	// Written is the SMILES of a molecule that came without one, once it is parsed.
	Written string

	// Own are the cells of the columns that Options.Own was told, trimmed.
	Own []string

	// Graph is the molecule, once [Molecules] has parsed it. GraphML has it from the beginning.
	Graph *graph.Graph
	// Aside says what of the molecule is not in its graph, where that is of the parent, and what of a
	// plain graph is not in the simple one.
	Aside molecule.Aside

	// Err says why the record is refused: a *SyntaxError.
	Err error

	file       string
	smilesLine int
	column     int    // of the SMILES
	molfile    string // instead of the SMILES
	linked     bool   // molfile is the line of a plain graph
	columnar   bool   // smilesLine is the row in a file of columns, from 1
}

// Listed returns the record of a molecule that a program has in a list, by its row from 0. Its
// errors name the column in the SMILES alone. Blanks around the SMILES are trimmed, as in a cell
// of CSV.
func Listed(row int, smiles string) Record {
	r := Record{Row: row, column: 1}
	if text := r.take([]byte(smiles)); len(text) <= MaxField {
		r.SMILES = string(text)
	}
	return r
}

// checkLength refuses a SMILES of so many bytes if that is nothing or too much.
func (r *Record) checkLength(n int) error {
	switch {
	case n == 0:
		return r.Fail(errNoSMILES)
	case n > MaxField:
		return r.Fail(fmt.Errorf("SMILES of %d bytes: want at most %d", n, MaxField))
	}
	return nil
}

// Molfile is that of a record of SDF, empty for others.
func (r *Record) Molfile() string {
	if r.linked {
		return ""
	}
	return r.molfile
}

// Fail returns the error err about the SMILES or molfile of r, such as
// [smiles.Parse] has, as a [*SyntaxError] that says where in the input that is.
func (r *Record) Fail(err error) error {
	line, column := r.smilesLine, r.column
	var m *molecule.SyntaxError
	if errors.As(err, &m) {
		line += max(m.Line-1, 0)
		column += m.Column - 1
	}
	e := syntaxError(r.file, line, column, err)
	if r.columnar {
		e.Row, e.Line = e.Line, 0
	}
	return e
}

// FailCell returns the error err about one of the Cells as a [*SyntaxError] that says where in
// the input the cell is, as far as that is known.
func (r *Record) FailCell(k int, err error) error {
	if k < len(r.cellAt) {
		return syntaxError(r.file, r.cellAt[k][0], r.cellAt[k][1], err)
	}
	e := syntaxError(r.file, r.Line, 1, err)
	if r.columnar {
		e.Row, e.Line = r.Row+1, 0
	}
	return e
}

// Parse returns the molecule of r. The error is r.Err or a [*SyntaxError].
func (r *Record) Parse() (*molecule.Molecule, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if r.linked || r.Graph != nil {
		return nil, r.Fail(errors.New("a plain graph: want a molecule"))
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
	return m, nil
}

// Parsed returns r with its Graph, of the molecule in form f, or Err.
func (r Record) Parsed(f molecule.Form) Record {
	if r.Err != nil || r.Graph != nil {
		return r
	}
	if r.linked {
		plain := r // of its own, so that r stays off the heap
		plain.Graph, plain.Err = plain.nodeLinkGraph()
		plain.molfile, plain.linked = "", false
		return plain
	}
	if r.molfile == "" {
		var err error
		if r.Graph, r.Aside, err = smiles.ParseIn(r.SMILES, f); err != nil {
			r.Err = r.Fail(otherwise(r.SMILES, err))
		}
		return r
	}
	m, err := r.Parse()
	if r.Err = err; err == nil {
		r.Written = smiles.Write(m)
		m, _, r.Aside = smiles.In(m, f)
		r.Graph = m.Graph()
	}
	return r
}

// Records yields the records of r in order, not parsed; with [Ordered] the
// caller parses them as it likes ([Record.Parse]). The sequence can be used once.
//
// A record that cannot be read has Err set, and the next one follows. If the
// stream itself cannot be read to its end, or has no column of SMILES, the
// last pair yielded has an error instead of a record. Gzip and UTF-16 are recognised by
// their first bytes and any line ends will do, see [NewText]: a [*Text] is read as it is.
//
// In SMI each line is a SMILES and, after blanks, a name, which may hold
// blanks. If most of the first lines have their SMILES elsewhere, so have all: it may be the
// last word behind a name, or another one behind a short name or the number of an item.
// What stands between bars behind a SMILES, the extension of CXSMILES, is left out.
// Blank lines, lines that begin with # and a first line with a word such as smiles among
// those of a header are skipped.
//
// CSV and TSV may quote fields; such fields may hold separators, line ends and
// doubled quotes. In the middle of a field a quote is a character like others.
// The separator of CSV is the comma, the semicolon or the tab: the one that sets off the
// name of the column with the SMILES in the first line, or else the one whose columns hold
// molecules, or else the most frequent in the first line.
// The SMILES are in the column Options.Column, upper or lower case, or named by its place, as in "column 2". Of several columns that differ in case only
// the one that is spelled alike is meant; it is an error if the columns that are read are not told apart by that. If that is smiles and there is no such column, they are in the only one
// whose name has smiles in it, or in the best of several. If there is none either, they are in the column most of whose first cells are
// molecules. The file is taken to have no header if the first cell of that column could be a molecule, too, and then its columns are
// called "column 1", "column 2" and so on. See [Text.Table]. The id is in the first of the columns id, mol_id,
// molecule_id, compound_id, cid, chembl_id, name, title, iupac and some others
// that is there (upper or lower case, blanks and dashes like underscores), and without a header in the first one whose cells all differ.
// A name that is not in UTF-8 is taken for Latin-1.
// Blanks around SMILES and ids are trimmed, and curled quotes around SMILES; a cell with a second SMILES is refused. blank lines and rows of separators alone are skipped, columns
// beyond those of a header must be empty.
//
// SDF is read by [molfile.SDF]. The id is the first line of the record or, if
// that is blank, the first of the same names that is among its data.
func Records(r io.Reader, opt Options) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := read(r, opt, func(rec Record) bool { return yield(rec, nil) }); err != nil {
			yield(Record{}, err)
		}
	}
}

// Molecules yields the records of r in order, parsed: each has Graph or Err.
// See [Records] for the input and [Ordered] for what goes on in parallel.
func Molecules(ctx context.Context, r io.Reader, opt Options) iter.Seq2[Record, error] {
	return Ordered(ctx, opt.Workers, Records(r, opt), func(rec Record) Record { return rec.Parsed(opt.Form) })
}

// read passes the records of r to emit until that is false. The error is that
// of the stream.
func read(r io.Reader, opt Options, emit func(Record) bool) error {
	fail := func(err error) error { return fmt.Errorf("%s: %w", named(opt.Name), err) }
	text, format, err := opt.Text(r)
	if err != nil {
		return fail(err)
	}
	if head, _ := text.Peek(len(zipMagic)); format != TU && beginsZip(head) {
		return fail(errors.New("a zip archive or spreadsheet: want plain text, gzip or zstd"))
	}
	known := format.of()
	if known == nil || known.read == nil {
		return fail(fmt.Errorf("format %q: want one of %s for a stream of molecules", format, strings.Join(Formats(true), ", ")))
	}
	if known.graphs && !opt.Plain {
		return fail(fmt.Errorf("format %s holds plain graphs: want molecules", format))
	}
	if (format == Parquet) != text.parquet {
		what := "no file of columns"
		if head, _ := text.Peek(1); len(head) == 0 {
			what = "an empty file"
		} else if text.parquet {
			what = "a Parquet file"
		}
		return fail(fmt.Errorf("this is %s: it cannot be read as %s", what, format))
	}
	limit := cmp.Or(opt.maxRecord, MaxRecord)
	// The line feed has a place too.
	w := newWindow(text, 64<<10, limit+1)
	if len(opt.Cells) > 0 && (known.graphs || format == SMI) {
		return fail(fmt.Errorf("column %q of a file of format %s, which has no columns: want csv, tsv, jsonl, sdf or parquet", opt.Cells[0], format))
	}
	s := scanner{window: w, file: opt.Name, emit: emit, opt: &opt, wanted: opt.Cells}
	if !text.parquet {
		s.head = text.head()
	}
	if err := known.read(&s, opt.Column); err != nil {
		if at, ok := err.(*SyntaxError); ok && at.File != "" {
			return err // it names the file
		}
		return fail(err)
	}
	if err := w.broken(); err != nil && !s.stopped {
		return fail(fmt.Errorf("line %d: %w", w.line, err))
	}
	return nil
}

// A scanner cuts a text into records.
type scanner struct {
	*window
	head    []byte // see Text.head; none of it is consumed by looking at it here
	file    string
	row     int
	emit    func(Record) bool
	opt     *Options
	stopped bool   // emit was false
	both    []byte // texts of a record

	wanted []string // Options.Cells
	cells  []string // of the next record
	own    []string // the same of Options.Own
	cellAt [][2]int // of these
}

// record emits one molecule. line is where the record begins; the SMILES is at
// the given line and column. All but refusals of the SMILES are done before.
func (s *scanner) record(line int, id, smiles []byte, smilesLine, column int) {
	s.fill(Record{Row: s.row, Line: line, Cells: s.cells, Own: s.own, cellAt: s.cellAt, file: s.file, smilesLine: smilesLine, column: column}, id, smiles)
}

// fill emits a record with a SMILES and an id.
func (s *scanner) fill(rec Record, id, smiles []byte) {
	if smiles = rec.take(smiles); rec.Err == nil && len(id) > MaxField {
		rec.column = 1
		rec.Err = rec.Fail(fmt.Errorf("id of %d bytes: want at most %d", len(id), MaxField))
	}
	if len(id) > MaxField {
		id = nil
	}
	if len(smiles) > MaxField {
		smiles = nil
	}
	if utf8.Valid(id) {
		// One piece of memory for both.
		s.both = append(append(s.both[:0], smiles...), id...)
		both := string(s.both)
		rec.SMILES, rec.ID = both[:len(smiles)], both[len(smiles):]
	} else {
		rec.SMILES, rec.ID = string(smiles), nameOf(id)
	}
	s.row++
	s.stopped = !s.emit(rec)
}

// refuse emits a record that begins on the given line and cannot be read.
func (s *scanner) refuse(line int, err *SyntaxError) {
	err.File = s.file
	rec := Record{Row: s.row, Line: line, Err: err}
	s.row++
	s.stopped = !s.emit(rec)
}

func (s *scanner) tooLong() error {
	return fmt.Errorf("more than %d bytes: want a shorter record, is a line end or a quote missing?", s.max-1)
}

// readSMI reads lines until the text ends or breaks, or emit has enough.
func (s *scanner) readSMI(string) error {
	place, _ := placeOf(s.head)
	for first := true; !s.stopped; {
		n, ok := s.lineEnd(0)
		if !ok {
			if s.err == nil {
				if s.buf[s.pos] != '#' {
					s.refuse(s.line, syntaxError("", s.line, 1, s.tooLong()))
				}
				s.skipLine(n, s.line+1)
				continue
			}
			// What lies before an error may be a part of a line.
			if s.broken() != nil || n == 0 {
				return nil
			}
		}
		for from, line := range linesOf(s.bytes(0, n)) {
			text := bytes.TrimLeftFunc(line, isSpace)
			column := from + len(line) - len(text) + 1
			if text = bytes.TrimRightFunc(text, isSpace); len(text) > 0 && text[0] != '#' && !s.stopped {
				if header := first && place.isHeader(text); !header {
					molecule, id, at := place.cut(text)
					s.record(s.line, id, molecule, s.line, column+at)
				}
				first = false
			}
		}
		s.consume(n, s.line)
		if ok {
			s.consume(1, s.line+1)
		}
	}
	return nil
}

// readSDF reads records of molfiles. The error is that of the reader.
func (s *scanner) readSDF(string) error {
	fields := &fields{names: s.wanted, seen: make([]bool, len(s.wanted))}
	told := s.opt.Header == nil && s.opt.Own == nil
	for in, err := range molfile.SDF(s.window) {
		if err != nil {
			return err
		}
		if in.Err != nil {
			s.refuse(in.Line, &SyntaxError{Line: in.Line, Column: 1, Err: in.Err})
		} else {
			if !told {
				told = true
				s.header(namesOf(&in))
				fields.ownAmong(s, &in)
			}
			id, twice := idOf(&in)
			cells, twiceRead := fields.of(&in)
			rec := Record{Row: s.row, Line: in.Line, ID: id, file: s.file, smilesLine: in.Line, column: 1, molfile: in.Molfile(), Cells: cells, Own: fields.ownOf(&in)}
			if twice = cmp.Or(twice, twiceRead); twice != nil {
				rec.Err = rec.Fail(twice.data())
			}
			if len(rec.molfile) < len(in.Text)/2 {
				rec.molfile = strings.Clone(rec.molfile) // the data need not wait for it
			}
			if len(rec.ID) > MaxField {
				rec.Err = syntaxError(s.file, in.Line, 1, fmt.Errorf("id of %d bytes: want at most %d", len(rec.ID), MaxField))
				rec.ID = ""
			}
			rec.ID = nameOf([]byte(rec.ID))
			s.row++
			s.stopped = !s.emit(rec)
		}
		if s.stopped {
			return nil
		}
	}
	return fields.missing()
}

// idOf returns the id of a record of an SDF file.
func idOf(in *molfile.Record) (string, *twins) {
	if name := in.Name(); name != "" {
		return name, nil
	}
	names, values := dataOf(in)
	i, err := idColumn(names)
	if i < 0 || err != nil {
		return "", err
	}
	return strings.TrimSpace(values[i]), nil
}
