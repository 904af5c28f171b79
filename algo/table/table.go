// Package table has rows of scores: one list of columns (Fields) for files, messages and help.
package table

import (
	"strconv"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/trust"
)

// A Scored record is the source of a row.
type Scored struct {
	dataset.Record
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

func RejectFields() []Field {
	return []Field{
		{Name: "row", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Row) }},
		{Name: "line", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Line) }},
		{Name: "id", Group: OfRecord, Text: func(s *Scored) string { return s.ID }},
		{Name: "input", Group: OfRecord, Text: func(s *Scored) string { return s.SMILES }},
		{Name: "error", Group: OfRecord, Text: func(s *Scored) string { return s.Err.Error() }},
	}
}
