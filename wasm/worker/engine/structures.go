package engine

import (
	"cmp"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/job"
	"baca/algo/table"
	"baca/wasm/message"
)

// shownNearest is how many training graphs are shown beside a record.
const shownNearest = 5

// nearest are training graphs beside a record.
func nearest(list []algo.TrainingGraph) []message.Neighbor {
	var found []message.Neighbor
	for _, n := range list {
		values := cmp.Or(n.Values, &algo.Values{Observed: math.NaN(), Predicted: math.NaN()})
		found = append(found, message.Neighbor{
			Origin: dictionary.Training.String(), Row: n.Row, ID: n.Name, SMILES: n.SMILES, Similarity: n.Similarity,
			Observed: values.Observed, Predicted: values.Predicted, Score: math.NaN(), Weight: math.NaN(), Value: math.NaN(),
		})
	}
	return found
}

// keepStructures gives a model its training molecules, those of the open input.
func (e *Engine) keepStructures(p *pulse, m *algo.Model, labels *job.Labels) error {
	o := e.input.options()
	o.Cells = labels.Columns()
	set, err := job.Sources(p, 1, dataset.Records(e.input.all(nil), o), algo.FormOf(m.Card.Schema), func(r *dataset.Record) *algo.Values {
		return labels.Of(r.Row, &table.Cells{Texts: r.Cells, Fail: r.FailCell})
	})
	if err != nil {
		return e.input.unreadable(err)
	}
	m.Structures, err = m.StructuresOf(set)
	return err
}
