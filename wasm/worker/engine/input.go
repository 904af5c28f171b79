package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/wasm/message"
)

// An input is what was opened. Molecules are read again for every run, so that
// memory does not grow with their number.
type input struct {
	name, column string
	data         []byte
	format       dataset.Format
	graphs       []*graph.Graph // of a TUDataset set
	opened       message.Opened
}

// formats are the values of Open.Format.
var formats = []dataset.Format{dataset.Auto, dataset.SMI, dataset.CSV, dataset.TSV, dataset.SDF, dataset.TU}

// The size of a Records: so many records, or all of so long.
const (
	recordsChunk = 512
	recordsTime  = 100 * time.Millisecond
)

func (e *Engine) open(r *message.Open, post func(message.Event)) (*message.Opened, error) {
	e.input, e.last = nil, nil
	in := &input{name: r.Name, column: r.Column, data: r.Data, format: dataset.Format(r.Format)}
	if !slices.Contains(formats, in.format) {
		return nil, failf(message.CodeBadOption, "format %q: want one of %v", r.Format, formats[1:])
	}
	if bytes.HasPrefix(in.data, []byte("\x28\xb5\x2f\xfd")) {
		return nil, failf(message.CodeBadInput, "%s is compressed by zstd: unpack it first, or compress it by gzip", in.title())
	}
	if detected := dataset.DetectFormat(in.name, in.data[:min(len(in.data), 4096)]); in.format == dataset.Auto || in.format == dataset.CSV && detected == dataset.TSV {
		in.format = detected
	}
	sum := sha256.Sum256(in.data)
	in.opened = message.Opened{Name: in.name, Format: string(in.format), Molecules: in.format != dataset.TU, SHA256: hex.EncodeToString(sum[:])}
	var err error
	if in.format == dataset.TU {
		err = in.readSet(post)
	} else {
		err = e.readMolecules(in, post)
	}
	if err != nil {
		return nil, err
	}
	e.input = in
	opened := in.opened
	return &opened, nil
}

// title is the name of the input for people.
func (in *input) title() string {
	if in.name == "" {
		return "the input"
	}
	return in.name
}

// readSet reads a TUDataset set.
func (in *input) readSet(post func(message.Event)) error {
	if !bytes.HasPrefix(in.data, []byte("PK")) {
		return failf(message.CodeBadInput, "%s is one file of a TUDataset set: give the .zip of the whole set", in.title())
	}
	set, err := dataset.ReadTUZip(bytes.NewReader(in.data), int64(len(in.data)), "")
	if err != nil {
		return failf(message.CodeBadInput, "%s: %w", in.title(), err)
	}
	in.graphs = set.Graphs
	in.opened.Records, in.opened.Warnings = len(set.Graphs), set.Info.Warnings
	chunk := &message.Records{}
	for u := range table.Graphs(set.Graphs) {
		r := u()
		chunk.ID, chunk.SMILES, chunk.Drawn, chunk.Line = append(chunk.ID, r.ID), append(chunk.SMILES, ""), append(chunk.Drawn, ""), append(chunk.Line, 0)
	}
	post(chunk)
	return nil
}

// readMolecules goes through the molecules to say what is wrong with which.
func (e *Engine) readMolecules(in *input, post func(message.Event)) error {
	p := newPulse(e.host)
	bytesRead := &counter{r: bytes.NewReader(in.data)}
	chunk, sent := &message.Records{}, time.Now()
	flush := func() {
		if len(chunk.ID) > 0 {
			post(chunk)
		}
		post(&message.Progress{Stage: message.StageParse, Done: bytesRead.n, Total: len(in.data), Records: in.opened.Records, Refused: in.opened.Refused})
		chunk, sent = &message.Records{From: in.opened.Records}, time.Now()
	}
	for m, err := range dataset.Records(bytesRead, in.options()) {
		if err != nil {
			flush() // what could be read
			return failf(message.CodeBadInput, "%s: %w", in.title(), err)
		}
		mol, err := m.Parse()
		m.Err = err
		r := table.FromMolecule(m)
		drawn := ""
		if err == nil && r.SMILES == "" {
			drawn = mol.SMILES()
		}
		if err != nil {
			chunk.Problems = append(chunk.Problems, problem(r))
			in.opened.Refused++
		}
		chunk.ID, chunk.SMILES = append(chunk.ID, r.ID), append(chunk.SMILES, r.SMILES)
		chunk.Drawn, chunk.Line = append(chunk.Drawn, drawn), append(chunk.Line, int32(r.Line))
		in.opened.Records++
		if len(chunk.ID) >= recordsChunk || time.Since(sent) >= recordsTime {
			flush()
		}
		p.Err()
	}
	flush()
	return nil
}

// options are those of reading the molecules.
func (in *input) options() dataset.Options {
	return dataset.Options{Name: in.name, Format: in.format, Column: in.column, Workers: 1}
}

// records goes through the records to score.
func (in *input) records(canonical bool) iter.Seq2[table.Unread, error] {
	if in.format == dataset.TU {
		return table.Graphs(in.graphs)
	}
	o := in.options()
	o.Canonical = canonical
	return table.Molecules(bytes.NewReader(in.data), o)
}

// at returns the molecule or graph of a record, from 0.
func (in *input) at(record int, canonical bool) (table.Record, *molecule.Molecule, error) {
	if in.format == dataset.TU {
		if record < 0 || record >= len(in.graphs) {
			return table.Record{}, nil, failf(message.CodeBadOption, "record %d: want one of %d", record, len(in.graphs))
		}
		r := table.Record{Row: record + 1, ID: fmt.Sprint(record + 1), Graph: in.graphs[record]}
		return r, nil, nil
	}
	for m, err := range dataset.Records(bytes.NewReader(in.data), in.options()) {
		if err != nil {
			return table.Record{}, nil, failf(message.CodeBadInput, "%s: %w", in.title(), err)
		}
		if m.Row != record {
			continue
		}
		mol, err := m.Parse()
		if err != nil {
			return table.Record{}, nil, failf(message.CodeBadInput, "%w", err)
		}
		r := table.FromMolecule(m)
		if canonical {
			mol, _, _ = mol.Canonical()
		}
		r.Graph = mol.Graph()
		return r, mol, nil
	}
	return table.Record{}, nil, failf(message.CodeBadOption, "record %d: want one of %d", record, in.opened.Records)
}

// problem says why a record is refused.
func problem(r table.Record) message.Problem {
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

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
