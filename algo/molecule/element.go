package molecule

// An element is a row of the periodic table, as in RDKit 2022.09.
type element struct {
	name   string
	symbol string

	// outer is the number of outer-shell electrons, isotope the mass number of the most common isotope.
	outer   int8
	isotope int16

	// early elements are left of carbon: a positive charge removes bonds.
	early bool

	// valences are the allowed numbers of bonds, the default first. A final -1 means any number.
	valences []int8
}

// MaxElement is the highest atomic number; 0 is the wildcard "*".
const MaxElement = 118

var elements = [MaxElement + 1]element{
	{"wildcard", "*", 0, 0, false, []int8{-1}},
	{"hydrogen", "H", 1, 1, false, []int8{1}},
	{"helium", "He", 2, 4, false, []int8{0}},
	{"lithium", "Li", 1, 7, true, []int8{1}},
	{"beryllium", "Be", 2, 9, true, []int8{2}},
	{"boron", "B", 3, 11, true, []int8{3}},
	{"carbon", "C", 4, 12, false, []int8{4}},
	{"nitrogen", "N", 5, 14, false, []int8{3}},
	{"oxygen", "O", 6, 16, false, []int8{2}},
	{"fluorine", "F", 7, 19, false, []int8{1}},
	{"neon", "Ne", 8, 20, false, []int8{0}},
	{"sodium", "Na", 1, 23, true, []int8{1}},
	{"magnesium", "Mg", 2, 24, true, []int8{2, -1}},
	{"aluminium", "Al", 3, 27, true, []int8{3, 6}},
	{"silicon", "Si", 4, 28, false, []int8{4, 6}},
	{"phosphorus", "P", 5, 31, false, []int8{3, 5, 7}},
	{"sulfur", "S", 6, 32, false, []int8{2, 4, 6}},
	{"chlorine", "Cl", 7, 35, false, []int8{1}},
	{"argon", "Ar", 8, 40, false, []int8{0}},
	{"potassium", "K", 1, 39, true, []int8{1}},
	{"calcium", "Ca", 2, 40, true, []int8{2, -1}},
	{"scandium", "Sc", 3, 45, true, []int8{-1}},
	{"titanium", "Ti", 4, 48, true, []int8{-1}},
	{"vanadium", "V", 5, 50, false, []int8{-1}},
	{"chromium", "Cr", 6, 52, false, []int8{-1}},
	{"manganese", "Mn", 7, 55, false, []int8{-1}},
	{"iron", "Fe", 8, 56, false, []int8{-1}},
	{"cobalt", "Co", 9, 59, false, []int8{-1}},
	{"nickel", "Ni", 10, 58, false, []int8{-1}},
	{"copper", "Cu", 11, 63, false, []int8{-1}},
	{"zinc", "Zn", 2, 64, true, []int8{-1}},
	{"gallium", "Ga", 3, 69, true, []int8{3}},
	{"germanium", "Ge", 4, 74, true, []int8{4}},
	{"arsenic", "As", 5, 75, false, []int8{3, 5, 7}},
	{"selenium", "Se", 6, 80, false, []int8{2, 4, 6}},
	{"bromine", "Br", 7, 79, false, []int8{1}},
	{"krypton", "Kr", 8, 84, false, []int8{0}},
	{"rubidium", "Rb", 1, 85, true, []int8{1}},
	{"strontium", "Sr", 2, 88, true, []int8{2, -1}},
	{"yttrium", "Y", 3, 89, true, []int8{-1}},
	{"zirconium", "Zr", 4, 90, true, []int8{-1}},
	{"niobium", "Nb", 5, 93, true, []int8{-1}},
	{"molybdenum", "Mo", 6, 98, false, []int8{-1}},
	{"technetium", "Tc", 7, 97, false, []int8{-1}},
	{"ruthenium", "Ru", 8, 102, false, []int8{-1}},
	{"rhodium", "Rh", 9, 103, false, []int8{-1}},
	{"palladium", "Pd", 10, 106, false, []int8{-1}},
	{"silver", "Ag", 11, 107, false, []int8{-1}},
	{"cadmium", "Cd", 2, 114, true, []int8{-1}},
	{"indium", "In", 3, 115, true, []int8{3}},
	{"tin", "Sn", 4, 120, true, []int8{2, 4}},
	{"antimony", "Sb", 5, 121, true, []int8{3, 5, 7}},
	{"tellurium", "Te", 6, 130, false, []int8{2, 4, 6}},
	{"iodine", "I", 7, 127, false, []int8{1, 3, 5}},
	{"xenon", "Xe", 8, 132, false, []int8{0, 2, 4, 6}},
	{"caesium", "Cs", 1, 133, true, []int8{1}},
	{"barium", "Ba", 2, 138, true, []int8{2, -1}},
	{"lanthanum", "La", 3, 139, true, []int8{-1}},
	{"cerium", "Ce", 4, 140, true, []int8{-1}},
	{"praseodymium", "Pr", 3, 141, true, []int8{-1}},
	{"neodymium", "Nd", 4, 142, true, []int8{-1}},
	{"promethium", "Pm", 5, 145, true, []int8{-1}},
	{"samarium", "Sm", 6, 152, false, []int8{-1}},
	{"europium", "Eu", 7, 153, false, []int8{-1}},
	{"gadolinium", "Gd", 8, 158, false, []int8{-1}},
	{"terbium", "Tb", 9, 159, false, []int8{-1}},
	{"dysprosium", "Dy", 10, 164, false, []int8{-1}},
	{"holmium", "Ho", 11, 165, false, []int8{-1}},
	{"erbium", "Er", 12, 166, false, []int8{-1}},
	{"thulium", "Tm", 13, 169, false, []int8{-1}},
	{"ytterbium", "Yb", 14, 174, false, []int8{-1}},
	{"lutetium", "Lu", 15, 175, false, []int8{-1}},
	{"hafnium", "Hf", 4, 180, true, []int8{-1}},
	{"tantalum", "Ta", 5, 181, true, []int8{-1}},
	{"tungsten", "W", 6, 184, false, []int8{-1}},
	{"rhenium", "Re", 7, 187, false, []int8{-1}},
	{"osmium", "Os", 8, 192, false, []int8{-1}},
	{"iridium", "Ir", 9, 193, false, []int8{-1}},
	{"platinum", "Pt", 10, 195, false, []int8{-1}},
	{"gold", "Au", 11, 197, false, []int8{-1}},
	{"mercury", "Hg", 2, 202, true, []int8{-1}},
	{"thallium", "Tl", 3, 205, true, []int8{3}},
	{"lead", "Pb", 4, 208, true, []int8{2, 4}},
	{"bismuth", "Bi", 5, 209, true, []int8{3, 5, 7}},
	{"polonium", "Po", 6, 209, false, []int8{2, 4, 6}},
	{"astatine", "At", 7, 210, false, []int8{1, 3, 5}},
	{"radon", "Rn", 8, 211, false, []int8{0}},
	{"francium", "Fr", 1, 223, true, []int8{1}},
	{"radium", "Ra", 2, 223, true, []int8{2, -1}},
	{"actinium", "Ac", 3, 227, true, []int8{-1}},
	{"thorium", "Th", 4, 232, true, []int8{-1}},
	{"protactinium", "Pa", 3, 231, true, []int8{-1}},
	{"uranium", "U", 4, 238, true, []int8{-1}},
	{"neptunium", "Np", 5, 236, true, []int8{-1}},
	{"plutonium", "Pu", 6, 238, false, []int8{-1}},
	{"americium", "Am", 7, 241, false, []int8{-1}},
	{"curium", "Cm", 8, 243, false, []int8{-1}},
	{"berkelium", "Bk", 9, 247, false, []int8{-1}},
	{"californium", "Cf", 10, 249, false, []int8{-1}},
	{"einsteinium", "Es", 11, 252, false, []int8{-1}},
	{"fermium", "Fm", 12, 257, false, []int8{-1}},
	{"mendelevium", "Md", 13, 258, false, []int8{-1}},
	{"nobelium", "No", 14, 259, false, []int8{-1}},
	{"lawrencium", "Lr", 15, 262, false, []int8{-1}},
	{"rutherfordium", "Rf", 2, 267, true, []int8{-1}},
	{"dubnium", "Db", 2, 268, true, []int8{-1}},
	{"seaborgium", "Sg", 2, 271, true, []int8{-1}},
	{"bohrium", "Bh", 2, 270, true, []int8{-1}},
	{"hassium", "Hs", 2, 269, true, []int8{-1}},
	{"meitnerium", "Mt", 2, 278, true, []int8{-1}},
	{"darmstadtium", "Ds", 2, 281, true, []int8{-1}},
	{"roentgenium", "Rg", 2, 281, true, []int8{-1}},
	{"copernicium", "Cn", 2, 285, true, []int8{-1}},
	{"nihonium", "Nh", 2, 284, true, []int8{-1}},
	{"flerovium", "Fl", 2, 289, true, []int8{-1}},
	{"moscovium", "Mc", 2, 288, true, []int8{-1}},
	{"livermorium", "Lv", 2, 293, true, []int8{-1}},
	{"tennessine", "Ts", 2, 292, true, []int8{-1}},
	{"oganesson", "Og", 2, 294, true, []int8{-1}},
}

