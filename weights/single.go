package weights

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/molecule"
	"baca/algo/near"
)

// foldBytes is the length of a fold: the exponent of its unit, a byte for each weight, and the
// intercept.
const foldBytes = 1 + background.Buckets + 4

// unit returns the least exponent of a power of two for which weights are −127 to 127 units.
// Written again, they lose nothing.
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

// 2⁻³⁰ is negligible, 2⁶ gives the largest weights.
const minUnit, maxUnit = -30, 6

// background writes the background head, empty bins and zeros for none.
func (w *writer) background(h *background.Head, s *background.Sizes) {
	w.fields("background", backgroundEntries)
	var weights []byte
	var curve []float32
	if h == nil {
		h, s = new(background.Head), new(background.Sizes)
	} else {
		for _, fold := range h.Weights {
			k := unit(fold[:background.Buckets])
			weights = append(weights, byte(int8(k)))
			for _, x := range fold[:background.Buckets] {
				weights = append(weights, byte(int8(math.RoundToEven(float64(x)/math.Ldexp(1, k)))))
			}
			weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(fold[background.Buckets]))
		}
		for _, list := range [][background.SizeKnots]float64{s.Mean, s.Deviation} {
			for _, x := range list {
				curve = append(curve, float32(x))
			}
		}
	}
	w.bytes("weights", weights)
	backgroundFields(w, h, s)
	w.floats("sizes", curve)
}

func backgroundFields(c codec, h *background.Head, s *background.Sizes) {
	c.real("mean", &h.Mean)
	c.real("deviation", &h.Deviation)
	c.real("auc", &h.AUC)
	c.count("smallest", &s.Low)
	c.count("largest", &s.High)
}

// background reads the background head, nil for none.
func (r *reader) background() (*background.Head, *background.Sizes) {
	r.fields("background", backgroundEntries)
	weights := r.bin("weights")
	h, s := new(background.Head), new(background.Sizes)
	backgroundFields(r, h, s)
	var curve []float32
	r.allFloats("sizes", &curve)
	if len(weights) == 0 && len(curve) == 0 && h.Deviation == 0 {
		return nil, nil
	}
	if len(weights) != background.Folds*foldBytes || len(curve) != 2*background.SizeKnots {
		r.fail(ErrFormat, "a background of %d bytes of weights and %d values of sizes, want %d and %d", len(weights), len(curve), background.Folds*foldBytes, 2*background.SizeKnots)
	}
	for f := range h.Weights {
		part := weights[f*foldBytes : (f+1)*foldBytes]
		k := int(int8(part[0]))
		if k < minUnit || k > maxUnit {
			r.fail(ErrNumber, "weights of fold %d in units of 2^%d, want %d to %d", f, k, minUnit, maxUnit)
		}
		h.Weights[f] = make([]float32, background.Buckets+1)
		for i, b := range part[1 : 1+background.Buckets] {
			h.Weights[f][i] = float32(math.Ldexp(float64(int8(b)), k))
		}
		h.Weights[f][background.Buckets] = math.Float32frombits(binary.LittleEndian.Uint32(part[1+background.Buckets:]))
	}
	for k := range background.SizeKnots {
		s.Mean[k], s.Deviation[k] = float64(curve[k]), float64(curve[background.SizeKnots+k])
	}
	return h, s
}

// maxWeight bounds weights, so that sums are finite.
const maxWeight = 127 << maxUnit

