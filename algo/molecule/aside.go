package molecule

import (
	"fmt"
	"strings"
)

// Aside says what of a molecule as written is not in its parent, see [Parent].
type Aside struct {
	Stereo   bool // marks of tetrahedral centres or double bonds
	Isotope  bool
	Ions     uint16 // counter-ions and the acids that made a salt
	Others   uint16 // other components, such as water
	Charge   bool   // protons given or taken
	Tautomer bool   // written as another tautomer of an azole or amidine
}

// kinds are what can be set aside: its name, how often it is, which is not said where that is
// once at most, and how a molecule was read then.
var kinds = []struct {
	name  string
	count func(Aside) int
	often bool
	read  string
}{
	{"stereo", func(a Aside) int { return once(a.Stereo) }, false, "without their stereo marks"},
	{"isotope", func(a Aside) int { return once(a.Isotope) }, false, "without isotopes"},
	{"counter-ion", func(a Aside) int { return int(a.Ions) }, true, "without counter-ions"},
	{"other component", func(a Aside) int { return int(a.Others) }, true, "without other components"},
	{"charge", func(a Aside) int { return once(a.Charge) }, false, "without charges"},
	{"tautomer", func(a Aside) int { return once(a.Tautomer) }, false, "as another tautomer"},
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

// Asides has of how many molecules what was set aside, by the names that [Aside.String] has.
type Asides map[string]int

// Count counts a molecule.
func (c *Asides) Count(a Aside) {
	if a == (Aside{}) {
		return
	}
	for _, k := range kinds {
		if k.count(a) > 0 {
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

// Of says it of so many molecules in a sentence, which is empty where nothing was set aside.
func (c Asides) Of(molecules int) string {
	var list []string
	for _, k := range kinds {
		n := c[k.name]
		if n == 0 {
			continue
		}
		verb := ""
		if len(list) == 0 {
			if verb = "were read "; n == 1 {
				verb = "was read "
			}
		}
		list = append(list, fmt.Sprintf("%d %s%s", n, verb, k.read))
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("of %d molecules %s", molecules, strings.Join(list, ", "))
}
