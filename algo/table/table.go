// Package table has rows of scores: one list of columns (Fields) for files, messages and help.
package table

import (
	"math"
	"strconv"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/feature/trust"
)

// A Row is a [*Scored] record, which has a graph. All others are [*dataset.Entry]: that of a refused
// record, or of one that was only read.
type Row interface{ Input() *dataset.Entry }

// A Scored record is the source of a row. Nothing of it is nil where it has a value.
type Scored struct {
	dataset.Record
	Scores    batch.Row
	Others    []batch.Row           // of further models, for ModelFields
	Q         float64               // q-value, for fields OfRate
	Why       Why                   // for fields OfReasons
	Trust     trust.Judgement       // for fields OfTrust
	Nearest   []alone.TrainingGraph // for fields OfNeighbors; nil for those of Why
	Structure string                // SMILES of the scored molecule, for fields OfStructure
}

// NewScored returns a record with its scores and nothing else.
func NewScored(r dataset.Record, scores batch.Row) *Scored {
	return &Scored{Record: r, Scores: scores, Trust: trust.Unjudged(math.NaN())}
}

// Listed returns a row of each record with what the input says of it, without scores.
func Listed(records []dataset.Record) []Row {
	list := make([]Row, len(records))
	for i := range records {
		list[i] = &records[i].Entry
	}
	return list
}

// Blank returns n rows of which nothing is known.
func Blank(n int) []Row { return Listed(make([]dataset.Record, n)) }

// RejectFields returns the fields of a file of refused records, which must have Err.
func RejectFields() []Field {
	return []Field{
		{Name: "row", Group: OfRecord, Input: func(e *dataset.Entry) string { return strconv.Itoa(e.Row) }},
		{Name: "line", Group: OfRecord, Input: func(e *dataset.Entry) string { return strconv.Itoa(e.Line) }},
		{Name: "id", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.ID }},
		{Name: "input", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.SMILES }},
		{Name: "error", Group: OfRecord, Input: func(e *dataset.Entry) string { return e.Err.Error() }},
	}
}
