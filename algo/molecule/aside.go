package molecule

import (
	"fmt"
	"strings"
)

// Aside tells what is left out: of a molecule in its parent, see [Parent], or of a plain graph in the simple graph.
type Aside struct {
	Stereo   bool // marks of tetrahedral centres or double bonds
	Isotope  bool
	Ions     uint16 // counter-ions, charged or not
	Solvents uint16 // and excipients
	Repeats  uint16 // the parent once more
	Others   uint16 // other components
	Other    string // the largest other component, as a canonical SMILES
	Charge   bool   // charges were joined, or protons added or removed
	Parted   uint16 // hydrogen bonds
	Tautomer bool   // another tautomer of an azole or amidine

	Loops      uint32 // self-loops of a plain graph
	Parallel   uint32 // repeated edges, in any direction
	Directions uint32
}

// kinds lists what can be set aside.
var kinds = []struct {
	name  string
	count func(Aside) int
	often bool   // may occur several times, so that the count is shown
	read  string // how the molecule was read, or what became of the edge
	graph bool   // of a plain graph
}{
	{"stereo", func(a Aside) int { return int(bit(a.Stereo)) }, false, "without their stereo marks", false},
	{"isotope", func(a Aside) int { return int(bit(a.Isotope)) }, false, "without isotopes", false},
	{"counter-ion", func(a Aside) int { return int(a.Ions) }, true, "without counter-ions", false},
	{"solvent", func(a Aside) int { return int(a.Solvents) }, true, "without solvents", false},
	{"repeat", func(a Aside) int { return int(a.Repeats) }, true, "without repeated components", false},
	{other, func(a Aside) int { return int(a.Others) }, true, "without other components", false},
	{"hydrogen bond", func(a Aside) int { return int(a.Parted) }, true, "without hydrogen bonds", false},
	{"charge", func(a Aside) int { return int(bit(a.Charge)) }, false, "without charges", false},
	{"tautomer", func(a Aside) int { return int(bit(a.Tautomer)) }, false, "as another tautomer", false},
	{"self-loop", func(a Aside) int { return int(a.Loops) }, true, "left out", true},
	{"parallel edge", func(a Aside) int { return int(a.Parallel) }, true, "merged", true},
	{"direction", func(a Aside) int { return int(a.Directions) }, true, "ignored", true},
}

// other is the kind of components that might have been the parent. String names the largest.
const other = "other component"

// String lists what was set aside, such as "stereo, 1 counter-ion". It is empty for nothing.
func (a Aside) String() string {
	if a == (Aside{}) {
		return ""
	}
	var list []string
	for _, k := range kinds {
		switch n := k.count(a); {
		case k.name == other && n > 0:
			list = append(list, "another component was not scored: "+a.Other)
			if n > 1 {
				list = append(list, fmt.Sprintf("and %d more", n-1))
			}
		case n > 1 || n == 1 && k.often:
			list = append(list, counted(n, k.name))
		case n == 1:
			list = append(list, k.name)
		}
	}
	return strings.Join(list, ", ")
}

// Asides counts, by the name of what was set aside, molecules and the edges of plain graphs.
type Asides map[string]int

// Count adds a molecule once to each kind that was set aside, or the numbers of edges of a plain graph.
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

// Merge adds the counts of o.
func (c *Asides) Merge(o Asides) {
	for name, n := range o {
		c.add(name, n)
	}
}

// add counts n more of a name.
func (c *Asides) add(name string, n int) {
	if *c == nil {
		*c = Asides{}
	}
	(*c)[name] += n
}

// Of summarises the counts over a number of records: "of 10 molecules 2 were read without isotopes". It is empty if nothing
// was set aside.
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
		if len(list) == 0 { // later items share the verb of the first
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

// counted returns n and a name, in the plural unless n is 1.
func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}
