package kernel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// A variant is a way to run the loops on this machine.
type variant struct {
	name string
	use  func()
}

// variants holds every one; where the code can choose, see same_amd64_test.go.
var variants = []variant{{"portable Go", func() {}}}

// portably calls f with the portable loops.
var portably = func(f func()) { f() }

// each runs the test for every variant, and then restores the one in use.
func each(t *testing.T, f func(t *testing.T)) {
	defer variants[len(variants)-1].use()
	for _, v := range variants {
		v.use()
		t.Run(v.name, f)
	}
}

// A sample gives the operands of one call. They lie against the end or the start of memory that must not be touched, so
// that a read beyond them is a fault where the system can make it one, and a write is seen.
type sample struct {
	rng     *rand.Rand
	m, n, k int    // m and n are positive
	padding int    // between rows
	flags   int    // of gemm; above its own, options of a test
	raw     []byte // bits of values, before random ones
	placed  []placed
}

type placed struct {
	bytes, before, want []byte // with what is around: now, before the call, and after the portable one
	lo, hi              int    // where the values are
	mayBeModified       bool
	differ              func(got, want []byte) string
}

const (
	atStart = 8 << iota // of the memory, not at its end
	transposed
	special // values without a usual magnitude
)

var unusual = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-40,
	math.MaxFloat32, -math.MaxFloat32, 1e-30, 1e30, 87, -87, 87.5, -88, 1e-12, 0.99e-12,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

func (s *sample) value() float32 {
	if len(s.raw) >= 4 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(s.raw))
		s.raw = s.raw[4:]
		return v
	}
	if s.flags&special != 0 && s.rng.IntN(4) == 0 {
		return unusual[s.rng.IntN(len(unusual))]
	}
	return float32(s.rng.NormFloat64())
}

type value interface {
	int32 | uint32 | uint64 | float32 | float64
}

// place is room for n values between canaries.
func place[T value](s *sample, n int, modified bool) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	room := fenced(len(s.placed), n*size+128, s.flags&atStart != 0)
	for i := range room {
		room[i] = 0xa5
	}
	hi := len(room)
	if s.flags&atStart != 0 {
		hi = n * size
	}
	s.placed = append(s.placed, placed{bytes: room, lo: hi - n*size, hi: hi, mayBeModified: modified, differ: differ[T]})
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&room[hi-n*size])), n)
}

func (s *sample) floats(n int, modified bool) []float32 {
	x := place[float32](s, n, modified)
	for i := range x {
		x[i] = s.value()
	}
	return x
}

func (s *sample) doubles(n int) []float64 {
	x := place[float64](s, n, true)
	for i := range x {
		x[i] = float64(s.value())
	}
	return x
}

// extent is how many values rows×cols of that stride take.
func extent(rows, cols, stride int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*stride + cols
}

// differ compares bits; any two values that are not numbers are the same.
func differ[T value](got, want []byte) string {
	size := int(unsafe.Sizeof(T(0)))
	for i := 0; i < len(want); i += size {
		g, w := *(*T)(unsafe.Pointer(&got[i])), *(*T)(unsafe.Pointer(&want[i]))
		if !bytes.Equal(got[i:i+size], want[i:i+size]) && (g == g || w == w) {
			return fmt.Sprintf("value %d is %v, want %v", i/size, g, w)
		}
	}
	return ""
}

// check compares a call with the portable one, and reports writes outside of what it may modify.
func (s *sample) check(t *testing.T, call func(s *sample) func()) {
	t.Helper()
	run := call(s)
	for i := range s.placed {
		s.placed[i].before = bytes.Clone(s.placed[i].bytes)
	}
	portably(run)
	for i := range s.placed {
		p := &s.placed[i]
		p.want = bytes.Clone(p.bytes)
		copy(p.bytes, p.before)
	}
	run()
	for i, p := range s.placed {
		lo, hi := p.lo, p.hi
		if !p.mayBeModified {
			lo = hi
		}
		if !bytes.Equal(p.bytes[:lo], p.before[:lo]) || !bytes.Equal(p.bytes[hi:], p.before[hi:]) {
			t.Fatalf("%v: the call wrote outside of its result, around or into operand %d", s, i)
		}
		if text := p.differ(p.bytes[p.lo:p.hi], p.want[p.lo:p.hi]); text != "" {
			t.Fatalf("%v, operand %d: %s", s, i, text)
		}
	}
}

