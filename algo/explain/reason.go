package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/rare"
)

// A Reason is one way in which a graph differs from the training graphs.
type Reason struct {
	Kind string // "part", "value", the name of a statistic, "background", "known" or "nearest"
	Text string // a phrase without a full stop
	// About names Nodes, such as "its 2 nitro groups"; empty if it is about all.
	About string
	// Nodes are ascending; empty if it is about all.
	Nodes []int
	// Weight orders reasons, the most unusual first: at least Unseen for unseen values and nodes,
	// from 1 for rare ones.
	Weight float64
}

// Unseen is the least Weight of what no training graph had.
const Unseen = 3

// rarely is the largest fraction of training graphs that makes a value rare.
const rarely = 0.005

// A Memory is what a model knows of its training graphs. Profile and Index may be nil.
type Memory struct {
	Profile *Profile
	Index   *fingerprint.Index // subtrees of the bank
	Train   int                // number of training graphs in Profile
	Rare    *rare.Table        // nil for none
	// Contain, unless nil, counts the training molecules of Index that a molecule is a part of.
	Contain func(g *graph.Graph) int
	// Least is the k of Profile.Share: what fewer than k graphs have is missing from Profile and Index.
	// It is 1 for a model that shares everything.
	Least int
}

// Reasons returns what is unusual about g: its most blamed parts, and its rare values and statistics.
// The most unusual comes first, except that a part of a molecule precedes all else. A nil blame gives no parts.
func Reasons(g *graph.Graph, m Memory, blame *Blame) []Reason {
	if g.N() == 0 {
		return []Reason{{Kind: "size", Text: "it has no nodes", Weight: Unseen}}
	}
	var list []Reason
	if m.Profile != nil {
		list = append(m.Profile.statistics(g), m.Profile.values(g, m.Train, m.Least)...)
	}
	if blame != nil && m.Index != nil {
		list = append(list, m.parts(g, blame, list)...)
	}
	slices.SortStableFunc(list, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	isPart := func(r Reason) bool { return r.Kind == "part" && g.Features == molecule.Features }
	if k := slices.IndexFunc(list, isPart); k > 0 {
		list = slices.Concat(list[k:k+1], list[:k], list[k+1:])
	}
	var kept []Reason
	for _, r := range list {
		// One reason is enough for a node with unseen values: its part, or its element and not also its valence.
		said := func(o Reason) bool {
			return o.Kind == r.Kind && slices.Equal(o.Nodes, r.Nodes) || isPart(o) && !slices.ContainsFunc(r.Nodes, func(i int) bool { return !slices.Contains(o.Nodes, i) })
		}
		if r.Kind != "value" || !slices.ContainsFunc(kept, said) {
			kept = append(kept, r)
		}
	}
	return kept
}

// notable is the least ratio that Background gives as a reason. One in twenty training graphs has it.
const notable = 1.6

// Background returns the reason that a graph resembles the background more than the training set. ratio
// is in standard deviations of training graphs. Background returns false for a ratio below notable.
func Background(ratio float64) (Reason, bool) {
	if !(ratio >= notable) {
		return Reason{}, false
	}
	return Reason{
		Kind: "background", Weight: 1 + 0.9*(1-1/(1+ratio-notable)),
		Text: fmt.Sprintf("more like the background molecules than like the training set, by %.1f standard deviations of training molecules", ratio),
	}, true
}

// statistics returns a reason for each statistic of g that lies beyond the outer quantiles: 5 and 95 %,
// or 1 and 99 %. Of related statistics it keeps the clearest.
func (p *Profile) statistics(g *graph.Graph) []Reason {
	var list []Reason
	for k, row := range p.Quantiles {
		s := &statistics[k]
		x, ok := s.value(g)
		if !ok {
			continue
		}
		more, level, weight := false, 0, 1.0 // 2 beyond 1 or 99 %
		switch last := LevelCount - 1; {
		case x > row[last]+slack(x):
			more, level, weight = true, last, 2
		case x < row[0]-slack(x):
			weight = 2
		case x > row[last-1]+slack(x):
			more, level = true, last-1
		case x < row[1]-slack(x):
			level = 1
		default:
			continue
		}
		// The excess in widths of the middle half, with a lower bound on the width.
		spread := max(row[upperQuartile]-row[lowerQuartile], 0.05*(math.Abs(row[LevelCount/2])+slack(x)))
		weight += 0.9 * (1 - 1/(1+math.Abs(x-row[level])/spread))
		list = append(list, Reason{Kind: s.name, Weight: weight, Nodes: s.nodes(g, more), Text: s.text(g, row, x, level, more)})
	}
	// Of related statistics the clearest is enough.
	slices.SortStableFunc(list, func(a, b Reason) int { return cmp.Compare(b.Weight, a.Weight) })
	said := map[string]bool{}
	return slices.DeleteFunc(list, func(r Reason) bool {
		family := cmp.Or(families[r.Kind], r.Kind)
		defer func() { said[family] = true }()
		return said[family]
	})
}

// text says that the statistic of g, x, lies beyond the quantile of levels[level]: above it if more is true, else
// below. For a molecule, "very" means beyond 99 % of the training molecules and "rather" beyond 95 %. row has the
// statistic's quantiles.
func (s *statistic) text(g *graph.Graph, row []float64, x float64, level int, more bool) string {
	if g.Features != molecule.Features {
		return fmt.Sprintf("%s than %g %% of the training %s: %s, half of them have %s", s.phrase(more, g), max(levels[level], 100-levels[level]), things(g), s.show(x), s.middle(row))
	}
	degree, many := "very", "few"
	if level == 1 || level == LevelCount-2 {
		degree = "rather"
	}
	if more {
		many = "many"
	}
	return fmt.Sprintf("%s %s %s (%s; half of the training molecules have %s)", degree, many, s.noun, s.show(x), s.middle(row))
}

// families groups related statistics.
var families = map[string]string{
	"rings": "rings", "in rings": "rings",
	"highest degree": "degree", "mean degree": "degree", "ends": "degree", "branches": "degree",
}

// middle describes the values of the middle half of the training graphs: "3 to 5".
func (s *statistic) middle(row []float64) string {
	low, high := s.show(row[lowerQuartile]), s.show(row[upperQuartile])
	switch {
	case low != high:
		return low + " to " + high
	case row[lowerQuartile] == 0 && row[upperQuartile] == 0:
		return "none"
	case s.count:
		return "exactly " + low
	}
	return "about " + low
}

// slack bounds the float32 rounding of a quantile near x.
func slack(x float64) float64 { return 1e-6 * (1 + math.Abs(x)) }

// phrase says what g has more of than others, or less of if more is false.
func (s *statistic) phrase(more bool, g *graph.Graph) string {
	words, nodes := [2]string{s.more, s.less}, "nodes"
	if g.Features == molecule.Features {
		if nodes = "atoms"; s.chemical[0] != "" {
			words = s.chemical
		}
	}
	text := words[1]
	if more {
		text = words[0]
	}
	return strings.ReplaceAll(text, "%s", nodes)
}

// show formats a value of the statistic: a percentage, a count or a number.
func (s *statistic) show(x float64) string {
	switch {
	case s.at != nil:
		return fmt.Sprintf("%.0f %%", 100*x)
	case s.count:
		return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64)
	}
	return fmt.Sprintf("%.2f", x)
}

