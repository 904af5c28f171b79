package engine

import (
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/feature/drift"
	"baca/wasm/message"
)

// driftPiece graphs are scored at a time.
const driftPiece = 32

// drifted runs the drift test on the open input, in its order. It finds the record at which the test first rejects that
// the list is like the training set, at level drift.Delta, or "none seen".
func (e *Engine) drifted(t *task) (*message.Found, error) {
	d, moved := drift.New(t.alone, algo.DefaultOptions().Seed), ""
	err := d.Watch(t, t.alone, driftPiece, e.input.records(nil, e.form().Unordered()), func(r dataset.Record, _, _ float64) error {
		if moved == "" && d.Log() >= -math.Log10(drift.Delta) {
			moved = r.ID
		}
		t.showProgress(message.StageAsk, r.Row, e.input.opened.Records)
		return t.Err()
	})
	if err != nil {
		return nil, err
	}
	found := &message.Found{Short: "none seen",
		HTML: drift.HTML(!e.card.Molecules, d.Wealth, drift.Delta, func(int) string { return moved })}
	if moved != "" {
		found.Short = "moved"
	}
	return found, nil
}
