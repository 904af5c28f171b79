package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/explain"
)

// profile writes the profile, empty bins for none.
func (w *writer) profile(p *explain.Profile) {
	w.fields("profile", profileEntries)
	if p == nil {
		p = new(explain.Profile)
	}
	var quantiles []float32
	for _, row := range p.Quantiles {
		for _, x := range row {
			quantiles = append(quantiles, float32(x))
		}
	}
	w.floats("quantiles", quantiles)
	var values []byte
	for _, list := range p.Values {
		values = binary.AppendUvarint(values, uint64(len(list)))
		last := int64(0)
		for i, v := range list {
			if i == 0 {
				values = binary.AppendVarint(values, int64(v.Of))
			} else {
				values = binary.AppendUvarint(values, uint64(int64(v.Of)-last-1))
			}
			last = int64(v.Of)
			values = binary.AppendUvarint(values, uint64(v.Graphs))
		}
	}
	w.bytes("values", values)
	w.bytes("salt", p.Known.Salt[:])
	w.count("bits", &p.Known.Bits)
	w.gaps("hashes", p.Known.Hashes)
}

// profile reads a profile for that many features, nil for none.
func (r *reader) profile(features int) *explain.Profile {
	r.fields("profile", profileEntries)
	var quantiles []float32
	r.allFloats("quantiles", &quantiles)
	values := r.bin("values")
	p := new(explain.Profile)
	copy(p.Known.Salt[:], r.bytes("salt", explain.SaltSize))
	r.count("bits", &p.Known.Bits)
	if p.Known.Bits > 32 {
		r.fail(ErrNumber, "hashes of %d bits, want 0 to 32", p.Known.Bits)
	}
	p.Known.Hashes = r.gaps("hashes", "hash", p.Known.Bits)
	if len(quantiles) == 0 && len(values) == 0 && len(p.Known.Hashes) == 0 && p.Known.Bits == 0 {
		return nil
	}
	const levels = explain.LevelCount
	if want := levels * explain.StatisticCount; len(quantiles) != want {
		r.fail(ErrFormat, "quantiles has %d values, want %d", len(quantiles), want)
	}
	for row := range slices.Chunk(quantiles, levels) {
		q := make([]float64, levels)
		for l, x := range row {
			q[l] = float64(x)
		}
		p.Quantiles = append(p.Quantiles, q)
	}
	for column := range features {
		p.Values = append(p.Values, r.values(column, &values))
	}
	if len(values) > 0 {
		r.fail(ErrFormat, "values has %d bytes after the last of %d features", len(values), features)
	}
	return p
}

// maxValue bounds feature values: float32 is exact up to it.
const maxValue = 1 << 24

// values reads one feature's values from the front of b.
func (r *reader) values(column int, b *[]byte) []explain.Value {
	var n uint64
	n, *b = r.uvarint("feature", column, *b)
	if n > uint64(len(*b))/2 {
		r.fail(ErrFormat, "feature %d announces %d values of at least 2 bytes, %d bytes remain", column, n, len(*b))
	}
	list := make([]explain.Value, n)
	last := int64(0)
	for i := range list {
		if i == 0 {
			v, size := binary.Varint(*b)
			if size <= 0 {
				r.fail(ErrFormat, "feature %d ends within a number", column)
			}
			last, *b = v, (*b)[size:]
		} else {
			var gap uint64
			gap, *b = r.uvarint("feature", column, *b)
			last += int64(min(gap, 2*maxValue)) + 1
		}
		var graphs uint64
		graphs, *b = r.uvarint("feature", column, *b)
		list[i] = explain.Value{Of: int(last), Graphs: int(graphs)}
	}
	return list
}

// checkProfile rejects a profile that no file can hold.
func checkProfile(m *algo.Model) error {
	p := m.Profile
	if p == nil {
		return nil
	}
	if len(p.Quantiles) != explain.StatisticCount || len(p.Values) != m.Encoder.Features {
		return fmt.Errorf("%w: a profile of %d statistics and %d features, want %d and %d", ErrRows, len(p.Quantiles), len(p.Values), explain.StatisticCount, m.Encoder.Features)
	}
	for k, row := range p.Quantiles {
		if len(row) != explain.LevelCount {
			return fmt.Errorf("%w: statistic %d has %d quantiles, want %d", ErrRows, k, len(row), explain.LevelCount)
		}
		for l, x := range row {
			if !finite(x) || math.Abs(x) > math.MaxFloat32 || l > 0 && float32(x) < float32(row[l-1]) {
				return fmt.Errorf("%w: quantiles %g of statistic %d, want finite and ascending numbers", ErrNumber, row, k)
			}
		}
	}
	for column, list := range p.Values {
		for i, v := range list {
			if v.Graphs < 1 || v.Graphs > m.Card.Train || v.Of < -maxValue || v.Of > maxValue || i > 0 && v.Of <= list[i-1].Of {
				return fmt.Errorf("%w: feature %d has the value %d in %d of %d training graphs, want ascending values of ±%d at most", ErrNumber, column, v.Of, v.Graphs, m.Card.Train, maxValue)
			}
		}
	}
	k := &p.Known
	if k.Bits < 0 || k.Bits > 32 || len(k.Hashes) > m.Card.Train {
		return fmt.Errorf("%w: %d hashes of %d bits for %d training graphs", ErrRows, len(k.Hashes), k.Bits, m.Card.Train)
	}
	for i, h := range k.Hashes {
		if uint64(h) >= 1<<k.Bits || i > 0 && h <= k.Hashes[i-1] {
			return fmt.Errorf("%w: hash %d is %#x, want ascending ones of %d bits", ErrNumber, i, h, k.Bits)
		}
	}
	return nil
}

// checkShared rejects scores that no file can hold.
func checkShared(m *algo.Model) error {
	if m.Shared < 0 || m.Shared > m.Card.Train {
		return fmt.Errorf("%w: made for sharing by groups of %d of %d training graphs", ErrNumber, m.Shared, m.Card.Train)
	}
	if m.Shared == 0 && len(m.Reference) > 0 {
		return fmt.Errorf("%w: %d scores of held-out graphs in a model that is not made for sharing", ErrRows, len(m.Reference))
	}
	if m.Shared > 0 && (m.Holdout.Len() > 0 || len(m.Card.HoldoutRows) > 0 || m.Profile != nil && len(m.Profile.Known.Hashes) > 0) {
		return fmt.Errorf("%w: a model made for sharing has held-out graphs or hashes of training graphs", ErrRows)
	}
	if len(m.Reference) > maxRows {
		return fmt.Errorf("%w: %d scores of held-out graphs, want at most %d", ErrTooLarge, len(m.Reference), maxRows)
	}
	if n := m.Card.Graphs - m.Card.Train; m.Card.Holdout == "" && len(m.Reference) > n {
		return fmt.Errorf("%w: %d scores of held-out graphs, only %d graphs were not trained on", ErrRows, len(m.Reference), n)
	}
	for i, x := range m.Reference {
		if !finite(x) || math.Abs(x) > math.MaxFloat32 || i > 0 && x < m.Reference[i-1] {
			return fmt.Errorf("%w: score %d of held-out graphs is %g, want ascending finite numbers", ErrNumber, i, x)
		}
	}
	return nil
}
