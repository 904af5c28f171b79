// Package dataset reads graphs: TUDataset folders and archives ([ReadTU], [ReadTUZip]), and streams of molecules in .smi,
// .csv, .tsv, .xlsx, .jsonl, .json, .sdf and .parquet or of plain graphs in node-link JSON and .graphml, compressed or not,
// also in zip and tar archives ([Records], [Molecules]). It also draws the splits of the evaluation protocol.
//
// Input is not trusted. Memory is bounded by the decompressed size for a TUDataset set and by a constant for a stream.
// No number in a file decides how much is allocated. The limits are [MaxTUBytes], [MaxRecord] and [MaxField]. Data that
// expand more than [MaxExpand]-fold beyond the first MiB are refused, before the first record if they begin so.
package dataset

import (
	"fmt"

	"baca/algo/molecule"
)

// A SyntaxError locates a mistake in an input. For a bad SMILES, Err is a [*molecule.SyntaxError].
type SyntaxError struct {
	File string // may be empty
	Row  int    // from 1, in a file of columns; 0 elsewhere
	Line int    // from 1; 0 in a list or a file of columns
	// Column counts bytes from 1. Without a line it counts within the SMILES, and messages call it a character. It is 0
	// in a file of columns for cells other than the SMILES.
	Column int
	Err    error // what was found and expected
}

// syntaxError returns an error at a line and column, without the name of a file.
func syntaxError(line, column int, err error) *SyntaxError {
	return &SyntaxError{Line: line, Column: column, Err: err}
}

// Error names the file, the line or row and the column as far as these are known, and what is wrong.
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

// maxNamed is how many refused rows, columns or sets a message names before it only counts them.
const maxNamed = 5

// named returns the name of a file, or "input" for one without a name.
func named(file string) string {
	if file == "" {
		return "input"
	}
	return file
}

// clip quotes untrusted text for a message. A text of more than 40 bytes is cut there, and followed by an ellipsis.
func clip[T string | []byte](s T) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
