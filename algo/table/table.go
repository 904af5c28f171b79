// Package table has input records and rows of scores: one list of columns (Fields) for files,
// messages and help.
package table

import (
	"context"
	"io"
	"iter"
	"strconv"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/trust"
)

// A Record is a graph of an input, or why there is none.
type Record struct {
	Row    int // from 1
	Line   int // from 1; 0 if the input has no lines
	ID     string
	SMILES string // empty if the input has none
	// Written is the SMILES of a molecule that came without one.
	Written string
	Graph   *graph.Graph
	Aside   molecule.Aside // what Graph omits of the molecule or plain graph
	Err     error
	// Molfile is an SDF record's, for rows written as SDF.
	Molfile string
	Cells   *Cells   // nil without dataset.Options.Cells
	Own     []string // cells of the input's own columns, with dataset.Options.Own
}

// Cells are further columns' cells of a record. Fail locates the error of one.
type Cells struct {
	Texts []string
	Fail  func(k int, err error) error
}

// An Unread record can be parsed on any goroutine.
type Unread func() Record

// Molecules yields the records of r in order, see [dataset.Records]. The default id is the row
// number.
func Molecules(r io.Reader, opt dataset.Options) iter.Seq2[Unread, error] {
	return Each(dataset.Records(r, opt), opt.Form)
}

// Each yields unparsed records, with molecules in a form.
func Each(records iter.Seq2[dataset.Record, error], form molecule.Form) iter.Seq2[Unread, error] {
	return func(yield func(Unread, error) bool) {
		for rec, err := range records {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(func() Record { return FromMolecule(rec.Parsed(form)) }, nil) {
				return
			}
		}
	}
}

// FromMolecule returns a molecule's record. The default id is the row number.
func FromMolecule(m dataset.Record) Record {
	r := Record{Row: m.Row + 1, Line: m.Line, ID: m.ID, SMILES: m.SMILES, Written: m.Written, Graph: m.Graph, Aside: m.Aside, Err: m.Err, Molfile: m.Molfile()}
	if m.Cells != nil {
		here := m // a copy for these records
		r.Cells = &Cells{m.Cells, here.FailCell}
	}
	r.Own = m.Own
	if r.ID == "" {
		r.ID = strconv.Itoa(r.Row)
	}
	return r
}

// Graphs yields a record for each graph, with its number as id.
func Graphs(gs []*graph.Graph) iter.Seq2[Unread, error] {
	return func(yield func(Unread, error) bool) {
		for i, g := range gs {
			if !yield(func() Record { return Record{Row: i + 1, ID: strconv.Itoa(i + 1), Graph: g} }, nil) {
				return
			}
		}
	}
}

// A Scored record is the source of a row.
type Scored struct {
	Record
	Scores *algo.Row   // nil for a refused record
	Others []*algo.Row // of further models, for ModelFields
	Q      float64     // q-value, for fields OfRate
	Why    *Why        // for fields OfReasons; nil without
	// Trust is for fields OfTrust; nil without a judgement.
	Trust *trust.Judgement
	// Nearest are for fields OfNeighbors; nil for those of Why.
	Nearest   []algo.TrainingGraph
	Structure string // SMILES of the scored molecule, for fields OfStructure
}

// Parse yields the records in order, parsed on that many goroutines (0: one for each core), as
// [dataset.Ordered] does.
func Parse(ctx context.Context, workers int, records iter.Seq2[Unread, error]) iter.Seq2[Record, error] {
	return dataset.Ordered(ctx, workers, records, func(u Unread) Record { return u() })
}

func RejectFields() []Field {
	return []Field{
		{Name: "row", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Row) }},
		{Name: "line", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Line) }},
		{Name: "id", Group: OfRecord, Text: func(s *Scored) string { return s.ID }},
		{Name: "input", Group: OfRecord, Text: func(s *Scored) string { return s.SMILES }},
		{Name: "error", Group: OfRecord, Text: func(s *Scored) string { return s.Err.Error() }},
	}
}