// values returns a reason for each feature value of g that no or few of the train training graphs had.
// Profiles of Share leave out values of fewer than least graphs.
func (p *Profile) values(g *graph.Graph, train, least int) []Reason {
	none := "which no training " + strings.TrimSuffix(things(g), "s") + " has"
	if least > 1 {
		none = fmt.Sprintf("which fewer than %d training %s have", least, things(g))
	}
	var list []Reason
	for column := range min(g.Features, len(p.Values)) {
		having := map[int][]int{} // the nodes with a value
		for i := range g.N() {
			if x := g.X[i*g.Features+column]; whole(x) {
				having[int(x)] = append(having[int(x)], i)
			}
		}
		for _, value := range slices.Sorted(maps.Keys(having)) {
			n, nodes := p.graphs(column, value), having[value]
			name := valueName(g, column, value, nodes[0])
			switch {
			case name == "":
			case n == 0:
				list = append(list, Reason{Kind: "value", About: name, Nodes: nodes, Weight: Unseen + 1, Text: name + ", " + none})
			case float64(n) <= rarely*float64(train):
				list = append(list, Reason{
					Kind: "value", About: name, Nodes: nodes, Weight: 1.95,
					Text: fmt.Sprintf("%s, which only %d of %d training %s %s", name, n, train, things(g), has(n)),
				})
			}
		}
	}
	return list
}

