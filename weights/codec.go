package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Limits of values in a file. The length of a bin follows from the rest of the file.
const (
	maxText = 4096    // bytes of a string
	maxList = 1 << 20 // integers of an array
)

// A codec writes a payload, or reads one. Each part of the format is one list of fields for both directions, so the
// order of keys cannot differ. Each method writes a value, or reads it into its argument. Both directions reject long or
// invalid texts, negative counts, and reals that are not finite. The first error ends do.
//
// Package msgpack only decodes heads and single numbers. The codec checks lengths against the remaining bytes, and cuts
// strings and bins itself. It skips no value, so nesting is that of the format.
type codec struct {
	writes bool
	buf    bytes.Buffer // what was written; a buffer never fails, so calls of w do not
	w      *msgpack.Encoder
	data   []byte        // the payload that is read
	rest   *bytes.Reader // the rest of data, from which r reads without a buffer
	r      *msgpack.Decoder
}

// newWriter returns a codec that writes.
func newWriter() *codec {
	c := &codec{writes: true}
	c.w = msgpack.NewEncoder(&c.buf)
	return c
}

// newReader returns a codec that reads payload.
func newReader(payload []byte) *codec {
	c := &codec{data: payload, rest: bytes.NewReader(payload)}
	c.r = msgpack.NewDecoder(c.rest)
	return c
}

func (c *codec) remaining() int { return c.rest.Len() }

// do writes or reads a whole payload and returns the first error.
func (c *codec) do(fields func()) error {
	return try(func() {
		fields()
		if !c.writes && c.remaining() > 0 {
			c.fail(ErrFormat, "%d bytes after the last value", c.remaining())
		}
	})
}

// A failure ends try.
type failure struct{ error }

// try calls f and returns the failure that ended it, or nil.
func try(f func()) (err error) {
	defer func() {
		v := recover()
		failed, ok := v.(failure)
		if v != nil && !ok {
			panic(v)
		}
		err = failed.error
	}()
	f()
	return nil
}

// fail ends the enclosing try with an error.
func fail(cause error, format string, args ...any) {
	panic(failure{fmt.Errorf("%w: %w", cause, fmt.Errorf(format, args...))})
}

// require calls fail unless ok. Long loops call fail themselves, since arguments take memory.
func require(ok bool, cause error, format string, args ...any) {
	if !ok {
		fail(cause, format, args...)
	}
}

// fail ends do with an error, which wraps cause. A reader's error also says where in the payload.
func (c *codec) fail(cause error, format string, args ...any) {
	if c.writes {
		fail(cause, format, args...)
	}
	at := fmt.Sprintf("near byte %d of its section", len(c.data)-c.remaining())
	panic(failure{fmt.Errorf("%w: %w (%s)", cause, fmt.Errorf(format, args...), at)})
}

// require calls c.fail unless ok.
func (c *codec) require(ok bool, cause error, format string, args ...any) {
	if !ok {
		c.fail(cause, format, args...)
	}
}

// The types of values in the format. Package msgpack itself accepts more, such as nil for zero.
var (
	isMap  = func(c byte) bool { return msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32 }
	isList = func(c byte) bool {
		return msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
	}
	isUint   = func(c byte) bool { return c <= msgpcode.PosFixedNumHigh || c >= msgpcode.Uint8 && c <= msgpcode.Uint64 }
	isDouble = func(c byte) bool { return c == msgpcode.Double }
)

// decodeHead decodes the head of key's value, or a whole number. It fails unless is accepts the first byte, the value's type.
// want names that type in errors.
func decodeHead[T any](c *codec, key, want string, is func(byte) bool, decode func() (T, error)) (v T) {
	code, err := c.r.PeekCode()
	if err == nil && !is(code) {
		c.fail(ErrFormat, "%s has a value of msgpack type %#02x, want %s", key, code, want)
	}
	if err == nil {
		v, err = decode()
	}
	if err != nil {
		c.fail(ErrFormat, "the payload ends within %s", key)
	}
	return v
}

// length decodes the head of a value and returns its number of elements. Each has at least size bytes, which must fit into
// the rest.
func (c *codec) length(key, want string, is func(byte) bool, decode func() (int, error), size int) int {
	n := decodeHead(c, key, want, is, decode)
	c.require(n >= 0 && n <= c.remaining()/size, ErrFormat,
		"%s announces %d elements of at least %d bytes, %d bytes remain", key, n, size, c.remaining())
	return n
}

// cut returns the next n bytes, which length has checked.
func (c *codec) cut(n int) []byte {
	at := len(c.data) - c.remaining()
	c.rest.Seek(int64(n), io.SeekCurrent)
	return c.data[at : at+n : at+n]
}

