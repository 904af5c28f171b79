package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
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

// Logical types, by their number in the union of the format.
const (
	noLogical    = 0
	stringType   = 1
	mapType      = 2
	listType     = 3
	enumType     = 4
	decimalType  = 5
	dateType     = 6
	timeType     = 7
	stampType    = 8
	intervalType = 9 // reserved: intervals have a converted type only
	integerType  = 10
	nullType     = 11
	jsonType     = 12
	bsonType     = 13
	uuidType     = 14
	float16Type  = 15
	variantType  = 16

	geometryType  = 17
	geographyType = 18
)

// A logical type says what values mean.
type logical struct {
	kind      int
	unit      int // digits behind the second
	utc       bool
	unsigned  bool
	scale     int64 // of decimals
	precision int64
}

// convertedTypes are what the older ConvertedType says.
var convertedTypes = []logical{
	{kind: stringType}, {kind: mapType}, {kind: mapType}, {kind: listType}, {kind: enumType}, {kind: decimalType}, {kind: dateType},
	{kind: timeType, unit: 3}, {kind: timeType, unit: 6}, {kind: stampType, unit: 3}, {kind: stampType, unit: 6},
	{kind: integerType, unsigned: true}, {kind: integerType, unsigned: true}, {kind: integerType, unsigned: true}, {kind: integerType, unsigned: true},
	{kind: integerType}, {kind: integerType}, {kind: integerType}, {kind: integerType}, {kind: jsonType}, {kind: bsonType}, {kind: intervalType},
}

// readLogical reads the union LogicalType: a field, whose id is the kind.
func readLogical(r *reader) (l logical) {
	r.fields(func(id int, kind byte) bool {
		l.kind = id
		if kind != thriftStruct {
			return false
		}
		places := map[int]*int64{}
		if id == decimalType {
			places = map[int]*int64{1: &l.scale, 2: &l.precision}
		}
		r.numbers(places, func(field int, kind byte) bool {
			switch {
			case id == integerType && field == 2:
				l.unsigned = kind == thriftFalse
			case field == 1:
				l.utc = kind == thriftTrue
			case field == 2 && kind == thriftStruct: // a union of three units
				r.fields(func(id int, _ byte) bool {
					l.unit = 3 * id
					return false
				})
				return true
			}
			return false // a truth has no bytes
		})
		return true
	})
	return l
}

// Bounds of decimals. Arrow's have at most 32 bytes and 76 digits.
const (
	maxDecimal = 64 // bytes
	maxDigits  = 154
)

// setForm sets what a leaf holds and how its values are shown: as in DuckDB's COPY TO csv, but numbers
// in their shortest form and times without a loss of digits.
func (c *Column) setForm(e element) {
	c.physical, c.width = int(e.physical), widths[e.physical]
	if c.physical == fixedArray {
		c.width = int(e.width)
	}
	whole := c.physical == int32s || c.physical == int64s
	fixed := c.physical == fixedArray
	l := e.logical
	timed := l.unit > 0 && l.unit <= 9
	value := func(what string, show func(b, value []byte) []byte) {
		c.Value, c.What, c.show = true, what, show
		c.Number = slices.Contains(numeric, what)
	}
	switch {
	case c.physical == byteArray && (l.kind == stringType || l.kind == enumType || l.kind == jsonType):
		c.Text, c.What = true, "text"
	case c.physical == byteArray && l.kind == noLogical:
		c.Text, c.What, c.show = true, "text", appendBytes
	case c.physical == byteArray && l.kind == bsonType || fixed && l.kind == noLogical:
		value("bytes", appendBytes)
	case l.kind == decimalType && whole && l.scale >= 0 && l.scale <= l.precision && l.precision <= maxDigits:
		value("decimals", func(b, value []byte) []byte {
			var big [8]byte
			binary.BigEndian.PutUint64(big[:], uint64(integer(value)))
			return appendDecimal(b, big[:], int(l.scale), l.scale == l.precision)
		})
	case l.kind == decimalType && (c.physical == byteArray || fixed) && l.scale >= 0 && l.scale <= l.precision && l.precision <= maxDigits && c.width <= maxDecimal:
		c.longest = maxDecimal
		value("decimals", func(b, value []byte) []byte { return appendDecimal(b, value, int(l.scale), l.scale == l.precision) })
	case l.kind == dateType && c.physical == int32s:
		value("dates", func(b, value []byte) []byte { return appendDay(b, integer(value)) })
	case l.kind == timeType && whole && timed:
		value("times", func(b, value []byte) []byte { return appendZone(appendClock(b, integer(value), l.unit), l.utc) })
	case l.kind == stampType && c.physical == int64s && timed:
		value("times", func(b, value []byte) []byte { return appendStamp(b, integer(value), l.unit, l.utc) })
	case l.kind == noLogical && c.physical == int96s:
		value("times", appendStamp96)
	case l.kind == intervalType && fixed && c.width == 12:
		value("intervals", appendInterval)
	case l.kind == uuidType && fixed && c.width == 16:
		value("UUIDs", appendUUID)
	case l.kind == float16Type && fixed && c.width == 2:
		value("numbers", func(b, value []byte) []byte {
			return appendFloat32(b, halfFloat(binary.LittleEndian.Uint16(value)))
		})
	case whole && l.kind == integerType && l.unsigned:
		value("whole numbers", func(b, value []byte) []byte { return strconv.AppendUint(b, unsigned(value), 10) })
	case whole && (l.kind == noLogical || l.kind == nullType || l.kind == integerType):
		value("whole numbers", func(b, value []byte) []byte { return strconv.AppendInt(b, integer(value), 10) })
	case l.kind != noLogical && l.kind != nullType:
		c.What = cmp.Or(map[int]string{geometryType: "geometries", geographyType: "geometries"}[l.kind], "values of a type that is not known")
	case c.physical == boolean:
		value("truths", func(b, value []byte) []byte { return strconv.AppendBool(b, value[0] != 0) })
	case c.physical == floats:
		value("numbers", func(b, value []byte) []byte {
			return appendFloat32(b, math.Float32frombits(binary.LittleEndian.Uint32(value)))
		})
	case c.physical == doubles:
		value("numbers", func(b, value []byte) []byte {
			return strconv.AppendFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(value)), 'g', -1, 64)
		})
	default:
		value("bytes", appendBytes)
	}
}

