package weights

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/background"
	"baca/algo/molecule"
	"baca/algo/near"
)

// foldBytes is the number of bytes of a fold: the exponent of its unit, a byte for each weight, and the intercept.
const foldBytes = 1 + background.Buckets + 4

// unit returns the lowest exponent, from minUnit to maxUnit, of a power of two in which all weights lie from −127 to 127
// units. Weights that were read from a file lose nothing when they are written again.
func unit(weights []float32) int {
	most := 0.0
	for _, x := range weights {
		most = max(most, math.Abs(float64(x)))
	}
	k := minUnit
	for k < maxUnit && most > 127*math.Ldexp(1, k) {
		k++
	}
	return k
}

// minUnit and maxUnit bound the exponent: 2⁻³⁰ is negligible, and 2⁶ allows the largest weights.
const minUnit, maxUnit = -30, 6

// background writes or reads the background's head and sizes. Empty bins and zeros stand for no background.
func (c *codec) background(m *algo.Model) {
	h, s := new(background.Head), new(background.Sizes)
	var weights []byte
	var curve []float64
	if c.writes && m.Background != nil {
		h, s = m.Background, m.Sizes
		for _, fold := range h.Weights {
			weights = append(weights, inUnits(fold)...)
		}
		curve = append(s.Mean[:], s.Deviation[:]...)
	}
	c.fields("background", backgroundEntries)
	weights = c.bin("weights", weights)
	c.real("mean", &h.Mean)
	c.real("deviation", &h.Deviation)
	c.real("auc", &h.AUC)
	c.count("smallest", &s.Low)
	c.count("largest", &s.High)
	c.rounded("sizes", &curve)
	if c.writes || len(weights) == 0 && len(curve) == 0 && h.Deviation == 0 {
		return
	}
	c.require(len(weights) == background.Folds*foldBytes && len(curve) == 2*background.SizeKnots, ErrFormat,
		"a background of %d bytes of weights and %d values of sizes, "+
			"want %d and %d", len(weights), len(curve), background.Folds*foldBytes, 2*background.SizeKnots)
	for f := range h.Weights {
		h.Weights[f] = c.outOfUnits(f, weights[f*foldBytes:(f+1)*foldBytes])
	}
	copy(s.Mean[:], curve)
	copy(s.Deviation[:], curve[background.SizeKnots:])
	m.Background, m.Sizes = h, s
}

// inUnits encodes the weights of a fold in foldBytes.
func inUnits(fold []float32) []byte {
	k := unit(fold[:background.Buckets])
	b := []byte{byte(int8(k))}
	for _, x := range fold[:background.Buckets] {
		b = append(b, byte(int8(math.RoundToEven(float64(x)/math.Ldexp(1, k)))))
	}
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(fold[background.Buckets]))
}

// outOfUnits returns the weights of a fold that inUnits encoded. It fails for a unit out of range.
func (c *codec) outOfUnits(fold int, b []byte) []float32 {
	k := int(int8(b[0]))
	c.require(k >= minUnit && k <= maxUnit, ErrNumber, "weights of fold %d in units of 2^%d, want %d to %d", fold, k, minUnit, maxUnit)
	list := make([]float32, background.Buckets+1)
	for i, u := range b[1 : 1+background.Buckets] {
		list[i] = float32(math.Ldexp(float64(int8(u)), k))
	}
	c.single(b[1+background.Buckets:], &list[background.Buckets])
	return list
}

// maxWeight bounds each weight, which keeps sums finite.
const maxWeight = 127 << maxUnit

