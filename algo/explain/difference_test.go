package explain

import (
	"fmt"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/sample"
)

// Of paths, stars and rings it is said in what many of them differ from paths of 10 to 49 nodes.
func TestDifferences(t *testing.T) {
	list := func(texts string) (gs []*graph.Graph) {
		for _, text := range strings.Fields(texts) {
			var name string
			var n, low, high int
			fmt.Sscanf(strings.ReplaceAll(text, ":", " "), "%s %d %d %d", &name, &n, &low, &high)
			for k := range n {
				gs = append(gs, sample.Shape(name, low+k%(high-low)))
			}
		}
		return gs
	}
	p := NewProfile(list("path:400:10:50"))
	golden.Table(t, "testdata/differences.txt", 1, func(f []string) string { return strings.Join(Differences(p, list(f[0])), "; ") })
	if Differences(nil, list("path:9:5:9")) != nil || Differences(p, nil) != nil {
		t.Error("of nothing there are differences")
	}
}