func (s *sample) String() string {
	return fmt.Sprintf("m=%d n=%d k=%d padding=%d flags=%d", s.m, s.n, s.k, s.padding, s.flags)
}

// same compares as differ does.
func same(t *testing.T, s *sample, got, want []float32) {
	t.Helper()
	if text := differ[float32](raw(got), raw(want)); text != "" {
		t.Fatalf("%v: %s", s, text)
	}
}

func raw(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// loops place the operands of each loop and return a call.
var loops = []struct {
	name string
	call func(s *sample) func()
}{
	{"gemm", func(s *sample) func() {
		m, n, k := s.m, s.n, s.k
		as, at := k+s.padding, 1
		a := extent(m, k, as)
		if s.flags&transposed != 0 {
			as, at = 1, m+s.padding
			a = extent(k, m, at)
		}
		ldb, ldd := n+2*s.padding, n+s.padding
		x, y, bias, dst := s.floats(a, false), s.floats(extent(k, n, ldb), false), s.floats(n, false), s.floats(extent(m, n, ldd), true)
		return func() { gemm(dst, ldd, x, as, at, y, ldb, m, n, k, bias, s.flags&(accumulate|addBias|rectify)) }
	}},
	{"gemmListed", func(s *sample) func() {
		m, n, k := s.m, s.n, max(1, s.k)
		as, ldb, ldd := k+s.padding, n+2*s.padding, n+s.padding
		x := s.floats(extent(m, k, as), false)
		for t := range k { // whole columns, and here and there, as a ReLU does it
			column := s.rng.IntN(3) == 0
			for i := range m {
				if column || s.rng.IntN(2) == 0 {
					x[i*as+t] = float32(math.Copysign(0, float64(s.rng.IntN(2)*2-1)))
				}
			}
		}
		y, bias, dst := s.floats(extent(k, n, ldb), false), s.floats(n, false), s.floats(extent(m, n, ldd), true)
		for i, v := range y {
			if v-v != 0 { // the weights are finite
				y[i] = 1
			}
		}
		// In the longest terms, of which none is zero, the lists fill their room.
		lists := place[int32](s, listed(m)*(k+room), true)
		s.placed[len(s.placed)-1].differ = func(_, _ []byte) string { return "" }
		return func() {
			flags := s.flags & (addBias | rectify)
			if listed(m) == 0 {
				gemm(dst, ldd, x, as, 1, y, ldb, m, n, k, bias, flags)
				return
			}
			list(lists, x, as, m, k)
			gemmListed(dst, ldd, x, as, y, ldb, m, n, k, bias, flags, lists)
		}
	}},
	{"transpose", func(s *sample) func() {
		lds := s.n + s.padding
		x, dst := s.floats(extent(s.m, s.n, lds), false), s.floats(s.m*s.n, true)
		return func() { transpose(dst, x, lds, s.m, s.n) }
	}},
	{"add", func(s *sample) func() {
		ldd, ldx := s.n+s.padding, s.n+s.padding
		switch s.k % 4 {
		case 0:
			ldd = 0
		case 1:
			ldx = 0
		case 2:
			ldx++
		}
		x, dst := s.floats(extent(s.m, s.n, ldx), false), s.floats(extent(s.m, s.n, ldd), true)
		return func() { Add(Matrix{dst, s.m, s.n, ldd}, Matrix{x, s.m, s.n, ldx}) }
	}},
	{"addNeighbors", func(s *sample) func() {
		offsets := place[int32](s, s.m+1, false)
		offsets[0] = int32(s.k % 3)
		for i := range s.m {
			offsets[i+1] = offsets[i] + int32(s.rng.IntN(5))
		}
		neighbors := place[int32](s, int(offsets[s.m]), false)
		for i := range neighbors {
			neighbors[i] = int32(s.rng.IntN(s.m))
		}
		ldd, ldh := s.n+s.padding, s.n+2*s.padding
		h, dst := s.floats(extent(s.m, s.n, ldh), false), s.floats(extent(s.m, s.n, ldd), true)
		return func() { AddNeighbors(Matrix{dst, s.m, s.n, ldd}, Matrix{h, s.m, s.n, ldh}, offsets, neighbors) }
	}},
	{"reluGradient", func(s *sample) func() {
		ldd, ldy := s.n+s.padding, s.n+2*s.padding
		y, d := s.floats(extent(s.m, s.n, ldy), false), s.floats(extent(s.m, s.n, ldd), true)
		return func() { ReLUGradient(Matrix{d, s.m, s.n, ldd}, Matrix{y, s.m, s.n, ldy}) }
	}},
	{"exp", func(s *sample) func() {
		x := s.floats(s.n, true)
		return func() { Exp(x, float32(s.k)) }
	}},
	{"sums", func(s *sample) func() {
		x, rows, cols := s.floats(s.m*s.n, false), s.doubles(s.m), s.doubles(s.n)
		return func() { Sums(rows, cols, x) }
	}},
	{"weight", func(s *sample) func() {
		r, c, x := s.floats(s.m, false), s.floats(s.n, false), s.floats(s.m*s.n, true)
		return func() { Weight(x, r, c) }
	}},
	{"normalize", func(s *sample) func() {
		z, norms, dst := s.floats(s.m*s.n, false), s.floats(s.m, true), s.floats(s.m*s.n, true)
		if s.k%4 == 0 {
			clear(z[:s.n])
		}
		return func() { Normalize(dst, norms, z) }
	}},
	{"normalizeGradient", func(s *sample) func() {
		g, u, norms, dst := s.floats(s.m*s.n, false), s.floats(s.m*s.n, false), s.floats(s.m, false), s.floats(s.m*s.n, true)
		if s.k%4 == 0 {
			norms[0] = 0
		}
		return func() { NormalizeGradient(dst, g, u, norms) }
	}},
	{"dot", func(s *sample) func() {
		a, b, dst := s.floats(s.n, false), s.floats(s.n, false), s.floats(1, true)
		return func() { dst[0] = Dot(a, b) }
	}},
	{"adam", func(s *sample) func() {
		step := AdamStep{s.value(), s.value(), s.value(), s.value(), s.value(), s.value(), s.value()}
		grads, m, v, params := s.floats(s.n, false), s.floats(s.n, true), s.floats(s.n, true), s.floats(s.n, true)
		if s.k%3 > 0 { // as in training, so that there is a root
			step.Keep2, step.Take2 = max(step.Keep2, -step.Keep2), max(step.Take2, -step.Take2)
			for i, x := range v {
				v[i] = max(x, -x)
			}
		}
		return func() { Adam(params, grads, m, v, step) }
	}},
	{"walk", func(s *sample) func() {
		lanes := func(n int, mayBeModified bool) []Lane {
			return unsafe.Slice((*Lane)(unsafe.Pointer(unsafe.SliceData(place[float64](s, Walks*n, mayBeModified)))), n)
		}
		next, part, inverse := lanes(s.m, true), lanes(s.m, false), place[float64](s, s.m, false)
		for v := range part {
			inverse[v] = s.rng.Float64()
			for l := range part[v] {
				part[v][l] = s.rng.NormFloat64()
			}
		}
		offsets, neighbors := place[int32](s, s.m+1, false), place[int32](s, s.m*s.n, false)
		offsets[0] = 0
		for v := range s.m {
			offsets[v+1] = offsets[v] + s.rng.Int32N(int32(s.n)+1)
		}
		for k := range neighbors {
			neighbors[k] = s.rng.Int32N(int32(s.m))
		}
		reach := place[int32](s, s.k, false)
		for k := range reach {
			reach[k] = s.rng.Int32N(int32(s.m))
		}
		odd, even := lanes(1, true), lanes(1, true)
		return func() { Walk(next, part, inverse, offsets, neighbors, reach, &odd[0], &even[0]) }
	}},
	{"addWhere", func(s *sample) func() {
		n := (1 + s.m%3) * Strip
		sums, tops := place[uint32](s, n, true), place[uint32](s, n/Top, true)
		words, rows, gains := place[uint64](s, n/64*(1+s.k%7)+s.padding, false), place[uint32](s, s.n, false), place[uint32](s, s.n, false)
		for i := range sums {
			sums[i] = s.rng.Uint32() & 0x7fff_7fff // no half overflows
		}
		for i := range words {
			words[i] = s.rng.Uint64()
		}
		both := s.rng.IntN(len(rows) + 1)
		for k := range rows {
			rows[k], gains[k] = s.rng.Uint32N(uint32(len(words)-n/64+1)), s.rng.Uint32N(0x8000/uint32(s.n))*0x1_0001
			if k >= both {
				gains[k] &^= 0xffff
			}
		}
		return func() { AddWhere(sums, tops, words, rows, gains, both) }
	}},
}

// Every variant gives the bits of the reference, for all sizes around those of
// registers and tiles, and touches nothing else.
func TestSameBits(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, l := range loops {
			t.Run(l.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(11, 12))
				run := func(m, n, k int) {
					s := &sample{rng: rng, m: max(1, m), n: max(1, n), k: k, padding: rng.IntN(4), flags: rng.IntN(64)}
					s.check(t, l.call)
				}
				for n := range 70 { // one register after the other, with every rest
					run(1+rng.IntN(20), n, rng.IntN(40))
					run(n, 1+rng.IntN(70), rng.IntN(40))
				}
				for range 300 {
					run(rng.IntN(40), rng.IntN(180), rng.IntN(90))
				}
				for _, s := range shapes {
					run(s[0], s[1], s[2])
				}
			})
		}
	})
}