// checkBackground fails for a background that is incomplete, of plain graphs, or has numbers out of range, from which no
// score could be computed. Without a background the card must have none.
func checkBackground(m *algo.Model) {
	h, s := m.Background, m.Sizes
	require((h == nil) == (s == nil) && (h != nil || m.Card.BackgroundGraphs <= 0), ErrRows,
		"a background, its sizes and its card: want all or none")
	require(m.Card.BackgroundGraphs >= 0, ErrNumber, "a background of %d graphs", m.Card.BackgroundGraphs)
	if h == nil {
		return
	}
	require(m.Encoder.Features == molecule.Features, ErrSchema, "a background of molecules for graphs of %d features", m.Encoder.Features)
	for _, fold := range h.Weights {
		require(len(fold) == background.Buckets+1, ErrRows, "a background has %d weights, want %d", len(fold), background.Buckets+1)
		for i, x := range fold {
			if !(math.Abs(float64(x)) <= maxWeight) {
				fail(ErrNumber, "weight %d of the background is %g, want ±%g at most", i, x, float64(maxWeight))
			}
		}
	}
	require(math.Abs(h.Mean) <= 1e12 && h.Deviation >= 1e-6 && h.Deviation <= maxWeight && h.AUC >= 0 && h.AUC <= 1, ErrNumber,
		"logits of the background with mean %g, deviation %g and AUC %g", h.Mean, h.Deviation, h.AUC)
	require(s.Low >= 1 && s.High >= s.Low && s.High <= math.MaxInt32, ErrNumber, "training graphs of %d to %d nodes", s.Low, s.High)
	for k, mean := range s.Mean {
		require(math.Abs(mean) <= maxWeight && s.Deviation[k] >= 1e-6 && s.Deviation[k] <= maxWeight, ErrNumber,
			"size %d has mean %g and deviation %g", k, mean, s.Deviation[k])
	}
}

// measured writes or reads cached scores. Rules 0 and empty bins stand for none.
func (c *codec) measured(m *algo.Model) {
	v := new(algo.Measured)
	if c.writes && m.Measured != nil {
		v = m.Measured
	}
	c.fields("measured", measuredEntries)
	c.count("rules", &v.Rules)
	var scales []near.Scale
	holdout := 0
	if v.Rules > 0 {
		scales, holdout = append(v.Scales.Parts[:], v.Scales.Sum), m.Holdout.Len()
	}
	values(c, "scales", &scales, len(scales), 16, func(b []byte, s *near.Scale) {
		c.double(b, &s.Mean)
		c.double(b[8:], &s.Deviation)
	})
	values(c, "holdout", &v.Holdout, holdout, 8, c.double)
	if v.Rules > 0 && !c.writes {
		n := copy(v.Scales.Parts[:], scales)
		v.Scales.Sum, m.Measured = scales[n], v
	}
}

// checkMeasured fails unless there is a cached score, or NaN, for each held-out graph, and scales and scores are not
// infinite. v may be nil.
func checkMeasured(v *algo.Measured, holdout int) {
	if v == nil {
		return
	}
	require(v.Rules >= 1 && len(v.Holdout) == holdout, ErrRows,
		"%d scores of %d held-out graphs, by rules %d", len(v.Holdout), holdout, v.Rules)
	for _, s := range append(v.Scales.Parts[:], v.Scales.Sum) {
		// The mean is NaN where no graph has the part.
		require(!math.IsInf(s.Mean, 0) && s.Deviation > 0 && !math.IsInf(s.Deviation, 0), ErrNumber,
			"a scale of mean %g and deviation %g", s.Mean, s.Deviation)
	}
	for i, x := range v.Holdout {
		if math.IsInf(x, 0) {
			fail(ErrNumber, "held-out graph %d scores %g", i, x)
		}
	}
}

// SaveMeasured is [Save] with cached scores. They are measured on the model as the file rounds it.
func SaveMeasured(ctx context.Context, workers int, w io.Writer, m *algo.Model) error {
	var b bytes.Buffer
	if err := Save(&b, m); err != nil {
		return err
	}
	rounded, err := Load(b.Bytes())
	if err != nil {
		return err
	}
	if err := alone.Measure(ctx, workers, rounded); err != nil {
		return err
	}
	return Save(w, rounded)
}
