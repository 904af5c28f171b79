package weights

import (
	"slices"

	"baca/algo"
	"baca/algo/molecule"
	"baca/algo/rare"
)

// maxLevel bounds the levels of surprise. Each of a graph's MaxNodes atoms may add one.
const maxLevel = 1 << 24

// rare writes or reads the table of rare parts. Empty bins stand for no table.
func (c *codec) rare(m *algo.Model) {
	t := new(rare.Table)
	if c.writes && m.Rare != nil {
		t = m.Rare
	}
	c.fields("rare", rareEntries)
	c.gaps("parts", "part", 32, &t.Keys)
	c.small("counts", rare.Common, &t.Counts)
	c.small("levels", maxLevel, &t.Levels)
	t.Bank = c.bin("bank_levels", t.Bank)
	if !c.writes && len(t.Keys) > 0 {
		m.Rare = t.Open()
	}
}

// small writes or reads numbers, and fails for one above most.
func (c *codec) small(key string, most uint64, list *[]uint32) {
	c.uvarints(key, key, list, func(i int, v uint64) uint64 {
		c.require(v <= most, ErrNumber, "%s %d is %d, want at most %d", key, i, v, most)
		return v
	})
}

// checkRare fails for a table of rare parts in a model of plain graphs or made for sharing, for lists that do not fit each
// other or the bank, for parts or levels that do not ascend, and for numbers out of range. A model may have no table.
func checkRare(m *algo.Model, bank int) {
	t := m.Rare
	if t == nil {
		return
	}
	require(m.Encoder.Features == molecule.Features, ErrSchema,
		"a table of parts of molecules for graphs of %d features", m.Encoder.Features)
	require(m.Shared == 0, ErrRows, "a model made for sharing has a table of parts, some of which few graphs have")
	require(len(t.Keys) == len(t.Counts) && len(t.Levels) <= rare.MaxLevels && slices.IsSorted(t.Levels) && len(t.Bank) == bank, ErrRows,
		"a table of %d parts, %d counts, %d levels and %d graphs of a bank of %d", len(t.Keys), len(t.Counts), len(t.Levels), len(t.Bank), bank)
	for k, count := range t.Counts {
		if count < 1 || count > rare.Common || k > 0 && t.Keys[k] <= t.Keys[k-1] {
			fail(ErrNumber, "part %d is in %d training graphs, want ascending parts of 1 to %d", k, count, rare.Common)
		}
	}
	for k, level := range t.Bank {
		if int(level) > len(t.Levels) {
			fail(ErrNumber, "graph %d of the bank is of level %d, want at most %d", k, level, len(t.Levels))
		}
	}
}
