package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Physical types.
const (
	boolean = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArray
	fixedArray
)

// Logical types, by their number in the union of the format, and two of its older list.
const (
	noLogical   = 0
	stringType  = 1
	mapType     = 2
	listType    = 3
	enumType    = 4
	decimalType = 5
	dateType    = 6
	timeType    = 7
	stampType   = 8
	integerType = 10
	nullType    = 11
	jsonType    = 12
	bsonType    = 13
	uuidType    = 14
	float16Type = 15
	variantType = 16

	intervalType = -1
	unsignedType = -2
)

// A logical type says what values mean.
type logical struct {
	kind             int
	digits           int // behind the second
	utc              bool
	scale, precision int64 // of decimals
}

// convertedTypes are what the older ConvertedType says: text, nested values, times and so on.
var convertedTypes = []logical{
	{kind: stringType}, {kind: mapType}, {kind: mapType}, {kind: listType}, {kind: stringType},
	{kind: decimalType}, {kind: dateType},
	{kind: timeType, digits: 3}, {kind: timeType, digits: 6}, {kind: stampType, digits: 3}, {kind: stampType, digits: 6},
	{kind: unsignedType}, {kind: unsignedType}, {kind: unsignedType}, {kind: unsignedType}, {}, {}, {}, {},
	{kind: stringType}, {kind: bsonType}, {kind: intervalType},
}

// readLogical reads the union LogicalType: a field, whose id is the kind. Kinds that are shown alike become one.
func readLogical(r *reader) (l logical) {
	unsigned := false
	r.fields(func(id int, kind byte) bool {
		l.kind = id
		if kind != thriftStruct {
			return false
		}
		r.numbers(map[int]*int64{1: &l.scale, 2: &l.precision}, func(field int, kind byte) bool {
			l.utc = l.utc || field == 1 && kind == thriftTrue        // of times: isAdjustedToUTC
			unsigned = unsigned || field == 2 && kind == thriftFalse // of integers: isSigned
			if field != 2 || kind != thriftStruct {
				return false // a truth has no bytes
			}
			r.fields(func(unit int, _ byte) bool { // of times: milli-, micro- or nanoseconds
				l.digits = 3 * unit
				return false
			})
			return true
		})
		return true
	})
	switch l.kind {
	case enumType, jsonType:
		l.kind = stringType
	case integerType, nullType:
		l.kind = noLogical
		if unsigned {
			l.kind = unsignedType
		}
	}
	return l
}

// Bounds of decimals. Arrow's have at most 32 bytes and 76 digits.
const (
	maxDecimal = 64 // bytes
	maxDigits  = 154
)

// valid reports whether scale, precision and digits make sense for the type.
func (l *logical) valid() bool {
	switch l.kind {
	case decimalType:
		return l.scale >= 0 && l.scale <= l.precision && l.precision <= maxDigits
	case timeType, stampType:
		return l.digits > 0 && l.digits <= 9
	}
	return true
}

// A form says how values of a type are shown.
type form struct {
	what  string
	width int                                     // in bytes, 0 if it varies
	show  func(c *Column, b, value []byte) []byte // nil for text
}

// forms are those of logical and physical types. Values are shown as in DuckDB's COPY TO csv, but numbers in
// their shortest form, and times with all their digits.
var forms = map[[2]int]form{
	{noLogical, boolean}:       {"truths", 0, appendTruth},
	{noLogical, int32s}:        {"whole numbers", 4, appendWhole},
	{noLogical, int64s}:        {"whole numbers", 8, appendWhole},
	{unsignedType, int32s}:     {"whole numbers", 4, appendUnsigned},
	{unsignedType, int64s}:     {"whole numbers", 8, appendUnsigned},
	{float16Type, fixedArray}:  {"numbers", 2, appendFloat},
	{noLogical, floats}:        {"numbers", 4, appendFloat},
	{noLogical, doubles}:       {"numbers", 8, appendFloat},
	{decimalType, int32s}:      {"decimals", 4, appendDecimal},
	{decimalType, int64s}:      {"decimals", 8, appendDecimal},
	{decimalType, byteArray}:   {"decimals", 0, appendDecimal},
	{decimalType, fixedArray}:  {"decimals", 0, appendDecimal},
	{stringType, byteArray}:    {"text", 0, nil},
	{noLogical, byteArray}:     {"text", 0, appendBytes},
	{noLogical, fixedArray}:    {"bytes", 0, appendBytes},
	{bsonType, byteArray}:      {"bytes", 0, appendBytes},
	{uuidType, fixedArray}:     {"UUIDs", 16, appendUUID},
	{dateType, int32s}:         {"dates", 4, appendDate},
	{timeType, int32s}:         {"times", 4, appendClock},
	{timeType, int64s}:         {"times", 8, appendClock},
	{stampType, int64s}:        {"times", 8, appendStamp},
	{noLogical, int96s}:        {"times", 12, appendStamp96},
	{intervalType, fixedArray}: {"intervals", 12, appendInterval},
}

