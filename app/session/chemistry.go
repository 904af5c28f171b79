package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// sign is a superscript charge.
func sign(charge int) string {
	switch {
	case charge > 0:
		return "⁺"
	case charge < 0:
		return "⁻"
	}
	return ""
}

// A Fact is a named value.
type Fact struct{ Name, Value string }

// Facts are the basic facts of a molecule.
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

// components counts connected components.
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

// formula is in Hill order.
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
