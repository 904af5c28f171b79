package smiles

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/check"
)

// shuffled returns m with its atoms in a random order and its bonds as Parse would read them from the text of that.
func shuffled(m *molecule.Molecule, random *rand.Rand) *molecule.Molecule {
	rank := make([]int32, len(m.Atoms))
	for i, x := range random.Perm(len(rank)) {
		rank[i] = int32(x)
	}
	var w writer
	w.walk(m, rank)
	c := new(molecule.Molecule)
	w.arrange(c)
	return c
}

// fragments counts those of a molecule.
func fragments(m *molecule.Molecule) int {
	parent, trees := join(nil, m, func(*molecule.Bond) bool { return true })
	if n := len(split(m, parent, trees)); n != trees {
		panic(fmt.Sprintf("%d fragments of %d trees", n, trees))
	}
	return trees
}

// differ returns how two molecules differ, columns and names aside, or "".
func differ(a, b *molecule.Molecule) string {
	if len(a.Atoms) != len(b.Atoms) || len(a.Bonds) != len(b.Bonds) {
		return fmt.Sprintf("%d atoms and %d bonds, %d and %d", len(a.Atoms), len(a.Bonds), len(b.Atoms), len(b.Bonds))
	}
	for i := range a.Atoms {
		x, y := a.Atoms[i], b.Atoms[i]
		x.Column, y.Column = 0, 0
		if x != y {
			return fmt.Sprintf("atom %d: %+v, %+v", i, x, y)
		}
	}
	for k := range a.Bonds {
		if a.Bonds[k] != b.Bonds[k] {
			return fmt.Sprintf("bond %d: %+v, %+v", k, a.Bonds[k], b.Bonds[k])
		}
	}
	return ""
}

// featureRows are the rows of the features of m, sorted.
func featureRows(m *molecule.Molecule) [][]float32 {
	var rows [][]float32
	for row := range slices.Chunk(m.Graph().X, molecule.Features) {
		row = slices.Clone(row)
		row[1] = 0 // the chirality tag depends on the order of bonds
		rows = append(rows, row)
	}
	slices.SortFunc(rows, slices.Compare[[]float32])
	return rows
}

// checkCanonical checks that some ways to write m lead to the same canonical
// molecule, and that its text is read as that molecule.
func checkCanonical(m *molecule.Molecule, times int, random *rand.Rand) error {
	c, order, exact := Canonical(m)
	if !exact {
		return fmt.Errorf("the search ran out of steps")
	}
	text := Write(c)
	seen := make([]bool, len(order))
	for k, i := range order {
		x, y := c.Atoms[k], m.Atoms[i]
		y.Chirality, y.Map = x.Chirality, x.Map
		if x != y || seen[i] {
			return fmt.Errorf("%s: atom %d is not atom %d of the original", text, k, i)
		}
		seen[i] = true
	}
	if !slices.EqualFunc(featureRows(m), featureRows(c), slices.Equal[[]float32]) {
		return fmt.Errorf("%s has other features", text)
	}
	again, err := Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %v", text, err)
	}
	if diff := differ(c, again); diff != "" {
		return fmt.Errorf("%s is read as another molecule: %s", text, diff)
	}
	for range times {
		s := shuffled(m, random)
		d, _, _ := Canonical(s)
		if diff := differ(c, d); diff != "" {
			return fmt.Errorf("%s becomes %s when its atoms are in another order: %s", text, Write(d), diff)
		}
		written := Write(s)
		read, err := Parse(written)
		if err != nil {
			return fmt.Errorf("%s: %v", written, err)
		}
		d, _, _ = Canonical(read)
		if diff := differ(c, d); diff != "" {
			return fmt.Errorf("%s becomes %s when written as %s: %s", text, Write(d), written, diff)
		}
	}
	return nil
}

