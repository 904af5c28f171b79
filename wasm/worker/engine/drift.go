package engine

import (
	"cmp"
	"math"

	"baca/algo/job"
	"baca/algo/report"
	"baca/algo/table"
	"baca/wasm/message"
)

const driftPiece = 32

// drifted runs the drift test on the open input.
func (e *Engine) drifted(t *task, r *message.Drift) (*message.Found, error) {
	delta := cmp.Or(r.Delta, job.DriftDelta)
	if !(delta > 0 && delta < 1) {
		return nil, failf(message.CodeBadOption, "rate of false alarms %g: want a number between 0 and 1", delta)
	}
	d, moved := job.NewDrift(t.alone, cmp.Or(r.Seed, 1)), ""
	err := d.Watch(t, t.alone, driftPiece, e.input.records(nil, e.form().Unordered()), func(r table.Record, _, _ float64) error {
		if moved == "" && d.Log() >= -math.Log10(delta) {
			moved = r.ID
		}
		t.showProgress(message.StageDrift, r.Row, e.input.opened.Records)
		return t.Err()
	})
	if err != nil {
		return nil, err
	}
	found := &message.Found{Short: "none seen", HTML: report.DriftHTML(d.Wealth, delta, func(int) string { return moved })}
	if moved != "" {
		found.Short = "moved"
	}
	return found, nil
}