// Symbol returns an element's symbol, or "*".
func Symbol(number int) string {
	if number < 0 || number > MaxElement {
		number = 0
	}
	return elements[number].symbol
}

// MassNumber returns the mass number of the most common isotope.
func MassNumber(z uint8) int32 { return int32(elements[z].isotope) }

// ElementOf returns the element of a symbol of one letter (d = 0) or two, or 0.
func ElementOf(c, d byte) uint8 {
	if c-'A' >= 26 || d != 0 && d-'a' >= 26 {
		return 0
	}
	return numbers[c-'A'][d&0x1f]
}

// numbers are the atomic numbers of symbols by their first letter, from A, and their second, from 1 for a; 0 for none.
var numbers [26][32]uint8

// basics has the most used properties side by side. No index is out of range.
var basics [256]struct {
	outer   int8
	valence int8 // the default, or -1 where any number is allowed
	plain   int8 // valence, or -1 for hydrogen and the wildcard
	early   bool
}

func init() {
	for z := range elements {
		e, b := &elements[z], &basics[z]
		b.outer, b.early = e.outer, e.early
		b.valence, b.plain = e.valences[0], e.valences[0]
	}
	basics[0].plain, basics[1].plain = -1, -1
	for z := 1; z <= MaxElement; z++ {
		s := elements[z].symbol + "\x00"
		numbers[s[0]-'A'][s[1]&0x1f] = uint8(z)
	}
}
