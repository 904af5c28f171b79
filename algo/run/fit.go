package run

import (
	"fmt"
	"strings"

	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/graph"
)

// A Fit is a batch and, once it is scored, its report.
type Fit struct {
	*batch.Report
	Graphs  []*graph.Graph // of the batch, in the order of Report.Rows
	Records []int          // places of the graphs in the input, from 0
	// Sample is set if the batch is an even sample of the input. With First it is the first graphs instead.
	Sample, First bool
	// Total is the number of records of the input, or 0 if it is unknown.
	Total int
}

// Sentences describe a batch. by is what decides and alpha the rate, both says whether rows have the batch's answer too. A
// nil or unscored Fit has no sentences, and neither has one with too few graphs unless by is alone.
func (f *Fit) Sentences(by string, both bool, alpha float64) []string {
	switch {
	case f == nil || f.Report == nil || f.Few && by != batch.ByAlone:
		return nil
	case f.Few:
		return []string{fmt.Sprintf("note: fewer than %d graphs are no batch, so there is no second answer", batch.MinBatch)}
	}
	list := []string{batch.Whole("this list", f.Evidence, f.P)}
	if len(f.Differences) > 0 {
		text := batch.MakesTheDifference(f.Differences)
		list = append(list, strings.ToLower(text[:1])+text[1:])
	}
	switch {
	case f.First:
		list = append(list, fmt.Sprintf("note: the first %d graphs form the batch; from a file, a sample of all forms it instead", len(f.Graphs)))
	case f.Sample:
		list = append(list, fmt.Sprintf("note: an even sample of %d graphs forms the batch", len(f.Graphs)))
	}
	switch {
	case by == batch.ByAttention:
		list = append(list, fmt.Sprintf("note: outside by attention also needs p <= %g by itself (alone_p), or that hardly any training graph is as much like this list (batch_foreign); the verdict is about this list", decide.PaperGuard(alpha)))
	case by == batch.ByBatch || both:
		list = append(list, fmt.Sprintf("note: outside by the batch also needs p <= %g by itself, or that hardly any training graph is as much like this list (batch_foreign)", decide.Guard(len(f.Graphs), alpha)))
	}
	return list
}
