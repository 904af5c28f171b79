package arrow

import (
	"encoding/binary"
	"errors"
)

var errDamaged = errors.New("metadata are damaged")

// flat is data as FlatBuffers lays them out: tables whose fields may be missing. A place beyond
// the data sets bad, and reads as 0.
type flat struct {
	data []byte
	bad  bool
}

func (f *flat) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(f.data)-n {
		f.bad = true
		return make([]byte, 8)
	}
	return f.data[at : at+n]
}

func (f *flat) u16(at int) int { return int(binary.LittleEndian.Uint16(f.bytes(at, 2))) }
func (f *flat) i32(at int) int { return int(int32(binary.LittleEndian.Uint32(f.bytes(at, 4)))) }
func (f *flat) i64(at int) int64 {
	return int64(binary.LittleEndian.Uint64(f.bytes(at, 8)))
}

// root is the place of the table that all begins with.
func (f *flat) root() int { return f.i32(0) }

// field returns the place of a field of a table, 0 where it is missing.
func (f *flat) field(table, k int) int {
	if table <= 0 {
		return 0
	}
	virtual := table - f.i32(table)
	if 4+2*k+2 > f.u16(virtual) {
		return 0
	}
	if at := f.u16(virtual + 4 + 2*k); at > 0 && !f.bad {
		return table + at
	}
	return 0
}

// ref follows the reference in a field to a table, a vector or a text; 0 without one.
func (f *flat) ref(table, k int) int {
	at := f.field(table, k)
	if at == 0 {
		return 0
	}
	return at + f.i32(at)
}

// number is that of a field of so many bytes.
func (f *flat) number(table, k, size int) int64 {
	at := f.field(table, k)
	switch {
	case at == 0:
		return 0
	case size == 1:
		return int64(f.bytes(at, 1)[0])
	case size == 2:
		return int64(int16(f.u16(at)))
	case size == 4:
		return int64(f.i32(at))
	}
	return f.i64(at)
}

// vector returns the place of the first element of a vector and how many there are, each of
// so many bytes.
func (f *flat) vector(table, k, size int) (at, n int) {
	if at = f.ref(table, k); at == 0 {
		return 0, 0
	}
	n = f.i32(at)
	f.bytes(at+4, 0)
	if f.bad || n < 0 || n > (len(f.data)-at-4)/size {
		f.bad = true
		return 0, 0
	}
	return at + 4, n
}

func (f *flat) text(table, k int) string {
	at, n := f.vector(table, k, 1)
	return string(f.bytes(at, n)[:n])
}
