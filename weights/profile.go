package weights

import (
	"math"
	"slices"

	"baca/algo"
	"baca/algo/explain"
)

// profile writes or reads the profile of training graphs. Empty bins stand for no profile.
func (c *codec) profile(m *algo.Model) {
	p := new(explain.Profile)
	if c.writes && m.Profile != nil {
		p = m.Profile
	}
	quantiles := slices.Concat(p.Quantiles...)
	c.fields("profile", profileEntries)
	c.rounded("quantiles", &quantiles)
	var values []byte
	for column := range p.Values {
		c.feature(column, &values, &p.Values[column])
	}
	values = c.bin("values", values)
	if c.writes || len(quantiles) == 0 && len(values) == 0 {
		return
	}
	const levels = explain.LevelCount
	const want = levels * explain.StatisticCount
	c.require(len(quantiles) == want, ErrFormat, "quantiles has %d values, want %d", len(quantiles), want)
	p.Quantiles = slices.Collect(slices.Chunk(quantiles, levels))
	p.Values = make([][]explain.Value, m.Encoder.Features)
	for column := range p.Values {
		c.feature(column, &values, &p.Values[column])
	}
	c.require(len(values) == 0, ErrFormat, "values has %d bytes after the last of %d features", len(values), len(p.Values))
	m.Profile = p
}

// maxValue bounds feature values. Up to it float32 represents every integer.
const maxValue = 1 << 24

// feature writes or reads the ascending values of one feature, each as the step from the one before, less 1, and the number
// of graphs that have it. It appends them to b, or takes them from the front of b.
func (c *codec) feature(column int, b *[]byte, list *[]explain.Value) {
	n := uint64(len(*list))
	c.uvarint("feature", column, b, &n)
	if !c.writes {
		c.require(n <= uint64(len(*b))/2, ErrFormat,
			"feature %d announces %d values of at least 2 bytes, %d bytes remain", column, n, len(*b))
		*list = make([]explain.Value, n)
	}
	last := int64(0)
	for i := range *list {
		v := &(*list)[i]
		step, graphs := uint64(int64(v.Of)-last-1), uint64(v.Graphs)
		if i == 0 { // the first value itself, signed as in binary.PutVarint
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

// checkProfile fails for a profile with another number of statistics, quantiles or features, or with numbers that do not
// ascend or are out of range. The model may have none.
func checkProfile(m *algo.Model) {
	p := m.Profile
	if p == nil {
		return
	}
	require(len(p.Quantiles) == explain.StatisticCount && len(p.Values) == m.Encoder.Features, ErrRows,
		"a profile of %d statistics and %d features, want %d and %d", len(p.Quantiles), len(p.Values), explain.StatisticCount, m.Encoder.Features)
	for k, row := range p.Quantiles {
		require(len(row) == explain.LevelCount, ErrRows, "statistic %d has %d quantiles, want %d", k, len(row), explain.LevelCount)
		for l, x := range row {
			require(math.Abs(x) <= math.MaxFloat32 && (l == 0 || float32(x) >= float32(row[l-1])), ErrNumber,
				"quantiles %g of statistic %d, want finite and ascending numbers", row, k)
		}
	}
	for column, list := range p.Values {
		for i, v := range list {
			if v.Graphs < 1 || v.Graphs > m.Card.Train || v.Of < -maxValue || v.Of > maxValue || i > 0 && v.Of <= list[i-1].Of {
				fail(ErrNumber, "feature %d has the value %d in %d of %d training graphs, want ascending values of ±%d at most",
					column, v.Of, v.Graphs, m.Card.Train, maxValue)
			}
		}
	}
}

// checkShared fails for held-out scores that do not ascend, are too many or are not of a model made for sharing, and for such
// a model with held-out graphs.
func checkShared(m *algo.Model) {
	scores := len(m.Reference)
	require(m.Shared >= 0 && m.Shared <= m.Card.Train, ErrNumber,
		"made for sharing by groups of %d of %d training graphs", m.Shared, m.Card.Train)
	require(m.Shared > 0 || scores == 0, ErrRows, "%d scores of held-out graphs in a model that is not made for sharing", scores)
	single := m.Holdout.Len() > 0 || len(m.Card.HoldoutRows) > 0
	require(m.Shared == 0 || !single, ErrRows, "a model made for sharing has held-out graphs")
	require(scores <= maxRows, ErrTooLarge, "%d scores of held-out graphs, want at most %d", scores, maxRows)
	n := m.Card.Graphs - m.Card.Train
	require(m.Card.Holdout != "" || scores <= n, ErrRows, "%d scores of held-out graphs, only %d graphs were not trained on", scores, n)
	for i, x := range m.Reference {
		if !(math.Abs(x) <= math.MaxFloat32) || i > 0 && x < m.Reference[i-1] {
			fail(ErrNumber, "score %d of held-out graphs is %g, want ascending finite numbers", i, x)
		}
	}
}
