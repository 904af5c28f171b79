package engine

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"baca/algo/fingerprint"
	"baca/algo/molecule"
	"baca/algo/molecule/smarts"
	"baca/algo/molecule/smiles"
	"baca/algo/property"
	"baca/algo/table"
	"baca/wasm/message"
)

// compute computes columns of all records.
func (e *Engine) compute(t *task, r *message.Compute) (*message.Computed, error) {
	switch {
	case r.What == message.OfPlaces:
		return e.places(t, r)
	case e.input.format.Graphs():
		return nil, failf(message.CodeBadOption, "%s holds plain graphs, which have no %s", e.input.title(), r.What)
	case r.What == message.OfProperties:
		return e.properties(t)
	case r.What == message.OfStructure:
		return e.matches(t, r.SMARTS)
	}
	return nil, failf(message.CodeBadOption, "nothing is called %q", r.What)
}

// unknown is a column of numbers without values.
func (e *Engine) unknown(name string) table.Column {
	return table.NumberColumn(name, slices.Repeat([]float64{math.NaN()}, e.input.opened.Records))
}

// visit calls do for each molecule that could be read.
func (e *Engine) visit(t *task, do func(record int, m *molecule.Molecule)) error {
	for m, err := range e.input.records(nil, molecule.AsWritten) {
		if err != nil {
			return err
		}
		if err := t.Err(); err != nil {
			return err
		}
		t.showProgress(message.StageCompute, m.Row, e.input.opened.Records)
		if mol, err := e.input.parse(&m); err == nil {
			do(m.Row-1, mol)
			if e.input.kept != nil {
				e.input.kept[m.Row-1] = m // for the next search
			}
		}
	}
	return nil
}

// properties computes the properties of the input's molecules as the model reads them, one column each.
func (e *Engine) properties(t *task) (*message.Computed, error) {
	c := &message.Computed{}
	for _, p := range property.Columns {
		c.Rows = append(c.Rows, e.unknown(p.Name))
	}
	return c, e.visit(t, func(record int, m *molecule.Molecule) {
		read, _, _ := smiles.In(m, e.form().Unordered())
		of := property.Of(read)
		for k, p := range property.Columns {
			c.Rows[k].Numbers[record] = p.Of(&of)
		}
	})
}

// matches tells which molecules hold a structure.
func (e *Engine) matches(t *task, text string) (*message.Computed, error) {
	pattern, err := smarts.Parse(aromatic(text))
	if err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	c := &message.Computed{Rows: message.Columns{e.unknown(message.OfStructure)}}
	return c, e.visit(t, func(record int, m *molecule.Molecule) {
		c.Rows[0].Numbers[record] = 0
		if pattern.In(m) {
			c.Rows[0].Numbers[record] = 1
		}
	})
}

// charged is an atom in brackets that means the same in SMILES and SMARTS, but for hydrogens.
var charged = regexp.MustCompile(`\[[A-Z][a-z]?[+-]\d?\]`)

// aromatic writes the rings of a fragment in small letters where they are aromatic: people paste or draw
// C1=CC=NC=C1 and mean every pyridine.
func aromatic(text string) string {
	m, err := smiles.Parse(text)
	if err != nil || strings.Contains(charged.ReplaceAllString(text, ""), "[") {
		return text
	}
	return strings.ReplaceAll(smiles.Write(m), "[nH]", "n")
}

// places returns the map of the training set, and where some of the input's records lie on it. There x and y of each
// alternate, NaN for a record that was refused or is empty. A shared model is an error.
func (e *Engine) places(t *task, r *message.Compute) (*message.Computed, error) {
	if e.model.Shared > 0 {
		return nil, failf(message.CodeBadModel, "model %s was made for sharing and holds no single graphs to draw a map of", e.card.Name)
	}
	if err := e.layOut(t, r.Training); err != nil {
		return nil, err
	}
	c := &message.Computed{Training: e.chart.places()}
	if len(r.Record) == 0 {
		return c, nil
	}
	found, err := e.pick(t, r.Record)
	if err != nil {
		return nil, err
	}
	c.Places = slices.Repeat(message.Singles{float32(math.NaN())}, 2*len(r.Record))
	for k, record := range r.Record {
		if m := found[int(record)]; m.Err == nil && m.Graph.N() > 0 {
			p := e.chart.find(fingerprint.New(m.Graph, fingerprint.DefaultHeight))
			c.Places[2*k], c.Places[2*k+1] = float32(real(p)), float32(imag(p))
		}
		t.showProgress(message.StageCompute, k+1, len(r.Record))
		if err := t.Err(); err != nil {
			return nil, err
		}
	}
	return c, nil
}
