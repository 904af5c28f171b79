package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/job"
	"baca/algo/table"
	"baca/build/internal/modelfile"
	"baca/build/internal/opened"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/weights"
)

func newStructures() *cobra.Command {
	var from source
	var out target
	var values labels
	c := &cobra.Command{
		Use:   "structures NAME|FILE --in SET --out MODEL",
		Short: "Keep the training molecules beside a model",
		Long: `Structures writes a model that can show its training molecules. SET is the file that the
model was trained on. Two files come out: MODEL, which is the same but for a hash, and
beside it MODEL.structures (bbbp.structures for bbbp.msgpack) with the SMILES and names
of the molecules that the model was trained on. Scores stay as they are.

--observed and --predicted name columns of SET with values of the molecules, which then
stand in MODEL.structures, too.

With both files baca score --neighbors and baca report name the training molecules that
are most similar. MODEL alone works as before and shows their row numbers. Do not hand
out MODEL.structures if the molecules are secret. baca inspect says what a file reveals.`,
		Example: `  baca structures my.msgpack --in my-library.csv --out my-open.msgpack
  baca score --neighbors 3 --model my-open.msgpack new.smi`,
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error {
			if err := from.check(formats...); err != nil {
				return err
			}
			if from.path == "" || from.path == "-" || out.path == "" {
				return usage.Errorf("want --in SET, a file, and --out MODEL")
			}
			if err := values.check(); err != nil {
				return err
			}
			from.columnSet = c.Flags().Changed("column")
			from.labels, from.cells = &values, values.Columns()
			release, err := out.claim(from.path)
			if err != nil {
				return err
			}
			defer release()
			return runStructures(c, args[0], from, out)
		},
	}
	f := c.Flags()
	f.StringVar(&from.path, "in", "", "molecule file that the model was trained on")
	from.register(f, "input", formats...)
	out.register(f)
	values.register(f)
	f.IntVar(&from.workers, "workers", 0, "goroutines; 0 for one on each core")
	return c
}

func runStructures(c *cobra.Command, model string, from source, out target) error {
	data, err := readModel(model)
	if err != nil {
		return err
	}
	m, err := modelfile.Load(data, model)
	if err != nil {
		return fmt.Errorf("model %s: %w", model, err)
	}
	if want := m.Card.DatasetSHA256; want != "" && m.Card.Schema != algo.Constant {
		sum, err := opened.Sum(os.DirFS(filepath.Dir(from.path)), filepath.Base(from.path))
		if err == nil && sum != want {
			err = fmt.Errorf("--in %s has the sha-256 %.8s…: the model was trained on %s with %.8s…", from.path, sum, m.Card.Dataset, want)
		}
		if err != nil {
			return err
		}
	}
	if err := out.checkStructures(); err != nil {
		return err
	}
	data, structures, err := from.withStructures(c, m)
	if err != nil {
		return err
	}
	if err := replace.Bytes(out.structures(), structures); err != nil {
		return err
	}
	if err := modelfile.Write(out.path, data); err != nil {
		return err
	}
	from.labels.tell(c.ErrOrStderr(), "these molecules have none in the file")
	fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s, and %s: %s\n", out.path, size(len(data)), out.structures(), size(len(structures)))
	return nil
}

// withStructures returns the file of a model that was trained on this source with the hash of
// its structures, and their file.
func (s source) withStructures(c *cobra.Command, m *algo.Model) (model, structures []byte, err error) {
	in, err := s.open(c.Context(), c)
	if err != nil {
		return nil, nil, err
	}
	defer in.close()
	if err := s.labels.readable(in, s.path); err != nil {
		return nil, nil, err
	}
	var set []algo.Source
	if in.molecules != nil {
		values := func(r *dataset.Record) *algo.Values {
			return s.labels.Of(r.Row, &table.Cells{Texts: r.Cells, Fail: r.FailCell})
		}
		if set, err = job.Sources(c.Context(), s.workers, in.molecules, algo.FormOf(m.Card.Schema), values); err != nil {
			return nil, nil, err
		}
	}
	if structures, err = weights.KeepStructures(m, set); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.path, err)
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return b.Bytes(), structures, err
}

// structures is the name of the file of structures of the model.
func (t *target) structures() string { return structuresBeside(t.path) }

// checkStructures reports a file of structures that would be lost.
func (t *target) checkStructures() error {
	if _, err := os.Stat(t.structures()); err == nil && !t.overwrite {
		return usage.Errorf("%s is there already: want another --out, or --overwrite to replace it", t.structures())
	}
	return nil
}

// structuresBeside is the name of the file of structures beside that of a model.
func structuresBeside(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + weights.StructuresExtension
}

// addStructures gives a model its structures. They are built in, in the model's own file
// behind the model, or in a file beside it. Where they are not found it returns a sentence
// that says so.
func addStructures(m *algo.Model, nameOrFile string) (missing string, err error) {
	if m.Card.StructuresSHA256 == "" {
		return "", nil
	}
	for _, name := range weights.Names() {
		if file := weights.StructuresFile(name); file != nil {
			if m.Structures, err = weights.LoadStructures(file, m); err == nil {
				return "", nil
			}
		}
	}
	beside := structuresBeside(nameOrFile)
	file, err := readLimited(nameOrFile)
	if err == nil {
		_, file = weights.Split(file)
	}
	if len(file) == 0 {
		if file, err = readLimited(beside); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("the training molecules of model %s are in a file of their own, and %s is not there: neighbours have row numbers alone", m.Card.Name, beside), nil
		}
	} else {
		beside = nameOrFile
	}
	if err != nil {
		return "", err
	}
	if m.Structures, err = weights.LoadStructures(file, m); err != nil {
		return "", fmt.Errorf("%s: %w", beside, err)
	}
	return "", nil
}
