package session

import (
	"math"

	"baca/algo/decide"
	"baca/wasm/message"
)

// AboveLimit are the contributions of a detail, which add up to how far the score is above
// the line between inside and outside. The line may have been moved since.
func (s *Session) AboveLimit(d *message.Detailed) []float64 {
	limit, ok := decide.Threshold(s.References[EachAlone], s.Alpha)
	if !ok || limit == d.Limit {
		return d.Contribution
	}
	read := 0.0
	for _, c := range d.Contribution {
		if !math.IsNaN(c) {
			read++
		}
	}
	moved := make([]float64, len(d.Contribution))
	for i, c := range d.Contribution {
		moved[i] = c + (d.Limit-limit)/read
	}
	return moved
}

// Blame names the part of a graph that makes it look outside most: that of the first reason
// which is about some of its atoms. Empty where none is.
func Blame(d *message.Detailed) string {
	for _, r := range d.Reasons {
		if r.About != "" && len(r.Atoms) > 0 {
			return "What matters most: " + r.About + "."
		}
	}
	return ""
}