// has returns the verb for n subjects.
func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// Count returns "1 molecule" or "2 molecules".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// valueName describes a feature value by a node that has it. It returns "" if chemistry has no term for the value.
func valueName(g *graph.Graph, column, value, node int) string {
	if g.Features != molecule.Features {
		return fmt.Sprintf("a node with feature %d of %d", column+1, value)
	}
	a := atoms{Atoms: molecule.Atoms{Graph: g}}
	symbol := a.symbol(node)
	switch {
	case column == molecule.ColumnElement && symbol == "*":
		return "an atom of no given element"
	case column == molecule.ColumnElement:
		return "the element " + symbol
	case column == molecule.ColumnNeighbors && value == 0:
		return "a lone " + formula(g, node)
	case column == molecule.ColumnNeighbors && value > 4, column == molecule.ColumnHybridization && (value == 3 || value == 4) && a.neighbours(node) > 4:
		return some(1, coordination(a.neighbours(node))+" "+symbol)
	case column == molecule.ColumnCharge && value > 2*molecule.Neutral: // one value for all larger charges
		return "a charge beyond ±5 on " + symbol
	case column == molecule.ColumnCharge && value != molecule.Neutral:
		return fmt.Sprintf("a charge of %s on %s", strings.Replace(fmt.Sprintf("%+d", value-molecule.Neutral), "-", "−", 1), symbol)
	case column == molecule.ColumnHydrogens && value > 0:
		if g.Degree(node) == 0 && a.Charge(node) != 0 {
			return some(1, formula(g, node)) + " ion"
		}
		return some(1, formula(g, node))
	case column == molecule.ColumnRadicals && value > 0:
		return some(value, "unpaired electron") + " on " + symbol
	case column == molecule.ColumnAromatic && value == 1:
		return "an aromatic ring"
	case column == molecule.ColumnRing && value == 1:
		return "a ring"
	}
	return ""
}

// coordination returns the term for an atom with n neighbours, where n is at least 5.
func coordination(n int) string {
	if n > 8 {
		return "highly coordinated"
	}
	return sizes[n] + "-coordinate"
}

// nodeName describes a node by its own features: "such an aromatic CH".
func nodeName(g *graph.Graph, i int) string {
	if g.Features != molecule.Features {
		return "a node with " + Count(g.Degree(i), "neighbour")
	}
	a := atoms{Atoms: molecule.Atoms{Graph: g}}
	text := formula(g, i)
	switch {
	case a.neighbours(i) > 4:
		text = coordination(a.neighbours(i)) + " " + text
	case a.Aromatic(i):
		text = "aromatic " + text
	case a.symbol(i) == "C" && a.flat(i):
		text = "doubly bound " + text
	case a.symbol(i) == "C" && a.Value(i, molecule.ColumnHybridization) == 0:
		text = "linear " + text
	}
	if n := a.Value(i, molecule.ColumnRadicals); n > 0 {
		text += " with " + some(n, "unpaired electron")
	}
	if a.InRing(i) && !a.Aromatic(i) {
		text += " in a ring"
	}
	if a.Tagged(i) {
		text += " at a stereocentre"
	}
	return "such " + some(1, text)
}

var subscripts, superscripts = strings.Split("₀₁₂₃₄₅₆₇₈₉", ""), strings.Split("⁰¹²³⁴⁵⁶⁷⁸⁹", "")

// formula writes an atom with its hydrogens and charge: NH₄⁺.
func formula(g *graph.Graph, i int) string {
	a := atoms{Atoms: molecule.Atoms{Graph: g}}
	text := a.symbol(i)
	if h := a.hydrogens(i); h > 0 {
		text += "H" + small(h, subscripts)
	}
	charge := a.Charge(i)
	text += small(max(charge, -charge), superscripts)
	switch {
	case charge > 0:
		text += "⁺"
	case charge < 0:
		text += "⁻"
	}
	return text
}

// small writes n in digits of subscripts or superscripts. It returns "" for 1 and less.
func small(n int, digits []string) (text string) {
	if n > 1 {
		for _, d := range strconv.Itoa(n) {
			text += digits[d-'0']
		}
	}
	return text
}
