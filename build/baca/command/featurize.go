package command

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"baca/algo/dataset"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/usage"
)

// newFeaturize returns the command "featurize".
func newFeaturize() *cobra.Command {
	var from source
	var also writings
	c := from.verb(&cobra.Command{
		Use:   "featurize [INPUT|-]",
		Short: "Print the graph of each molecule as the models see it",
		Args:  oneInput,
	}, func() error { return nil }, func() error { return from.featurize(also) })
	f := c.Flags()
	from.registerInput(f, moleculeFormats...)
	from.registerWorkers(f)
	f.BoolVar(&also.parent, "parent", false, "add \"parent\", the SMILES of what models read, and \"set_aside\", what is not in it")
	f.BoolVar(&also.canonical, "canonical", false, "add \"canonical\", a SMILES that is the same however the molecule was written")
	return c
}

// writings says which SMILES a line has in addition.
type writings struct{ canonical, parent bool }

// featurize prints the graphs of the input's molecules. It refuses plain graphs.
func (s *source) featurize(also writings) (err error) {
	in, err := s.open()
	if err != nil {
		return err
	}
	defer in.close()
	if in.plain() {
		return usage.Errorf("%s holds plain graphs: want molecules", s.paths[0])
	}
	w := bufio.NewWriterSize(rowsOut(s.c), 64<<10)
	defer func() { err = cmp.Or(err, w.Flush()) }()
	type line struct {
		text    []byte
		refused bool
	}
	lines := dataset.Ordered(s.c.Context(), s.workers, in.stream, func(r dataset.Record) line {
		m, err := r.Parse()
		if err != nil {
			return line{errorLine(r.Row-1, err), true}
		}
		return line{featureLine(r.Row-1, m, also), false}
	})
	read, refused := 0, 0
	for l, err := range lines {
		if err != nil {
			return err
		}
		if _, err := w.Write(l.text); err != nil {
			return err
		}
		read++
		if l.refused {
			refused++
		}
	}
	return checkRead(read, refused)
}

// errorLine returns the line of a refused record. row counts from 0.
func errorLine(row int, err error) []byte {
	return fmt.Appendf(nil, "{\"row\": %d, \"error\": %s}\n", row, inJSON(err.Error()))
}

// featureLine returns the line of a molecule: its row from 0, the features of its atoms, its bonds, and the SMILES that also asks for.
func featureLine(row int, m *molecule.Molecule, also writings) []byte {
	g := m.Graph()
	atoms, bonds := make([][]int, g.N()), make([][2]int, len(m.Bonds))
	for i := range atoms {
		for _, x := range g.X[i*g.Features : (i+1)*g.Features] {
			atoms[i] = append(atoms[i], int(x))
		}
	}
	for i, bond := range m.Bonds {
		bonds[i] = [2]int{int(bond.From), int(bond.To)}
	}
	b := fmt.Appendf(nil, "{\"row\": %d, \"x\": %s, \"e\": %s", row, inJSON(atoms), inJSON(bonds))
	if also.canonical {
		c, _, _ := smiles.Canonical(m)
		b = fmt.Appendf(b, ", \"canonical\": %s", inJSON(smiles.Write(c)))
	}
	if also.parent {
		p, _, aside := smiles.Parent(m)
		b = fmt.Appendf(b, ", \"parent\": %s, \"set_aside\": %s", inJSON(smiles.Write(p)), inJSON(aside.String()))
	}
	return append(b, "}\n"...)
}

// inJSON returns v as JSON.
func inJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // such values cannot fail
	}
	return text
}