// str reads a string. It fails for one that checkText refuses.
func (c *codec) str(key string) string {
	n := c.length(key, "a string", msgpcode.IsString, c.r.DecodeBytesLen, 1)
	s := string(c.cut(n))
	checkText(key, s)
	return s
}

// key writes the key of an entry, or checks that it is the next one.
func (c *codec) key(want string) {
	if c.writes {
		c.w.EncodeString(want)
		return
	}
	got := c.str("the key " + want)
	c.require(got == want, ErrFormat, "key %q, want %q", got, want)
}

// entries writes the head of a map of n entries, or reads the number of its entries. It returns the number.
func (c *codec) entries(key string, n int) int {
	if c.writes {
		c.w.EncodeMapLen(n)
		return n
	}
	return c.length(key, "a map", isMap, c.r.DecodeMapLen, 2)
}

// fields begins a map of exactly n entries: the value of key, or the payload if key is "".
func (c *codec) fields(key string, n int) {
	if key != "" {
		c.key(key)
	} else {
		key = "the payload"
	}
	got := c.entries(key, n)
	c.require(got == n, ErrFormat, "%s is a map of %d entries, want %d", key, got, n)
}

// text writes or reads a string of UTF-8.
func (c *codec) text(key string, v *string) {
	c.key(key)
	if !c.writes {
		*v = c.str(key)
		return
	}
	checkText(key, *v)
	c.w.EncodeString(*v)
}

// word writes or reads an unsigned integer.
func (c *codec) word(key string, v *uint64) {
	c.key(key)
	c.unsigned(key, "an unsigned integer", v)
}

// unsigned writes or reads an unsigned integer without its key. want describes it in errors.
func (c *codec) unsigned(key, want string, v *uint64) {
	if c.writes {
		c.w.EncodeUint(*v)
	} else {
		*v = decodeHead(c, key, want, isUint, c.r.DecodeUint64)
	}
}

// count writes or reads an integer that is not negative.
func (c *codec) count(key string, v *int) {
	c.key(key)
	c.int(key, "an unsigned integer", v)
}

// int writes or reads an integer that is not negative. It does not write the key; key and want are for errors.
func (c *codec) int(key, want string, v *int) {
	n := uint64(*v)
	if c.writes && *v < 0 {
		c.fail(ErrNumber, "%s is %d", key, *v)
	}
	c.unsigned(key, want, &n)
	if n > math.MaxInt {
		c.fail(ErrNumber, "%s is %d, want at most %d", key, n, math.MaxInt)
	}
	if !c.writes {
		*v = int(n)
	}
}

// flag writes or reads a bool as a count of 0 or 1.
func (c *codec) flag(key string, v *bool) {
	n := 0
	if *v {
		n = 1
	}
	c.count(key, &n)
	c.require(n <= 1, ErrNumber, "%s is %d, want 0 or 1", key, n)
	*v = n == 1
}

// counts writes or reads a list of integers that are not negative.
func (c *codec) counts(key string, v *[]int) {
	c.key(key)
	if c.writes {
		c.w.EncodeArrayLen(len(*v))
	} else if n := c.length(key, "an array", isList, c.r.DecodeArrayLen, 1); n > maxList {
		c.fail(ErrTooLarge, "%s has %d integers, want at most %d", key, n, maxList)
	} else if n > 0 {
		*v = make([]int, n)
	}
	for i := range *v {
		c.int(key, "an array of unsigned integers", &(*v)[i])
	}
}

// real writes or reads a finite number.
func (c *codec) real(key string, v *float64) {
	c.key(key)
	if !c.writes {
		*v = decodeHead(c, key, "a float64", isDouble, c.r.DecodeFloat64)
	}
	require(finite(*v), ErrNumber, "%s is %g, want a finite number", key, *v)
	if c.writes {
		c.w.EncodeFloat64(*v)
	}
}

// bin writes a bin, or reads one of any length. A reader returns a part of the payload.
func (c *codec) bin(key string, b []byte) []byte {
	c.key(key)
	if c.writes {
		c.w.EncodeBytesLen(len(b))
		c.buf.Write(b)
		return b
	}
	return c.cut(c.length(key, "a bin", msgpcode.IsBin, c.r.DecodeBytesLen, 1))
}

// sized is bin, but fails unless there are n bytes.
func (c *codec) sized(key string, b []byte, n int) []byte {
	b = c.bin(key, b)
	c.require(len(b) == n, ErrFormat, "%s has %d bytes, want %d", key, len(b), n)
	return b
}