// The public functions cut products into blocks; they too must give the bits of the plain loop.
func TestProductsInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	each(t, func(t *testing.T) {
		for _, s := range append(shapes, [3]int{5, 100, 500}, [3]int{1, 65, 161}, [3]int{501, 80, 80}, [3]int{4100, 3, 20}, [3]int{7, 3, 600}) {
			m, n, k := s[0], s[1], s[2]
			x, w, bias := matrix(rng, m, k, 1), matrix(rng, n, k, 2), random(rng, n)
			dst, wt := Dense(make([]float32, m*n), m, n), make([]float32, n*k)
			for i := range x.Data { // as after a ReLU
				if rng.IntN(3) > 0 {
					x.Data[i] = 0
				}
			}
			Linear(dst, x, w, bias, true)
			want := make([]float32, m*n)
			transposeGo(wt, w.Data, w.Stride, n, k)
			gemmGo(want, n, x.Data, x.Stride, 1, wt, n, m, n, k, bias, addBias|rectify)
			same(t, &sample{m: m, n: n, k: k}, dst.Data, want)
			LinearPacked(dst, x, Pack(w), bias, true)
			same(t, &sample{m: m, n: n, k: k}, dst.Data, want)
			gemmGo(want, n, x.Data, x.Stride, 1, wt, n, m, n, k, nil, 0)
			LinearGradient(dst, x, Dense(wt, k, n))
			same(t, &sample{m: m, n: n, k: k}, dst.Data, want)
		}
	})
}