// numeric is what numbers and truths are called.
var numeric = []string{"numbers", "whole numbers", "decimals", "truths"}

// widths are those of physical types, in bytes; 0 where it varies, and for truths.
var widths = []int{0, 4, 8, 12, 4, 8, 0, 0}

func integer(value []byte) int64 {
	if len(value) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(value)))
	}
	return int64(binary.LittleEndian.Uint64(value))
}

func unsigned(value []byte) uint64 {
	if len(value) == 4 {
		return uint64(binary.LittleEndian.Uint32(value))
	}
	return binary.LittleEndian.Uint64(value)
}

func appendFloat32(b []byte, x float32) []byte {
	return strconv.AppendFloat(b, float64(x), 'g', -1, 32)
}

// halfFloat widens a float of 5 bits of exponent and 10 of fraction.
func halfFloat(x uint16) float32 {
	exponent, fraction := int(x>>10&31), float64(x&1023)
	y := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 31 && fraction > 0:
		y = math.NaN()
	case exponent == 31:
		y = math.Inf(1)
	case exponent == 0:
		y = math.Ldexp(fraction, -24)
	}
	if x>>15 > 0 {
		y = -y
	}
	return float32(y)
}

// appendBytes appends bytes without a type: text if they are text, else as DuckDB shows them.
// Old writers leave the type of text out.
func appendBytes(b, value []byte) []byte {
	control := bytes.ContainsFunc(value, func(x rune) bool { return x < ' ' && x != '\t' && x != '\n' && x != '\r' })
	if !control && utf8.Valid(value) {
		return append(b, value...)
	}
	for _, x := range value {
		if x < ' ' || x > '~' || x == '\\' || x == '\'' || x == '"' {
			const digits = "0123456789ABCDEF"
			b = append(b, '\\', 'x', digits[x>>4], digits[x&15])
		} else {
			b = append(b, x)
		}
	}
	return b
}

func appendUUID(b, value []byte) []byte {
	for i, from := range []int{0, 4, 6, 8, 10} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, value[from:[]int{4, 6, 8, 10, 16}[i]])
	}
	return b
}

