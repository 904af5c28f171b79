package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
)

// sameLevels compares with the precision of the bank: half a level of the column,
// or minSpread where a column is as good as constant, and the rounding to float32.
func sameLevels(t *testing.T, got, want []float32, dim int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for j := range dim {
		low, high := math.Inf(1), 0.0
		for i := j; i < len(want); i += dim {
			low, high = min(low, float64(want[i])), max(high, float64(want[i]))
		}
		limit := (high - low) / 255 / 2
		if high-low < high/4096 {
			limit = high / 4096
		}
		limit += high*0x1p-24 + math.SmallestNonzeroFloat32/2
		for i := j; i < len(want); i += dim {
			if e := math.Abs(float64(got[i]) - float64(want[i])); e > limit {
				t.Fatalf("column %d from %g to %g: %g came back as %g, wrong by %g, want at most %g", j, low, high, want[i], got[i], e, limit)
			}
		}
	}
}

// ofColumns returns a model whose bank has the given columns, an even number. Its
// encoder projects everything to 0, so that no embedding is too large for it.
func ofColumns(t testing.TB, columns [][]float32) *algo.Model {
	t.Helper()
	rows, dim := len(columns[0]), len(columns)
	m := testModel(t, gin.Config{Features: 1, Hidden: dim / 2, Layers: 1}, rows, 0)
	m.Encoder = gin.Zero(m.Encoder.Config)
	q := make([]float32, 0, rows*dim)
	for i := range rows {
		for _, c := range columns {
			q = append(q, c[i])
		}
	}
	m.Bank = have(contrast.Restore(m.Encoder, q, m.Bank.NodeScore, m.Bank.Prints))
	return m
}

// TestColumns saves and loads columns of every kind: no value may move by more than
// half a level, and none at all when it is saved again.
func TestColumns(t *testing.T) {
	const rows = 300
	rng := rand.New(rand.NewPCG(1, 2))
	between := func(low, high float32) []float32 {
		c := []float32{low, high}
		for len(c) < rows {
			c = append(c, min(high, low+rng.Float32()*(high-low)))
		}
		rng.Shuffle(rows, func(i, j int) { c[i], c[j] = c[j], c[i] })
		return c
	}
	after := func(x float32) float32 { return math.Nextafter32(x, 100) }
	before := func(x float32) float32 { return math.Nextafter32(x, 0) }
	const tiny = math.SmallestNonzeroFloat32
	negativeZero := float32(math.Copysign(0, -1))
	edge := float32(4) / (1 - minSpread) // high−4 is about minSpread·high
	columns := [][]float32{
		between(0, 0), between(negativeZero, negativeZero), slices.Repeat([]float32{0, negativeZero, 2}, rows/3), between(0, 5),
		between(3, 3), between(88, 88), between(0, 88), between(3, after(3)),
		between(4, before(edge)), between(4, edge), between(4, after(edge)), between(4, 4+4*minSpread),
		between(4, 4.001), between(7.99, 8.01), between(before(88), 88), between(87.97, 88),
		between(1e-30, 88), between(tiny, 88), between(0, tiny), between(0, 100*tiny),
		between(0, 255*tiny), between(0, 256*tiny), between(0, 1000*tiny), between(1<<20*tiny, (1<<20+3)*tiny),
		between(0x1p-126, 0x1.002p-126), between(tiny, tiny), between(0, 0x1p-120), between(before(2), after(2)),
	}
	for range 200 {
		high := float32(88 * math.Exp2(-20*rng.Float64()))
		columns = append(columns, between(high-high*float32(math.Exp2(-14*rng.Float64())), high))
	}
	m := ofColumns(t, columns)
	first := save(t, m)
	got := have(Load(first))
	sameLevels(t, got.Bank.Q, m.Bank.Q, m.Bank.Dim())
	if !bytes.Equal(save(t, got), first) {
		t.Fatal("the file of the loaded model is another one")
	}
	constant := 0
	for j := range columns {
		distinct := map[float32]bool{}
		for i := j; i < len(got.Bank.Q); i += len(columns) {
			distinct[got.Bank.Q[i]] = true
		}
		if len(distinct) == 1 {
			constant++
		}
	}
	if constant < 8 || constant > len(columns)/2 {
		t.Errorf("%d of %d columns are constant in the file, want those that are nearly so", constant, len(columns))
	}
}