// values writes or reads a bin of n values of size bytes each. value writes v to b, or reads it from there. A reader
// fails unless the bin has n*size bytes, and allocates the list after that, unless it has length n already.
func values[T any](c *codec, key string, list *[]T, n, size int, value func(b []byte, v *T)) {
	var b []byte
	if c.writes {
		b = make([]byte, n*size)
	} else if b = c.sized(key, nil, n*size); len(*list) != n {
		*list = make([]T, n)
	}
	for i := range n {
		value(b[i*size:][:size], &(*list)[i])
	}
	if c.writes {
		c.bin(key, b)
	}
}

// single writes or reads a float32.
func (c *codec) single(b []byte, v *float32) {
	if c.writes {
		binary.LittleEndian.PutUint32(b, math.Float32bits(*v))
	} else {
		*v = math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
}

// half writes or reads a float32 as a float16.
func (c *codec) half(b []byte, v *float32) {
	if c.writes {
		binary.LittleEndian.PutUint16(b, toHalf(*v))
	} else {
		*v = fromHalf(binary.LittleEndian.Uint16(b))
	}
}

// double writes or reads a float64. All NaN are written with the same bytes.
func (c *codec) double(b []byte, v *float64) {
	switch x := *v; {
	case !c.writes:
		*v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case math.IsNaN(x):
		binary.LittleEndian.PutUint64(b, math.Float64bits(math.NaN()))
	default:
		binary.LittleEndian.PutUint64(b, math.Float64bits(x))
	}
}

// floats writes or reads len(v) float32 numbers.
func (c *codec) floats(key string, v []float32) { values(c, key, &v, len(v), 4, c.single) }

// allFloats writes or reads any number of float32 numbers. A reader takes their number from the length of the bin.
func (c *codec) allFloats(key string, v *[]float32) {
	if c.writes {
		c.floats(key, *v)
		return
	}
	b := c.bin(key, nil)
	c.require(len(b)%4 == 0, ErrFormat, "%s has %d bytes, want a multiple of 4", key, len(b))
	if len(b) > 0 {
		*v = make([]float32, len(b)/4)
	}
	for i := range *v {
		c.single(b[4*i:], &(*v)[i])
	}
}

// rounded writes any number of float64 as float32, or reads them and appends them to *v. All NaN are written with the
// same bytes.
func (c *codec) rounded(key string, v *[]float64) {
	list := make([]float32, len(*v))
	for i, x := range *v {
		list[i] = float32(x)
		if math.IsNaN(x) {
			list[i] = float32(math.NaN())
		}
	}
	c.allFloats(key, &list)
	if c.writes {
		return
	}
	*v = slices.Grow(*v, len(list))
	for _, x := range list {
		*v = append(*v, float64(x))
	}
}

// uvarint appends v to b when writing, and takes it from the front of b when reading. It fails if b does not begin with a
// number of at most 64 bits. Errors call it by name and i.
func (c *codec) uvarint(name string, i int, b *[]byte, v *uint64) {
	if c.writes {
		*b = binary.AppendUvarint(*b, *v)
		return
	}
	x, size := binary.Uvarint(*b)
	if size == 0 {
		c.fail(ErrFormat, "%s %d ends within a number", name, i)
	} else if size < 0 {
		c.fail(ErrNumber, "%s %d has a number of more than 64 bits", name, i)
	}
	*v, *b = x, (*b)[size:]
}

// uvarints writes or reads a bin of numbers of 32 bits, as varints. turn converts number i to the varint in the file,
// or the varint that was read to the number. name is what errors call a number.
func (c *codec) uvarints(key, name string, list *[]uint32, turn func(i int, v uint64) uint64) {
	if c.writes {
		var b []byte
		for i, x := range *list {
			b = binary.AppendUvarint(b, turn(i, uint64(x)))
		}
		c.bin(key, b)
		return
	}
	b := c.bin(key, nil)
	n := 0
	for _, x := range b { // the last byte of a varint, and no other, has its highest bit clear
		n += int(^x >> 7)
	}
	*list = make([]uint32, 0, n)
	for i := 0; len(b) > 0; i++ {
		var v uint64
		c.uvarint(name, i, &b, &v)
		*list = append(*list, uint32(turn(i, v)))
	}
}

// gaps writes or reads ascending numbers below 1<<bits, each once. For each the file has the number of values between it
// and the one before. A reader fails at a number of more bits. name is what errors call a number.
func (c *codec) gaps(key, name string, bits int, list *[]uint32) {
	lowest := uint64(0)
	c.uvarints(key, name, list, func(i int, v uint64) uint64 {
		if c.writes {
			gap := v - lowest
			lowest = v + 1
			return gap
		}
		if left := 1<<bits - lowest; v >= left {
			c.fail(ErrNumber, "%s %d skips %d, want less than the %d that are left of %d bits", name, i, v, left, bits)
		}
		lowest += v + 1
		return lowest - 1
	})
}
