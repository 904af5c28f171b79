package table

import (
	"slices"

	"baca/algo/batch"
	"baca/algo/decide"
)

// of returns the scores by a model: 0 is that of Scores, further ones are those of Others.
func (s *Scored) of(model int) *batch.Row {
	if model == 0 {
		return &s.Scores
	}
	return &s.Others[model-1]
}

// ModelFields returns the fields of rows with several models of these names: of each model the score, p-value and verdict,
// and which models cover the record. They are between the record's fields, in front of error.
func ModelFields(names []string) []Field {
	record := Fields(OfRecord)
	first := slices.IndexFunc(record, func(c Field) bool { return c.Name == "error" })
	list, behind := record[:first:first], record[first:]
	for i, name := range names {
		list = append(list,
			Field{Name: name + "_score", Group: OfScore, Number: func(s *Scored) float64 { return s.of(i).Score },
				Doc: "score by the model; higher is further outside"},
			Field{Name: name + "_p_value", Group: OfScore, Number: func(s *Scored) float64 { return s.of(i).P },
				Doc: "how often a graph like its training set would score as high"},
			Field{Name: name + "_verdict", Group: OfScore, Text: func(s *Scored) string { return string(s.of(i).Verdict) },
				Doc: "the verdict of the model"})
	}
	return append(append(list, Field{Name: "covered_by", Group: OfScore, Doc: "models that call the graph inside",
		Texts: func(s *Scored) (covering []string) {
			for i, name := range names {
				if s.Covered(i) {
					covering = append(covering, name)
				}
			}
			return covering
		}}), behind...)
}

// Covered reports whether a model, numbered as in of, calls the graph inside.
func (s *Scored) Covered(model int) bool { return s.of(model).Verdict == decide.Inside }

// Best returns the verdict of the model that covers the graph best: inside comes before borderline, undecided and
// outside. It is outside only if all models say so.
func (s *Scored) Best() decide.Verdict {
	for _, v := range []decide.Verdict{decide.Inside, decide.Borderline, decide.Undecided} {
		for i := range 1 + len(s.Others) {
			if s.of(i).Verdict == v {
				return v
			}
		}
	}
	return decide.Outside
}