// TestColumnErrors has ranges of columns that no writer writes.
func TestColumnErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := small(t)
	m.Encoder = gin.Zero(m.Encoder.Config)
	data := save(t, m)
	for _, c := range []struct {
		low, high float32
		ok        bool
	}{
		{0, 0, true}, {0, 88, true}, {3, 3, true}, {-1, 2, false}, {2, 1, false}, {0, math.Nextafter32(88, 89), false},
		{nan, 1, false}, {1, nan, false}, {0, inf, false}, {-inf, 0, false}, {nan, nan, false},
	} {
		head := sectionOf(t, data, headSection)
		for key, x := range map[string]float32{"\xa3low\xc4\x10": c.low, "\xa4high\xc4\x10": c.high} {
			at := bytes.Index(head, []byte(key))
			if at < 0 {
				t.Fatalf("no %q", key)
			}
			binary.LittleEndian.PutUint32(head[at+len(key)+4:], math.Float32bits(x)) // of column 1
		}
		if changed := replaced(t, data, headSection, head); c.ok {
			have(Load(changed))
		} else {
			text := fmt.Sprintf("column 1 of the bank goes from %g to %g, want an ascending range within 0 to 88", c.low, c.high)
			notLoaded(t, "a column", changed, ErrNumber, text)
		}
	}
}

