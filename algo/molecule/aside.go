package molecule

import (
	"fmt"
	"strings"
)

// Aside says what of a molecule as written is not in its parent, see [Parent], or what of a plain
// graph is not in the simple graph that is read.
type Aside struct {
	Stereo   bool // marks of tetrahedral centres or double bonds
	Isotope  bool
	Ions     uint16 // counter-ions and the acids that made a salt
	Others   uint16 // other components, such as water
	Charge   bool   // protons given or taken
	Tautomer bool   // written as another tautomer of an azole or amidine

	Loops      uint32 // edges of a plain graph from a node to itself
	Parallel   uint32 // that join nodes which an edge joins already, in any direction
	Directions uint32
}

// kinds are what can be set aside: its name, how often it is, which is not said where that is
// once at most, and how a molecule was read then or, of plain graphs, what became of each.
var kinds = []struct {
	name  string
	count func(Aside) int
	often bool
	read  string
	graph bool
}{
	{"stereo", func(a Aside) int { return once(a.Stereo) }, false, "without their stereo marks", false},
	{"isotope", func(a Aside) int { return once(a.Isotope) }, false, "without isotopes", false},
	{"counter-ion", func(a Aside) int { return int(a.Ions) }, true, "without counter-ions", false},
	{"other component", func(a Aside) int { return int(a.Others) }, true, "without other components", false},
	{"charge", func(a Aside) int { return once(a.Charge) }, false, "without charges", false},
	{"tautomer", func(a Aside) int { return once(a.Tautomer) }, false, "as another tautomer", false},
	{"self-loop", func(a Aside) int { return int(a.Loops) }, true, "left out", true},
	{"parallel edge", func(a Aside) int { return int(a.Parallel) }, true, "merged", true},
	{"direction", func(a Aside) int { return int(a.Directions) }, true, "ignored", true},
}

func once(is bool) int {
	if is {
		return 1
	}
	return 0
}

// String lists what was set aside, as "stereo, 1 counter-ion"; it is empty for nothing.
func (a Aside) String() string {
	if a == (Aside{}) {
		return ""
	}
	var list []string
	for _, k := range kinds {
		switch n := k.count(a); {
		case n > 1:
			list = append(list, fmt.Sprintf("%d %ss", n, k.name))
		case n == 1 && k.often:
			list = append(list, "1 "+k.name)
		case n == 1:
			list = append(list, k.name)
		}
	}
	return strings.Join(list, ", ")
}

// Asides has of how many molecules what was set aside, by the names that [Aside.String] has, and
// of plain graphs how often.
type Asides map[string]int

// Count counts a molecule.
func (c *Asides) Count(a Aside) {
	if a == (Aside{}) {
		return
	}
	for _, k := range kinds {
		switch n := k.count(a); {
		case n > 0 && k.graph:
			c.add(k.name, n)
		case n > 0:
			c.add(k.name, 1)
		}
	}
}

// Merge counts what o counted.
func (c *Asides) Merge(o Asides) {
	for name, n := range o {
		c.add(name, n)
	}
}

func (c *Asides) add(name string, n int) {
	if *c == nil {
		*c = Asides{}
	}
	(*c)[name] += n
}

// Of says it of so many molecules or graphs in a sentence, which is empty where nothing was set aside.
func (c Asides) Of(records int) string {
	var list []string
	what := "molecules"
	for _, k := range kinds {
		n := c[k.name]
		if n == 0 {
			continue
		}
		verb := ""
		if len(list) == 0 {
			if verb = "were "; n == 1 {
				verb = "was "
			}
			if !k.graph {
				verb += "read "
			}
		}
		name := ""
		if k.graph {
			what = "graphs"
			if name = k.name + " "; n > 1 {
				name = k.name + "s "
			}
		}
		list = append(list, fmt.Sprintf("%d %s%s%s", n, name, verb, k.read))
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("of %d %s %s", records, what, strings.Join(list, ", "))
}
