package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
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
	var err error
	if m.Bank, err = contrast.Restore(m.Encoder, q, m.Bank.NodeScore, m.Bank.Prints); err != nil {
		t.Fatal(err)
	}
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
	got := load(t, first)
	sameLevels(t, got.Bank.Q, m.Bank.Q, m.Bank.Dim())
	second := save(t, got)
	if !bytes.Equal(second, first) {
		for j := range columns {
			part := ofColumns(t, [][]float32{columns[j], columns[j]})
			if one := save(t, part); !bytes.Equal(one, save(t, load(t, one))) {
				t.Errorf("column %d, %v to %v: the file of the loaded model is another one", j, slices.Min(columns[j]), slices.Max(columns[j]))
			}
		}
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

// TestSpreadAtTheLimit has columns on both sides of minSpread: as soon as there are
// levels, all 256 must be kept apart and come back as they were.
func TestSpreadAtTheLimit(t *testing.T) {
	high := float32(8)
	for _, c := range []struct {
		low  float32
		want int
	}{
		{high - high*minSpread, 256},
		{math.Nextafter32(high-high*minSpread, high), 1},
		{math.Nextafter32(high-high*minSpread, 0), 256},
	} {
		var column []float32
		for u := range 256 {
			column = append(column, c.low+float32(u)*(high-c.low)/255)
		}
		column[255] = high
		data := save(t, ofColumns(t, [][]float32{column, column}))
		q := load(t, data).Bank.Q
		slices.Sort(q)
		if got := len(slices.Compact(q)); got != c.want {
			t.Errorf("from %v to %v: %d values, want %d", c.low, high, got, c.want)
		}
		if !bytes.Equal(data, save(t, load(t, data))) {
			t.Errorf("from %v to %v: the file of the loaded model is another one", c.low, high)
		}
	}
}

// TestColumnErrors has ranges of columns that no writer writes.
func TestColumnErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		low, high float32
		ok        bool
	}{
		{0, 0, true}, {0, 88, true}, {3, 3, true}, {-1, 2, false}, {2, 1, false}, {0, math.Nextafter32(88, 89), false},
		{nan, 1, false}, {1, nan, false}, {0, inf, false}, {-inf, 0, false}, {nan, nan, false},
	} {
		m := small(t)
		m.Encoder = gin.Zero(m.Encoder.Config)
		data := save(t, m)
		for key, x := range map[string]float32{"\xa3low\xc4\x10": c.low, "\xa4high\xc4\x10": c.high} {
			at := bytes.Index(data, []byte(key))
			if at < 0 {
				t.Fatalf("no %q", key)
			}
			binary.LittleEndian.PutUint32(data[at+len(key)+4:], math.Float32bits(x)) // of column 1
		}
		_, err := Load(sealed(t, modelKind, data[headerSize:]))
		if c.ok && err != nil {
			t.Errorf("%g to %g: %v", c.low, c.high, err)
		}
		if !c.ok && (!errors.Is(err, ErrNumber) || !strings.Contains(err.Error(), "column 1 of the bank") || !strings.Contains(err.Error(), "want an ascending range within 0 to 88")) {
			t.Errorf("%g to %g: %v, want %v", c.low, c.high, err, ErrNumber)
		}
	}
}

// TestLevelsOfConstantColumn has bytes where only 0 makes sense: they mean the low
// value too, and are 0 when the model is saved again.
func TestLevelsOfConstantColumn(t *testing.T) {
	data := save(t, ofColumns(t, [][]float32{{3, 3}, {1, 2}}))
	at := bytes.Index(data, []byte("\xa1q\xc4\x04\x00\x00\x00\xff"))
	if at < 0 {
		t.Fatal("no q with a constant first column")
	}
	changed := slices.Clone(data)
	changed[at+4] = 77
	m := load(t, sealed(t, modelKind, changed[headerSize:]))
	if want := []float32{3, 1, 3, 2}; !slices.Equal(m.Bank.Q, want) {
		t.Errorf("embeddings %v, want %v", m.Bank.Q, want)
	}
	if !bytes.Equal(save(t, m), data) {
		t.Error("saved again with the byte that means nothing")
	}
}

