package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// mostBlamed is how many atoms can be said to stand out.
const mostBlamed = 8

// Blame names the atoms that make a molecule look outside: those that carry half of
// all that points there. Empty where nothing does.
func Blame(d *message.Detailed) string {
	var towards []int
	total := 0.0
	for i, c := range d.Contribution {
		if c > 0 {
			towards = append(towards, i)
			total += c
		}
	}
	if total == 0 {
		return ""
	}
	slices.SortStableFunc(towards, func(a, b int) int { return cmp.Compare(d.Contribution[b], d.Contribution[a]) })
	sum, k := 0.0, 0
	for k < len(towards) && sum < total/2 {
		sum += d.Contribution[towards[k]]
		k++
	}
	if k > mostBlamed {
		return fmt.Sprintf("No few atoms stand out: %d of %d carry half of it.", k, len(d.Atoms))
	}
	count := map[string]int{}
	var parts []string
	for _, i := range towards[:k] {
		name := atomName(i, d)
		if count[name]++; count[name] == 1 {
			parts = append(parts, name)
		}
	}
	if k == 1 {
		return "One atom matters most: " + parts[0] + "."
	}
	for i, name := range parts {
		if n := count[name]; n > 1 {
			parts[i] = fmt.Sprintf("%d × %s", n, name)
		}
	}
	return fmt.Sprintf("%d atoms matter most: %s.", k, strings.Join(parts, ", "))
}

// atomName says what an atom is by its element and surroundings.
func atomName(i int, d *message.Detailed) string {
	around := map[string]int{} // neighbours by element
	bonds, double := 0, ""
	for _, b := range d.Bonds {
		if b.From != i && b.To != i {
			continue
		}
		other := d.Atoms[b.From+b.To-i].Symbol
		around[other]++
		bonds++
		if b.Order == 2 && !b.Aromatic {
			double = other
		}
	}
	a := d.Atoms[i]
	switch {
	case a.Symbol == "":
		return "node"
	case a.Symbol == "N" && around["O"] >= 2:
		return "nitro N"
	case a.Symbol == "O" && bonds == 1 && around["N"] == 1:
		return "nitro or N-oxide O"
	case a.Symbol == "C" && double == "O":
		return "carbonyl C"
	case a.Symbol == "O" && double == "C":
		return "carbonyl O"
	case a.Aromatic:
		return "aromatic " + a.Symbol
	case a.InRing:
		return "ring " + a.Symbol
	}
	return a.Symbol + sign(a.Charge)
}

// sign is that of a charge, raised.
func sign(charge int) string {
	switch {
	case charge > 0:
		return "⁺"
	case charge < 0:
		return "⁻"
	}
	return ""
}

// A Fact is a number or a text with what it is called.
type Fact struct{ Name, Value string }

// Facts are what a chemist looks at first.
func Facts(d *message.Detailed) []Fact {
	molecule := false
	elements := map[string]int{}
	charge := 0
	for _, a := range d.Atoms {
		molecule = molecule || a.Symbol != ""
		elements[a.Symbol]++
		elements["H"] += a.Hydrogens
		charge += a.Charge
	}
	parts := components(d)
	rings := len(d.Bonds) - len(d.Atoms) + parts
	if !molecule {
		return []Fact{{"Nodes", words.Count(len(d.Atoms))}, {"Edges", words.Count(len(d.Bonds))}, {"Independent cycles", words.Count(rings)}}
	}
	facts := []Fact{{"Formula", formula(elements, charge)}, {"Heavy atoms", words.Count(len(d.Atoms))}, {"Rings", words.Count(rings)}}
	if parts > 1 {
		facts = append(facts, Fact{"Fragments", words.Count(parts)})
	}
	return facts
}

// components counts the parts of a graph that nothing joins.
func components(d *message.Detailed) int {
	parent := make([]int, len(d.Atoms))
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	n := len(d.Atoms)
	for _, b := range d.Bonds {
		if from, to := root(b.From), root(b.To); from != to {
			parent[from] = to
			n--
		}
	}
	return n
}

// formula is in Hill's order: with carbon, that and hydrogen come first.
func formula(elements map[string]int, charge int) string {
	symbols := slices.Sorted(maps.Keys(elements))
	if elements["C"] > 0 {
		others := slices.DeleteFunc(symbols, func(s string) bool { return s == "C" || s == "H" })
		symbols = append([]string{"C", "H"}, others...)
	}
	text := ""
	for _, s := range symbols {
		switch n := elements[s]; {
		case n == 1:
			text += s
		case n > 1:
			text += s + strings.Map(func(r rune) rune { return r - '0' + '₀' }, strconv.Itoa(n))
		}
	}
	if size := max(charge, -charge); size > 1 {
		text += words.Superscript(size)
	}
	return text + sign(charge)
}
