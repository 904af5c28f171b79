package molecule_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// plainRanks refines ranks in the plain way: every round all atoms are compared by
// their rank and the ranks of their neighbours.
func plainRanks(p *molecule.Draft, single []uint64) []int {
	n := len(p.Atoms)
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
			for _, l := range p.Neighbors(int32(i)) {
				times := int(p.Bonds[l.Bond].Order.Halves())
				if degree := len(p.Neighbors(l.Atom)); p.Bonds[l.Bond].Order == molecule.Double && p.Atoms[l.Atom].Element == 15 && (degree == 3 || degree == 4) {
					times = 1
				}
				near = append(near, slices.Repeat([]int{ranks[l.Atom] + 1}, times)...)
			}
			slices.SortFunc(near, func(x, y int) int { return cmp.Compare(y, x) })
			keys[i] = append([]int{ranks[i]}, append(near, make([]int, p.Atoms[i].Hydrogens())...)...)
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
		var p smiles.Parser
		if _, err := p.Parse(b.String()); err != nil {
			continue // two bonds between the same atoms
		}
		tried++
		p.RankAtoms()
		for pass := range 2 {
			want := plainRanks(&p.Draft, p.RankSeeds())
			for i := range p.Atoms {
				for j := range i {
					if cmp.Compare(p.RankOf(int32(i)), p.RankOf(int32(j))) != cmp.Compare(want[i], want[j]) {
						t.Fatalf("%s, pass %d: atoms %d and %d have ranks %d and %d, want the order of %d and %d",
							b.String(), pass, i, j, p.RankOf(int32(i)), p.RankOf(int32(j)), want[i], want[j])
					}
				}
			}
			p.LabelR(random.IntN(len(p.Atoms)))
			p.RerankAtoms()
		}
	}
	if tried < 1000 {
		t.Errorf("only %d molecules", tried)
	}
}

// TestCentres compares the short cut to the tags that stay with ranks.
func TestCentres(t *testing.T) {
	var fast, slow smiles.Parser
	slow.RankAlways()
	pieces := []string{
		"C", "C", "N", "O", "[C@H]", "[C@@H]", "[C@H]", "[C@@H]", "[C@](C)", "[C@@](N)", "C(C)", "C(F)", "[N@]", "[N@+](C)", "[P@](=O)(C)", "P(=O)(C)", "=P(C)(C)",
		"[S@](=O)", "[C@H](O)", "[C@@H](O)", "[13CH2]", "[CH2:2]", "/C=C/", "\\C=C/", "/C=C(/C)", "1", "1", "2", "2", "3", "3", "(C", "(", ")", "~", "->[Fe]", "[C@SP1](F)(Cl)",
	}
	random := rand.New(rand.NewPCG(7, 8))
	tried, short := 0, 0
	for range 60_000 {
		var b strings.Builder
		b.WriteByte('C')
		for range 3 + random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		for _, number := range []string{"1", "2", "3"} {
			if strings.Count(strings.NewReplacer("13C", "", ":2", "", "SP1", "").Replace(text), number)%2 == 1 {
				text += "C" + number
			}
		}
		if open := strings.Count(text, "(") - strings.Count(text, ")"); open > 0 {
			text += strings.Repeat(")", open)
		}
		slow.ForgetRanks()
		fast.ForgetRanks()
		m, err := fast.Parse(text)
		want, wantErr := slow.Parse(text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s: error %v, want %v", text, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(m, want) {
			t.Fatalf("%s: %v, want %v", text, m, want)
		}
		if slow.Ranked() {
			tried++
			if !fast.Ranked() {
				short++
			}
		}
	}
	if tried < 2000 || short < tried/10 || short > tried*9/10 {
		t.Errorf("%d molecules with tags, %d by the short cut", tried, short)
	}
}