// appendDecimal appends a whole number, the highest byte first, with a point before its last digits. bare
// leaves out the zero before the point, as DuckDB does where a type has no digits there.
func appendDecimal(b, value []byte, scale int, bare bool) []byte {
	var store [maxDecimal]byte
	left := append(store[:0], value...)
	if len(left) > 0 && left[0] >= 0x80 {
		b = append(b, '-')
		for i, carry := len(left)-1, 1; i >= 0; i-- {
			x := int(^left[i]) + carry
			left[i], carry = byte(x), x>>8
		}
	}
	var room [3 * maxDecimal]byte
	digits := room[:0] // the last first
	for {
		for len(left) > 0 && left[0] == 0 {
			left = left[1:]
		}
		if len(left) == 0 {
			break
		}
		rest := 0
		for i, x := range left {
			rest = rest<<8 | int(x)
			left[i], rest = byte(rest/10), rest%10
		}
		digits = append(digits, '0'+byte(rest))
	}
	least := scale + 1
	if bare && scale > 0 {
		least = scale
	}
	for len(digits) < least {
		digits = append(digits, '0')
	}
	for i := len(digits); i > 0; i-- {
		if i == scale {
			b = append(b, '.')
		}
		b = append(b, digits[i-1])
	}
	return b
}

const secondsOfDay = 24 * 60 * 60

// appendDay appends the date of a day from 1970 on. DuckDB has two without an end.
func appendDay(b []byte, day int64) []byte {
	switch day {
	case math.MaxInt32:
		return append(b, "infinity"...)
	case -math.MaxInt32:
		return append(b, "-infinity"...)
	}
	year, month, date := time.Unix(day*secondsOfDay, 0).UTC().Date()
	before := year <= 0
	if before {
		year = 1 - year
	}
	b = appendPadded(b, int64(year), 4)
	b = appendPadded(append(b, '-'), int64(month), 2)
	b = appendPadded(append(b, '-'), int64(date), 2)
	if before {
		b = append(b, " (BC)"...)
	}
	return b
}

// appendPadded appends x, not negative, with at least so many digits.
func appendPadded(b []byte, x int64, digits int) []byte {
	for limit := int64(10); digits > 1; digits-- {
		if x < limit {
			b = append(b, "000000000"[:digits-1]...)
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(b, x, 10)
}

// unitsOf returns how many units of so many digits a second has.
func unitsOf(digits int) int64 { return []int64{3: 1e3, 6: 1e6, 9: 1e9}[digits] }

// appendClock appends a time of the day, of which digits are behind the second.
func appendClock(b []byte, x int64, digits int) []byte {
	second := unitsOf(digits)
	b = appendPadded(b, x/second/3600, 2)
	b = appendPadded(append(b, ':'), x/second/60%60, 2)
	b = appendPadded(append(b, ':'), x/second%60, 2)
	if x %= second; x > 0 {
		b = appendPadded(append(b, '.'), x, digits)
		b = bytes.TrimRight(b, "0")
	}
	return b
}

func appendZone(b []byte, utc bool) []byte {
	if utc {
		return append(b, "+00"...)
	}
	return b
}

// appendStamp appends a time from 1970 on. DuckDB has two without an end.
func appendStamp(b []byte, x int64, digits int, utc bool) []byte {
	switch x {
	case math.MaxInt64:
		return append(b, "infinity"...)
	case -math.MaxInt64:
		return append(b, "-infinity"...)
	}
	return appendZone(appendMoment(b, 0, x, digits), utc)
}

// appendMoment appends the time that lies x after the beginning of a day.
func appendMoment(b []byte, day, x int64, digits int) []byte {
	whole := secondsOfDay * unitsOf(digits)
	day += x / whole
	if x %= whole; x < 0 {
		day--
		x += whole
	}
	return appendClock(append(appendDay(b, day), ' '), x, digits)
}

// appendStamp96 appends nanoseconds of a Julian day.
func appendStamp96(b, value []byte) []byte {
	const julian1970 = 2440588
	return appendMoment(b, integer(value[8:])-julian1970, integer(value[:8]), 9)
}

// appendInterval appends months, days and milliseconds.
func appendInterval(b, value []byte) []byte {
	months, days, millis := unsigned(value[:4]), unsigned(value[4:8]), unsigned(value[8:])
	start := len(b)
	for _, part := range []struct {
		n    uint64
		unit string
	}{{months / 12, " year"}, {months % 12, " month"}, {days, " day"}} {
		if part.n == 0 {
			continue
		}
		if len(b) > start {
			b = append(b, ' ')
		}
		b = append(strconv.AppendUint(b, part.n, 10), part.unit...)
		if part.n > 1 {
			b = append(b, 's')
		}
	}
	if millis == 0 && len(b) > start {
		return b
	}
	if len(b) > start {
		b = append(b, ' ')
	}
	return appendClock(b, int64(millis), 3)
}
