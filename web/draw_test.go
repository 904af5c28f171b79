package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"baca/weights"
)

// script runs one of the page's scripts in Node. The test is skipped where Node or the
// libraries are not there.
func script(t *testing.T, name string, input io.Reader) []byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs Node")
	}
	if _, err := os.Stat(filepath.Join("node_modules", "@rdkit", "rdkit")); err != nil {
		t.Skip("needs the libraries of web/package.json: cd web && npm ci")
	}
	var out, failed bytes.Buffer
	c := exec.Command(node, filepath.Join("src", name))
	c.Stdin, c.Stdout, c.Stderr = input, &out, &failed
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, failed.String())
	}
	return out.Bytes()
}

// What is painted, and a rule of the style sheet for each role of it.
func TestPaint(t *testing.T) {
	roles := strings.Fields(string(script(t, "paint.mjs", nil)))
	css := have(os.ReadFile(filepath.Join("static", "style.css")))
	for _, role := range roles {
		if !strings.Contains(string(css), "."+role+" ") && !strings.Contains(string(css), "."+role+",") {
			t.Errorf("the style sheet has no rule for .%s", role)
		}
	}
	if len(roles) < 10 {
		t.Errorf("the roles are %q", roles)
	}
}

// examples are the SMILES of Examples.
func examples() (list []string) {
	for _, row := range have(csv.NewReader(bytes.NewReader(Examples())).ReadAll())[1:] {
		list = append(list, row[2])
	}
	return list
}

// background are the molecules at large.
func background() (all []string) {
	for line := range strings.Lines(string(have(io.ReadAll(weights.Background())))) {
		if f := strings.Fields(line); len(f) > 0 {
			all = append(all, f[0])
		}
	}
	return all
}

// sample is n of a list, evenly spread over it.
func sample(t *testing.T, all []string, n int) []string {
	t.Helper()
	if len(all) < n {
		t.Fatalf("%d molecules, want %d", len(all), n)
	}
	list := make([]string, n)
	for i := range list {
		list[i] = all[i*len(all)/n]
	}
	return list
}

// What is drawn is what was written, as RDKit reads the drawing: atoms, bonds, charges,
// isotopes, hydrogens and stereochemistry. What is not drawn has a reason.
func TestDrawingsReadBack(t *testing.T) {
	if testing.Short() {
		t.Skip("draws hundreds of molecules")
	}
	n := 150
	if os.Getenv("BACA_TEST") == "all" {
		n = 500
	}
	t.Run("examples", func(t *testing.T) { readBack(t, examples()) })
	t.Run("R-groups", func(t *testing.T) { readBack(t, []string{"*c1ccccc1", "[2*]/C=C/[1*]", "*[C@H](N)C(=O)O", "C*C"}) })
	t.Run("porphyrins", func(t *testing.T) {
		readBack(t, []string{
			"C1=Cc2cc3ccc(cc4nc(cc5ccc(cc1n2)[nH]5)C=C4)[nH]3", "c1cc2cc3ccc(cc4ccc(cc5ccc(cc1n2)[nH]5)n4)[nH]3",
			"C=CC1=C(C)c2cc3[n-]c(cc4nc(cc5[nH]c(cc1n2)c(C)c5C=C)C(C)=C4CCC(=O)O)c(CCC(=O)[O-])c3C",
			"c1ccc2c(c1)c1nc2nc2[nH]c(nc3nc(nc4[nH]c(n1)c1ccccc14)c1ccccc13)c1ccccc21",
		})
	})
	t.Run("background", func(t *testing.T) { readBack(t, sample(t, background(), n)) })
	t.Run("bbbp", func(t *testing.T) { readBack(t, sample(t, have(weights.Open("bbbp")).Structures.SMILES, n)) })
}

// A drawing is what readback.mjs says of one.
type drawing struct {
	SMILES, Reason, Want, Got string
	Overlaps                  int
	Blank                     bool
	Longest                   float64
}

// drawn draws molecules and reads the drawings back.
func drawn(t *testing.T, molecules []string) (list []drawing) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(script(t, "readback.mjs", strings.NewReader(strings.Join(molecules, "\n")))))
	for decoder.More() {
		var d drawing
		if err := decoder.Decode(&d); err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// Large rings close: none of their bonds is much longer than the others. Double bonds at them are drawn as meant.
func TestLargeRings(t *testing.T) {
	rings := []string{
		"O=C1CCCCCCCCCCCCCC1", "C1CCCCCCCCCCCC1", "C[C@@H]1CCCCCCCCCCCCC(=O)C1",
		"NCCCC(N)CC(=O)NC1CNC(=O)C(C2CC(O)N=C(N)N2)NC(=O)/C(=C/NC(N)=O)NC(=O)C(CO)NC(=O)C(CO)NC1=O",
		"O=C(OCc1ccccc1)N1CCNCCNCCN(C(=O)OCc2ccccc2)CCNCC1",
		"CC[C@@H]1[C@@]([C@@H]([C@H](N(C[C@@H](C[C@@]([C@@H]([C@H]([C@@H]([C@H](C(=O)O1)C)O[C@H]2C[C@@]([C@H]([C@@H](O2)C)O)(C)OC)C)O[C@H]3[C@@H]([C@H](C[C@H](O3)C)N(C)C)O)(C)O)C)C)C)O)(C)O",
	}
	drawings := drawn(t, rings)
	for _, d := range drawings {
		if d.Got != d.Want || d.Longest == 0 || d.Longest > 1.6 {
			t.Errorf("%s is %s, drawn as %q with a bond %.1f times as long as others", d.SMILES, d.Want, d.Got, d.Longest)
		}
	}
	if len(drawings) != len(rings) {
		t.Errorf("%d of %d are read back", len(drawings), len(rings))
	}
}

func readBack(t *testing.T, molecules []string) {
	var unread, overlapping, withheld, stereo int
	drawings := drawn(t, molecules)
	read := len(drawings)
	for _, d := range drawings {
		switch {
		case d.Reason != "":
			withheld++
			t.Logf("not drawn: %s: %s", d.Reason, d.SMILES)
			continue
		case d.Want == "":
			unread++ // RDKit knows no such molecule
		case d.Got != d.Want:
			t.Errorf("%s is %s, and drawn as %s", d.SMILES, d.Want, d.Got)
		}
		if d.Blank {
			t.Errorf("%s: the drawing is blank", d.SMILES)
		}
		if d.Overlaps > 0 {
			overlapping++
		}
		if strings.ContainsAny(d.Want, `@/\`) {
			stereo++
		}
	}
	t.Logf("%d molecules, %d with stereo: %d not drawn, %d with overlaps, %d unknown to RDKit", read, stereo, withheld, overlapping, unread)
	if read != len(molecules) || 100*unread > read {
		t.Errorf("%d of %d molecules are read back, %d unknown to RDKit", read, len(molecules), unread)
	}
	if 100*withheld > read {
		t.Errorf("%d of %d are not drawn, want 1 %% at most", withheld, read)
	}
	if 100*overlapping > 2*read {
		t.Errorf("%d of %d have atoms on each other, want 2 %% at most", overlapping, read)
	}
}
