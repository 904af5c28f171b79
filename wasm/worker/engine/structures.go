package engine

import (
	"bytes"
	"errors"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/job"
	"baca/algo/molecule"
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

// nearest are the training graphs that an explanation names.
func nearest(list []algo.TrainingGraph) []message.Neighbor {
	var found []message.Neighbor
	for _, n := range list {
		found = append(found, message.Neighbor{
			Origin: dictionary.Training.String(), Row: n.Row, ID: n.Name, SMILES: n.SMILES, Similarity: n.Similarity,
			Score: math.NaN(), Weight: math.NaN(), Value: math.NaN(),
		})
	}
	return found
}

// keepStructures returns the file of a model with its training molecules, those of the open
// input, behind it.
func (e *Engine) keepStructures(p *pulse, m *algo.Model, form molecule.Form) (model, structures []byte, err error) {
	set, err := job.Sources(p, 1, dataset.Records(e.input.all(nil), e.input.options()), form, nil)
	if err != nil {
		return nil, nil, e.input.unreadable(err)
	}
	if structures, err = weights.KeepStructures(m, set); err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return b.Bytes(), structures, err
}
