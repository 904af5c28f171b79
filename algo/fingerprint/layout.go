package fingerprint

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// An Array is one of those that an index consists of: little-endian numbers, as they are in
// memory.
type Array struct {
	Name  string
	Unit  int // bytes of an element
	Bytes []byte
}

// An array is a field of an index.
type array struct {
	Array
	set func(b []byte) error
}

// arrays lists all fields of an index that a file has, in its order. What is not in here
// follows from their lengths, see OpenIndex.
func (x *Index) arrays() []array {
	return []array{
		arrayOf("places", &x.places), arrayOf("records", &x.records), arrayOf("totals", &x.totals),
		arrayOf("keys", &x.keys), arrayOf("heads", &x.heads), arrayOf("first", &x.first),
		arrayOf("holders", &x.holders), arrayOf("held", &x.held), arrayOf("many", &x.many),
		arrayOf("common", &x.common), arrayOf("lightest", &x.lightest),
	}
}

// Elements of a file are what the compiler makes of these types, anywhere.
var _ [32]byte = [unsafe.Sizeof(record{})]byte{}

// arrayOf is for elements without pointers.
func arrayOf[T any](name string, field *[]T) array {
	var element T
	unit := int(unsafe.Sizeof(element))
	a := array{Array: Array{Name: name, Unit: unit}}
	if n := len(*field); n > 0 {
		a.Bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*field))), n*unit)
	}
	a.set = func(b []byte) error {
		if len(b)%unit != 0 {
			return fmt.Errorf("%s has %d bytes, want a multiple of %d", name, len(b), unit)
		}
		if n := len(b) / unit; n > 0 {
			if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(element) != 0 {
				copied := make([]T, n)
				copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(copied))), len(b)), b)
				*field = copied
				return nil
			}
			*field = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
		}
		return nil
	}
	return a
}

// littleEndian says that numbers in memory are as in a file.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

var errBigEndian = errors.New("this processor has the other order of bytes: an index in a file needs a little-endian one")

// Arrays returns the arrays of an index. They must not be changed.
func (x *Index) Arrays() ([]Array, error) {
	if !littleEndian {
		return nil, errBigEndian
	}
	var list []Array
	for _, a := range x.arrays() {
		list = append(list, a.Array)
	}
	return list, nil
}

// OpenIndex returns the index of arrays as Arrays gives them. It uses their bytes in place,
// where they are aligned to 8, so that this takes no time however long they are; they must
// not change. seal is kept for Seal.
//
// It checks lengths, not what is in the arrays: no content makes a method panic, go on for
// ever, or read beyond the arrays, but it may make it answer nonsense. Memory that turns out
// not to be that of an index, or cannot be read since it is that of a file which was cut
// short, makes Err report it.
func OpenIndex(list []Array, seal []byte) (*Index, error) {
	if !littleEndian {
		return nil, errBigEndian
	}
	x := &Index{seal: seal, damage: new(damage)}
	fields := x.arrays()
	if len(list) != len(fields) {
		return nil, fmt.Errorf("an index of %d arrays, want %d", len(list), len(fields))
	}
	for i, a := range fields {
		if from := list[i]; from.Name != a.Name || from.Unit != a.Unit {
			return nil, fmt.Errorf("array %d of an index is %q with elements of %d bytes, want %q with %d", i, from.Name, from.Unit, a.Name, a.Unit)
		}
		if err := a.set(list[i].Bytes); err != nil {
			return nil, err
		}
	}
	n, keys := len(x.places), len(x.keys)
	if n == 0 || n > maxPrints || keys > maxKeys {
		return nil, fmt.Errorf("an index of %d prints of %d distinct keys, want 1 to %d and at most %d", n, keys, maxPrints, maxKeys)
	}
	x.bits, x.block = countBits(n, keys), blockBits(n)
	for _, a := range []struct {
		name      string
		got, want int
	}{
		{"records", len(x.records), n + 1}, {"totals", len(x.totals), n}, {"heads", len(x.heads), 1<<headBits(keys) + 1},
		{"first", len(x.first), keys + 1}, {"holders", len(x.holders), len(x.held)}, {"many", len(x.many) % 3, 0},
		{"common", len(x.common), 2 * commonPairs}, {"lightest", len(x.lightest), (n-1)>>x.block + 1},
	} {
		if a.got != a.want {
			return nil, fmt.Errorf("%s of an index of %d prints and %d keys has %d elements, want %d", a.name, n, keys, a.got, a.want)
		}
	}
	return x, nil
}

// Seal returns what OpenIndex was given, nil for another index.
func (x *Index) Seal() []byte { return x.seal }

// Entries returns how many keys all prints have.
func (x *Index) Entries() int { return len(x.held) }

// Err reports that the memory of an opened index is not that of one. What methods returned
// may then be wrong.
func (x *Index) Err() error {
	if x.damage != nil {
		if err := x.damage.err.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// damage remembers the first fault of an index in memory that may have any content.
type damage struct{ err atomic.Pointer[error] }

// faults makes memory that cannot be read a panic, and returns what was before.
func faults() (before bool) { return debug.SetPanicOnFault(true) }

// Guard calls f, which reads the arrays of an index. That the memory cannot be read is then
// for Err to say.
func (x *Index) Guard(f func()) {
	if x.damage != nil {
		defer x.damage.watch(faults())
	}
	f()
}

// watch is to be deferred. It turns a fault, and an index that is out of range, into Err.
func (d *damage) watch(before bool) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	fault, ok := r.(runtime.Error)
	if !ok {
		panic(r)
	}
	err := fmt.Errorf("the index of training graphs is damaged, or its file changed while it was in use: %w", fault)
	d.err.CompareAndSwap(nil, &err)
}