func TestCanonicalSets(t *testing.T) {
	for _, set := range []string{"bbbp", "clintox", "esol", "freesolv", "bace", "lipo", "sider", "tox21", "toxcast", "hiv", "muv", "scale-mix"} {
		t.Run(set, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			for _, text := range someOf(t, set, 2000) {
				m, err := Parse(strings.TrimSpace(text))
				if err != nil {
					continue
				}
				if err := checkCanonical(m, 2, random); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

// TestSameAsRDKit compares which SMILES are the same molecule with RDKit's opinion, in
// the file that testdata/canonical.py made.
func TestSameAsRDKit(t *testing.T) {
	z := check.Unzipped(t, "testdata/canonical.tsv.gz")
	classes := map[string]string{} // canonical SMILES to class
	texts := map[string]string{}   // class to canonical SMILES
	n := 0
	for lines := bufio.NewScanner(z); lines.Scan(); n++ {
		class, smiles, _ := strings.Cut(lines.Text(), "\t")
		m := read(t, smiles)
		c, _, exact := Canonical(m)
		text := Write(c)
		if !exact {
			t.Errorf("%s: not exact", smiles)
		}
		if other, ok := classes[text]; ok && other != class {
			t.Errorf("%s becomes %s like class %s, want class %s", smiles, text, other, class)
		}
		if other, ok := texts[class]; ok && other != text {
			t.Errorf("%s becomes %s, others of class %s become %s", smiles, text, class, other)
		}
		classes[text], texts[class] = class, text
	}
	if n < 1000 || len(classes) < 300 {
		t.Errorf("only %d SMILES in %d classes", n, len(classes))
	}
}

// graphSMILES writes a graph whose nodes are all alike.
func graphSMILES(n int, edges [][2]int) string {
	numbers := make([][]int, n)
	for k, e := range edges {
		numbers[e[0]] = append(numbers[e[0]], k)
		numbers[e[1]] = append(numbers[e[1]], k)
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString("[U]")
		for _, k := range numbers[i] {
			fmt.Fprintf(&b, "%%(%d)", k)
		}
	}
	return b.String()
}

// complete is the graph in which all nodes are neighbours.
func complete(n int) (edges [][2]int) {
	for x := range n {
		for y := range x {
			edges = append(edges, [2]int{y, x})
		}
	}
	return edges
}

// randomCubic is a random graph with n nodes of three neighbours each.
func randomCubic(n int, random *rand.Rand) [][2]int {
	for {
		ends := random.Perm(3 * n)
		seen := map[[2]int]bool{}
		for k := 0; k < 3*n; k += 2 {
			x, y := ends[k]/3, ends[k+1]/3
			if x == y {
				break
			}
			seen[[2]int{min(x, y), max(x, y)}] = true
		}
		if 2*len(seen) == 3*n {
			return slices.SortedFunc(maps.Keys(seen), func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		}
	}
}

// TestCanonicalGraphs numbers graphs on which refinement alone fails.
func TestCanonicalGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	check := func(name string, n int, edges [][2]int) string {
		m := read(t, graphSMILES(n, edges))
		c, _, exact := Canonical(m)
		if !exact {
			t.Errorf("%s: not exact", name)
		}
		text := Write(c)
		if again, err := Parse(text); err != nil || differ(c, again) != "" {
			t.Errorf("%s: %s is not read as it was written: %v", name, text, err)
		}
		for range 4 {
			d, _, _ := Canonical(shuffled(m, random))
			if diff := differ(c, d); diff != "" {
				t.Errorf("%s: another order makes a difference: %s", name, diff)
				break
			}
		}
		return text
	}
	for _, n := range []int{4, 6, 8, 10, 14, 20, 40} {
		check(fmt.Sprintf("cubic %d", n), n, randomCubic(n, random))
	}
	// All cubic graphs of six and eight nodes that come up fall into as many
	// classes as there are: 2, or 5 that are connected, and two K4.
	for _, c := range []struct{ n, classes int }{{4, 1}, {6, 2}, {8, 6}} {
		seen := map[string]bool{}
		for range 400 {
			seen[check(fmt.Sprintf("cubic %d", c.n), c.n, randomCubic(c.n, random))] = true
		}
		if len(seen) != c.classes {
			t.Errorf("%d cubic graphs of %d nodes, want %d", len(seen), c.n, c.classes)
		}
	}
	torus := func(a, b int) (edges [][2]int) {
		for x := range a {
			for y := range b {
				edges = append(edges, [2]int{x*b + y, (x+1)%a*b + y}, [2]int{x*b + y, x*b + (y+1)%b})
			}
		}
		return edges
	}
	check("torus", 400, torus(20, 20))
	var cube [][2]int
	for x := range 256 {
		for q := range 8 {
			if x>>q&1 == 0 {
				cube = append(cube, [2]int{x, x | 1<<q})
			}
		}
	}
	check("hypercube", 256, cube)
	if text := check("complete", 60, complete(60)); !strings.Contains(text, "%99") || !strings.Contains(text, "%(100)") {
		t.Errorf("no ring-bond number of three digits in %s", text)
	}
}

// TestCanonicalBounded checks that large symmetric molecules take little time, and
// that those which would take much are given up.
func TestCanonicalBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	dendrimer := func(depth int) string {
		s := "C"
		for range depth {
			s = "C(" + s + ")(" + s + ")" + s
		}
		return s
	}
	for _, c := range []struct {
		name, smiles string
		exact        bool
	}{
		{"star", "[U]" + strings.Repeat("(C)", 20000), true},
		{"branches", "[U]" + strings.Repeat("(C(C)(C)C)", 400), true},
		{"phenyls", "[U]" + strings.Repeat("(c1ccccc1)", 200), true},
		{"polystyrene", strings.Repeat("CC(c1ccccc1)", 600), true},
		{"ring", "C1" + strings.Repeat("C", 50000) + "1", true},
		{"centres", strings.Repeat("[C@H](C)O", 5000) + "C", true},
		{"polyene", "F" + strings.Repeat("/C=C", 10000) + "/F", true},
		{"dots", strings.Repeat("C.", 30000) + "C", true},
		{"dendrimer", dendrimer(6), true},
		{"cubic", graphSMILES(1000, randomCubic(1000, random)), true},
		{"large cubic", graphSMILES(2500, randomCubic(2500, random)), false},
	} {
		m := read(t, c.smiles)
		d, order, exact := Canonical(m)
		if exact != c.exact {
			t.Errorf("%s: exact is %v", c.name, exact)
		}
		if len(d.Atoms) != len(m.Atoms) || len(d.Bonds) != len(m.Bonds) || len(order) != len(m.Atoms) {
			t.Errorf("%s: %d atoms and %d bonds of %d and %d", c.name, len(d.Atoms), len(d.Bonds), len(m.Atoms), len(m.Bonds))
		}
	}
}

// FuzzCanonical checks that no molecule that can be read makes the writer fail, and that its parent
// is found in bounded time, from the text and from the molecule alike.
func FuzzCanonical(f *testing.F) {
	for _, row := range forms(f) {
		f.Add(row.text)
	}
	f.Add(strings.Repeat("c1[nH]ncc1-", 40) + "C")
	f.Add("C" + strings.Repeat("NC(=N)", 60) + "N")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		m, err := Parse(text)
		if err != nil {
			return
		}
		c, order, exact := Canonical(m)
		if len(c.Atoms) != len(m.Atoms) || len(c.Bonds) != len(m.Bonds) || len(order) != len(m.Atoms) {
			t.Fatalf("%d atoms and %d bonds of %d and %d", len(c.Atoms), len(c.Bonds), len(m.Atoms), len(m.Bonds))
		}
		d, _, _ := Canonical(shuffled(m, rand.New(rand.NewPCG(1, uint64(len(text))))))
		if diff := differ(c, d); exact && diff != "" && !strings.Contains(text, ":") {
			t.Fatalf("%s and %s: %s", Write(c), Write(d), diff)
		}
		c.Graph()
		g, aside, err := ParseIn(text, molecule.UnorderedParent)
		if err != nil {
			t.Fatalf("%s is read, but not its parent: %v", text, err)
		}
		p, order, same := Parent(m)
		if len(order) != len(p.Atoms) || p.Graph().N() != g.N() && same == aside {
			t.Fatalf("%s: %d atoms in the order of %d, and the graph has %d", text, len(order), len(p.Atoms), g.N())
		}
	})
}
