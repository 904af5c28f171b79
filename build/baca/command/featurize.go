package command

import (
	"bufio"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/build/internal/usage"
)

func newFeaturize() *cobra.Command {
	var from source
	var canonical bool
	c := &cobra.Command{
		Use:   "featurize [INPUT|-]",
		Short: "Print the graph of each molecule as the models see it",
		Long: `Featurize prints one JSON object a line for each record, in input order:

  {"row": 0, "x": [[16,0,0,5,0,1,2,0,0], …], "e": [[1,2], …]}
  {"row": 1, "error": "library.smi:2:10: the branch is never closed"}

row counts records from 0. x has the nine atom features of the Open Graph
Benchmark for each atom, in input order: atomic number − 1, chirality tag, degree
with hydrogens, charge + 5, hydrogens, unpaired electrons, hybridisation, aromatic,
in a ring. e has the two atoms of each bond.

The exit status is 0 also when records were refused, but 1 if there was nothing to
read or all of it was refused.`,
		Example: `  baca featurize library.csv.gz > graphs.jsonl
  zcat conformers.sdf.gz | baca featurize --format sdf -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%d inputs: want one, or none for standard input", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := usage.OneOf("format", from.format, moleculeFormats...); err != nil {
				return err
			}
			if from.workers < 0 {
				return usagef("--workers %d: want 0 for all cores, or more", from.workers)
			}
			from.path, from.columnSet = "-", c.Flags().Changed("column")
			if len(args) > 0 {
				from.path = args[0]
			}
			return featurize(c, from, canonical)
		},
	}
	f := c.Flags()
	f.StringVar(&from.format, "format", "auto", "of the input: "+strings.Join(moleculeFormats, ", "))
	f.StringVar(&from.column, "column", "smiles", "`name` of the column with the SMILES, for CSV")
	from.registerMaxExpand(f)
	f.IntVar(&from.workers, "workers", 0, "cores to use, 0 for all; the output does not depend on it")
	f.BoolVar(&canonical, "canonical", false, "add \"canonical\", a SMILES that is the same however the molecule was written")
	return c
}

// moleculeFormats are those of formats that hold molecules.
var moleculeFormats = []string{"auto", "smi", "csv", "sdf"}

func featurize(c *cobra.Command, from source, canonical bool) (err error) {
	in, err := from.open(c.Context(), c)
	if err != nil {
		return err
	}
	defer in.close()
	if in.molecules == nil {
		return usagef("%s is a TUDataset set: want molecules", from.path)
	}
	w := bufio.NewWriterSize(c.OutOrStdout(), 64<<10)
	defer func() {
		if ferr := written("", w.Flush()); err == nil {
			err = ferr
		}
		if err == errClosed {
			err = nil
		}
	}()
	type line struct {
		text    []byte
		refused bool
	}
	lines := dataset.Ordered(c.Context(), from.workers, in.molecules, func(r dataset.Record) line {
		m, err := r.Parse()
		if err != nil {
			return line{errorLine(r.Row, err), true}
		}
		return line{featureLine(r.Row, m, canonical), false}
	})
	read, refused := 0, 0
	for l, err := range lines {
		if err != nil {
			return err
		}
		if _, err := w.Write(l.text); err != nil {
			return written("", err)
		}
		read++
		if l.refused {
			refused++
		}
	}
	return emptyHanded(read, refused)
}

// errorLine is the line of output for a record that is refused.
func errorLine(row int, err error) []byte {
	b := strconv.AppendInt([]byte(`{"row": `), int64(row), 10)
	b = append(b, `, "error": `...)
	b = appendJSON(b, err.Error())
	return append(b, "}\n"...)
}

// featureLine is the line of output for a molecule.
func featureLine(row int, m *molecule.Molecule, canonical bool) []byte {
	b := strconv.AppendInt([]byte(`{"row": `), int64(row), 10)
	b = append(b, `, "x": [`...)
	b = appendFeatures(b, m.Graph())
	b = append(b, `], "e": [`...)
	for i, bond := range m.Bonds {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = strconv.AppendInt(b, int64(bond.From), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(bond.To), 10)
		b = append(b, ']')
	}
	b = append(b, ']')
	if canonical {
		c, _, _ := m.Canonical()
		b = append(b, `, "canonical": `...)
		b = appendJSON(b, c.SMILES())
	}
	return append(b, "}\n"...)
}

func appendJSON(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(b, quoted...)
}

// appendFeatures appends a list of integers for each atom.
func appendFeatures(b []byte, g *graph.Graph) []byte {
	for i, x := range g.X {
		switch {
		case i%molecule.Features != 0:
			b = append(b, ',')
		case i > 0:
			b = append(b, `],[`...)
		default:
			b = append(b, '[')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	if len(g.X) > 0 {
		b = append(b, ']')
	}
	return b
}
