package words

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo"
	"baca/wasm/message"
)

// A Part of a score, in deviations.
type Part struct {
	Name  string
	Value float64
	Under bool // whether it is a part of the last one that is not under another
}

// PartsOf lists the parts of the score of a record, each followed by its own parts. Parts that the model lacks are left
// out, and rare parts that add nothing. thing is what a training graph is called, in the singular.
func PartsOf(d *message.Detailed, thing string) []Part {
	list := []Part{
		{"How far from the nearest training " + thing, d.Distance, false},
		{"by embedding", d.Embedding, true}, {"by subtrees", d.Subtrees, true}, {"by subtrees with counts", d.Counts, true},
	}
	if !math.IsNaN(d.Nodes) {
		list = append(list, Part{"by ℓ_n, which weighs little", d.Nodes, true})
	}
	if !math.IsNaN(d.Ratio) {
		list = append(list, Part{"How much more like the background than like the training set", d.Ratio, false})
	}
	if d.Rare > 0 {
		list = append(list, Part{"What parts that hardly a training " + thing + " has add", d.Rare, false})
	}
	return list
}

// Trained says whether it was trained on.
func Trained(m *message.Model, d *message.Detailed) string {
	switch {
	case m.Shared > 0:
		return "not known to this model"
	case d.Duplicate:
		return "yes"
	}
	return "no"
}

// Basis says what the scores of a batch rest on.
func Basis(f *message.Fitted) string {
	if f.Sample {
		return "by a sample of " + Count(f.Graphs)
	}
	return "among " + Count(f.Graphs)
}

// A Neighbor is one line of what a record resembles.
type Neighbor struct {
	Name, About, Value string
	Record             int // of the input, −1 for others
}

// mostNeighbors of a kind are shown.
const mostNeighbors = 4

// NeighborsOf returns a line for each of the first keys of a list.
func NeighborsOf(list []message.Key) []Neighbor {
	var lines []Neighbor
	for _, n := range list[:min(len(list), mostNeighbors)] {
		line := Neighbor{Name: "synthetic graph", About: "drawn from a mixture, " + Plural(n.Nodes, "node", "nodes"), Value: Percent(n.Weight), Record: -1}
		switch n.Origin {
		case "test":
			line.Name, line.About, line.Record = cmp.Or(n.ID, Shorten(n.SMILES, 40)), "of this input", n.Row
		case "training":
			line.Name, line.About = n.ID, "of the training set"
			if n.ID == "" && n.Row >= 0 {
				line.Name = fmt.Sprintf("training graph %d", n.Row+1)
			}
			line.Name = cmp.Or(line.Name, "training graph")
		}
		lines = append(lines, line)
	}
	return lines
}

// Reason is a reason without the verdict that the first begins with.
func Reason(text string) string {
	for _, lead := range []string{"Outside: ", "Borderline: ", "Remarks: "} {
		text = strings.TrimPrefix(text, lead)
	}
	return text
}

// Meanings of OGB's feature codes.
var (
	chirality     = []string{"none", "clockwise", "counter-clockwise", "other", "other"}
	hybridization = []string{"sp", "sp²", "sp³", "sp³d", "sp³d²", "other"}
	noYes         = []string{"no", "yes"}
)

// A Fact is a named value.
type Fact struct{ Name, Value string }

// ogbFeatures is the number of OGB's features of an atom. Plain graphs have one feature.
const ogbFeatures = 9

// ogbNeutral is OGB's code of charge 0.
const ogbNeutral = 5