// checkBackground rejects a background that no file can hold, or that gives no score.
func checkBackground(m *algo.Model) error {
	h, s := m.Background, m.Sizes
	if (h == nil) != (s == nil) || h == nil && m.Card.BackgroundGraphs > 0 {
		return fmt.Errorf("%w: a background, its sizes and its card: want all or none", ErrRows)
	}
	if m.Card.BackgroundGraphs < 0 {
		return fmt.Errorf("%w: a background of %d graphs", ErrNumber, m.Card.BackgroundGraphs)
	}
	if h == nil {
		return nil
	}
	if m.Encoder.Features != molecule.Features {
		return fmt.Errorf("%w: a background of molecules for graphs of %d features", ErrSchema, m.Encoder.Features)
	}
	for _, fold := range h.Weights {
		if len(fold) != background.Buckets+1 {
			return fmt.Errorf("%w: a background has %d weights, want %d", ErrRows, len(fold), background.Buckets+1)
		}
		for i, x := range fold {
			if !(math.Abs(float64(x)) <= maxWeight) {
				return fmt.Errorf("%w: weight %d of the background is %g, want ±%g at most", ErrNumber, i, x, float64(maxWeight))
			}
		}
	}
	if !finite(h.Mean) || !(h.Deviation >= 1e-6 && h.Deviation <= maxWeight) || !(h.AUC >= 0 && h.AUC <= 1) || math.Abs(h.Mean) > 1e12 {
		return fmt.Errorf("%w: logits of the background with mean %g, deviation %g and AUC %g", ErrNumber, h.Mean, h.Deviation, h.AUC)
	}
	if s.Low < 1 || s.High < s.Low || s.High > math.MaxInt32 {
		return fmt.Errorf("%w: training graphs of %d to %d nodes", ErrNumber, s.Low, s.High)
	}
	for k := range s.Mean {
		if !(math.Abs(s.Mean[k]) <= maxWeight) || !(s.Deviation[k] >= 1e-6 && s.Deviation[k] <= maxWeight) {
			return fmt.Errorf("%w: size %d has mean %g and deviation %g", ErrNumber, k, s.Mean[k], s.Deviation[k])
		}
	}
	return nil
}

// measured writes cached scores, zeros for none.
func (w *writer) measured(v *algo.Measured) {
	if v == nil {
		v = new(algo.Measured)
	}
	w.fields("measured", measuredEntries)
	w.count("rules", &v.Rules)
	var scales []float64
	if v.Rules > 0 {
		for _, s := range append(v.Scales.Parts[:], v.Scales.Sum) {
			scales = append(scales, s.Mean, s.Deviation)
		}
	}
	w.doubles("scales", scales)
	w.doubles("holdout", v.Holdout)
}

// measured reads cached scores, nil for none.
func (r *reader) measured(holdout *contrast.Representation) *algo.Measured {
	v := new(algo.Measured)
	r.fields("measured", measuredEntries)
	r.count("rules", &v.Rules)
	if v.Rules == 0 {
		r.bytes("scales", 0)
		r.bytes("holdout", 0)
		return nil
	}
	n := len(v.Scales.Parts)
	scales := r.doubles("scales", 2*(n+1))
	v.Holdout = r.doubles("holdout", holdout.Len())
	for k := range v.Scales.Parts {
		v.Scales.Parts[k] = near.Scale{Mean: scales[2*k], Deviation: scales[2*k+1]}
	}
	v.Scales.Sum = near.Scale{Mean: scales[2*n], Deviation: scales[2*n+1]}
	return v
}

// checkMeasured rejects impossible cached scores.
func checkMeasured(v *algo.Measured, holdout int) error {
	if v == nil {
		return nil
	}
	if v.Rules < 1 || len(v.Holdout) != holdout {
		return fmt.Errorf("%w: %d scores of %d held-out graphs, by rules %d", ErrRows, len(v.Holdout), holdout, v.Rules)
	}
	for _, s := range append(v.Scales.Parts[:], v.Scales.Sum) {
		// The mean is NaN where no graph has the part.
		if math.IsInf(s.Mean, 0) || !(s.Deviation > 0) || math.IsInf(s.Deviation, 0) {
			return fmt.Errorf("%w: a scale of mean %g and deviation %g", ErrNumber, s.Mean, s.Deviation)
		}
	}
	for i, x := range v.Holdout {
		if math.IsInf(x, 0) {
			return fmt.Errorf("%w: held-out graph %d scores %g", ErrNumber, i, x)
		}
	}
	return nil
}

// doubles writes float64 numbers, with a single NaN.
func (w *writer) doubles(key string, v []float64) {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		if math.IsNaN(x) {
			x = math.NaN()
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	w.bytes(key, b)
}

// doubles reads n numbers.
func (r *reader) doubles(key string, n int) []float64 {
	b := r.bytes(key, 8*n)
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}

// SaveMeasured is [Save] with cached scores, measured on the model as the file rounds it.
func SaveMeasured(ctx context.Context, workers int, w io.Writer, m *algo.Model) error {
	var b bytes.Buffer
	if err := Save(&b, m); err != nil {
		return err
	}
	rounded, err := Load(b.Bytes())
	if err != nil {
		return err
	}
	if err := rounded.Measure(ctx, workers); err != nil {
		return err
	}
	return Save(w, rounded)
}
