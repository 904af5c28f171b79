package fingerprint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// skewed draws a print of keys that are the rarer the larger they are, with few or many
// counts above what an entry has room for.
func skewed(rng *rand.Rand, keys int, large float64) Print {
	counts := map[uint32]uint32{}
	for range rng.IntN(2 * keys) {
		key := uint32(math.Exp(rng.Float64()*12)) * spread
		counts[key] += 1 + uint32(rng.IntN(3))
		if rng.Float64() < large {
			counts[key] += 250 + uint32(rng.IntN(10))
		}
	}
	var p Print
	for key := range counts {
		p.Keys = append(p.Keys, key)
	}
	slices.Sort(p.Keys)
	for _, key := range p.Keys {
		p.Counts = append(p.Counts, counts[key])
	}
	return p
}

// changed returns a print that shares most keys with p.
func changed(rng *rand.Rand, p Print) Print {
	var q Print
	for k, key := range p.Keys {
		if rng.IntN(6) > 0 {
			q.Keys, q.Counts = append(q.Keys, key), append(q.Counts, p.Counts[k]+uint32(rng.IntN(8)/7))
		}
	}
	return q
}

// library draws prints of which some are alike, some equal, and some empty.
func library(rng *rand.Rand, n, keys int, large float64) []Print {
	prints := make([]Print, n)
	for i := range prints {
		switch {
		case i > 0 && rng.IntN(2) == 0:
			prints[i] = changed(rng, prints[rng.IntN(i)])
		case i > 0 && rng.IntN(20) == 0:
			prints[i] = prints[rng.IntN(i)]
		default:
			prints[i] = skewed(rng, keys, large)
		}
	}
	return prints
}

// similarities are those of Closest to all prints, by its definition, and 2 to equal ones.
func similarities(prints []Print, m Measure, p Print) []float64 {
	holders := map[uint32]int{}
	for _, q := range prints {
		for _, key := range q.Keys {
			holders[key]++
		}
	}
	weight := func(key, times uint32) int64 {
		r := int64(math.Round(math.Ldexp(1+math.Log(float64(len(prints)+1)/float64(holders[key]+1)), 36)))
		return r * int64([]uint32{1, times}[m])
	}
	whole := func(p Print) float64 {
		sum := int64(0)
		for k, key := range p.Keys {
			sum += weight(key, p.Counts[k])
		}
		return float64(sum)
	}
	all, own := make([]float64, len(prints)), whole(p)
	for i, q := range prints {
		if all[i] = 2; slices.Equal(p.Keys, q.Keys) && slices.Equal(p.Counts, q.Counts) {
			continue
		}
		common := int64(0)
		for k, key := range p.Keys {
			if at, ok := slices.BinarySearch(q.Keys, key); ok {
				common += weight(key, min(p.Counts[k], q.Counts[at]))
			}
		}
		all[i] = min(1, float64(common)/(0.7*own+float64(0.3*whole(q))))
	}
	return all
}

// bestOf is Best by its definition.
func bestOf(prints []Print, p Print, own int) (best [2]Match) {
	for m := range best {
		b := &best[m]
		b.Print = -1
		for i, s := range similarities(prints, Measure(m), p) {
			if i != own && (b.Print < 0 || s > b.Similarity) {
				*b = Match{s, i, s == 2}
			}
		}
		b.Similarity = min(1, b.Similarity)
	}
	return best
}

// checkBest compares Best with its definition, bit by bit, without rows and with them, and the first rank of Closest.
func checkBest(t *testing.T, name string, prints []Print, x *Index, p Print, own int) {
	t.Helper()
	defer func(before bool) { useRows = before }(useRows)
	want := bestOf(prints, p, own)
	for _, useRows = range []bool{false, true} {
		if got, _ := x.Best(p, own); got != want {
			t.Errorf("%s, rows %t: %+v, want %+v", name, useRows, got, want)
		}
	}
	if has := slices.ContainsFunc(prints, p.Equal); x.Has(p) != has && len(p.Keys) > 0 {
		t.Errorf("%s: the index has it: %t, want %t", name, !has, has)
	}
	equal, sets, counts := x.Closest(p, own)
	if equal == 0 && (sets[0] != want[Sets].Similarity || counts[0] != want[Counts].Similarity) {
		t.Errorf("%s: closest %v and %v, want %+v", name, sets[0], counts[0], want)
	}
}

