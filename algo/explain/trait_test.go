package explain

import (
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/sample"
)

// Traits tell molecules apart as chemists do.
func TestTraits(t *testing.T) {
	on := func(g *graph.Graph) string {
		var names []string
		for _, trait := range Traits {
			if trait.List != "" && trait.Of(g) {
				names = append(names, trait.List)
			}
		}
		return strings.Join(names, ", ")
	}
	golden.Table(t, "testdata/traits.txt", 1, func(f []string) string { return on(parse(t, f[0])[0]) })
	if got := on(sample.Shape("ring", 9)); got != "one ring" {
		t.Errorf("a plain ring is %q", got)
	}
}
