package picture

import (
	"math"
	"slices"
	"testing"

	"baca/algo/decide"
	"baca/app/table"
	"baca/wasm/message"
)

// storyPictures are those of the lab's scenes.
func storyPictures(saved bool) map[string]string {
	rows := &table.Rows{Verdict: []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside, decide.Undecided}}
	on := message.Map{Training: message.Singles{0, 0, 1, 1}, Records: message.Ints{0, 1, 2, 3}, Batch: message.Singles{0, 1, 1, 0, 2, 2, 3, 3}, At: message.Singles{1, 0}, Nearest: message.Singles{1, 1}, ShareX: 0.5, ShareY: 0.2}
	chain := &message.Traced{Atoms: []message.Atom{{Symbol: "C"}, {Symbol: "O"}, {Symbol: "<"}}, Bonds: []message.Bond{{From: 0, To: 1}, {From: 1, To: 2}}}
	return map[string]string{
		"marked":  Plot{Width: 400, Height: 200, Title: "Loss", X: []float64{1, 2, 3}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3, 2, 1}}}, Mark: 2}.SVG(saved),
		"map":     Map{Title: "A & B", On: on, Rows: rows, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"nomap":   Map{Title: "None", Rows: rows, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"chain":   Structure{Title: "A & B", Trace: chain, Lit: 1, At: (&Places{}).Find(&Album{}, "", chain), Width: 300, Height: 200}.SVG(saved),
		"drawn":   Drawn{Title: "Two parts", Nodes: 5, Edges: message.Ints{0, 1, 2, 3, 3, 4}, Side: 100, Role: "inside"}.SVG(saved),
		"no edge": Drawn{Title: "None", Side: 100, Role: "inside"}.SVG(saved),
	}
}

// Neighbours of a drawn graph stand near each other, and parts beside each other.
func TestSprings(t *testing.T) {
	var bonds []message.Bond
	for i := range 6 {
		bonds = append(bonds, message.Bond{From: i, To: (i + 1) % 6}) // a ring
	}
	bonds = append(bonds, message.Bond{From: 6, To: 7}, message.Bond{From: 8, To: 9})
	at := springs(10, bonds)
	apart := func(i, j int) float64 { return math.Hypot(at[i][0]-at[j][0], at[i][1]-at[j][1]) }
	for i := range 6 {
		if near, far := apart(i, (i+1)%6), apart(i, (i+3)%6); near < 0.5 || near > 1.6 || far < 1.5*near {
			t.Errorf("node %d of the ring is %g from its neighbour and %g from the opposite one", i, near, far)
		}
		for _, other := range []int{6, 7, 8, 9} {
			if d := apart(i, other); d < 0.5 {
				t.Errorf("nodes %d and %d of different parts are %g apart", i, other, d)
			}
		}
	}
	if !slices.Equal(at, springs(10, bonds)) {
		t.Error("the same graph stands otherwise the second time")
	}
}
