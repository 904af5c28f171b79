package weights

import (
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/explain"
)

// profile is the profile, empty bins for none.
func (c *codec) profile(m *algo.Model) {
	p := new(explain.Profile)
	if c.writes && m.Profile != nil {
		p = m.Profile
	}
	known, quantiles := &p.Known, slices.Concat(p.Quantiles...)
	c.fields("profile", profileEntries)
	c.rounded("quantiles", &quantiles)
	var values []byte
	for column := range p.Values {
		c.feature(column, &values, &p.Values[column])
	}
	values = c.bin("values", values)
	salt := c.sized("salt", known.Salt[:], explain.SaltSize)
	if !c.writes {
		copy(known.Salt[:], salt)
	}
	if c.count("bits", &known.Bits); known.Bits > 32 {
		c.fail(ErrNumber, "hashes of %d bits, want 0 to 32", known.Bits)
	}
	c.gaps("hashes", "hash", known.Bits, &known.Hashes)
	if c.writes || len(quantiles) == 0 && len(values) == 0 && len(known.Hashes) == 0 && known.Bits == 0 {
		return
	}
	const levels = explain.LevelCount
	if want := levels * explain.StatisticCount; len(quantiles) != want {
		c.fail(ErrFormat, "quantiles has %d values, want %d", len(quantiles), want)
	}
	p.Quantiles = slices.Collect(slices.Chunk(quantiles, levels))
	p.Values = make([][]explain.Value, m.Encoder.Features)
	for column := range p.Values {
		c.feature(column, &values, &p.Values[column])
	}
	if len(values) > 0 {
		c.fail(ErrFormat, "values has %d bytes after the last of %d features", len(values), len(p.Values))
	}
	m.Profile = p
}

// maxValue bounds feature values: float32 is exact up to it.
const maxValue = 1 << 24

// feature is one feature's values, at the end of b when written, at its front when read.
func (c *codec) feature(column int, b *[]byte, list *[]explain.Value) {
	n := uint64(len(*list))
	if c.uvarint("feature", column, b, &n); !c.writes {
		if n > uint64(len(*b))/2 {
			c.fail(ErrFormat, "feature %d announces %d values of at least 2 bytes, %d bytes remain", column, n, len(*b))
		}
		*list = make([]explain.Value, n)
	}
	last := int64(0)
	for i := range *list {
		v := &(*list)[i]
		step, graphs := uint64(int64(v.Of)-last-1), uint64(v.Graphs)
		if i == 0 { // signed, as in binary.PutVarint
			step = uint64(int64(v.Of)<<1 ^ int64(v.Of)>>63)
		}
		c.uvarint("feature", column, b, &step)
		c.uvarint("feature", column, b, &graphs)
		switch {
		case c.writes:
			last = int64(v.Of)
			continue
		case i == 0:
			last = int64(step>>1) ^ -int64(step&1)
		default:
			last += int64(min(step, 2*maxValue)) + 1
		}
		*v = explain.Value{Of: int(last), Graphs: int(graphs)}
	}
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
