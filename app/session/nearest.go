package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// A Nearest is a training molecule that resembles the inspected one.
type Nearest struct {
	Name, SMILES string
	Similarity   float64
	Value        string // Similarity with two digits
}

// NearestOf are the training molecules to show, or a line on why there are none, which names
// their rows.
func NearestOf(m *message.Model, d *message.Detailed) (cards []Nearest, line string) {
	var rows []string
	for _, n := range d.Nearest {
		value, name := similarity(n.Similarity), ""
		if n.Row >= 0 {
			name = fmt.Sprintf("row %d", n.Row+1)
			rows = append(rows, fmt.Sprintf("%d (similarity\u00a0%s)", n.Row+1, value))
		}
		if n.ID != "" {
			name = words.Shorten(n.ID, 60)
		}
		if n.SMILES != "" {
			cards = append(cards, Nearest{Name: name, SMILES: n.SMILES, Similarity: n.Similarity, Value: value})
		}
	}
	if len(cards) > 0 {
		return cards, ""
	}
	switch {
	case d.Lost != "":
		line = "The training molecules could not be loaded: " + strings.TrimSuffix(d.Lost, ".") + "."
	case m.Molecules:
		line = "This model does not hold its training molecules."
	default:
		line = "This model does not hold its training graphs."
	}
	if len(rows) > 0 {
		line += " Nearest rows of its data set: " + strings.Join(rows, ", ") + "."
	}
	return nil, line
}

// similarity has two digits, and is 1.00 for nothing less than 1.
func similarity(x float64) string {
	if x < 1 {
		x = min(x, 0.99)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// NearestSMILES lists the structures that the inspector and the lab show beside the
// record's own.
func (i *Inspector) NearestSMILES() []string {
	if i.Detail == nil {
		return nil
	}
	var list []string
	for _, n := range slices.Concat(i.Detail.Nearest, i.Detail.IDKeys, i.Detail.OODKeys) {
		if n.SMILES != "" {
			list = append(list, n.SMILES)
		}
	}
	return list
}
