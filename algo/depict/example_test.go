package depict_test

import (
	"fmt"
	"strings"

	"baca/algo/depict"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
)

// A drawing is an element of SVG, to be put into a page as it is.
func ExampleMolecule() {
	m, err := smiles.Parse("CO")
	if err != nil {
		fmt.Println(err)
		return
	}
	values := []float64{-1, 2} // the oxygen is what makes it unusual
	svg := depict.Molecule(m, values, nil, "methanol")
	fmt.Println(strings.ReplaceAll(svg, "><", ">\n<"))
	// Output:
	// <svg class="drawing" viewBox="0 0 58.0 32.0" width="58" height="32" role="img">
	// <title>methanol</title>
	// <circle cx="16.0" cy="16.0" r="9.2" fill="#0072b2" opacity="0.43"/>
	// <circle cx="42.0" cy="16.0" r="11.0" fill="#d55e00" opacity="0.70"/>
	// <g stroke="#222" stroke-width="1.3" stroke-linecap="round" fill="none">
	// <path d="M16.0 16.0L34.5 16.0"/>
	// </g>
	// <text x="42.0" y="20.2" text-anchor="middle">OH</text>
	// </svg>
}

// Graphs that are no molecules have dots for nodes, here with a dashed ring around the
// first.
func ExampleGraph() {
	square, _, err := graph.New(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	svg := depict.Graph(square, nil, []bool{true, false, false, false}, "a square")
	fmt.Println(strings.Count(svg, "<circle"), "circles,", strings.Count(svg, "stroke-dasharray"), "dashed")
	// Output:
	// 5 circles, 1 dashed
}
