package property

// A Column is a property as a column of a table.
type Column struct {
	Name        string // in files
	Title, Unit string
	Of          func(*Properties) float64
}

// Columns are all properties.
var Columns = []Column{
	{"molecular_weight", "MW", "g/mol", func(p *Properties) float64 { return p.Weight }},
	{"clogp", "cLogP", "", func(p *Properties) float64 { return p.LogP }},
	{"tpsa", "TPSA", "Å²", func(p *Properties) float64 { return p.TPSA }},
	{"hbond_donors", "H-bond donors", "", func(p *Properties) float64 { return float64(p.Donors) }},
	{"hbond_acceptors", "H-bond acceptors", "", func(p *Properties) float64 { return float64(p.Acceptors) }},
	{"rotatable_bonds", "Rotatable bonds", "", func(p *Properties) float64 { return float64(p.Rotatable) }},
}
