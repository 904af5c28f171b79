package fingerprint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
)

// bytesOf returns the file form of an index.
func bytesOf(t testing.TB, x *Index) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := x.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes and %v, want %d", n, err, b.Len())
	}
	return b.Bytes()
}

func TestFileForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, prints := range [][]Print{nil, {{}}, {{Keys: []uint32{0}, Counts: []uint32{1}}}, library(rng, 200, 30, 0.05)} {
		x := NewIndex(prints)
		data := bytesOf(t, x)
		if !bytes.Equal(data, bytesOf(t, NewIndex(prints))) {
			t.Error("equal prints have other bytes")
		}
		// One of these begins at a multiple of eight, the others not.
		room := make([]byte, len(data)+8)
		for shift := range 8 {
			copy(room[shift:], data)
			y, err := OpenIndex(room[shift : shift+len(data)])
			if err != nil {
				t.Fatal(err)
			}
			if !same(x, y) || !bytes.Equal(data, bytesOf(t, y)) {
				t.Errorf("%d prints at %d: other than what was written", len(prints), shift)
			}
			for range 20 {
				p := skewed(rng, 30, 0.05)
				if x.Best(p, -1) != y.Best(p, -1) || x.Known(p) != y.Known(p) {
					t.Errorf("other answers after writing and reading")
				}
			}
		}
	}
}

// same compares all that indexes hold.
func same(x, y *Index) bool {
	a, b := reflect.ValueOf(x).Elem(), reflect.ValueOf(y).Elem()
	for i := range a.NumField() {
		if f, g := a.Field(i), b.Field(i); f.Kind() == reflect.Slice {
			if f.Len() != g.Len() {
				return false
			}
			for k := range f.Len() {
				if !f.Index(k).Equal(g.Index(k)) {
					return false
				}
			}
		} else if !f.Equal(g) {
			return false
		}
	}
	return true
}

// An index in place takes no memory for what it holds.
func TestOpenIndexInPlace(t *testing.T) {
	if !little {
		t.Skip("big-endian machines copy")
	}
	data := bytesOf(t, NewIndex(library(rand.New(rand.NewPCG(22, 2)), 300, 30, 0)))
	aligned := make([]byte, len(data)) // the runtime aligns what is as large
	copy(aligned, data)
	if n := testing.AllocsPerRun(10, func() {
		if _, err := OpenIndex(aligned); err != nil {
			t.Error(err)
		}
	}); n > 3 {
		t.Errorf("%g allocations, want those of the index alone", n)
	}
}

// Whatever word of a file is changed, the index is refused, or answers without failing.
func TestOpenIndexOfHostileBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 3))
	data := bytesOf(t, NewIndex(library(rng, 12, 10, 0.2)))
	refused := 0
	for at := 0; at+4 <= len(data); at += 4 {
		for _, value := range []uint32{0, 1, 1 << 31, 0xffffffff, binary.LittleEndian.Uint32(data[at:]) + 1, rng.Uint32()} {
			hostile := bytes.Clone(data)
			binary.LittleEndian.PutUint32(hostile[at:], value)
			if !useAll(hostile) {
				refused++
			}
		}
	}
	if words := len(data) / 4; refused < words {
		t.Errorf("%d changes of %d words were refused, want most", refused, words)
	}
	for n := range len(data) {
		if useAll(data[:n]) {
			t.Errorf("%d of %d bytes are an index", n, len(data))
		}
	}
	if useAll(append(bytes.Clone(data), 0, 0, 0, 0)) {
		t.Error("what follows an index was not noticed")
	}
}

// useAll opens an index, says whether it could, and asks it everything.
func useAll(data []byte) bool {
	x, err := OpenIndex(data)
	if err != nil {
		return false
	}
	all := make([]float64, x.Len())
	p := Print{Keys: []uint32{0, 5, 1 << 20, 0xffffffff}, Counts: []uint32{1, 300, 2, 1}}
	known := Print{}
	for _, key := range x.keys {
		known.Keys, known.Counts = append(known.Keys, key), append(known.Counts, 400)
	}
	for _, p := range []Print{{}, p, known} {
		x.Best(p, -1)
		x.Best(p, 0)
		x.Closest(p, -1)
		x.Known(p)
		x.Holders(5)
		for m := Sets; m <= Counts; m++ {
			x.Similarities(all, m, p)
			x.Lacks(p, m)
		}
	}
	return true
}

func TestWriteToSaysWhatFailed(t *testing.T) {
	x := NewIndex(library(rand.New(rand.NewPCG(22, 4)), 20, 20, 0))
	full := errors.New("full")
	if _, err := x.WriteTo(failing{full}); err != full {
		t.Errorf("%v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzOpenIndex(f *testing.F) {
	rng := rand.New(rand.NewPCG(22, 5))
	for _, n := range []int{0, 1, 5} {
		f.Add(bytesOf(f, NewIndex(library(rng, n, 5, 0.2))))
	}
	f.Fuzz(func(_ *testing.T, data []byte) { useAll(data) })
}
