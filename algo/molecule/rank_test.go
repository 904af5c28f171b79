package molecule

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainRanks refines ranks in the plain way: every round all atoms are compared by
// their rank and the ranks of their neighbours.
func plainRanks(p *Parser, single []uint64) []int {
	n := len(p.atoms)
	keys := make([][]int, n)
	for i := range keys {
		keys[i] = []int{int(single[i])}
	}
	rank := func() ([]int, int) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(x, y int) int { return slices.Compare(keys[x], keys[y]) })
		ranks, r := make([]int, n), 0
		for k, i := range order {
			if k > 0 && !slices.Equal(keys[i], keys[order[k-1]]) {
				r++
			}
			ranks[i] = r
		}
		return ranks, r + 1
	}
	ranks, classes := rank()
	for round := 0; classes < n && round < n/2+1; round++ {
		for i := range keys {
			var near []int
			for _, l := range p.neighbors(int32(i)) {
				times := int(halves[p.bonds[l.bond].order])
				if degree := len(p.neighbors(l.atom)); p.bonds[l.bond].order == Double && p.atoms[l.atom].z == 15 && (degree == 3 || degree == 4) {
					times = 1
				}
				near = append(near, slices.Repeat([]int{ranks[l.atom] + 1}, times)...)
			}
			slices.SortFunc(near, func(x, y int) int { return cmp.Compare(y, x) })
			keys[i] = append([]int{ranks[i]}, append(near, make([]int, p.atoms[i].hydrogens())...)...)
		}
		before := classes
		if ranks, classes = rank(); classes == before {
			break
		}
	}
	return ranks
}

// TestRanks compares the ranks, which are refined only where something changed,
// with plain ones, on random trees and rings.
func TestRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range 3000 {
		var b strings.Builder
		branches := 0
		var rings []int
		for k := range 4 + random.IntN(60) {
			if branches > 0 && random.IntN(4) == 0 {
				b.WriteByte(')')
				branches--
			} else if k > 0 && random.IntN(3) == 0 {
				b.WriteByte('(')
				branches++
			}
			b.WriteString([]string{"[U]", "[U]", "[U]", "[Pt]", "[UH]", "[15P]", "[U:3]"}[random.IntN(7)])
			if random.IntN(5) == 0 {
				b.WriteString("%(" + strconv.Itoa(k) + ")")
				rings = append(rings, k)
			} else if len(rings) > 0 && random.IntN(3) == 0 {
				at := random.IntN(len(rings))
				b.WriteString("%(" + strconv.Itoa(rings[at]) + ")")
				rings = slices.Delete(rings, at, at+1)
			}
		}
		b.WriteString(strings.Repeat(")", branches) + "[U][U]")
		for _, k := range rings {
			b.WriteString("%(" + strconv.Itoa(k) + ")")
		}
		var p Parser
		if _, err := p.Parse(b.String()); err != nil {
			continue // two bonds between the same atoms
		}
		tried++
		p.rankAtoms()
		for pass := range 2 {
			want := plainRanks(&p, p.cip.single)
			for i := range p.atoms {
				for j := range i {
					if cmp.Compare(p.cip.rank(int32(i)), p.cip.rank(int32(j))) != cmp.Compare(want[i], want[j]) {
						t.Fatalf("%s, pass %d: atoms %d and %d have ranks %d and %d, want the order of %d and %d",
							b.String(), pass, i, j, p.cip.rank(int32(i)), p.cip.rank(int32(j)), want[i], want[j])
					}
				}
			}
			p.atoms[random.IntN(len(p.atoms))].cip = cipR
			p.rerankAtoms()
		}
	}
	if tried < 1000 {
		t.Errorf("only %d molecules", tried)
	}
}

// TestSortLikeSTL compares orders with those of std::sort of GNU libstdc++ 12, as
// FNV hashes.
func TestSortLikeSTL(t *testing.T) {
	for _, c := range []struct {
		n, kinds, shape int
		want            uint32
	}{
		{5, 7, 0, 0xd706ac29}, {16, 7, 0, 0xbadbc99d}, {17, 1, 0, 0xd889e92f}, {17, 3, 0, 0x935e2a99}, {17, 7, 2, 0xe113f045},
		{40, 1, 0, 0x88d946e5}, {40, 3, 1, 0xa7ef7969}, {40, 7, 2, 0xed59be35}, {100, 3, 0, 0x6fda3753}, {100, 7, 1, 0x2df73d81},
		{1000, 1, 2, 0xcfeb6097}, {1000, 3, 0, 0x85b3553d}, {1000, 7, 2, 0x3e49a30b}, {5000, 7, 0, 0x457b9715}, {5000, 3, 2, 0x74f76ec7},
		{200, 4, 3, 0xe892183f}, {1000, 4, 3, 0x664cac5b},
	} {
		keys := make([]int, c.n)
		x := uint32(12345)
		for i := range keys {
			x = x*1664525 + 1013904223
			switch c.shape {
			case 0:
				keys[i] = int(x>>16) % c.kinds
			case 1:
				keys[i] = i * c.kinds / c.n
			case 2:
				keys[i] = i * c.kinds % c.n
				if i%2 == 0 {
					keys[i] += c.kinds
				}
			case 3: // a killer of the median of three, which ends in heap sort
				k := c.n / 2
				switch {
				case i >= k:
					keys[i] = 2 * (i - k + 1) / 4
				case i%2 == 0:
					keys[i] = (i + 1) / 4
				default:
					keys[i] = (k + i) / 4
				}
			}
		}
		order := make([]int32, c.n)
		for i := range order {
			order[i] = int32(i)
		}
		sortLikeSTL(order, func(x, y int32) bool { return keys[x] < keys[y] })
		h := uint32(2166136261)
		for _, i := range order {
			h = (h ^ uint32(i)) * 16777619
		}
		if h != c.want {
			t.Errorf("%d elements of %d kinds, shape %d: hash %#x, want %#x", c.n, c.kinds, c.shape, h, c.want)
		}
	}
}
