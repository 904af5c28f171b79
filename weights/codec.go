package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Limits of values in a file. Bins have the length that the rest of the file implies.
const (
	maxText = 4096    // bytes of a string
	maxList = 1 << 20 // integers of an array
)

// A codec writes or reads a payload. One list of fields serves both directions, so the order of
// keys, part of the format, cannot differ. Both reject long or invalid texts, negative counts, and
// reals that are not finite.
type codec interface {
	// fields begins a map of exactly n entries as the value of key, or as the payload if key is "".
	fields(key string, n int)
	text(key string, v *string)
	word(key string, v *uint64)
	count(key string, v *int)
	counts(key string, v *[]int)
	real(key string, v *float64)
	// floats is len(v) float32 numbers, allFloats any number of them.
	floats(key string, v []float32)
	allFloats(key string, v *[]float32)
}

// A writer builds a payload. The first value that a reader would reject stays in err.
type writer struct {
	buf bytes.Buffer // never fails, so calls of m do not
	m   *msgpack.Encoder
	err error
}

func newWriter() *writer {
	w := new(writer)
	w.m = msgpack.NewEncoder(&w.buf)
	return w
}

func (w *writer) check(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) fields(key string, n int) {
	if key != "" {
		w.m.EncodeString(key)
	}
	w.m.EncodeMapLen(n)
}

func (w *writer) text(key string, v *string) {
	w.check(checkText(key, *v))
	w.m.EncodeString(key)
	w.m.EncodeString(*v)
}

func (w *writer) word(key string, v *uint64) {
	w.m.EncodeString(key)
	w.m.EncodeUint(*v)
}

func (w *writer) count(key string, v *int) {
	if *v < 0 {
		w.check(fmt.Errorf("%w: %s is %d", ErrNumber, key, *v))
	}
	w.m.EncodeString(key)
	w.m.EncodeUint(uint64(*v))
}

func (w *writer) counts(key string, v *[]int) {
	w.m.EncodeString(key)
	w.m.EncodeArrayLen(len(*v))
	for _, n := range *v {
		w.m.EncodeUint(uint64(n))
	}
}

func (w *writer) real(key string, v *float64) {
	w.check(checkReal(key, *v))
	w.m.EncodeString(key)
	w.m.EncodeFloat64(*v)
}

func (w *writer) floats(key string, v []float32) {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	w.bytes(key, b)
}

// gaps is ascending numbers, stored as differences from their minimum.
func (w *writer) gaps(key string, list []uint32) {
	var b []byte
	lowest := uint64(0)
	for _, x := range list {
		b = binary.AppendUvarint(b, uint64(x)-lowest)
		lowest = uint64(x) + 1
	}
	w.bytes(key, b)
}

// uvarints is numbers one by one.
func (w *writer) uvarints(key string, list []uint32) {
	var b []byte
	for _, x := range list {
		b = binary.AppendUvarint(b, uint64(x))
	}
	w.bytes(key, b)
}

func (w *writer) allFloats(key string, v *[]float32) { w.floats(key, *v) }

func (w *writer) bytes(key string, b []byte) {
	w.m.EncodeString(key)
	w.m.EncodeBytesLen(len(b))
	w.buf.Write(b)
}

// A reader parses a payload. The first error ends do.
//
// Package msgpack only decodes headers and single numbers: the reader checks lengths against the
// remaining bytes, and cuts strings and bins itself. No value is skipped, so nesting is that of the
// format.
type reader struct {
	data []byte
	r    *bytes.Reader // over data; m reads from it unbuffered
	m    *msgpack.Decoder
}

func newReader(payload []byte) *reader {
	r := &reader{data: payload, r: bytes.NewReader(payload)}
	r.m = msgpack.NewDecoder(r.r)
	return r
}

func (r *reader) remaining() int { return r.r.Len() }

// A failure ends do.
type failure struct{ error }

// do reads the whole payload and returns the first error.
func (r *reader) do(read func()) (err error) {
	defer func() {
		v := recover()
		f, ok := v.(failure)
		if v != nil && !ok {
			panic(v)
		}
		err = f.error
	}()
	read()
	if n := r.remaining(); n > 0 {
		r.fail(ErrFormat, "%d bytes after the last value", n)
	}
	return nil
}

func (r *reader) fail(cause error, format string, args ...any) {
	panic(failure{fmt.Errorf("%w: %w (near byte %d of its section)", cause, fmt.Errorf(format, args...), len(r.data)-r.remaining())})
}

func (r *reader) check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// The format's types of values. Those of package msgpack accept more, nil for zero among them.
var (
	isMap  = func(c byte) bool { return msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32 }
	isList = func(c byte) bool {
		return msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
	}
	isUint   = func(c byte) bool { return c <= msgpcode.PosFixedNumHigh || c >= msgpcode.Uint8 && c <= msgpcode.Uint64 }
	isDouble = func(c byte) bool { return c == msgpcode.Double }
)

// decodeHead decodes the head of key's value, or all of a number, if its first byte has the wanted
// type.
func decodeHead[T any](r *reader, key, want string, is func(byte) bool, decode func() (T, error)) (v T) {
	c, err := r.m.PeekCode()
	if err == nil && !is(c) {
		r.fail(ErrFormat, "%s has a value of msgpack type %#02x, want %s", key, c, want)
	}
	if err == nil {
		v, err = decode()
	}
	if err != nil {
		r.fail(ErrFormat, "the payload ends within %s", key)
	}
	return v
}

