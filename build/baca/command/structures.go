package command

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/training"
	"baca/weights"
)

// newStructures returns the command "model structures".
func newStructures() *cobra.Command {
	var r remake
	var values labels
	check := func() error {
		r.cells = values.Columns()
		return cmp.Or(rules{{r.in == "" || r.in == "-" || r.out == "", "want --in SET, a file, and --out MODEL"}}.check(), values.check())
	}
	c := r.verb(&cobra.Command{
		Use:   "structures NAME|FILE --in SET --out MODEL",
		Short: "Keep the training molecules in a model",
	}, check, func(m *algo.Model) ([]byte, error) { return r.withStructures(m, &values) })
	fs := c.Flags()
	fs.StringVar(&r.in, "in", "", "molecule file that the model was trained on")
	r.registerInput(fs, formats...)
	r.registerModelOut(c)
	values.register(fs)
	r.registerWorkers(fs)
	return c
}

// withStructures adds its training molecules to the model m, and returns the new file. It returns an error if the
// input is not what m was trained on, as far as m tells.
func (r *remake) withStructures(m *algo.Model, values *labels) ([]byte, error) {
	if m.Card.DatasetSHA256 != "" && m.Card.Schema != algo.Constant {
		if err := r.trainedOn(m); err != nil {
			return nil, err
		}
	}
	if err := r.keepStructures(m, values); err != nil {
		return nil, err
	}
	values.tellMissing(r.c.ErrOrStderr(), "these molecules have none in the file")
	var b bytes.Buffer
	err := weights.Save(&b, m)
	return b.Bytes(), err
}

// keepStructures adds the training molecules and their values to m. The input must be the one that m was trained on.
func (s *source) keepStructures(m *algo.Model, values *labels) error {
	s.form = m.Form()
	in, err := s.open()
	if err != nil {
		return err
	}
	defer in.close()
	var set []algo.Source
	if !in.plain() {
		set, err = training.Sources(s.c.Context(), s.workers, in.stream, &values.Labels, func(error) {})
		if err != nil {
			return err
		}
	}
	if m.Structures, err = m.StructuresOf(set); err != nil {
		return fmt.Errorf("%s: %w", s.paths[0], err)
	}
	return nil
}