// setForm sets how a leaf's values are shown. A column of an unknown type gets only What, so that it is not read.
func (c *Column) setForm(e element) {
	f, known := forms[[2]int{e.logical.kind, int(e.physical)}]
	width := f.width
	if e.physical == fixedArray {
		width = int(e.width)
	}
	if !known || !e.logical.valid() || f.width > 0 && f.width != width || f.what == "decimals" && width > maxDecimal {
		c.What = "values of a type that is not known"
		return
	}
	c.physical, c.width, c.logical, c.What, c.show = int(e.physical), width, e.logical, f.what, f.show
	c.Text = f.what == "text"
	c.Value = !c.Text
	c.Number = slices.Contains([]string{"truths", "whole numbers", "numbers", "decimals"}, f.what)
}

// wholeNumber reads a signed little-endian number of 4 or 8 bytes.
func wholeNumber(v []byte) int64 {
	if len(v) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(v)))
	}
	return int64(binary.LittleEndian.Uint64(v))
}

func appendTruth(_ *Column, b, v []byte) []byte { return strconv.AppendBool(b, v[0] != 0) }

func appendWhole(_ *Column, b, v []byte) []byte { return strconv.AppendInt(b, wholeNumber(v), 10) }

// appendUnsigned appends an unsigned number of 4 or 8 bytes as text.
func appendUnsigned(_ *Column, b, v []byte) []byte {
	x := uint64(wholeNumber(v))
	if len(v) == 4 {
		x &= math.MaxUint32
	}
	return strconv.AppendUint(b, x, 10)
}

// appendFloat appends a float of 2, 4 or 8 bytes as text.
func appendFloat(_ *Column, b, v []byte) []byte {
	switch len(v) {
	case 2:
		return strconv.AppendFloat(b, float64(half(binary.LittleEndian.Uint16(v))), 'g', -1, 32)
	case 4:
		return strconv.AppendFloat(b, float64(math.Float32frombits(uint32(wholeNumber(v)))), 'g', -1, 32)
	}
	return strconv.AppendFloat(b, math.Float64frombits(uint64(wholeNumber(v))), 'g', -1, 64)
}

// half returns the value of a float16. Its bits, shifted, make a float32 that is 2¹¹² times too small.
func half(x uint16) float32 {
	const infinite = 0x7f800000
	bits := uint32(x&0x7fff) << 13
	y := math.Float32frombits(bits) * 0x1p112
	if x&0x7c00 == 0x7c00 {
		y = math.Float32frombits(bits | infinite)
	}
	if x>>15 > 0 {
		y = -y
	}
	return y
}

// appendBytes appends bytes of no type: text if they are text, as old writers leave the type out, else as DuckDB
// shows them.
func appendBytes(_ *Column, b, v []byte) []byte {
	isControl := func(x rune) bool { return x < ' ' && x != '\t' && x != '\n' && x != '\r' }
	if utf8.Valid(v) && !bytes.ContainsFunc(v, isControl) {
		return append(b, v...)
	}
	for _, x := range v {
		if x < ' ' || x > '~' || x == '\\' || x == '\'' || x == '"' {
			b = fmt.Appendf(b, `\x%02X`, x)
		} else {
			b = append(b, x)
		}
	}
	return b
}

