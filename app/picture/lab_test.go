package picture

import (
	"baca/algo/decide"
	"baca/app/table"
	"baca/wasm/message"
)

// storyPictures are those of the lab's scenes.
func storyPictures(saved bool) map[string]string {
	rows := &table.Rows{Verdict: []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside, decide.Undecided}}
	on := message.Map{Training: message.Singles{0, 0, 1, 1}, Records: message.Ints{0, 1, 2, 3}, Batch: message.Singles{0, 1, 1, 0, 2, 2, 3, 3}, At: message.Singles{1, 0}, Nearest: message.Singles{1, 1}, ShareX: 0.5, ShareY: 0.2}
	chain := &message.Traced{Drawing: message.Drawing{Atoms: []string{"C", "O", "<"}, Bonds: []message.Bond{{From: 0, To: 1}, {From: 1, To: 2}}}}
	return map[string]string{
		"marked": Plot{Width: 400, Height: 200, Title: "Loss", X: []float64{1, 2, 3}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3, 2, 1}}}, Mark: 2}.SVG(saved),
		"map":    Map{Title: "A & B", On: on, Rows: rows, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"nomap":  Map{Title: "None", Rows: rows, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"chain":  Structure{Title: "A & B", Trace: chain, Lit: 1, At: [][2]float64{{0, 0}, {1, 0}, {2, 0}}[:len(chain.Atoms)], Width: 300, Height: 200}.SVG(saved),
	}
}