// log(1+x) beside that of package math: for every 997th float32 that is positive and finite, and the borders.
func TestLog1p(t *testing.T) {
	xs := []float32{0, 1, 3, 0x1p-23, 1e-7, 0.41421354, 0.41421360, math.MaxFloat32, float32(math.Inf(1))}
	for bits := uint32(0); bits < 0x7f800000; bits += 997 {
		xs = append(xs, math.Float32frombits(bits))
	}
	got := make([]float32, len(xs))
	Log1p(got, xs)
	for i, x := range xs {
		want := math.Log1p(float64(x))
		if math.Abs(float64(got[i])-want) > 1.2e-7*want && float64(got[i]) != want {
			t.Fatalf("log1p(%g) = %g, want %g", x, got[i], want)
		}
	}
	Log1p(got[:2], []float32{float32(math.NaN()), -0.5})
	if got[0] == got[0] || got[1] != float32(math.Log(0.5)) {
		t.Errorf("log1p of NaN and −½ is %g", got[:2])
	}
}

// FuzzSame compares a loop of every variant with its reference.
func FuzzSame(f *testing.F) {
	for i := range loops {
		f.Add(byte(i), uint64(i), byte(5), byte(19), byte(3), byte(1), byte(7*i), []byte{0, 0, 0, 0x80})
	}
	f.Fuzz(func(t *testing.T, loop byte, seed uint64, m, n, k, padding, flags byte, raw []byte) {
		l := loops[int(loop)%len(loops)]
		defer variants[len(variants)-1].use()
		for _, v := range variants {
			v.use()
			s := &sample{
				rng: rand.New(rand.NewPCG(seed, 0)), m: 1 + int(m)%64, n: 1 + int(n), k: int(k),
				padding: int(padding) % 16, flags: int(flags), raw: raw,
			}
			s.check(t, l.call)
		}
	})
}
