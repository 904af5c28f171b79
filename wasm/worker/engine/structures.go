package engine

import (
	"cmp"
	"errors"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/job"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// structures gives the model its training molecules, if it has any and they are not there
// yet: those behind it in its own file, or a file of the site. They are fetched when they are
// first asked for. The error says why there are none.
func (e *Engine) structures() error {
	m := e.model
	hash := m.Card.StructuresSHA256
	if hash == "" || m.Structures != nil {
		return nil
	}
	data := e.behind
	if data == nil {
		var err error
		if data, err = e.fetchStructures(hash); err != nil {
			return err
		}
	}
	s, err := weights.LoadStructures(data, m)
	if err == nil {
		m.Structures = s
	}
	return err
}

// fetchStructures fetches the structures with a hash.
func (e *Engine) fetchStructures(hash string) ([]byte, error) {
	w, err := e.hello()
	if err != nil {
		return nil, err
	}
	for i := range w.Models {
		if built := &w.Models[i]; built.StructuresSHA256 == hash {
			return e.host.Fetch(built.StructuresFile)
		}
	}
	return nil, errors.New("they are in a file of their own, which does not come with this page")
}

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

// keepStructures gives a model the hash of its training molecules, those of the open input, and
// returns the file of these.
func (e *Engine) keepStructures(p *pulse, m *algo.Model, labels *job.Labels) ([]byte, error) {
	o := e.input.options()
	o.Cells = labels.Columns()
	set, err := job.Sources(p, 1, dataset.Records(e.input.all(nil), o), algo.FormOf(m.Card.Schema), func(r *dataset.Record) *algo.Values {
		return labels.Of(r.Row, &table.Cells{Texts: r.Cells, Fail: r.FailCell})
	})
	if err != nil {
		return nil, e.input.unreadable(err)
	}
	return weights.KeepStructures(m, set)
}
