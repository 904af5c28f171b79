package molecule

import (
	_ "embed"
	"strconv"
	"strings"
)

// An element is a row of elements.tsv, the periodic table as in RDKit 2022.09.
type element struct {
	name   string
	symbol string

	// outer is the number of outer-shell electrons, isotope the mass number of the most common isotope.
	outer   int8
	isotope int16

	// early elements are left of carbon in the periodic table. A positive charge lowers their valence.
	early bool

	// valences are the allowed numbers of bonds, the default first. A final -1 allows any number.
	valences []int8
}

// MaxElement is the highest atomic number; 0 is the wildcard "*".
const MaxElement = 118

//go:embed elements.tsv
var elementTable string

var elements [MaxElement + 1]element

// Symbol returns the symbol of an atomic number, or "*" for other numbers.
func Symbol(number int) string {
	if number < 0 || number > MaxElement {
		number = 0
	}
	return elements[number].symbol
}

// MassNumber returns the mass number of the most common isotope.
func MassNumber(z uint8) int32 { return int32(elements[z].isotope) }

// ElementOf returns the atomic number of the symbol with the letters c and d, where d is 0 for a symbol of one
// letter. It returns 0 if no element has the symbol.
func ElementOf(c, d byte) uint8 {
	if c-'A' >= 26 || d != 0 && d-'a' >= 26 { // bytes below 'A' and 'a' wrap to large ones
		return 0
	}
	return numbers[c-'A'][d&0x1f]
}

// numbers are the atomic numbers of symbols, or 0. The first index is the first letter, from A = 0. The second
// index is the second letter, from a = 1, or 0 for no letter.
var numbers [26][32]uint8

// basics has the most used properties of elements side by side. Its length makes every index valid.
var basics [256]struct {
	outer   int8
	valence int8 // the default, or -1 where any number is allowed
	plain   int8 // valence, or -1 for hydrogen and the wildcard
	early   bool
}

// init fills elements and, from them, basics and numbers.
func init() {
	readElements()
	for z := range elements {
		e, b := &elements[z], &basics[z]
		b.outer, b.early = e.outer, e.early
		b.valence, b.plain = e.valences[0], e.valences[0]
	}
	basics[0].plain, basics[1].plain = -1, -1
	for z := 1; z <= MaxElement; z++ {
		s := elements[z].symbol + "\x00" // 0 if there is no second letter
		numbers[s[0]-'A'][s[1]&0x1f] = uint8(z)
	}
}

// readElements reads the table, whose first line names the columns.
func readElements() {
	for z, line := range strings.Split(strings.TrimSpace(elementTable), "\n")[1:] {
		cells := strings.Split(line, "\t")
		e := &elements[z]
		e.name, e.symbol, e.early = cells[0], cells[1], cells[4] == "early"
		e.outer, e.isotope = int8(wholeNumber(cells[2])), int16(wholeNumber(cells[3]))
		for _, valence := range strings.Split(cells[5], ",") {
			e.valences = append(e.valences, int8(wholeNumber(valence)))
		}
	}
}

// wholeNumber reads a number of elements.tsv. It panics on a mistake.
func wholeNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("molecule: " + err.Error())
	}
	return n
}
