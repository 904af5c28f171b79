package molecule

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Formula returns the molecular formula in Hill order: carbon, hydrogen, then others by symbol; all
// by symbol without carbon. A charge follows, as in C2H8N+. Isotopes are ignored.
func (m *Molecule) Formula() string {
	counts, charge := map[string]int{}, 0
	for i := range m.Atoms {
		a := &m.Atoms[i]
		counts[Symbol(int(a.Element))]++
		if a.Hydrogens > 0 {
			counts["H"] += int(a.Hydrogens)
		}
		charge += int(a.Charge)
	}
	rank := func(symbol string) int {
		switch {
		case counts["C"] > 0 && symbol == "C":
			return 0
		case counts["C"] > 0 && symbol == "H":
			return 1
		}
		return 2
	}
	symbols := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	var b strings.Builder
	number := func(n int) {
		if n != 1 {
			b.WriteString(strconv.Itoa(n))
		}
	}
	for _, symbol := range symbols {
		b.WriteString(symbol)
		number(counts[symbol])
	}
	switch {
	case charge > 0:
		b.WriteByte('+')
		number(charge)
	case charge < 0:
		b.WriteByte('-')
		number(-charge)
	}
	return b.String()
}
