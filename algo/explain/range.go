package explain

import "baca/algo/molecule"

// A Range says what training graphs have of a statistic.
type Range struct {
	Name string
	// Values are at 1, 5, 25, 50, 75, 95 and 99 % of the training graphs. Of a small or a shared
	// set the outer ones equal those further in.
	Values [LevelCount]float64
	Share  bool // it is a share of the atoms, from 0 to 1
}

// Ranges describes the training graphs, in the order of the file of a model, and leaves out
// what they do not have.
func (p *Profile) Ranges() []Range {
	var list []Range
	for k, row := range p.Quantiles {
		if len(row) == LevelCount {
			list = append(list, Range{Name: statistics[k].name, Values: [LevelCount]float64(row), Share: statistics[k].at != nil})
		}
	}
	return list
}

// An Element is one that training molecules have.
type Element struct {
	Symbol string
	Graphs int // of the training set that have it
}

// Elements lists those of the training molecules by their number in the periodic system, and
// none for plain graphs.
func (p *Profile) Elements() []Element {
	if len(p.Values) != molecule.Features {
		return nil
	}
	var list []Element
	for _, v := range p.Values[molecule.ColumnElement] {
		list = append(list, Element{molecule.Symbol(v.Of + 1), v.Graphs})
	}
	return list
}