// AtomFacts lists an atom's features as OGB encodes them, or the constant 1 of a plain graph's node. It is nil for an
// atom that the model does not read.
func AtomFacts(t *message.Traced, atom int) []Fact {
	if atom < 0 || atom >= len(t.Node) || t.Node[atom] < 0 || t.Features == 0 {
		return nil
	}
	x := t.X[int(t.Node[atom])*t.Features:][:t.Features]
	if t.Features != ogbFeatures {
		return []Fact{{"constant", "1"}}
	}
	of := func(names []string, code int32) string { return names[min(max(int(code), 0), len(names)-1)] }
	return []Fact{
		{"element", t.Atoms[atom] + ", number " + Count(int(x[0])+1)}, // codes count from 0
		{"chirality", of(chirality, x[1])},
		{"neighbours", Count(int(x[2]))},
		{"charge", charge(int(x[3]) - ogbNeutral)},
		{"hydrogens", Count(int(x[4]))},
		{"unpaired electrons", Count(int(x[5]))},
		{"hybridisation", of(hybridization, x[6])},
		{"aromatic", of(noYes, x[7])},
		{"in a ring", of(noYes, x[8])},
	}
}

func charge(c int) string {
	if c > 0 {
		return "+" + strconv.Itoa(c)
	}
	return Minus(strconv.Itoa(c))
}

// WalksOf returns an atom's return probabilities, or nil for an atom that the model does not read.
func WalksOf(t *message.Traced, atom int) []float32 {
	if atom < 0 || atom >= len(t.Node) || t.Node[atom] < 0 {
		return nil
	}
	return t.Walks[int(t.Node[atom])*t.Width:][:t.Width]
}

// A Piece is the SMILES text of one atom or, with −1, of none.
type Piece struct {
	Text string
	Atom int
}

// Pieces divides a SMILES into the texts of its atoms, and what is between and around them. Together they are the
// SMILES.
func Pieces(t *message.Traced) []Piece {
	var list []Piece
	at := 0
	add := func(to, atom int) {
		if to > at && to <= len(t.SMILES) {
			list = append(list, Piece{t.SMILES[at:to], atom})
			at = to
		}
	}
	for i := range t.From {
		add(int(t.From[i]), -1)
		add(int(t.To[i]), i)
	}
	add(len(t.SMILES), -1)
	return list
}

// A Nearest resembles the inspected record.
type Nearest struct {
	Name, SMILES string
	Similarity   float64
	Value        string // similarity with two digits
	Known        string // observed and predicted values, or empty
}

// mostNearest are shown.
const mostNearest = 3

// NearestOf returns the training molecules to show or, if the model holds none of their structures, a line with their rows.
func NearestOf(m *message.Model, d *message.Detailed) (cards []Nearest, line string) {
	var rows []string
	for _, n := range d.Nearest[:min(len(d.Nearest), mostNearest)] {
		value, name := similarity(n.Similarity), ""
		if n.Row >= 0 {
			name = fmt.Sprintf("row %d", n.Row+1)
			rows = append(rows, fmt.Sprintf("%d (similarity\u00a0%s)", n.Row+1, value))
		}
		if n.Name != "" {
			name = Shorten(n.Name, 60)
		}
		if n.SMILES != "" {
			cards = append(cards, Nearest{Name: name, SMILES: n.SMILES, Similarity: n.Similarity, Value: value, Known: valuesOf(n.Values)})
		}
	}
	if len(cards) > 0 {
		return cards, ""
	}
	line = "This model does not hold what it was trained on."
	if len(d.Nearest) == 0 && m.Molecules {
		line = "It shares nothing with any training molecule."
	}
	if len(rows) > 0 {
		line += " Nearest rows of its data set: " + strings.Join(rows, ", ") + "."
	}
	return nil, line
}

// valuesOf names the known observed and predicted value of a molecule, empty for none.
func valuesOf(known *algo.Values) string {
	if known == nil {
		return ""
	}
	var list []string
	for _, v := range []struct {
		name  string
		value float64
	}{{"observed", known.Observed}, {"predicted", known.Predicted}} {
		if !math.IsNaN(v.value) {
			list = append(list, v.name+"\u00a0"+short(v.value))
		}
	}
	return strings.Join(list, ", ")
}

// short has three digits, fewer for round numbers.
func short(x float64) string {
	return Minus(strconv.FormatFloat(Round(x, 3), 'g', -1, 64))
}

// similarity formats x from 0 to 1 with two decimals. It rounds only 1 itself to 1.00.
func similarity(x float64) string {
	if x < 1 {
		x = min(x, 0.99)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}