func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for trial := range 40 {
		large := float64(trial%3) * 0.05
		prints := library(rng, 1+rng.IntN(150), 1+rng.IntN(30), large)
		x := NewIndex(prints)
		for i := range min(len(prints), 20) {
			name := fmt.Sprintf("trial %d, print %d", trial, i)
			checkBest(t, name, prints, x, prints[i], i)
			checkBest(t, name+" with itself", prints, x, prints[i], -1)
			checkBest(t, name+" changed", prints, x, changed(rng, prints[i]), -1)
			checkBest(t, name+" anew", prints, x, skewed(rng, 30, large), rng.IntN(len(prints)))
		}
	}
}

func TestBestOfFew(t *testing.T) {
	a := Print{Keys: []uint32{3, 1 << 31}, Counts: []uint32{2, 300}}
	b := Print{Keys: []uint32{3, 4}, Counts: []uint32{2, 1}}
	unknown := Print{Keys: []uint32{7, math.MaxUint32}, Counts: []uint32{1, 9}}
	huge := Print{Keys: []uint32{3, 4}, Counts: []uint32{maxTimes - 1, 1}}
	large := Print{Keys: []uint32{3, 4, 1 << 31}, Counts: []uint32{1 << 21, 1 << 17, 3}}
	long, longest := Print{}, Print{} // of keys that fit into cells, and of too many
	for k := range uint32(9000) {
		longest.Keys, longest.Counts = append(longest.Keys, k), append(longest.Counts, 1+k%300)
	}
	long.Keys, long.Counts = longest.Keys[:3000], longest.Counts[:3000]
	same, ask := slices.Repeat([]Print{a}, 50), []Print{a, b, {}, unknown, huge, large, long, {Keys: a.Keys, Counts: []uint32{2, 298}}}
	for _, c := range []struct {
		name   string
		prints []Print
	}{
		{"nothing", nil}, {"one", []Print{a}}, {"empty", []Print{{}}}, {"two", []Print{b, a}}, {"empty among others", []Print{a, {}, b, {}}},
		{"all equal", same}, {"all equal but one", append(slices.Clone(same), b)}, {"huge counts", []Print{a, huge, b, large}}, {"a long print", []Print{a, long, b, changed(rand.New(rand.NewPCG(1, 1)), long)}},
		{"longer prints", []Print{a, changed(rand.New(rand.NewPCG(1, 1)), longest), longest}},
		{"sets equal", []Print{{Keys: a.Keys, Counts: []uint32{2, 299}}, a, {Keys: a.Keys, Counts: []uint32{2, 301}}}},
	} {
		x := NewIndex(c.prints)
		for own := -1; own < min(3, len(c.prints)); own++ {
			for i, p := range slices.Concat(ask, c.prints[len(c.prints)/3*2:]) {
				checkBest(t, fmt.Sprintf("%s, print %d but %d", c.name, i, own), c.prints, x, p, own)
			}
		}
	}
}

