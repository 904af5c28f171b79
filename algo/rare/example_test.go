package rare_test

import (
	"fmt"
	"strings"

	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/rare"
)

// The training set is of alcohols. A chlorine is strange, a longer chain is not.
func Example() {
	var training []*graph.Graph
	for n := range 100 {
		g, _ := smiles.ParseGraph(strings.Repeat("C", 1+n%10) + "O")
		training = append(training, g)
	}
	table := rare.New(training, nil)
	for _, text := range []string{"CCCCCCCCCCCO", "CCCCCCl"} {
		g, _ := smiles.ParseGraph(text)
		fmt.Printf("%s: %.1f\n", text, rare.Raise(table.Level(g)))
	}
	// Output:
	// CCCCCCCCCCCO: 0.0
	// CCCCCCl: 2.4
}
