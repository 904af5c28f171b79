package parquet

import (
	"encoding/binary"
	"errors"
)

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxNesting bounds nested structs: Parquet has 6.
const maxNesting = 16

var (
	errShort  = errors.New("metadata end early")
	errThrift = errors.New("metadata are damaged")
)

// A reader decodes Thrift's compact protocol. After an error all values are 0, and nothing is left.
type reader struct {
	left  []byte
	err   error
	depth int
}

// fail sets the reader's error, unless it has one, and ends reading.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.left = nil
}

// take returns the next n bytes, or nil after an error.
func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.fail(errShort)
		return nil
	}
	taken := r.left[:n:n]
	r.left = r.left[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// unsigned reads a varint.
func (r *reader) unsigned() uint64 {
	x, n := binary.Uvarint(r.left)
	switch {
	case n > 0:
		r.left = r.left[n:]
		return x
	case n == 0:
		r.fail(errShort)
	default:
		r.fail(errThrift)
	}
	return 0
}

// signed reads a zigzag varint: 0, −1, 1, −2 and so on.
func (r *reader) signed() int64 {
	x := r.unsigned()
	return int64(x>>1) ^ -int64(x&1)
}

func (r *reader) text() string { return string(r.take(r.unsigned())) }

// fields calls read for each field of a struct, with its id and type. read consumes the value, or returns false: then
// fields skips the value.
func (r *reader) fields(read func(id int, kind byte) bool) {
	if r.depth++; r.depth > maxNesting {
		r.fail(errThrift)
	}
	for id := 0; r.err == nil; {
		head := r.byte()
		kind := head & 15
		if kind == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(int16(r.signed()))
		}
		if !read(id, kind) {
			r.skip(kind)
		}
	}
	r.depth--
}

// numbers reads the fields of a struct: integers into places by id, and other values by read, which may be nil, see fields.
func (r *reader) numbers(places map[int]*int64, read func(id int, kind byte) bool) {
	r.fields(func(id int, kind byte) bool {
		if place := places[id]; place != nil && (kind == thriftI32 || kind == thriftI64) {
			*place = r.signed()
			return true
		}
		return read != nil && read(id, kind)
	})
}

// each calls read for each element of a list of structs. It returns false for a value of another type than a list.
func (r *reader) each(kind byte, read func()) bool {
	if kind != thriftList {
		return false
	}
	n, element := r.list()
	if element != thriftStruct && n > 0 {
		r.fail(errThrift)
	}
	for range n {
		if r.err != nil {
			break
		}
		read()
	}
	return true
}

// list reads the head of a list: how many elements follow, and their type.
func (r *reader) list() (n uint64, kind byte) {
	head := r.byte()
	if n = uint64(head >> 4); n == 15 {
		n = r.unsigned()
	}
	if n > uint64(len(r.left)) { // each takes at least a byte
		r.fail(errShort)
		return 0, 0
	}
	return n, head & 15
}

// skip consumes the value of a field, by its type.
func (r *reader) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse: // the type is the value
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.unsigned()
	case thriftDouble:
		r.take(8)
	case thriftBinary:
		r.take(r.unsigned())
	case thriftList, thriftSet:
		n, element := r.list()
		r.skipAll(n, element)
	case thriftMap:
		n := r.unsigned()
		if n == 0 {
			return
		}
		kinds := r.byte() // of keys and of values
		if n > uint64(len(r.left)) {
			r.fail(errShort)
		}
		for range n {
			if r.err != nil {
				break
			}
			r.skipAll(1, kinds>>4)
			r.skipAll(1, kinds&15)
		}
	case thriftStruct:
		r.fields(func(int, byte) bool { return false })
	default:
		r.fail(errThrift)
	}
}

// skipAll consumes n elements of a list or map. There a truth takes a byte.
func (r *reader) skipAll(n uint64, kind byte) {
	if kind == thriftTrue || kind == thriftFalse {
		r.take(n)
		return
	}
	if r.depth++; r.depth > maxNesting {
		r.fail(errThrift)
	}
	for range n {
		if r.err != nil {
			break
		}
		r.skip(kind)
	}
	r.depth--
}