// Packed prints, and the index made of them, are what went in.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	prints := library(rng, 5000, 40, 0.1)
	prints[7].Counts[0], prints[8].Counts[0], prints[9] = 15, 16, Print{} // beside the room of a unit
	for k := range prints[10].Counts {
		prints[10].Counts[k] = 1 << 15
	}
	many := 0 // counts without room in a unit
	for i := range prints {
		p := &prints[i]
		for key, has := range []bool{i < len(new(search).rarities), i > 10} { // keys of most prints
			if has {
				p.Keys, p.Counts = append(slices.Clip(p.Keys), math.MaxUint32-1+uint32(key)), append(slices.Clip(p.Counts), 1)
			}
		}
		for _, n := range p.Counts {
			many += int(min(1, n/16))
		}
	}
	p := Pack(prints)
	list := must.Have(p.Unpack(len(prints)))
	var copies []Print
	for _, p := range prints {
		copies = append(copies, Print{slices.Clone(p.Keys), slices.Clone(p.Counts)})
	}
	x := NewIndex(copies)
	for _, p := range copies { // the index keeps none of them
		clear(p.Keys)
		clear(p.Counts)
	}
	packed, rows := x.Packed()
	y := must.Have(OpenIndex(packed, rows))
	for i, want := range prints {
		for _, got := range []Print{list[i], x.Print(i), y.Print(i)} {
			if !got.Equal(want) {
				t.Fatalf("print %d is %v, want %v", i, got, want)
			}
		}
	}
	for key, want := range holdersBy(prints) {
		k, ok := y.Find(key)
		if !ok {
			t.Fatalf("key %#x is not there", key)
		}
		var got []entry
		for place, times := range y.holdersOf(k) {
			got = append(got, entry{y.records[place].row, times})
		}
		slices.SortFunc(got, func(a, b entry) int { return int(a.number) - int(b.number) })
		if !slices.Equal(got, want) || y.Holders(key) != len(want) {
			t.Fatalf("key %#x is held by %v, want %v", key, got, want)
		}
	}
	if len(x.many) != 3*many {
		t.Errorf("%d numbers for %d counts without room in a unit, want 3 each", len(x.many), many)
	}
	for _, r := range []record{y.records[4990], y.records[4000], y.records[2100]} { // whose keys are held far apart
		checkBest(t, "one of many", prints, y, changed(rng, prints[r.row]), -1)
	}
}

// holdersBy says which prints have each key, by going through all.
func holdersBy(prints []Print) map[uint32][]entry {
	of := map[uint32][]entry{}
	for i, p := range prints {
		for k, key := range p.Keys {
			of[key] = append(of[key], entry{uint32(i), p.Counts[k]})
		}
	}
	return of
}

// A list has whatever steps were put into it.
func TestUnits(t *testing.T) {
	x := &Index{lists: make([]list, 1), holders: make([]uint16, 16)}
	place, end := ^uint32(0), tail{}
	var got, want []entry
	for i, step := range []uint32{1, 2, 1<<stepBits - 1, 1 << stepBits, 1<<16 - 1, 1 << 16, 1 << 20, 1 << 26} {
		place += step
		want = append(want, entry{place, uint32(i%manyTimes) + 1})
		end.put(x.holders, place+1, want[i].times)
	}
	x.lists[0].holders = uint32(len(want))
	for place, times := range x.holdersOf(0) {
		got = append(got, entry{place, times})
	}
	if !slices.Equal(got, want) || end.unit != 8+5 {
		t.Errorf("holders %v in %d units, want %v in 13", got, end.unit, want)
	}
}

