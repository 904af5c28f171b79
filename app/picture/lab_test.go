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
	return map[string]string{
		"marked": Plot{Width: 400, Height: 200, Title: "Loss", X: []float64{1, 2, 3}, Curves: []Curve{{Name: "loss", Role: "line", Y: []float64{3, 2, 1}}}, Mark: 2}.SVG(saved),
		"map":    Map{Title: "A & B", On: on, Verdict: func(r int32) decide.Verdict { return rows.Verdict[r] }, Shown: 2, Width: 300, Height: 200}.SVG(saved),
		"nomap":  Map{Title: "None", Verdict: func(r int32) decide.Verdict { return rows.Verdict[r] }, Shown: 2, Width: 300, Height: 200}.SVG(saved),
	}
}
