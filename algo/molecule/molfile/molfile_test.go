package molfile

import (
	"fmt"
	"strings"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/check"
)

func compareBlocks(t *testing.T, name string) {
	t.Helper()
	check.Compare(t, check.Unzipped(t, name), func(want *check.Reference) (string, *molecule.Molecule, error) {
		m, err := Parse(want.M)
		return want.M, m, err
	})
}

// RDKit 2022.09 wrote what it reads of these molfiles, see testdata/molblocks.py.
func TestMolfiles(t *testing.T) {
	compareBlocks(t, "testdata/molfiles.jsonl.gz")
	compareBlocks(t, "testdata/cases.jsonl.gz")
}

// v2000 is a molfile of the given lines of atoms ("x y z symbol rest") and the lines behind them.
func v2000(header string, atoms []string, rest ...string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	bonds := 0
	for _, line := range rest {
		if len(line) >= 9 && line[0] != 'M' && line[0] != 'A' && line[0] != 'S' {
			bonds++
		}
	}
	fmt.Fprintf(&b, "%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", len(atoms), bonds)
	for _, a := range atoms {
		w := strings.SplitN(a, " ", 5)
		line := fmt.Sprintf("%10s%10s%10s %-3s", w[0], w[1], w[2], w[3])
		if len(w) > 4 {
			line += " " + w[4]
		}
		b.WriteString(line + "\n")
	}
	for _, line := range rest {
		b.WriteString(line + "\n")
	}
	return b.String()
}

const flat = "name\n  program           2D\n"

// The carbon of CHFClBr, and bonds to F, Cl and Br around it.
var halogens = []string{"0 0 0 C", "1 0 0 F", "-0.5 0.8 0 Cl", "-0.5 -0.8 0 Br"}

// longest is a molfile that is as long as may be.
var longest = strings.Repeat("x", MaxLength-len(v2000("\n\n", halogens[:1], "M  END"))) + v2000("\n\n", halogens[:1], "M  END")

// Pyrrole as Marvin writes it: aromatic bonds, and the hydrogen in a data group.
var (
	pyrrole     = []string{"0 0 0 N", "1 0 0 C", "2 0 0 C", "3 0 0 C", "4 0 0 C"}
	ring        = []string{"  1  2  4", "  2  3  4", "  3  4  4", "  4  5  4", "  5  1  4"}
	pyrrole3000 = "n\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 5 5 1 0 0\nM  V30 BEGIN ATOM\n" +
		"M  V30 7 N 0 0 0 0\nM  V30 2 C 1 0 0 0\nM  V30 3 C 2 0 0 0\nM  V30 4 C 3 0 0 0\nM  V30 5 C 4 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\n" +
		"M  V30 1 4 7 2\nM  V30 2 4 2 3\nM  V30 3 4 3 4\nM  V30 4 4 4 5\nM  V30 5 4 5 7\nM  V30 END BOND\nM  V30 BEGIN SGROUP\n" +
		"M  V30 1 DAT 1 ATOMS=(1 7) FIELDNAME=MRV_IMPLICIT_H -\nM  V30 FIELDDATA=IMPL_H1\nM  V30 END SGROUP\nM  V30 END CTAB\nM  END\n"
)

