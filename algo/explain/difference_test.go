package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
)

// Of paths, stars and rings it is said in what many of them differ from paths of 10 to 49 nodes.
func TestDifferences(t *testing.T) {
	list := func(texts string) (gs []*graph.Graph) {
		for _, text := range strings.Fields(texts) {
			var name string
			var n, low, high int
			fmt.Sscanf(strings.ReplaceAll(text, ":", " "), "%s %d %d %d", &name, &n, &low, &high)
			for k := range n {
				gs = append(gs, shape(name, low+k%(high-low)))
			}
		}
		return gs
	}
	p := NewProfile(list("path:400:10:50"), [SaltSize]byte{})
	var b strings.Builder
	for _, texts := range []string{"path:200:10:50", "path:60:45:85", "path:60:2:10", "path:3:45:48", "path:12:45:57", "path:11:45:56", "path:24:45:69 path:36:25:27", "path:23:45:68 path:37:25:27", "star:60:30:32", "ring:60:10:50", "star:40:4:5 path:60:25:27"} {
		fmt.Fprintf(&b, "%s\n\t%s\n", texts, strings.Join(Differences(p, list(texts)), "\n\t"))
	}
	golden.Same(t, "testdata/differences.txt", b.String())
	if molecules := parse(t, "CC"); Differences(nil, molecules) != nil || Differences(p, nil) != nil || !slices.Equal(Differences(p, molecules), nil) {
		t.Error("of nothing there are differences")
	}
}
