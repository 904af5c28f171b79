package molecule

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Formula returns the molecular formula in Hill order: carbon, hydrogen, then other elements by symbol.
// Without carbon, all elements are ordered by symbol. The charge follows, as in C2H8N+. Isotopes are ignored.
func (m *Molecule) Formula() string {
	counts, charge := map[string]int{}, 0
	for i := range m.Atoms {
		a := &m.Atoms[i]
		counts[Symbol(int(a.Element))]++
		counts["H"] += int(a.Hydrogens)
		charge += int(a.Charge)
	}
	symbols := slices.Sorted(maps.Keys(counts))
	if counts["C"] > 0 {
		symbols = slices.DeleteFunc(symbols, func(s string) bool { return s == "C" || s == "H" })
		symbols = append([]string{"C", "H"}, symbols...)
	}
	var b strings.Builder
	write := func(symbol string, n int) {
		if n > 0 {
			b.WriteString(symbol)
		}
		if n > 1 {
			b.WriteString(strconv.Itoa(n))
		}
	}
	for _, symbol := range symbols {
		write(symbol, counts[symbol])
	}
	write("+", charge)
	write("-", -charge)
	return b.String()
}
