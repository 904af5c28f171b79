package property

import "strings"

// A Column is a property as a column of a table.
type Column struct {
	Name        string // in files, unlike any that people give
	Title, Unit string
	Of          func(*Properties) float64
}

// About returns the title with the unit, if there is one: "MW in g/mol".
func (c *Column) About() string { return strings.TrimSuffix(c.Title+" in "+c.Unit, " in ") }

// Columns are all properties.
var Columns = []Column{
	{"computed_mw", "MW", "g/mol", func(p *Properties) float64 { return p.Weight }},
	{"computed_clogp", "cLogP", "", func(p *Properties) float64 { return p.LogP }},
	{"computed_tpsa", "TPSA", "Å²", func(p *Properties) float64 { return p.TPSA }},
	{"computed_hbd", "H-bond donors", "", func(p *Properties) float64 { return float64(p.Donors) }},
	{"computed_hba", "H-bond acceptors", "", func(p *Properties) float64 { return float64(p.Acceptors) }},
	{"computed_rotatable_bonds", "Rotatable bonds", "", func(p *Properties) float64 { return float64(p.Rotatable) }},
}

// Names returns the names of Columns.
func Names() (list []string) {
	for _, c := range Columns {
		list = append(list, c.Name)
	}
	return list
}

// ColumnOf returns the column of a name, or nil.
func ColumnOf(name string) *Column {
	for i := range Columns {
		if Columns[i].Name == name {
			return &Columns[i]
		}
	}
	return nil
}
