package depict

import (
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// laid lays a molecule out as Molecule does.
func laid(t *testing.T, text string) *layout {
	t.Helper()
	m, err := smiles.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	near := make([][]int, len(m.Atoms))
	for _, b := range m.Bonds {
		near[b.From] = append(near[b.From], int(b.To))
		near[b.To] = append(near[b.To], int(b.From))
	}
	l := newLayout(near, make([]bool, len(near)))
	l.run()
	return l
}

// Bonds of common molecules have one length, and no atoms lie on each other.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name, smiles string
		stretch      float64 // that bonds may have
	}{
		{"aspirin", "CC(=O)Oc1ccccc1C(=O)O", 0.01},
		{"testosterone", "C[C@]12CC[C@H]3[C@H]([C@@H]1CC[C@@H]2O)CCC4=CC(=O)CC[C@]34C", 0.01},
		{"imatinib", "CN1CCN(Cc2ccc(cc2)C(=O)Nc2ccc(C)c(Nc3nccc(n3)-c3cccnc3)c2)CC1", 0.6},
		{"a spiro ketal", "C1CCC2(CC1)OCCO2", 0.01},
		{"a fatty acid", "CCCCCCCCCCCCCCCCCC(=O)O", 0.01},
		{"salt", "[Na+].[Cl-]", 0},
		{"norbornane", "C1CC2CCC1C2", 0.5},
		{"adamantane", "C1C2CC3CC1CC(C2)C3", 0.8},
		{"lactose", "OC[C@H]1O[C@@H](O[C@H]2[C@H](O)[C@@H](O)[C@H](O)O[C@@H]2CO)[C@H](O)[C@@H](O)[C@@H]1O", 0.5},
		{"neopentane", "CC(C)(C)C", 0.01},
		{"phosphorus pentachloride", "ClP(Cl)(Cl)(Cl)Cl", 0.01},
		{"cyclododecane", "C1CCCCCCCCCCC1", 0.01},
	} {
		l := laid(t, c.smiles)
		for i, p := range l.at {
			for _, j := range l.near[i] {
				if d := p.distance(l.at[j]); math.Abs(d-1) > c.stretch {
					t.Errorf("%s: bond %d-%d is %.2f long", c.name, i, j, d)
				}
			}
			for j, q := range l.at[:i] {
				if p.distance(q) < 0.3 {
					t.Errorf("%s: atoms %d and %d are %.2f apart", c.name, i, j, p.distance(q))
				}
			}
		}
	}
	// Regular polygons: all angles of benzene rings are 120°.
	l := laid(t, "c1ccc2c(c1)ccc1ccccc12")
	for _, ring := range l.rings {
		for k, i := range ring {
			a, b := l.at[ring[(k+5)%6]].minus(l.at[i]), l.at[ring[(k+1)%6]].minus(l.at[i])
			if cos := (a.x*b.x + a.y*b.y) / (a.length() * b.length()); math.Abs(cos+0.5) > 1e-6 {
				t.Errorf("an angle of phenanthrene has cosine %.4f, want -0.5", cos)
			}
		}
	}
	if len(l.rings) != 3 {
		t.Errorf("phenanthrene has %d rings, want 3", len(l.rings))
	}
}

// parts reads an SVG as XML and counts its elements.
func parts(t *testing.T, svg string) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || strings.Contains(a.Value, "http") {
					t.Errorf("attribute %s = %q", a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestMolecule(t *testing.T) {
	m, err := smiles.Parse("[13CH3]C(=O)[O-]")
	if err != nil {
		t.Fatal(err)
	}
	svg := Molecule(m, []float64{1, -0.5, 0, math.NaN()}, []bool{true, false, false, false}, `a "title" <&>`)
	n := parts(t, svg)
	if n["text"] != 3 || n["circle"] != 3 || n["path"] != 4 {
		t.Errorf("%v: want 3 labels, 2 colours, a ring and 4 lines: %s", n, svg)
	}
	for _, want := range []string{"13", "O", "−", more, less, "a &#34;title&#34; &lt;&amp;&gt;"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	benzene, _ := smiles.Parse("c1ccccc1")
	if n := parts(t, Molecule(benzene, nil, nil, "")); n["circle"] != 1 || n["path"] != 6 || n["text"] != 0 {
		t.Errorf("benzene: %v", n)
	}
	first := Molecule(m, nil, nil, "")
	if second := Molecule(m, nil, nil, ""); second != first {
		t.Error("a molecule has two drawings")
	}
	long, _ := smiles.Parse(strings.Repeat("C", MaxNodes+1))
	if Molecule(long, nil, nil, "") != "" || Molecule(&molecule.Molecule{}, nil, nil, "") != "" {
		t.Error("too many or no atoms are drawn")
	}
}

// Any graph gets finite places, and soon.
func TestHostileGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, text := range []string{
		"C12C3C4C1C5C2C3C45", "C1=CC2=CC=C1CCC1=CC=C(CC2)C=C1", // cubane, a paracyclophane
		"C1CC1C1CC1C1CC1", "C12CC1C2", "C1CCC2CCC(C1)CC2", "*~*", "C#CC#CC#C",
		"C1%10CCCCCCCCCCCCCCCCCCCCCCCCCCCCC1CCCCCC%10",
	} {
		m, err := smiles.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parts(t, Molecule(m, nil, nil, text))
	}
	for range 8 {
		n := 1 + rng.IntN(MaxNodes)
		var edges [][2]int32
		for range rng.IntN(4 * n) {
			edges = append(edges, [2]int32{rng.Int32N(int32(n)), rng.Int32N(int32(n))})
		}
		g, _, err := graph.New(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		if got := parts(t, Graph(g, nil, nil, "")); got["path"] != g.M() || got["circle"] != n {
			t.Errorf("%d nodes and %d edges: %v", n, g.M(), got)
		}
		// The layout of molecules must bear any graph, too: a file may hold one.
		near := make([][]int, n)
		for i := range n {
			for _, j := range g.Row(i) {
				near[i] = append(near[i], int(j))
			}
		}
		l := newLayout(near, make([]bool, n))
		l.run()
		for i, p := range l.at {
			if math.IsNaN(p.x+p.y) || math.IsInf(p.x+p.y, 0) || !l.done[i] {
				t.Fatalf("node %d of %d lies at %v", i, n, p)
			}
		}
	}
}
