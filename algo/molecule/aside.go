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

// String lists what was set aside, as "stereo, 1 counter-ion"; it is empty for nothing.
func (a Aside) String() string {
	if a == (Aside{}) {
		return ""
	}
	var list []string
	say := func(is bool, word string) {
		if is {
			list = append(list, word)
		}
	}
	count := func(n uint16, word string) string {
		if n == 1 {
			return "1 " + word
		}
		return fmt.Sprintf("%d %ss", n, word)
	}
	say(a.Stereo, "stereo")
	say(a.Isotope, "isotope")
	say(a.Ions > 0, count(a.Ions, "counter-ion"))
	say(a.Others > 0, count(a.Others, "other component"))
	say(a.Charge, "charge")
	say(a.Tautomer, "tautomer")
	return strings.Join(list, ", ")
}