// length decodes the head of a value of many elements, each of at least size bytes, which must fit
// into the rest.
func (r *reader) length(key, want string, is func(byte) bool, decode func() (int, error), size int) int {
	n := decodeHead(r, key, want, is, decode)
	if n < 0 || n > r.remaining()/size {
		r.fail(ErrFormat, "%s announces %d elements of at least %d bytes, %d bytes remain", key, n, size, r.remaining())
	}
	return n
}

// cut returns the next n bytes, checked by length.
func (r *reader) cut(n int) []byte {
	at := len(r.data) - r.remaining()
	r.r.Seek(int64(n), io.SeekCurrent)
	return r.data[at : at+n : at+n]
}

// str decodes a string.
func (r *reader) str(key string) string {
	n := r.length(key, "a string", msgpcode.IsString, r.m.DecodeBytesLen, 1)
	s := string(r.cut(n))
	r.check(checkText(key, s))
	return s
}

// key decodes the expected key.
func (r *reader) key(want string) {
	if got := r.str("the key " + want); got != want {
		r.fail(ErrFormat, "key %q, want %q", got, want)
	}
}

// entries decodes the head of a map of any length.
func (r *reader) entries(key string) int {
	return r.length(key, "a map", isMap, r.m.DecodeMapLen, 2)
}

func (r *reader) fields(key string, n int) {
	if key != "" {
		r.key(key)
	} else {
		key = "the payload"
	}
	if got := r.entries(key); got != n {
		r.fail(ErrFormat, "%s is a map of %d entries, want %d", key, got, n)
	}
}

func (r *reader) text(key string, v *string) {
	r.key(key)
	*v = r.str(key)
}

func (r *reader) word(key string, v *uint64) {
	r.key(key)
	*v = decodeHead(r, key, "an unsigned integer", isUint, r.m.DecodeUint64)
}

func (r *reader) count(key string, v *int) {
	var n uint64
	r.word(key, &n)
	r.toInt(key, n, v)
}

func (r *reader) toInt(key string, n uint64, v *int) {
	if n > math.MaxInt {
		r.fail(ErrNumber, "%s is %d, want at most %d", key, n, math.MaxInt)
	}
	*v = int(n)
}

func (r *reader) counts(key string, v *[]int) {
	r.key(key)
	n := r.length(key, "an array", isList, r.m.DecodeArrayLen, 1)
	if n > maxList {
		r.fail(ErrTooLarge, "%s has %d integers, want at most %d", key, n, maxList)
	}
	if n == 0 {
		return
	}
	list := make([]int, n)
	for i := range list {
		r.toInt(key, decodeHead(r, key, "an array of unsigned integers", isUint, r.m.DecodeUint64), &list[i])
	}
	*v = list
}

func (r *reader) real(key string, v *float64) {
	r.key(key)
	x := decodeHead(r, key, "a float64", isDouble, r.m.DecodeFloat64)
	r.check(checkReal(key, x))
	*v = x
}

// bin returns the bytes of key's bin, part of the payload.
func (r *reader) bin(key string) []byte {
	r.key(key)
	n := r.length(key, "a bin", msgpcode.IsBin, r.m.DecodeBytesLen, 1)
	return r.cut(n)
}

// bytes is bin for a known length.
func (r *reader) bytes(key string, n int) []byte {
	b := r.bin(key)
	if len(b) != n {
		r.fail(ErrFormat, "%s has %d bytes, want %d", key, len(b), n)
	}
	return b
}

func (r *reader) floats(key string, v []float32) {
	getFloats(v, r.bytes(key, 4*len(v)))
}

func (r *reader) allFloats(key string, v *[]float32) {
	b := r.bin(key)
	if len(b)%4 != 0 {
		r.fail(ErrFormat, "%s has %d bytes, want a multiple of 4", key, len(b))
	}
	if len(b) == 0 {
		return
	}
	*v = make([]float32, len(b)/4)
	getFloats(*v, b)
}

// getFloats fills v from b, which is four times as long or nil.
func getFloats(v []float32, b []byte) {
	for ; len(b) > 0; v, b = v[1:], b[4:] {
		v[0] = math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
}

// uvarint reads the number of thing i, called name, from the front of b and returns the rest.
func (r *reader) uvarint(name string, i int, b []byte) (uint64, []byte) {
	v, size := binary.Uvarint(b)
	if size == 0 {
		r.fail(ErrFormat, "%s %d ends within a number", name, i)
	} else if size < 0 {
		r.fail(ErrNumber, "%s %d has a number of more than 64 bits", name, i)
	}
	return v, b[size:]
}

// uvarints reads 32-bit numbers, each called name. turn makes them from what is written.
func (r *reader) uvarints(key, name string, turn func(i int, v uint64) uint64) []uint32 {
	b := r.bin(key)
	n := 0
	for _, c := range b { // the last byte of each is below 128
		n += int(^c >> 7)
	}
	list := make([]uint32, 0, n)
	for len(b) > 0 {
		var v uint64
		v, b = r.uvarint(name, len(list), b)
		list = append(list, uint32(turn(len(list), v)))
	}
	return list
}

// gaps reads ascending numbers of that many bits, each called name.
func (r *reader) gaps(key, name string, bits int) []uint32 {
	lowest := uint64(0)
	return r.uvarints(key, name, func(i int, gap uint64) uint64 {
		if left := 1<<bits - lowest; gap >= left {
			r.fail(ErrNumber, "%s %d skips %d, want less than the %d that are left of %d bits", name, i, gap, left, bits)
		}
		lowest += gap + 1
		return lowest - 1
	})
}
