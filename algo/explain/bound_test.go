package explain

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// What a group is bound to is told from one of its atoms, by how rings are joined and where. A line of the file is a
// molecule, a group, its atom, how many bonds around it, and what is there.
func TestBeside(t *testing.T) {
	const file = "testdata/beside.txt"
	var b strings.Builder
	for line := range strings.Lines(string(must.Have(os.ReadFile(file)))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		g, atom := parse(t, f[0])[0], must.Have(strconv.Atoi(f[2]))
		list := groups(g)
		k := slices.IndexFunc(list, func(q group) bool { return q.name == f[1] && slices.Contains(q.nodes, atom) })
		if k < 0 {
			t.Fatalf("%s: atom %d is in no %s: %v", f[0], atom, f[1], list)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%s\n", f[0], f[1], f[2], f[3], beside(g, list, k, atom, must.Have(strconv.Atoi(f[3]))), f[5])
	}
	golden.Same(t, file, b.String())
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
