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
		list := groups(g, Rings(g))
		k := slices.IndexFunc(list, func(q group) bool { return q.name == f[2] && slices.Contains(q.nodes, atom) })
		if k < 0 {
			t.Fatalf("%s: atom %d is in no %s: %v", f[0], atom, f[2], list)
		}
		return beside(g, list, k, atom, must.Have(strconv.Atoi(f[4])))
	})
}

// Names have articles and plurals.
func TestSome(t *testing.T) {
	golden.Table(t, "testdata/some.txt", 2, func(f []string) string { return some(must.Have(strconv.Atoi(f[0])), f[1]) })
}
