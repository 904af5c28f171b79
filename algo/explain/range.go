package explain

import (
	"baca/algo/internal/lists"
	"baca/algo/molecule"
)

// A Range describes a statistic of the training graphs.
type Range struct {
	Name string
	// Values are the percentiles 1, 5, 25, 50, 75, 95 and 99 of the training graphs. In a small or shared
	// set outer percentiles may equal inner ones.
	Values [LevelCount]float64
	Share  bool // a share of the atoms, from 0 to 1
}

// Ranges returns the statistics of the training graphs in the order of the model file, without those that do not apply.
func (p *Profile) Ranges() []Range {
	var list []Range
	for k, row := range p.Quantiles {
		if len(row) == LevelCount {
			list = append(list, Range{Name: statistics[k].name, Values: [LevelCount]float64(row), Share: statistics[k].at != nil})
		}
	}
	return list
}

// An Element of training molecules.
type Element struct {
	Symbol string
	Graphs int // number of training graphs that have it
}

// Elements lists the training molecules' elements by atomic number, none for plain graphs.
func (p *Profile) Elements() []Element {
	if len(p.Values) != molecule.Features {
		return nil
	}
	return lists.Map(p.Values[molecule.ColumnElement], func(v Value) Element { return Element{molecule.Symbol(v.Of + 1), v.Graphs} })
}