// uvarints joins numbers as subtrees and prints have them.
func uvarints(v ...uint64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

// An indexCase is the section of an index that is to hold the prints of three graphs.
type indexCase struct {
	name                             string
	known                            int
	order, subtrees, holders, prints []byte
	want                             error
	text                             string
}

func (c indexCase) payload() []byte {
	w := newWriter()
	w.fields("", indexEntries)
	w.count("known", &c.known)
	w.bin("order", c.order)
	w.bin("subtrees", c.subtrees)
	w.bin("holders", c.holders)
	w.bin("prints", c.prints)
	return w.buf.Bytes()
}

// places is an order of so many rows.
func places(rows ...uint32) []byte {
	var b []byte
	for _, row := range rows {
		b = binary.LittleEndian.AppendUint32(b, row)
	}
	return b
}

var (
	rising = places(0, 1, 2)
	three  = uvarints(10, 9, math.MaxUint32-21) // keys: 10, 20, 2³²−1
	once   = uvarints(1, 1, 1)                  // print for each
	all    = uvarints(3, 0, 0, 0, 0, 0)         // the first print has them all, once each
)

// What is wrong in prints, package fingerprint tests; here is one of each kind.
var hostileIndexes = []indexCase{
	{"too many", maxKnown + 1, rising, three, once, all, ErrTooLarge, "1048577 training graphs, want at most 1048576"},
	{"fewer than there are", 2, rising[:8], three, once, all[:5], ErrRows, "the subtrees of 2 training graphs"},
	{"more than there are", 4, places(0, 1, 2, 3), three, once, append(all[:6:6], 0), ErrRows, "the subtrees of 4 training graphs, want those of 3"},
	{"none", 0, nil, nil, nil, nil, ErrRows, "the subtrees of 0 training graphs for a bank of 3 rows"},
	{"order cut", 3, rising[:11], three, once, all, ErrFormat, "order has 11 bytes, want 12"},
	{"row twice", 3, places(0, 1, 1), three, once, all, ErrRows, "place 2 of 3 points to print 1, which does not exist or already has a place"},
	{"row outside", 3, places(0, 3, 1), three, once, all, ErrRows, "place 1 of 3 points to print 3"},
	{"row far outside", 3, places(0, math.MaxUint32, 1), three, once, all, ErrRows, "place 1 of 3 points to print 4294967295"},
	{"key of 2³²", 3, rising, uvarints(1 << 32), once, all, ErrNumber, "subtree 0 skips 4294967296, want less than the 4294967296 that are left of 32 bits"},
	{"second key of 2³²", 3, rising, uvarints(10, 1<<32-11), once, all, ErrNumber, "subtree 1 skips 4294967285, want less than the 4294967285 that are left of 32 bits"},
	{"key after the last", 3, rising, append(three, 0), once, all, ErrNumber, "subtree 3 skips 0, want less than the 0 that are left of 32 bits"},
	{"key wraps to the first", 3, rising, uvarints(10, math.MaxUint64), once, all, ErrNumber, "subtree 1 skips 18446744073709551615, want less than the 4294967285 that are left"},
	{"key over 64 bits", 3, rising, bytes.Repeat([]byte{0x80}, 30), once, all, ErrNumber, "subtree 0 has a number of more than 64 bits"},
	{"key cut", 3, rising, append(three[:2:2], 0x80), once, all, ErrFormat, "subtree 2 ends within a number"},
	{"key of no print", 3, rising, three, uvarints(1, 1, 0), all, ErrRows, "key 2 is in 0 prints, want 1 to 3"},
	{"holders of 2³² prints", 3, rising, three, uvarints(1, 1<<32, 1), all, ErrNumber, "count of holders 1 is 4294967296, want at most 4294967295"},
	{"holders of fewer keys", 3, rising, three, once[:2], all, ErrRows, "3 keys, and holders of 2"},
	{"holders cut", 3, rising, three, append(once[:2:2], 0x80), all, ErrFormat, "count of holders 2 ends within a number"},
	{"print cut", 3, rising, three, once, all[:5], ErrRows, "5 bytes for 3 prints and their 3 subtrees"},
	{"print of a subtree that is not there", 3, rising, three, once, uvarints(1, 0, 1, 2*3, 0, 0), ErrRows, "print 1 has subtree 3, want less than 3"},
	{"prints go on", 3, rising, three, once, append(all[:6:6], 0), ErrRows, "1 bytes after the last of 3"},
}

func TestHostileIndexes(t *testing.T) {
	plain := save(t, small(t))
	for _, c := range hostileIndexes {
		notLoaded(t, c.name, replaced(t, plain, indexSection, c.payload()), c.want, c.text)
	}
	// The holdout's prints are read by the same functions, and all of them before the model is made.
	head := sectionOf(t, plain, headSection)
	at := bytes.LastIndex(head, []byte("\xa6prints\xc4")) + 8
	head[at]-- // its length: the last byte is now before the next key
	notLoaded(t, "prints of the holdout cut", replaced(t, plain, headSection, head), ErrRows, "print")
}

// TestIndex reads prints that are right, among them the examples of FORMAT.md, and writes them again as they were.
func TestIndex(t *testing.T) {
	plain := save(t, small(t))
	for _, c := range []struct {
		name                             string
		order, subtrees, holders, prints []byte
		want                             [3]fingerprint.Print // by rows
	}{
		{"empty", rising, nil, nil, uvarints(0, 0, 0), [3]fingerprint.Print{}},
		{"another order", places(2, 0, 1), three, uvarints(1, 1, 2), uvarints(3, 1, 1, 0, 1, 0, 0, 1, 1, 1<<22-2), [3]fingerprint.Print{
			{}, {Keys: []uint32{math.MaxUint32}, Counts: []uint32{1 << 22}}, {Keys: []uint32{10, 20, math.MaxUint32}, Counts: []uint32{1, 2, 3}},
		}},
		{"example of subtrees", rising, []byte{0x05, 0xac, 0x02, 0x00}, once, all, [3]fingerprint.Print{{Keys: []uint32{5, 306, 307}, Counts: []uint32{1, 1, 1}}}},
		{"example of prints", rising, []byte{0x05, 0xac, 0x02, 0x00}, []byte{0x01, 0x02, 0x01}, []byte{0x02, 0x01, 0x01, 0x02, 0x02, 0x00, 0x00, 0x00},
			[3]fingerprint.Print{{Keys: []uint32{306, 307}, Counts: []uint32{3, 1}}, {Keys: []uint32{5, 306}, Counts: []uint32{1, 1}}}},
		{"longer numbers", rising, uvarints(10), uvarints(1), []byte{1, 0x81, 0x00, 0x81, 0x80, 0x00, 0, 0}, [3]fingerprint.Print{{Keys: []uint32{10}, Counts: []uint32{3}}}},
	} {
		data := replaced(t, plain, indexSection, indexCase{known: 3, order: c.order, subtrees: c.subtrees, holders: c.holders, prints: c.prints}.payload())
		m := have(Load(data))
		samePrints(t, c.name, m.Bank.Prints, c.want[:])
		if !bytes.Equal(save(t, m), data) {
			t.Errorf("%s: saved in other bytes", c.name)
		}
	}
}

// TestLoadMemory compares what reading allocates with the length of the file, which FORMAT.md promises a bound for: on
// a model like those that are trained, and on files of the parts that grow most.
func TestLoadMemory(t *testing.T) {
	narrow := gin.Config{Features: 1, Hidden: 1, Layers: 1}
	empty := func(rows int) []fingerprint.Print { return make([]fingerprint.Print, rows) }
	// Prints of the first keys, a byte for each.
	full := func(rows, keys int) []fingerprint.Print {
		p := fingerprint.Print{}
		for k := range keys {
			p.Keys, p.Counts = append(p.Keys, uint32(k)), append(p.Counts, 1)
		}
		return slices.Repeat([]fingerprint.Print{p}, rows)
	}
	measure := func(name string, data []byte, limit float64, valid bool) {
		var err error
		share := float64(allocated(func() { _, err = Load(data) })) / float64(len(data))
		if t.Logf("%s: %.1f bytes for each of %d", name, share, len(data)); share > limit || valid && err != nil {
			t.Errorf("%s: %.1f bytes allocated for each of the file, want at most %g; error %v", name, share, limit, err)
		}
	}
	for _, c := range []struct {
		name   string
		config gin.Config
		bank   int
		hold   int
		prints func(rows int) []fingerprint.Print
		limit  float64 // of the file's length
	}{
		{"like a trained one", gin.Default(9), 1000, 100, nil, 5},
		{"embeddings alone", gin.Config{Features: 1, Hidden: 32, Layers: 1}, 20000, 0, empty, 5.5},
		{"embeddings of the holdout", gin.Config{Features: 1, Hidden: 32, Layers: 1}, 1, 20000, empty, 3},
		{"rows alone", narrow, 20000, 20000, empty, 8},
		{"prints alone", narrow, 1000, 1000, func(rows int) []fingerprint.Print { return full(rows, 500) }, 14},
	} {
		m := testModel(t, c.config, c.bank, c.hold)
		if c.prints != nil {
			m.Bank.Prints, m.Holdout.Prints = c.prints(c.bank), c.prints(c.hold)
			m.Subtrees = fingerprint.NewIndex(m.Bank.Prints)
		}
		m.Card.Graphs, m.Card.HoldoutRows = 1<<21, nil
		for i := range c.hold {
			m.Card.HoldoutRows = append(m.Card.HoldoutRows, 1<<20+i)
		}
		data := save(t, m)
		runtime.GC()
		measure(c.name, data, c.limit, true)
	}
	// Indexes of which each byte costs as much as it can.
	const many = 1 << 18
	rows := make([]uint32, many)
	for i := range rows {
		rows[i] = uint32(i)
	}
	plain := save(t, small(t))
	for _, c := range []struct {
		name                             string
		known                            int
		order, subtrees, holders, prints []byte
		limit                            float64
	}{
		{"a print as long as the file", 3, rising, make([]byte, 1), uvarints(1), append(uvarints(many), bytes.Repeat([]byte{0x80}, many)...), 8},
		{"subtrees of no print", 3, rising, make([]byte, many), nil, nil, 5},
		{"graphs without nodes", many, places(rows...), nil, nil, make([]byte, many), 10},
		{"subtrees of one print", 3, rising, make([]byte, many), bytes.Repeat([]byte{1}, many), slices.Concat(uvarints(many), make([]byte, many), []byte{0, 0}), 30},
		{"subtrees that are in it often", 3, rising, make([]byte, many), bytes.Repeat([]byte{1}, many), slices.Concat(uvarints(many), bytes.Repeat([]byte{1, 14}, many), []byte{0, 0}), 36},
		{"a subtree of all graphs", many, places(rows...), make([]byte, 1), uvarints(many), bytes.Repeat([]byte{1, 0}, many), 10},
		{"a subtree that is often in all graphs", many, places(rows...), make([]byte, 1), uvarints(many), bytes.Repeat([]byte{1, 1, 14}, many), 18},
		{"subtrees of 200 graphs each", 200, places(rows[:200]...), make([]byte, many/200), bytes.Repeat(uvarints(200), many/200), bytes.Repeat(append(uvarints(many/200), make([]byte, many/200)...), 200), 6},
	} {
		data := replaced(t, plain, indexSection, indexCase{known: c.known, order: c.order, subtrees: c.subtrees, holders: c.holders, prints: c.prints}.payload())
		measure(c.name, data, c.limit, false)
	}
}