// Damaged prints are an error, or an index that answers.
func TestDamagedPrints(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 5))
	prints := library(rng, 300, 30, 0.2)
	whole, rows := NewIndex(prints).Packed()
	refused, taken := 0, 0
	for range 3000 {
		p := Packed{whole.Keys, slices.Clone(whole.Holders), bytes.Clone(whole.Prints)}
		list := slices.Clone(rows)
		switch rng.IntN(10) {
		case 0:
			p.Prints = p.Prints[:rng.IntN(len(p.Prints))]
		case 1:
			p.Prints = append(p.Prints, byte(rng.IntN(256)))
		case 2:
			n := len(p.Keys) - rng.IntN(20)
			p.Keys, p.Holders = p.Keys[:n], p.Holders[:n-rng.IntN(2)]
		case 3:
			binary.LittleEndian.PutUint32(list[4*rng.IntN(300):], rng.Uint32N(600))
		case 4:
			a, b := &p.Holders[rng.IntN(len(p.Holders))], &p.Holders[rng.IntN(len(p.Holders))]
			*a, *b = *b, *a
		case 5:
			p.Holders[rng.IntN(len(p.Holders))] += uint32(rng.IntN(3) - 1)
		default:
			for range 1 + rng.IntN(3) {
				p.Prints[rng.IntN(len(p.Prints))] ^= byte(1 + rng.IntN(255))
			}
		}
		y, err := OpenIndex(p, list)
		if err != nil {
			refused++
			if !errors.Is(err, ErrPacked) {
				t.Fatal(err)
			}
			continue
		}
		taken++
		q := changed(rng, prints[rng.IntN(len(prints))])
		y.Best(q, 1)
		y.Closest(q, -1)
		y.Lacks(q, Sets)
		y.Nearest(q, 3)
		y.Print(rng.IntN(len(prints)))
		if _, err := p.Unpack(len(list) / 4); err != nil {
			t.Fatalf("an index, but no prints: %v", err)
		}
	}
	if refused < 500 || taken < 100 {
		t.Errorf("%d refused, %d taken: the test says little", refused, taken)
	}
	for _, c := range []struct {
		Packed
		rows []byte
	}{
		{Packed{whole.Keys, whole.Holders[1:], whole.Prints}, rows}, {whole, append(rows, 0)},
		{Packed{[]uint32{4, 4}, []uint32{1, 1}, []byte{2, 0, 0}}, make([]byte, 4)},
		{Packed{[]uint32{5, 4}, []uint32{1, 1}, []byte{2, 0, 0}}, make([]byte, 4)},
	} {
		if _, err := OpenIndex(c.Packed, c.rows); !errors.Is(err, ErrPacked) {
			t.Errorf("%d keys, %d holders and rows of %d bytes: %v", len(c.Keys), len(c.Holders), len(c.rows), err)
		}
	}
}

