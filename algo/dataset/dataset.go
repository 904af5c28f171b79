// Package dataset reads graphs: TUDataset folders and archives ([ReadTU], [ReadTUZip]), and streams
// of molecules in .smi, .csv, .tsv, .xlsx, .jsonl, .json, .sdf and .parquet or of plain graphs in
// node-link JSON and .graphml, compressed or not, also in zip and tar archives ([Records], [Molecules];
// [Collect] and [Open] read one whole). It also draws the splits of the evaluation protocol.
//
// Input is not trusted. Memory is bounded by the decompressed size for a TUDataset set and by a
// constant for a stream; no number in a file is allocated by. The limits are [MaxTUBytes],
// [MaxRecord] and [MaxField]. Data that expand more than [MaxExpand]-fold beyond the first MiB are
// refused, before the first record where they begin so.
package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// A Set is a data set read whole.
type Set struct {
	Name   string
	Graphs []*graph.Graph
	IDs    []string // of molecules, or record numbers from 1; nil for a TUDataset set
	Labels []int    // of the graphs, nil for none; the method does not use them
	// What a TUDataset set lost: self-loops and repeated directed edges.
	SelfLoops, Duplicates int
	Warnings              []string
}

// A SyntaxError locates a mistake in an input. For a bad SMILES, Err is a [*molecule.SyntaxError].
type SyntaxError struct {
	File   string // may be empty
	Row    int    // from 1, in a file of columns; else 0
	Line   int    // from 1; 0 in a list or a file of columns
	Column int    // in bytes, from 1; in the SMILES if there is no line, and called a character then; 0 in other cells of a file of columns
	Err    error  // what was found and expected
}

func syntaxError(line, column int, err error) *SyntaxError {
	return &SyntaxError{Line: line, Column: column, Err: err}
}

func (e *SyntaxError) Error() string {
	what := e.Err.Error()
	if m, ok := e.Err.(*molecule.SyntaxError); ok {
		what = m.Reason // its column is in the SMILES, ours in the line
	}
	if e.Row > 0 && e.Column == 0 {
		return fmt.Sprintf("%s: row %d: %s", named(e.File), e.Row, what)
	}
	if e.Row > 0 {
		return fmt.Sprintf("%s: row %d, character %d: %s", named(e.File), e.Row, e.Column, what)
	}
	if e.Line == 0 {
		return fmt.Sprintf("character %d: %s", e.Column, what)
	}
	if e.File == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, what)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, what)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// maxNamed is how many refused rows, columns or sets a message names before it counts.
const maxNamed = 5

// Collect reads all molecules of r. Warnings name the first few refused records. A broken stream, or
// one without molecules, is an error.
func Collect(ctx context.Context, r io.Reader, opt Options) (*Set, error) {
	s := &Set{Name: opt.Name}
	refused, reason := 0, error(nil)
	for rec, err := range Molecules(ctx, r, opt) {
		if err != nil {
			return nil, err
		}
		if rec.Err != nil {
			if refused++; refused <= maxNamed {
				s.Warnings = append(s.Warnings, "refused: "+rec.Err.Error())
			}
			reason = cmp.Or(reason, rec.Err)
			continue
		}
		s.Graphs = append(s.Graphs, rec.Graph)
		s.IDs = append(s.IDs, rec.ID)
	}
	if more := refused - maxNamed; more > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("refused: %d more records", more))
	}
	switch {
	case len(s.Graphs) > 0:
		return s, nil
	case refused > 0:
		return nil, fmt.Errorf("no record is a molecule, %d refused, the first: %w", refused, reason)
	}
	return nil, fmt.Errorf("%s: no record, want at least one molecule", named(opt.Name))
}

// Open reads the set called name in fsys: the TUDataset files in tu/NAME, or the molecules in
// mol/NAME.csv or mol/NAME.csv.gz, parsed on that many goroutines (0: one for each core).
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
	return nil, fmt.Errorf("no data set %q: want a folder tu/%s or a file mol/%s.csv or mol/%s.csv.gz", name, name, name, name)
}

func named(file string) string {
	if file == "" {
		return "input"
	}
	return file
}

// clip shortens untrusted text in messages.
func clip[T string | []byte](s T) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
