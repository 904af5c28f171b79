// Package dataset reads graphs: the text files of the TUDataset collection,
// and streams of molecules in .smi, .csv, .tsv, .jsonl, .sdf and .parquet files or of plain
// graphs in node-link .jsonl and .graphml files, any of them compressed. It also draws the splits of the evaluation protocol.
//
// A TUDataset set is read whole ([ReadTU], [ReadTUZip]). Molecules come as a
// stream of records ([Records], [Molecules]) whose memory does not depend on
// the length of the file; [Collect] and [Open] read one whole.
//
// Input is not trusted. Memory is bounded by the size of the decompressed
// text for a TUDataset set and by a constant for a stream; no number that is
// written in a file is allocated by. The limits are [MaxTUBytes], [MaxRecord]
// and [MaxField]. Data that expand more than [MaxExpand]-fold beyond the first
// MiB are refused as soon as they do, and before the first record where they begin so.
package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// A Set is a data set read whole.
type Set struct {
	Name   string
	Graphs []*graph.Graph
	IDs    []string // of molecules, or the numbers of their records, from 1; nil for a TUDataset set
	Labels []int    // of the graphs, nil if the set has none; not used by the method
	// Refused are the records that are no molecules, each with why.
	Refused []Record
	Info    Info
}

// Info counts what was left out of graphs on the way to a [Set].
type Info struct {
	SelfLoops  int // edges dropped because both ends are the same node
	Duplicates int // edges dropped because the same directed edge came before
	Warnings   []string
}

// A SyntaxError says what is wrong with an input and where. If a SMILES is no
// molecule, Err is a [*molecule.SyntaxError].
type SyntaxError struct {
	File   string // may be empty
	Row    int    // from 1, in a file of columns; else 0
	Line   int    // from 1; 0 in a list or a file of columns, which have no lines
	Column int    // in bytes, from 1; in the SMILES where there are no lines
	Err    error  // what was found and what was expected
}

func syntaxError(file string, line, column int, err error) *SyntaxError {
	return &SyntaxError{File: file, Line: line, Column: column, Err: err}
}

func (e *SyntaxError) Error() string {
	what := e.Err.Error()
	if m, ok := e.Err.(*molecule.SyntaxError); ok {
		what = m.Reason // its column counts in the SMILES, ours in the line
	}
	if e.Row > 0 {
		return fmt.Sprintf("%s: row %d, column %d: %s", named(e.File), e.Row, e.Column, what)
	}
	if e.Line == 0 {
		return fmt.Sprintf("column %d: %s", e.Column, what)
	}
	if e.File == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, what)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, what)
}

// Unwrap returns e.Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// maxNamed is how many refused rows, columns or sets a message names before it
// only counts.
const maxNamed = 5

// Collect reads all molecules of r. Refused records are kept aside, and the first
// few are named in the warnings; it is an error if the stream cannot be read
// to its end or holds no molecule at all.
func Collect(ctx context.Context, r io.Reader, opt Options) (*Set, error) {
	s := &Set{Name: opt.Name}
	for rec, err := range Molecules(ctx, r, opt) {
		if err != nil {
			return nil, err
		}
		if rec.Err != nil {
			if s.Refused = append(s.Refused, rec); len(s.Refused) <= maxNamed {
				s.Info.Warnings = append(s.Info.Warnings, "refused: "+rec.Err.Error())
			}
			continue
		}
		s.Graphs = append(s.Graphs, rec.Graph)
		s.IDs = append(s.IDs, cmp.Or(rec.ID, strconv.Itoa(rec.Row+1)))
	}
	if more := len(s.Refused) - maxNamed; more > 0 {
		s.Info.Warnings = append(s.Info.Warnings, fmt.Sprintf("refused: %d more records", more))
	}
	switch {
	case len(s.Graphs) > 0:
		return s, nil
	case len(s.Refused) > 0:
		return nil, fmt.Errorf("no record is a molecule, %d refused, the first: %w", len(s.Refused), s.Refused[0].Err)
	}
	return nil, fmt.Errorf("%s: no record, want at least one molecule", named(opt.Name))
}

// Open reads the set called name below the folder fsys: the TUDataset files in
// tu/NAME, or else the molecules in mol/NAME.csv or mol/NAME.csv.gz, parsed on
// the given number of goroutines (0: one for each core). If there is no such
// set the error lists those that are there.
func Open(ctx context.Context, fsys fs.FS, name string, workers int) (*Set, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%q is not the name of a data set: want a plain name such as BZR or bbbp", name)
	}
	dir := path.Join("tu", name)
	if info, err := fs.Stat(fsys, dir); err == nil && info.IsDir() {
		return readTU(fsys, dir, "", Unpack{})
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, suffix := range []string{".csv", ".csv.gz"} {
		file := path.Join("mol", name+suffix)
		f, err := fsys.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		s, err := Collect(ctx, f, Options{Name: file, Format: CSV, Workers: workers})
		if err != nil {
			return nil, err
		}
		s.Name = name
		return s, nil
	}
	return nil, fmt.Errorf("no data set %q: want a folder tu/%s or a file mol/%s.csv or mol/%s.csv.gz; there are: %s",
		name, name, name, name, available(fsys))
}

// available lists the names that Open takes.
func available(fsys fs.FS) string {
	var names []string
	tu, _ := fs.ReadDir(fsys, "tu")
	for _, e := range tu {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	mol, _ := fs.ReadDir(fsys, "mol")
	for _, e := range mol {
		if base, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".csv"); ok {
			names = append(names, base)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func named(file string) string {
	if file == "" {
		return "input"
	}
	return file
}

// clip shortens untrusted text for a message.
func clip[T string | []byte](s T) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