// Each way in which three prints of three keys can be wrong has its sentence, whoever reads them.
func TestHostilePrints(t *testing.T) {
	uvarints := func(v ...uint64) (b []byte) {
		for _, x := range v {
			b = binary.AppendUvarint(b, x)
		}
		return b
	}
	over := bytes.Repeat([]byte{0xff}, 10) // more than 64 bits
	once := []uint32{1, 1, 1}
	const cut = "ends within a number, or has one of more than 64 bits"
	for _, c := range []struct {
		name, text string
		holders    []uint32
		prints     []byte
	}{
		{"one missing", "print 2 " + cut, once[:1], append(uvarints(1, 0), 0x80, 0)},
		{"a key of no print", "key 1 is in 0 prints, want 1 to 3", []uint32{1, 0, 1}, uvarints(2, 0, 0, 0, 0)},
		{"a key of four", "key 1 is in 4 prints, want 1 to 3", []uint32{1, 4, 1}, uvarints(2, 0, 0, 0, 0)},
		{"too short for its keys", "5 bytes for 3 prints and their 3 subtrees", once, uvarints(2, 0, 0, 0, 0)},
		{"more announced than remain", "print 2 announces 4 subtrees of at least 1 byte, 3 bytes remain", once, uvarints(0, 0, 4, 0, 0, 0)},
		{"2³² announced", "print 0 announces 4294967296 subtrees of at least 1 byte, 3 bytes remain", once, uvarints(1<<32, 0, 0, 0)},
		{"2⁶⁴−1 announced", "print 1 announces 18446744073709551615 subtrees of at least 1 byte, 1 bytes remain", once, uvarints(0, math.MaxUint64, 0)},
		{"as many as remain, in too few bytes", "print 2 " + cut, once, uvarints(0, 0, 3, 1, 0, 0)},
		{"number outside", "print 2 has subtree 3, want less than 3", once[:3], uvarints(0, 0, 1, 2*3, 0, 0)},
		{"number outside after two", "print 2 has subtree 3, want less than 3", once, uvarints(0, 0, 3, 0, 2*1, 0)},
		{"number outside, far from the end", "print 0 has subtree 4, want less than 3", once, uvarints(3, 0, 2*2, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"number outside, more than once", "print 2 has subtree 3, want less than 3", once[:3], uvarints(0, 0, 1, 2*3+1, 0, 0)},
		{"largest skip", "print 2 has subtree ", once, uvarints(0, 0, 2, 2*1, math.MaxUint64, 0)},
		{"skips of 2³²", "print 0 has subtree 8589934593, want less than 3", once, uvarints(2, 1<<33, 1<<33, 0, 0)},
		{"size over 64 bits", "print 0 " + cut, once, append(slices.Clone(over), 0, 0)},
		{"skip over 64 bits", "print 2 " + cut, once, append(append(uvarints(0, 0, 1), over...), 0)},
		{"count over 64 bits", "print 2 " + cut, once, append(uvarints(0, 0, 1, 1), over...)},
		{"size cut", "print 2 " + cut, once[:1], append(uvarints(0, 0), 0x80, 0x80)},
		{"skip cut", "print 2 " + cut, once[:1], append(uvarints(0, 0, 1), 0x80)},
		{"count missing", "print 2 " + cut, once[:1], uvarints(0, 0, 1, 1)},
		{"bytes after the last", "1 bytes after the last of 3", once[:1], uvarints(0, 0, 1, 0, 0)},
		{"a key of more than said", "a subtree is in more prints than its holders are", once[:1], uvarints(1, 0, 1, 0, 0)},
		{"a key of fewer than said", "1 subtrees less than prints have by their holders", once[:1], append(uvarints(0, 0), 0x80, 0)},
		{"too often", "print 2 has counts that sum to more than 4194304", once[:1], uvarints(0, 0, 1, 1, maxTimes-1)},
		{"2⁶⁴+1 times", "print 2 has counts that sum to more than", once[:1], uvarints(0, 0, 1, 1, math.MaxUint64)},
		{"too often in all", "print 2 has counts that sum to more than", once[:2], uvarints(0, 0, 2, 1, maxTimes-2, 0)},
	} {
		p := Packed{[]uint32{10, 20, math.MaxUint32}[:len(c.holders)], c.holders, c.prints}
		_, errUnpack := p.Unpack(3)
		_, errOpen := OpenIndex(p, []byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})
		for name, err := range map[string]error{"Unpack": errUnpack, "OpenIndex": errOpen} {
			if !errors.Is(err, ErrPacked) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s, %s: %v, want %q", name, c.name, err, c.text)
			}
		}
	}
}

// Prints that no graph has are told.
func TestCheck(t *testing.T) {
	for _, p := range []Print{
		{Keys: []uint32{1}}, {Keys: []uint32{1}, Counts: []uint32{0}}, {Keys: []uint32{2, 2}, Counts: []uint32{1, 1}},
		{Keys: []uint32{2, 3}, Counts: []uint32{maxTimes, 1}},
	} {
		if Check([]Print{{}, p}) == nil {
			t.Errorf("%v is taken", p)
		}
	}
	if err := Check([]Print{{}, {Keys: []uint32{2, 3}, Counts: []uint32{maxTimes - 1, 1}}}); err != nil {
		t.Error(err)
	}
}

// A key is found where it is, by binary search too: of no keys, of few, and of many that begin alike.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 9))
	for n := range 60 {
		var keys []uint32
		for range n {
			keys = append(keys, rng.Uint32()>>(rng.IntN(2)*rng.IntN(24)))
		}
		if n%3 == 1 {
			keys = append(keys, 0, math.MaxUint32)
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		x := NewFinder(keys)
		ask := []uint32{0, 1, math.MaxUint32 - 1, math.MaxUint32}
		for _, k := range keys {
			ask = append(ask, k-1, k, k+1)
		}
		for _, key := range ask {
			at, found := x.Find(key)
			if want, has := slices.BinarySearch(keys, key); at != want || found != has {
				t.Errorf("key %#x of %d is at %d, %t, want %d, %t", key, len(keys), at, found, want, has)
			}
		}
	}
}
