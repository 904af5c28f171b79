package explain

import (
	"slices"
	"strconv"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// What a group is bound to is told from one of its atoms, by how rings are joined and where: of a molecule, a group,
// its atom and how many bonds around it.
func TestBeside(t *testing.T) {
	golden.Table(t, "testdata/beside.txt", 5, func(f []string) string {
		g, atom := parse(t, f[1])[0], must.Have(strconv.Atoi(f[3]))
		list := groups(g)
		k := slices.IndexFunc(list, func(q group) bool { return q.name == f[2] && slices.Contains(q.nodes, atom) })
		if k < 0 {
			t.Fatalf("%s: atom %d is in no %s: %v", f[0], atom, f[2], list)
		}
		return beside(g, list, k, atom, must.Have(strconv.Atoi(f[4])))
	})
}

// Names have articles and plurals.
func TestSome(t *testing.T) {
	for _, c := range []struct {
		n    int
		name string
		want string
	}{
		{1, "nitro group", "a nitro group"}, {1, "azide group", "an azide group"}, {1, "urea group", "a urea group"}, {1, "N-oxide group", "an N-oxide group"}, {1, "NH₄⁺", "an NH₄⁺"}, {1, "Na⁺ ion", "a Na⁺ ion"}, {1, "CH₂ group", "a CH₂ group"}, {1, "SH", "an SH"},
		{2, "macrocycle of 14", "2 macrocycles of 14"}, {3, "pyranose ring (sugar)", "3 pyranose rings (sugar)"}, {2, "amino group on a heteroaromatic ring", "2 amino groups on a heteroaromatic ring"},
	} {
		if got := some(c.n, c.name); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.name, got, c.want)
		}
	}
}