// appendUUID appends 16 bytes as the text of a UUID.
func appendUUID(_ *Column, b, v []byte) []byte {
	return fmt.Appendf(b, "%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
}

// appendDecimal appends a whole number with a point before its last digits. If the type has no others, DuckDB
// leaves out the zero before the point.
func appendDecimal(c *Column, b, v []byte) []byte {
	var store [maxDecimal]byte
	left := append(store[:0], v...) // the highest byte first
	if c.physical == int32s || c.physical == int64s {
		slices.Reverse(left)
	}
	if len(left) > 0 && left[0] >= 0x80 { // negate two's complement
		b = append(b, '-')
		for i, carry := len(left)-1, 1; i >= 0; i-- {
			x := int(^left[i]) + carry
			left[i], carry = byte(x), x>>8
		}
	}
	scale := int(c.logical.scale)
	least := scale + 1 // digits
	if scale > 0 && c.logical.scale == c.logical.precision {
		least = scale
	}
	var room [maxDigits + 1]byte
	digits := room[:0] // the last first
	for left = bytes.TrimLeft(left, "\x00"); len(left) > 0 || len(digits) < least; {
		rest := 0 // of a division by 10
		for i, x := range left {
			rest = rest<<8 | int(x)
			left[i], rest = byte(rest/10), rest%10
		}
		digits = append(digits, '0'+byte(rest))
		left = bytes.TrimLeft(left, "\x00")
	}
	for i := len(digits); i > 0; i-- {
		if i == scale {
			b = append(b, '.')
		}
		b = append(b, digits[i-1])
	}
	return b
}

// infinityName returns how DuckDB calls the last or the first day or time, which stand for infinity, and "" for others.
func infinityName(v []byte) string {
	switch string(v) {
	case "\xff\xff\xff\x7f", "\xff\xff\xff\xff\xff\xff\xff\x7f": // the largest int32 and int64
		return "infinity"
	case "\x01\x00\x00\x80", "\x01\x00\x00\x00\x00\x00\x00\x80": // their negatives
		return "-infinity"
	}
	return ""
}

// appendDate appends a date, given in days since 1970.
func appendDate(_ *Column, b, v []byte) []byte {
	if name := infinityName(v); name != "" {
		return append(b, name...)
	}
	return appendDay(b, wholeNumber(v))
}

const secondsOfDay = 24 * 60 * 60

// appendDay appends the date of a day, given as the number of days since 1970.
func appendDay(b []byte, day int64) []byte {
	year, month, date := time.Unix(day*secondsOfDay, 0).UTC().Date()
	if year <= 0 {
		return fmt.Appendf(b, "%04d-%02d-%02d (BC)", 1-year, month, date)
	}
	return fmt.Appendf(b, "%04d-%02d-%02d", year, month, date)
}

func appendClock(c *Column, b, v []byte) []byte { return c.logical.appendClock(b, wholeNumber(v)) }

// appendClock appends a time of a day. x counts units of 10^-digits seconds, of which trailing zeros are left out.
func (l *logical) appendClock(b []byte, x int64) []byte {
	second := int64(math.Pow10(l.digits))
	b = fmt.Appendf(b, "%02d:%02d:%02d", x/second/3600, x/second/60%60, x/second%60)
	if x %= second; x > 0 {
		b = bytes.TrimRight(fmt.Appendf(b, ".%0*d", l.digits, x), "0")
	}
	if l.utc {
		b = append(b, "+00"...)
	}
	return b
}

// appendMoment appends date and time of x units, as in appendClock, after the beginning of a day since 1970. x may be
// negative.
func (l *logical) appendMoment(b []byte, day, x int64) []byte {
	length := secondsOfDay * int64(math.Pow10(l.digits))
	day += x / length
	if x %= length; x < 0 {
		day--
		x += length
	}
	return l.appendClock(append(appendDay(b, day), ' '), x)
}

// appendStamp appends a time as text. It is given in the unit of the column since 1970.
func appendStamp(c *Column, b, v []byte) []byte {
	if name := infinityName(v); name != "" {
		return append(b, name...)
	}
	return c.logical.appendMoment(b, 0, wholeNumber(v))
}

// appendStamp96 appends a time that is given as 8 bytes of nanoseconds and 4 bytes of a Julian day.
func appendStamp96(_ *Column, b, v []byte) []byte {
	const julian1970 = 2440588
	l := logical{digits: 9}
	return l.appendMoment(b, wholeNumber(v[8:])-julian1970, wholeNumber(v[:8]))
}

// appendInterval appends an interval, such as 1 year 2 days 00:00:01, given as months, days and milliseconds.
func appendInterval(_ *Column, b, v []byte) []byte {
	months, days, millis := uint32(wholeNumber(v[:4])), uint32(wholeNumber(v[4:8])), uint32(wholeNumber(v[8:]))
	var parts []string
	for i, n := range []uint32{months / 12, months % 12, days} {
		unit := []string{"year", "month", "day"}[i]
		if n > 1 {
			unit += "s"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", unit))
		}
	}
	if millis > 0 || parts == nil {
		l := logical{digits: 3}
		parts = append(parts, string(l.appendClock(nil, int64(millis))))
	}
	return append(b, strings.Join(parts, " ")...)
}