// What features and bonds do not show; TestMolfiles compares these with RDKit's.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"deuterium", v2000(flat, []string{"0 0 0 C", "1 0 0 D", "1 1 0 T", "0 1 0 H 2"}, "  1  2  1", "  1  3  1", "  1  4  1", "M  END"), "CH1 2H 3H 3H | 0-1 0-2 0-3"},
		{"radical and isotope", v2000(flat, []string{"0 0 0 C", "1 0 0 C"}, "  1  2  1", "M  RAD  1   1   2", "M  ISO  1   2  13", "M  END"), "CH2· 13CH3 | 0-1"},
		{"atom map", v2000(flat, []string{"0 0 0 C 0  0  0  0  0  0  0  0  0  7"}, "M  END"), "CH4:7 |"},
		{"R groups and list", v2000(flat, []string{"0 0 0 R#", "1 0 0 L", "2 0 0 R5"}, "  1  2  1", "  2  3  1", "M  RGP  1   1   5", "M  ALS   2  2 F N   O   ", "M  END"), "* * 5* | 0-1 1-2"},
		{"at the limits", v2000(flat, []string{"0 0 0 Fe", "1 0 0 Fe", "2 0 0 C"}, "M  CHG  2   1 127   2-127", "M  CHG  1   31", "M  END"),
			"Fe+127 Fe-127 CH3+1 |"},
		{"as long as may be", longest, "CH4 |"},
		{"an element at the end of the line", "n\n\n\n  2  1\n         0         0         0 C\n         1         0         0 Br\n  1  2  1\nM  END\n", "CH3 Br | 0-1"},
		{"hydrogens of a data group", v2000(flat, pyrrole, append(ring, "M  STY  1   1 DAT", "M  SAL   1  1   1", "M  SDT   1 MRV_IMPLICIT_H", "M  SED   1 IMPL_H1", "M  END")...),
			"NH1' CH1' CH1' CH1' CH1' | 0:1 1:2 2:3 3:4 4:0"},
		{"hydrogens of a data group, V3000", pyrrole3000, "NH1' CH1' CH1' CH1' CH1' | 0:1 1:2 2:3 3:4 4:0"},
		{"hydrogen bond", v2000(flat, []string{"0 0 0 C", "1 0 0 N", "2 0 0 O"}, "  1  2  1", "  2  3 10", "M  END"), "CH3 NH2 OH2 | 0-1"},
		{"salt without bonds", v2000(flat, []string{"0 0 0 Na", "1 0 0 Cl", "2 0 0 O"}, "M  CHG  2   1   1   2  -1", "M  END"), "Na+1 Cl-1 OH2 |"},
		{"V3000", "n\n\n\n  0  0  0     0  0            999 V3000\n" + `M  V30 BEGIN CTAB
M  V30 COUNTS 5 3 0 0 0
M  V30 BEGIN ATOM
M  V30 10 C 0 0 0 0 MASS=0
M  V30 20 F 1 0 0 0 MASS=65535
M  V30 30 Cl -0.5 0.8 -
M  V30 0 0
M  V30 40 Br -0.5 -0.8 0 3
M  V30 50 U 3 3 0 0 VAL=255
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 10 20 CFG=3
M  V30 2 1 10 30
M  V30 3 1 10 40
M  V30 END BOND
M  V30 END CTAB
M  END
`, "CH1@@ 65535F Cl Br:3 UH255 | 0-1 0-2 0-3"},
	} {
		m, err := Parse(c.block)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := check.Sketch(m); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	block := strings.Replace(v2000(" a name \n\n", []string{"0 0 0 C"}, "M  END"), "C ", " C", 1)
	if m, err := Parse(block); err != nil || m.Name != "a name" || m.Atoms[0].Column != 51+33 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestErrors(t *testing.T) {
	const v3000 = "n\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
	const atom = v3000 + "M  V30 COUNTS 1 0\nM  V30 BEGIN ATOM\n"
	const bonded = v3000 + "M  V30 COUNTS 2 1\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 2 C 0 0 0 0\n" +
		"M  V30 END ATOM\nM  V30 BEGIN BOND\n"
	one := []string{"0 0 0 C"}
	two := []string{"0 0 0 C", "1 0 0 C"}
	for _, c := range []struct {
		block        string
		line, column int
		piece, want  string
	}{
		{"", 1, 1, "", "no counts line"},
		{"n\n\n\n x  0  0", 4, 1, " x ", "want the number of atoms in columns 1 to 3"},
		{"n\n\n\n  0  0  0     0  0            999 V4000\n", 4, 35, "V4000", "want the version V2000 or V3000"},
		{"n\n\n\n  0  0  0     0  0            999 V2000\nM  END\n", 1, 1, "", "no atoms"},
		{"n\n\n\n  2  0\n", 5, 1, "", "the text ends in the atom block: want 2 atoms, there are 0"},
		{v2000(flat, []string{"0 0 0 Xx"}, "M  END"), 5, 32, "Xx ", `"Xx" is no element`},
		{v2000(flat, []string{"0 0 0 c"}, "M  END"), 5, 32, "c  ", `"c" is no element`},
		{v2000(flat, []string{"0 1x2 0 C"}, "M  END"), 5, 11, "       1x2", "want a coordinate in columns 11 to 20"},
		{v2000(flat, []string{"0 0 0 C 0  x"}, "M  END"), 5, 37, "  x", "want a whole number in columns 37 to 39"},
		{v2000(flat, two, "  1  3  1", "M  END"), 7, 4, "  3", "a bond to atom 3: there are 2 atoms"},
		{v2000(flat, two, "  1  1  1", "M  END"), 7, 1, "  1  1  1", "joins atom 1 to itself"},
		{v2000(flat, two, "  1  2  1", "  2  1  1", "M  END"), 7, 1, "", "atoms 1 and 2 have two bonds"},
		{v2000(flat, one), 6, 1, "", "the text ends before M  END"},
		{v2000(flat, one, "M  CHG  1   2   1", "M  END"), 6, 10, "   2", "atom 2: there are 1 atoms"},
		{v2000(flat, one, "M  CHG  2   1   1", "M  END"), 6, 18, "", "the line ends"},
		{v2000(flat, one, "M  CHG  1   1 200", "M  END"), 6, 14, " 200", "charge +200"},
		{v2000(flat, one, "M  RAD  1   1   4", "M  END"), 6, 14, "   4", "radical 4"},
		{v2000(flat, []string{"0 0 0 C", "1 0 0 N", "2 0 0 C", "2 1 0 C", "2 2 0 C"}, "  1  2  1", "  2  3  1", "  2  4  1", "  2  5  1", "M  END"), 6, 32, "N", "nitrogen has 4 bonds"},
		{v2000(flat, two, "M  END"), 1, 1, "", "2 atoms without bonds or charges, coordinates only"},
		{v2000(flat, two, "M  CHG  1   1   1", "M  END"), 1, 1, "", "coordinates only"},
		{atom + "M  V30 1 K 0 0 0 0 SEQID=1 CLASS=AA\n", 8, 28, "CLASS=AA", `"K" is a residue or template (class AA)`},
		{v2000(flat, two, "  1  2  x", "M  END"), 7, 7, "  x", "want the order of the bond in columns 7 to 9"},
		{v2000(flat, two, "  1  2  1  x", "M  END"), 7, 10, "  x", "want how the bond is drawn in columns 10 to 12"},
		{v2000(flat, one, "$$$$", "M  END"), 6, 1, "$$$$", "the record ends before M  END"},
		{v2000(flat, one, "M  ISO  1   1  -1", "M  END"), 6, 14, "  -1", "isotope -1: want a mass number"},
		{"x" + longest, 1, 1, "", "no M  END within 4194304 bytes, more are not read"},
		{v3000, 6, 1, "", "the text ends: want a line that begins with"},
		{v3000 + "M  V30 COUNTS 1 x\n", 6, 1, "M  V30 COUNTS 1 x", "want a whole number"},
		{atom + "M  V30 1 C 0 0 0\n", 8, 1, "M  V30 1 C 0 0 0", "line of 5 words"},
		{atom + "M  V30 1 C 0 0 0 0 RAD=7\n", 8, 20, "RAD=7", "radical 7: want 1"},
		{atom + "M  V30 1 C 0 0 0 0 MASS=65536\n", 8, 20, "MASS=65536", "isotope 65536: want at most 65535"},
		{atom + "M  V30 1 U 0 0 0 0 VAL=256\nM  V30 END ATOM\nM  END\n", 8, 10, "U", "valence 256: want at most 255 hydrogens"},
		{atom + "M  V30 1 R65536 0 0 0 0\n", 8, 10, "R65536", "R group 65536: want R1 to R65535"},
		{atom + "M  V30 x C 0 0 0 0\n", 8, 8, "x", "want a whole number"},
		{v3000 + "M  V30 COUNTS 2 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 1 C 0 0 0 0\n", 9, 1, "M  V30 1 C 0 0 0 0", "a second atom 1"},
		{atom + "M  V30 1 C 0 z 0 0\n", 8, 14, "z", "want a coordinate"},
		{atom + "M  V30 1 C 0 0 0 m\n", 8, 18, "m", "want a whole number"},
		{bonded + "M  V30 1 1 1 3\n", 12, 1, "M  V30 1 1 1 3", "a bond to atom 3, which is not there"},
		{bonded + "M  V30 1 x 1 2\n", 12, 10, "x", "want a whole number"},
		{bonded + "M  V30 1 1 x 2\n", 12, 12, "x", "want a whole number"},
		{bonded + "M  V30 1 1 1 2\nM  V30 END BOND\nM  V30 END CTAB\n", 15, 1, "", "the text ends before M  END"},
		{atom + "M  V30 1 Qq 0 0 0 0\n", 8, 10, "Qq ", `"Qq" is no element`},
		{atom + "M  V30 1 C 0 0 0 0\nM  V30 2 C 0 0 0 0\n", 9, 1, "M  V30 2 C 0 0 0 0", "want END ATOM"},
	} {
		_, err := Parse(c.block)
		e, ok := err.(*molecule.SyntaxError)
		if !ok {
			t.Errorf("%.500q: error %v", c.block, err)
		} else if e.Line != c.line || e.Column != c.column || e.Piece != c.piece || !strings.Contains(e.Error(), c.want) {
			t.Errorf("line %d, column %d, %q: %v; want line %d, column %d, %q: %s\n%.500s", e.Line, e.Column, e.Piece, e, c.line, c.column, c.piece, c.want, c.block)
		} else if shown := strings.Split(e.Caret(""), "\n"); len(shown) != 2 || !strings.Contains(shown[1], "^") {
			t.Errorf("%q", shown)
		}
	}
	_, err := Parse(v2000(flat, []string{"0 0 0 Xx"}, "M  END"))
	if got, want := err.(*molecule.SyntaxError).Caret(""), "         0         0         0 Xx \n                               ^^^"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Molfiles that tempt a reader to take time that grows with the square of their
// length, or the memory that their counts line asks for.
func TestHostileMolfiles(t *testing.T) {
	const n = 60_000
	var head strings.Builder
	begin := func(atoms, bonds int, element string) {
		head.Reset()
		fmt.Fprintf(&head, "n\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS %d %d 0 0 0\nM  V30 BEGIN ATOM\n", atoms, bonds)
		for i := range atoms {
			fmt.Fprintf(&head, "M  V30 %d %s %d %d 0 0\n", i+1, element, i%7, i%3)
		}
		head.WriteString("M  V30 END ATOM\nM  V30 BEGIN BOND\n")
	}
	bond := func(k, order, i, j int) { fmt.Fprintf(&head, "M  V30 %d %d %d %d\n", k, order, i, j) }
	end := func() string { return head.String() + "M  V30 END BOND\nM  V30 END CTAB\nM  END\n" }

	begin(n, n-1, "C")
	for i := 1; i < n; i++ {
		bond(i, 1+i%2, i, i+1)
	}
	polyene := end()
	begin(n, n-1, "Fe")
	for i := 1; i < n; i++ {
		bond(i, 1+i%2, 1, i+1)
	}
	star := end()
	begin(n, n, "C")
	for i := 1; i <= n; i++ {
		bond(i, 4, i, i%n+1)
	}
	ring := end()
	for name, block := range map[string]string{
		"polyene":          polyene,
		"star":             star,
		"ring":             ring,
		"counts":           "n\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 4000000000 4000000000 4000000000 4000000000\nM  V30 BEGIN ATOM\n",
		"continued lines":  "n\n\n\n  0  0  0     0  0            999 V3000\n" + strings.Repeat("M  V30 x-\n", 400_000),
		"one line":         strings.Repeat(" ", MaxLength),
		"charges":          v2000(flat, []string{"0 0 0 C"}, strings.Repeat("M  CHG999   1   1\n", 200_000)),
		"skipped":          v2000(flat, []string{"0 0 0 C"}, strings.Repeat("S  SKP999\n", 400_000)),
		"groups":           v2000(flat, []string{"0 0 0 C"}, strings.Repeat("M  STY  1   1 SUP\nM  SAL   1  1   1\nM  SPA   1  1   1\n", 70_000)+"M  END"),
		"marks":            v2000(flat, []string{"0 0 0 C"}, "M  ISO 99"+strings.Repeat("   1", 1_000_000)),
		"too long":         strings.Repeat("\n", MaxLength+1),
		"too long, no end": polyene + strings.Repeat("x", MaxLength),
	} {
		_, err := Parse(block)
		t.Logf("%s: %d bytes: %.80v", name, len(block), err)
	}
}

// Buffers of a molfile leave no trace in what is read next.
func TestReuse(t *testing.T) {
	m := &reader{p: new(molecule.Draft)}
	drawn := v2000(flat, halogens, "  1  2  1  1  0  1", "  1  3  1  4", "  1  4  8", "M  END")
	plain := v2000(flat, []string{"0 0 0 H", "1 0 0 N", "2 0 0 H", "2 1 0 C"}, "  1  2  1", "  3  2  1", "  2  4  1", "M  END")
	for range 3 {
		for _, block := range []string{drawn, plain, plain, drawn} {
			want, errWant := (&reader{p: new(molecule.Draft)}).parse(block)
			got, err := m.parse(block)
			if err != nil || errWant != nil || check.Sketch(got) != check.Sketch(want) {
				t.Errorf("%v, %v", err, errWant)
			}
			if _, err := m.parse("n\n\n\n  1  0\n"); err == nil {
				t.Error("no error")
			}
		}
	}
}