// withPrints is a file of a model with a bank of three graphs whose subtrees and
// prints are the given bytes.
func withPrints(t testing.TB, subtrees, prints []byte) []byte {
	t.Helper()
	payload := save(t, small(t))[headerSize:]
	from, to := bytes.Index(payload, []byte("\xa8subtrees")), bytes.Index(payload, []byte("\xa7holdout\x85"))
	if from < 0 || to < from {
		t.Fatal("the bank does not end with its prints")
	}
	w := newWriter()
	w.bytes("subtrees", subtrees)
	w.bytes("prints", prints)
	return sealed(t, modelKind, slices.Concat(payload[:from], w.buf.Bytes(), payload[to:]))
}

// uvarints joins numbers as subtrees and prints have them.
func uvarints(v ...uint64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

// Three keys, and how subtrees has them.
var (
	threeKeys = []uint32{10, 20, math.MaxUint32}
	three     = uvarints(10, 9, math.MaxUint32-21)
)

// hostilePrints are prints of three graphs that are wrong.
var hostilePrints = []struct {
	name     string
	subtrees []byte
	prints   []byte
	want     error
	text     string
}{
	{"none", three, nil, ErrFormat, "prints has 0 bytes, want at least one for each of 3 graphs"},
	{"one missing", three, uvarints(1, 0, 0), ErrFormat, "print 2 ends within a number"},
	{"two of three", three, uvarints(0, 0), ErrFormat, "prints has 2 bytes, want at least one for each of 3 graphs"},
	{"more announced than remain", three, uvarints(0, 0, 3, 0, 0), ErrFormat, "print 2 announces 3 subtrees of at least 1 byte, 2 bytes remain"},
	{"2³² announced", three, uvarints(1<<32, 0, 0, 0), ErrFormat, "print 0 announces 4294967296 subtrees of at least 1 byte, 3 bytes remain"},
	{"2⁶⁴−1 announced", three, uvarints(0, math.MaxUint64, 0), ErrFormat, "print 1 announces 18446744073709551615 subtrees of at least 1 byte, 1 bytes remain"},
	{"as many as remain, in too few bytes", three, uvarints(0, 0, 3, 1, 0, 0), ErrFormat, "print 2 ends within a number"},
	{"index outside", three, uvarints(0, 0, 1, 2*3), ErrRows, "print 2 skips 3 subtrees, want less than the 3 that are left of 3"},
	{"index outside after two", three, uvarints(0, 0, 3, 0, 2*1, 0), ErrRows, "print 2 skips 0 subtrees, want less than the 0 that are left of 3"},
	{"index outside, more than once", three, uvarints(0, 0, 1, 2*3+1, 0), ErrRows, "print 2 skips 3 subtrees, want less than the 3 that are left of 3"},
	{"largest skip", three, uvarints(0, 0, 2, 2*1, math.MaxUint64, 0), ErrRows, "print 2 skips 9223372036854775807 subtrees, want less than the 1 that are left of 3"},
	{"no subtrees", nil, uvarints(0, 0, 1, 0), ErrRows, "print 2 skips 0 subtrees, want less than the 0 that are left of 0"},
	{"skip over 64 bits", three, append(uvarints(0, 0, 1), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0), ErrNumber, "print 2 has a number of more than 64 bits"},
	{"count over 64 bits", three, append(uvarints(0, 0, 1, 1), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02), ErrNumber, "print 2 has a number of more than 64 bits"},
	{"number of subtrees over 64 bits", three, bytes.Repeat([]byte{0x80}, 30), ErrNumber, "print 0 has a number of more than 64 bits"},
	{"truncated skip", three, append(uvarints(0, 0, 1), 0x80), ErrFormat, "print 2 ends within a number"},
	{"truncated count", three, append(uvarints(0, 0, 1, 1), 0x80), ErrFormat, "print 2 ends within a number"},
	{"count missing", three, uvarints(0, 0, 1, 1), ErrFormat, "print 2 ends within a number"},
	{"truncated at its first number", three, append(uvarints(0, 0), 0xff, 0xff), ErrFormat, "print 2 ends within a number"},
	{"bytes after the last", three, uvarints(0, 0, 1, 2*2, 0), ErrFormat, "prints has 1 bytes after the last of 3 prints"},
	{"2³¹ times", three, uvarints(0, 0, 1, 1, maxTimes-1), ErrNumber, "print 2 has counts that sum to 2147483648 or more, want at most 2147483647"},
	{"2³² times", three, uvarints(0, 0, 1, 1, 1<<32-2), ErrNumber, "print 2 has counts that sum to"},
	{"2⁶⁴ times", three, uvarints(0, 0, 1, 1, math.MaxUint64-1), ErrNumber, "print 2 has counts that sum to"},
	{"2⁶⁴+1 times", three, uvarints(0, 0, 1, 1, math.MaxUint64), ErrNumber, "print 2 has counts that sum to"},
	{"2³¹ times in all", three, uvarints(0, 0, 2, 1, maxTimes-2, 0), ErrNumber, "print 2 has counts that sum to 2147483648 or more"},
	{"2³¹+1 times in all", three, uvarints(0, 0, 2, 1, maxTimes-2, 1, 0), ErrNumber, "print 2 has counts that sum to 2147483649 or more"},
	{"key of 2³²", uvarints(1 << 32), uvarints(0, 0, 0), ErrNumber, "subtree 0 skips 4294967296, want less than the 4294967296 that are left of 32 bits"},
	{"second key of 2³²", uvarints(10, 1<<32-11), uvarints(0, 0, 0), ErrNumber, "subtree 1 skips 4294967285, want less than the 4294967285 that are left of 32 bits"},
	{"key after the last", append(three, 0), uvarints(0, 0, 0), ErrNumber, "subtree 3 skips 0, want less than the 0 that are left of 32 bits"},
	{"key wraps to the first", uvarints(10, math.MaxUint64), uvarints(0, 0, 0), ErrNumber, "subtree 1 skips 18446744073709551615, want less than the 4294967285 that are left of 32 bits"},
	{"key over 64 bits", bytes.Repeat([]byte{0x80}, 30), uvarints(0, 0, 0), ErrNumber, "subtree 0 has a number of more than 64 bits"},
	{"truncated key", append(three[:2:2], 0x80), uvarints(0, 0, 0), ErrFormat, "subtree 2 ends within a number"},
}

func TestHostilePrints(t *testing.T) {
	for _, c := range hostilePrints {
		t.Run(c.name, func(t *testing.T) {
			m, err := Load(withPrints(t, c.subtrees, c.prints))
			if !errors.Is(err, c.want) || !named(err) || m != nil {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %q, want %q in it", err, c.text)
			}
		})
	}
}

// TestPrints reads prints that are right, among them the examples of FORMAT.md, and
// writes them again.
func TestPrints(t *testing.T) {
	long := append(uvarints(1), 0x81, 0x00, 0x81, 0x80, 0x00) // skip 0, 3 times
	for _, c := range []struct {
		name      string
		subtrees  []byte
		prints    []byte
		want      []fingerprint.Print
		canonical bool // Save writes the same bytes
	}{
		{"empty", nil, uvarints(0, 0, 0), make([]fingerprint.Print, 3), true},
		{"all", three, uvarints(3, 0, 1, 0, 1, 1, 0, 1, 2*2+1, maxTimes-2),
			[]fingerprint.Print{{Keys: threeKeys, Counts: []uint32{1, 2, 3}}, {}, {Keys: threeKeys[2:], Counts: []uint32{maxTimes}}}, true},
		{"largest sum", three, uvarints(2, 1, maxTimes-3, 0, 1, 2*2, 0),
			[]fingerprint.Print{{Keys: threeKeys[:2], Counts: []uint32{maxTimes - 1, 1}}, {Keys: threeKeys[2:], Counts: []uint32{1}}, {}}, true},
		{"example of subtrees", []byte{0x05, 0xac, 0x02, 0x00}, uvarints(3, 0, 0, 0, 0, 0), []fingerprint.Print{{Keys: []uint32{5, 306, 307}, Counts: []uint32{1, 1, 1}}, {}, {}}, true},
		{"neighbors", uvarints(0, 0, 0), uvarints(3, 0, 0, 0, 0, 0), []fingerprint.Print{{Keys: []uint32{0, 1, 2}, Counts: []uint32{1, 1, 1}}, {}, {}}, true},
		{"longer numbers", uvarints(10), slices.Concat(long, uvarints(0, 0)), []fingerprint.Print{{Keys: []uint32{10}, Counts: []uint32{3}}, {}, {}}, false},
		{"longer gap", []byte{0x8a, 0x00}, uvarints(1, 0, 0, 0), []fingerprint.Print{{Keys: []uint32{10}, Counts: []uint32{1}}, {}, {}}, false},
		{"a subtree of no print", three, uvarints(1, 2*1, 0, 0), []fingerprint.Print{{Keys: []uint32{20}, Counts: []uint32{1}}, {}, {}}, false},
		{"example of prints", append([]byte{0x05, 0xac, 0x02}, make([]byte, 301)...), []byte{2, 3, 1, 0xd8, 4, 0, 0},
			[]fingerprint.Print{{Keys: []uint32{306, 607}, Counts: []uint32{3, 1}}, {}, {}}, false},
	} {
		data := withPrints(t, c.subtrees, c.prints)
		m := load(t, data)
		samePrints(t, c.name, m.Bank.Prints, c.want)
		again := save(t, m)
		if bytes.Equal(again, data) != c.canonical {
			t.Errorf("%s: saved as the same bytes: %t, want %t", c.name, !c.canonical, c.canonical)
		}
		samePrints(t, c.name, load(t, again).Bank.Prints, c.want)
	}
}

// TestLoadMemory compares what reading allocates with the length of the file, which
// FORMAT.md promises a bound for: on a model like those that are trained, and on
// files of the parts that grow most.
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
	for _, c := range []struct {
		name   string
		config gin.Config
		bank   int
		hold   int
		prints func(rows int) []fingerprint.Print
		limit  float64 // of the file's length
	}{
		{"like a trained one", gin.Default(9), 1000, 100, nil, 4.5},
		{"embeddings alone", gin.Config{Features: 1, Hidden: 32, Layers: 1}, 20000, 0, empty, 5.5},
		{"embeddings of the holdout", gin.Config{Features: 1, Hidden: 32, Layers: 1}, 1, 20000, empty, 3},
		{"rows alone", narrow, 20000, 20000, empty, 7.5},
		{"prints alone", narrow, 1000, 1000, func(rows int) []fingerprint.Print { return full(rows, 500) }, 9},
	} {
		m := testModel(t, c.config, c.bank, c.hold)
		if c.prints != nil {
			m.Bank.Prints, m.Holdout.Prints = c.prints(c.bank), c.prints(c.hold)
		}
		m.Card.Graphs, m.Card.HoldoutRows = 1<<21, nil
		for i := range c.hold {
			m.Card.HoldoutRows = append(m.Card.HoldoutRows, 1<<20+i)
		}
		data := save(t, m)
		runtime.GC()
		share := float64(allocated(func() { load(t, data) })) / float64(len(data))
		t.Logf("%s: %.1f bytes for each of %d", c.name, share, len(data))
		if share > c.limit {
			t.Errorf("%s: %.1f bytes allocated for each of the file, want at most %g", c.name, share, c.limit)
		}
	}
	// A count that announces all that remains, and is wrong about it, and as many
	// subtrees as bytes for them.
	short := append(uvarints(2<<20), make([]byte, 2<<20)...)
	short[len(short)-1] = 0x80
	for _, c := range []struct {
		name  string
		data  []byte
		limit uint64
	}{
		{"a print as long as the file", withPrints(t, make([]byte, 1), short), 9},
		{"subtrees as long as the file", withPrints(t, make([]byte, 2<<20), nil), 5},
	} {
		if n := allocated(func() {
			if _, err := Load(c.data); err == nil {
				t.Errorf("%s: loads", c.name)
			}
		}); n > c.limit*uint64(len(c.data)) {
			t.Errorf("%s: %d bytes allocated for %d", c.name, n, len(c.data))
		}
	}
}
