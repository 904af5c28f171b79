package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// A Nearest resembles the inspected record.
type Nearest struct {
	Name, SMILES string
	Similarity   float64
	Value        string // similarity with two digits
	Known        string // observed and predicted values, or empty
}

// NearestOf are the training molecules to show, or a line with their rows.
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
			cards = append(cards, Nearest{Name: name, SMILES: n.SMILES, Similarity: n.Similarity, Value: value, Known: valuesOf(n)})
		}
	}
	if len(cards) > 0 {
		return cards, ""
	}
	switch {
	case len(d.Nearest) == 0 && m.Molecules:
		line = "It shares nothing with any training molecule."
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

func valuesOf(n message.Neighbor) string {
	var list []string
	for _, v := range []struct {
		name  string
		value float64
	}{{"observed", n.Observed}, {"predicted", n.Predicted}} {
		if !math.IsNaN(v.value) {
			list = append(list, v.name+"\u00a0"+short(v.value))
		}
	}
	return strings.Join(list, ", ")
}

// short has three digits, fewer for round numbers.
func short(x float64) string {
	return words.Minus(strconv.FormatFloat(words.Round(x, 3), 'g', -1, 64))
}

// similarity has two digits, and is 1.00 only for 1.
func similarity(x float64) string {
	if x < 1 {
		x = min(x, 0.99)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

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
