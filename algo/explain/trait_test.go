package explain

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// Traits tell molecules apart as chemists do. A line of the file is a molecule and the lists that it is on.
func TestTraits(t *testing.T) {
	const file = "testdata/traits.txt"
	var b strings.Builder
	on := func(g *graph.Graph) string {
		var names []string
		for _, trait := range Traits {
			if trait.List != "" && trait.Of(g) {
				names = append(names, trait.List)
			}
		}
		return strings.Join(names, ", ")
	}
	for line := range strings.Lines(string(must.Have(os.ReadFile(file)))) {
		text, _, _ := strings.Cut(line, "\t")
		fmt.Fprintf(&b, "%s\t%s\n", text, on(parse(t, text)[0]))
	}
	golden.Same(t, file, b.String())
	if got := on(shape("ring", 9)); got != "one ring" {
		t.Errorf("a plain ring is %q", got)
	}
}
