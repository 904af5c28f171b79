package molecule

import (
	"fmt"
	"strings"
)

// Aside is what a parent, see [Parent], omits of a molecule, or a simple graph of a plain graph.
type Aside struct {
	Stereo   bool // marks of tetrahedral centres or double bonds
	Isotope  bool
	Ions     uint16 // counter-ions and acids of a salt
	Others   uint16 // other components, such as water
	Charge   bool   // protons added or removed
	Tautomer bool   // another tautomer of an azole or amidine

	Loops      uint32 // self-loops of a plain graph
	Parallel   uint32 // repeated edges, in any direction
	Directions uint32
}

// kinds lists what can be set aside: its name, its count, omitted if it occurs once at most, and
// how the molecule was read then or what became of an edge.
var kinds = []struct {
	name  string
	count func(Aside) int
	often bool
	read  string
	graph bool
}{
	{"stereo", func(a Aside) int { return int(bit(a.Stereo)) }, false, "without their stereo marks", false},
	{"isotope", func(a Aside) int { return int(bit(a.Isotope)) }, false, "without isotopes", false},
	{"counter-ion", func(a Aside) int { return int(a.Ions) }, true, "without counter-ions", false},
	{"other component", func(a Aside) int { return int(a.Others) }, true, "without other components", false},
	{"charge", func(a Aside) int { return int(bit(a.Charge)) }, false, "without charges", false},
	{"tautomer", func(a Aside) int { return int(bit(a.Tautomer)) }, false, "as another tautomer", false},
	{"self-loop", func(a Aside) int { return int(a.Loops) }, true, "left out", true},
	{"parallel edge", func(a Aside) int { return int(a.Parallel) }, true, "merged", true},
	{"direction", func(a Aside) int { return int(a.Directions) }, true, "ignored", true},
}

// String lists what was set aside, as "stereo, 1 counter-ion"; empty for nothing.
func (a Aside) String() string {
	if a == (Aside{}) {
		return ""
	}
	var list []string
	for _, k := range kinds {
		switch n := k.count(a); {
		case n > 1 || n == 1 && k.often:
			list = append(list, counted(n, k.name))
		case n == 1:
			list = append(list, k.name)
		}
	}
	return strings.Join(list, ", ")
}

// Asides counts molecules by what was set aside, named as by [Aside.String], and edges of plain
// graphs.
type Asides map[string]int

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

// Of summarises for that many molecules or graphs; empty for nothing.
func (c Asides) Of(records int) string {
	var list []string
	what := "molecule"
	for _, k := range kinds {
		n := c[k.name]
		if n == 0 {
			continue
		}
		text := fmt.Sprint(n)
		if k.graph {
			what, text = "graph", counted(n, k.name)
		}
		if len(list) == 0 {
			text += [...]string{" was", " were"}[min(n, 2)-1]
			if !k.graph {
				text += " read"
			}
		}
		list = append(list, text+" "+k.read)
	}
	if list == nil {
		return ""
	}
	return "of " + counted(records, what) + " " + strings.Join(list, ", ")
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}
