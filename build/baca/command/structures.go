package command

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/build/internal/usage"
	"baca/weights"
)

func newStructures() *cobra.Command {
	var from source
	var out target
	var values labels
	c := &cobra.Command{
		Use:   "structures NAME|FILE --in SET --out MODEL",
		Short: "Keep the training molecules in a model",
		Long: `Structures writes a model that can show its training molecules. SET is the file that the
model was trained on. MODEL is the same with the SMILES and names of the molecules that it
was trained on. Scores stay as they are.

--observed and --predicted name columns of SET with values of the molecules, which MODEL
then holds, too.

With MODEL baca score --neighbors and baca report name the training molecules that are
most similar; other models show their row numbers. Do not hand out MODEL if the molecules
are secret. baca model show says what a file reveals.`,
		Example: `  baca model structures my.msgpack --in my-library.csv --out my-open.msgpack
  baca score --neighbors 3 --model my-open.msgpack new.smi`,
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			if from.path == "" || from.path == "-" || out.path == "" {
				return usage.Errorf("want --in SET, a file, and --out MODEL")
			}
			from.model = args[0]
			if err := cmp.Or(from.check(), values.check()); err != nil {
				return err
			}
			from.columnSet = c.Flags().Changed("column")
			from.labels, from.cells = &values, values.Columns()
			return out.derive(c, from, func(m *algo.Model) ([]byte, error) { return withStructures(c, m, from) })
		},
	}
	f := c.Flags()
	f.StringVar(&from.path, "in", "", "molecule file that the model was trained on")
	from.register(f, formats...)
	out.register(f)
	values.register(f)
	from.registerWorkers(f)
	return c
}

// withStructures returns the file of a model that stores its training molecules.
func withStructures(c *cobra.Command, m *algo.Model, from source) ([]byte, error) {
	if m.Card.DatasetSHA256 != "" && m.Card.Schema != algo.Constant {
		if err := trainedOn(c, m, from); err != nil {
			return nil, err
		}
	}
	if err := from.keepStructures(c, m); err != nil {
		return nil, err
	}
	from.labels.tell(c.ErrOrStderr(), "these molecules have none in the file")
	var b bytes.Buffer
	err := weights.Save(&b, m)
	return b.Bytes(), err
}

// keepStructures stores a model's training molecules.
func (s source) keepStructures(c *cobra.Command, m *algo.Model) error {
	in, err := s.open(c.Context(), c)
	if err != nil {
		return err
	}
	defer in.close()
	var set []algo.Source
	if in.molecules != nil {
		values := func(r *dataset.Record) *algo.Values {
			return s.labels.Of(r.Row, &table.Cells{Texts: r.Cells, Fail: r.FailCell})
		}
		if set, _, err = job.Sources(c.Context(), s.workers, in.molecules, algo.FormOf(m.Card.Schema), values); err != nil {
			return err
		}
	}
	if m.Structures, err = m.StructuresOf(set); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}
