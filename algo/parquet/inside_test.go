package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Blocks by hand: a letter, and its copy, in each form, at the very end; letters with a length of one byte, and of more.
func TestBlocksByHand(t *testing.T) {
	many := strings.Repeat("a", 300)
	type blocks map[string]error
	for name, test := range map[string]struct {
		decompress func(dst, src []byte) error
		size       int
		blocks
	}{
		"Snappy": {unsnappy, 8, blocks{
			// a copy of 7, or all
			"\x08\x00a\x0d\x01": nil, "\x08\x00a\x1a\x01\x00": nil, "\x08\x00a\x1b\x01\x00\x00\x00": nil, "\x08\x1caaaaaaaa": nil,
			"\x08\x00a\x0d": errCorrupt, "\x08\x00a\x1a\x01": errCorrupt, "\x08\x00a\x1b\x01\x00\x00": errCorrupt, // cut
			"\x08\x00a\x0d\x00": errCorrupt, "\x08\x00a\x0d\x02": errCorrupt, // from nowhere
			// of another size
			"\x08\x00a\x09\x01": errCorrupt, "\x08\x00a\x11\x01": errCorrupt, "\x09\x00a\x0d\x01": errCorrupt, "\x08\x20aaaaaaaa": errCorrupt,
		}},
		"60 of Snappy":      {unsnappy, 60, blocks{"\x3c\xec" + many[:60]: nil, "\x3c\xec" + many[:59]: errCorrupt}},
		"61 of Snappy":      {unsnappy, 61, blocks{"\x3d\xf0\x3c" + many[:61]: nil, "\x3d\xf0": errCorrupt, "\x3d\xf4\x3c": errCorrupt}},
		"300 of Snappy":     {unsnappy, 300, blocks{"\xac\x02\xf4\x2b\x01" + many: nil}},
		"nothing of Snappy": {unsnappy, 0, blocks{"\x00": nil, "": errCorrupt}},
		"LZ4": {unlz4, 8, blocks{
			"\x80aaaaaaaa": nil, "\x10a\x01\x00\x30aaa": nil, "\x13a\x01\x00\x00": nil,
			// cut, or more
			"": errCorrupt, "\x10": errCorrupt, "\x10a": errCorrupt, "\x10a\x01": errCorrupt, "\xf0": errCorrupt, "\x80aaaaaaaa\x00": errCorrupt,
			"\x13a\x00\x00\x00": errCorrupt, "\x13a\x02\x00\x00": errCorrupt, "\x14a\x01\x00\x00": errCorrupt, "\x90aaaaaaaaa": errCorrupt,
		}},
		"280 of LZ4": {unlz4, 280, blocks{"\x1fa\x01\x00\xff\x00\x50aaaaa": nil, "\x1fa\x01\x00\xff": errCorrupt}},
		"300 of LZ4": {unlz4, 300, blocks{"\x1fa\x01\x00\xff\x14\x50aaaaa": nil}},
	} {
		for block, want := range test.blocks {
			dst := make([]byte, test.size)
			if err := test.decompress(dst, []byte(block)); !errors.Is(err, want) || err == nil && string(dst) != many[:test.size] {
				t.Errorf("%s: %q gives %q, %v, want %v", name, block, dst, err, want)
			}
		}
	}
}

// What columns hold and how a value is shown follows from their physical, logical and converted types, by the numbers of the
// format. Texts are those of DuckDB 2.0.1, see build/columnar for more.
func TestTypes(t *testing.T) {
	of := func(physical int, more ...any) record {
		fields := record{{1, physical}, {4, "a"}}
		for i := 0; i < len(more); i += 2 {
			fields = append(fields, record{{more[i].(int), more[i+1]}}...)
		}
		return fields
	}
	fixed := func(width int, more ...any) record {
		fields := of(fixedArray, more...)
		return slices.Concat(fields[:1], record{{2, width}}, fields[1:])
	}
	union := func(kind int, fields ...any) record {
		var of record
		for i := 0; i < len(fields); i += 2 {
			of = append(of, record{{fields[i].(int), fields[i+1]}}...)
		}
		return record{{kind, of}}
	}
	unit := func(kind, unit int) record { return union(kind, 2, record{{unit, record{}}}) }
	const ones = "\xff\xff\xff\xff\xff\xff\xff\xff"
	zeros := strings.Repeat("\x00", 8)
	for _, test := range []struct {
		fields record
		want   string // what, and the value
		value  string
	}{
		{of(boolean), "truths true", "\x01"}, {of(int32s), "whole numbers -1", ones[:4]}, {of(int64s), "whole numbers -1", ones},
		{of(int32s, 6, 11), "whole numbers 4294967295", ones[:4]}, {of(int64s, 6, 14), "whole numbers 18446744073709551615", ones},
		{of(int32s, 6, 15), "whole numbers -1", ones[:4]}, {of(int64s, 10, union(integerType)), "whole numbers -1", ones}, {of(int32s, 10, union(nullType)), "whole numbers -1", ones[:4]},
		{of(floats), "numbers 0.1", "\xcd\xcc\xcc\x3d"}, {of(doubles), "numbers -1.5", zeros[:6] + "\xf8\xbf"},
		{of(byteArray), "text é", "é"}, {of(byteArray), `text \xAA\x5C\x22\x27a`, "\xaa\\\"'a"}, {of(byteArray), `text \x01`, "\x01"}, {of(byteArray), "text ", ""},
		{of(byteArray, 6, 0), "text \x01", "\x01"}, {of(byteArray, 6, 4), "text a", "a"}, {of(byteArray, 6, 19), "text {}", "{}"}, {of(byteArray, 6, 20), `bytes \xAA`, "\xaa"},
		{of(byteArray, 10, union(stringType)), "text a", "a"}, {of(byteArray, 10, union(enumType)), "text a", "a"}, {of(byteArray, 10, union(jsonType)), "text a", "a"},
		{of(byteArray, 10, union(9)), "values of a type that is not known unread", ""},
		{of(doubles, 10, union(stringType)), "values of a type that is not known unread", ""}, {of(doubles, 10, union(nullType)), "numbers 0", zeros},
		{fixed(2), `bytes \xFFa`, "\xffa"}, {fixed(16, 10, union(uuidType)), "UUIDs 30313233-3435-3637-3839-616263646566", "0123456789abcdef"},
		{fixed(15, 10, union(uuidType)), "values of a type that is not known unread", ""}, {fixed(0), errThrift.Error(), ""}, {fixed(-1), errThrift.Error(), ""},
		{fixed(2, 10, union(float16Type)), "numbers 1.5", "\x00\x3e"}, {fixed(2, 10, union(float16Type)), "numbers 5.9604645e-08", "\x01\x00"},
		{fixed(2, 10, union(float16Type)), "numbers -Inf", "\x00\xfc"}, {fixed(2, 10, union(float16Type)), "numbers NaN", "\x01\x7c"}, {fixed(2, 10, union(float16Type)), "numbers -0.099975586", "\x66\xae"},
		{of(int32s, 6, 5, 7, 2, 8, 5), "decimals -0.01", ones[:4]}, {of(int64s, 6, 5, 7, 0, 8, 18), "decimals -1", ones}, {of(int64s, 6, 5, 7, 2, 8, 9), "decimals 0.00", zeros},
		{of(int32s, 10, union(decimalType, 1, 4, 2, 4)), "decimals -.0001", ones[:4]}, {of(int32s, 10, union(decimalType, 1, 0, 2, 0)), "decimals 0", zeros[:4]},
		{of(byteArray, 6, 5, 7, 1, 8, 38), "decimals 0.0", ""}, {of(byteArray, 6, 5, 7, 1, 8, 38), "decimals -12.8", "\x80"}, {of(byteArray, 6, 5, 7, 1, 8, 38), "decimals 3276.8", "\x00\x80\x00"},
		{of(byteArray, 6, 5, 7, 1, 8, 154), "a decimal of 65 bytes: want at most 64", strings.Repeat("1", 65)},
		{fixed(9, 6, 5, 7, 19, 8, 38), "decimals -1.8446744073709551616", "\xff" + zeros}, {fixed(65, 6, 5, 7, 1, 8, 3), "values of a type that is not known unread", ""},
		{of(int32s, 6, 5, 7, 3, 8, 2), "values of a type that is not known unread", ""}, {of(int32s, 6, 5, 7, -1, 8, 2), "values of a type that is not known unread", ""},
		{of(int32s, 6, 5, 7, 1<<30, 8, 1<<30), "values of a type that is not known unread", ""},
		{of(int32s, 6, 6), "dates 1969-12-31", ones[:4]}, {of(int32s, 6, 6), "dates infinity", "\xff\xff\xff\x7f"}, {of(int32s, 6, 6), "dates -infinity", "\x01\x00\x00\x80"},
		{of(int32s, 10, union(dateType)), "dates 0044-03-15 (BC)", "\x48\xc8\xf4\xff"}, {of(int32s, 10, union(dateType)), "dates 12345-01-01", "\x4f\xd2\x39\x00"},
		{of(int32s, 6, 7), "times 00:00:05.001", "\x89\x13\x00\x00"}, {of(int64s, 6, 8), "times 24:00:00", "\x00\x60\xd7\x1d\x14\x00\x00\x00"},
		{of(int64s, 10, unit(timeType, 3)), "times 00:00:00.000000007", "\x07" + zeros[:7]}, {of(int64s, 10, unit(timeType, 4)), "values of a type that is not known unread", ""},
		{of(int64s, 6, 9), "times 1969-12-31 23:59:59.999", ones}, {of(int64s, 6, 10), "times 1969-12-31 23:59:59.999999", ones}, {of(int64s, 10, unit(stampType, 3)), "times 1969-12-31 23:59:59.999999999", ones},
		{of(int64s, 10, unit(stampType, 1)), "times infinity", ones[:7] + "\x7f"}, {of(int64s, 6, 10), "times -infinity", "\x01" + zeros[:6] + "\x80"}, {of(int64s, 6, 9), "times 292275056-05-16 (BC) 16:47:04.192", zeros[:7] + "\x80"},
		{of(int96s), "times 2024-02-29 12:34:56.123456789", "\x15-YS2)\x00\x00\xd2\x8a%\x00"},
		{fixed(12, 6, 21), "intervals 1 year 2 months 3 days 04:05:06.789", "\x0e\x00\x00\x00\x03\x00\x00\x00eh\xe0\x00"}, {fixed(12, 6, 21), "intervals 00:00:00", "\x00\x00\x00\x00" + zeros},
		{fixed(12, 6, 21), "intervals 1 month", "\x01\x00\x00\x00" + zeros}, {fixed(12, 6, 21), "intervals 1 day", "\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"},
	} {
		f := &File{}
		err := f.setSchema([]element{{}, readElement(&reader{left: test.fields.append(nil)})})
		got := fmt.Sprint(err)
		if err == nil {
			c := f.columns[0]
			got = c.What + " unread"
			if c.Text || c.Value {
				shown, err := c.append([]byte{}, []byte(test.value))
				if got = c.What + " " + string(shown); err != nil {
					got = err.Error()
				}
			}
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.fields, got, test.want)
		}
	}
}

// A schema is a tree, depth first.
func TestSchema(t *testing.T) {
	leaf := element{name: "leaf", physical: int32s}
	node := func(children, kind int64) element {
		return element{name: "node", children: children, physical: -1, logical: logical{kind: int(kind)}}
	}
	for _, test := range []struct {
		want   string
		schema []element
	}{
		{"0 leaves", []element{leaf}}, {"1 leaves leaf:whole numbers", []element{node(1, 0), leaf}}, {"no schema", nil},
		{"4 leaves node:structs leaf:whole numbers", []element{node(2, 0), node(3, 0), leaf, leaf, leaf, leaf}},
		{"3 leaves node:lists node:structs", []element{node(2, 0), node(1, 3), node(2, 0), leaf, leaf, node(1, 0), leaf}},
		{"2 leaves node:maps node:variants", []element{node(2, 0), node(1, mapType), leaf, node(1, variantType), leaf}},
		{errThrift.Error(), []element{node(1, 0), node(2, 0), leaf}}, {errThrift.Error(), []element{node(1, 0), node(9, 0), leaf}},
		{errThrift.Error(), []element{node(1, 0), node(0, 0)}},
	} {
		f := &File{}
		got := ""
		if err := f.setSchema(test.schema); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%d leaves", f.leaves)
			for _, c := range f.columns {
				got += " " + c.Name + ":" + c.What
			}
		}
		if got != test.want {
			t.Errorf("%+v: %s, want %s", test.schema, got, test.want)
		}
	}
	if err := new(File).readFooter(record{{1, 2}}.append(nil)); err == nil || err.Error() != "no schema" {
		t.Errorf("metadata without a schema: %v", err)
	}
}

// A field that is not known is passed over, whatever its type, and a name behind it is read.
func TestUnknownFields(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("\x1c", n) + strings.Repeat("\x00", n) }
	for field, want := range map[string]string{
		"\x11": "a", "\x12": "a", "\x13\xff": "a", "\x14\xff\x01": "a", "\x15\xff\x01": "a", "\x16\xff\x01": "a",
		"\x1712345678": "a", "\x05\x02\x02": "a", "\x18\x02xy": "a", nested(15): "a", nested(16): "",
		"\x19\x31\x01\x01\x02": "a", "\x19\x25\x01\xff\x01": "a", "\x1a\xf5\x0f123456789012345": "a", "\x1b\x00": "a",
		"\x1b\x02\x58\x01\x01x\x02\x01y": "a", "\x1d": "", "\x18\x7fxy": "", "\x19\xf5\x7f1": "", "\x1b\x7f\x55\x01": "",
		"\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": "",
	} {
		before, behind := &reader{left: []byte(field + "\x38\x01a\x00")}, &reader{left: []byte("\x48\x01a" + field + "\x00")}
		if e := readElement(before); e.name != want || (before.err == nil) != (want != "") {
			t.Errorf("behind %q the name is %q, %v", field, e.name, before.err)
		}
		if e := readElement(behind); e.name != "a" {
			t.Errorf("before %q the name is %q, %v", field, e.name, behind.err)
		}
	}
}

// Numbers and lists end where they say, and nest as deep as they may.
func TestThrift(t *testing.T) {
	lists := func(n int) string { return strings.Repeat("\x19", n) + "\x05" }
	for text, want := range map[string]error{
		"\x05": nil, "\x11\x01": nil, "\x21\x01": errShort, "": errShort, "\xf5": errShort,
		"\xf5\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": errThrift, lists(15): nil, lists(16): errThrift,
	} {
		r := &reader{left: []byte(text)}
		if r.skip(thriftList); r.err != want {
			t.Errorf("a list of %q: %v, want %v", text, r.err, want)
		}
	}
	r := &reader{left: []byte("\x05")}
	if r.each(thriftList, func() {}); r.err != nil {
		t.Errorf("a list without elements: %v", r.err)
	}
}

// A failing input fails at one of its reads.
type failing struct {
	*bytes.Reader
	reads int
}

var errInput = errors.New("no input")

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.reads--; f.reads < 0 {
		return 0, errInput
	}
	return f.Reader.ReadAt(p, at)
}

// The reads are those of the end of the file, its metadata, a page's header and the page.
func TestFailingInput(t *testing.T) {
	header := record{{1, dataPage}, {2, 1}, {3, 1}, {5, record{{1, 1}, {2, plainValues}}}}.append(nil)
	file := flat(record{{1, boolean}, {4, "a"}}, 1, string(header)+"\x01")
	for reads := range 5 {
		f, err := Open(&failing{bytes.NewReader(file), reads}, int64(len(file)), Codecs{})
		if err == nil {
			for _, e := range f.Rows(0) {
				err = e
			}
		}
		if errors.Is(err, errInput) != (reads < 4) {
			t.Errorf("after %d reads: %v", reads, err)
		}
	}
	// Groups are written before they take much memory.
	var b bytes.Buffer
	columns := []Cells{{Name: "a", Texts: slices.Repeat([]string{strings.Repeat("a", 1<<20)}, 17)}}
	w := NewWriter(&b, "a test", columns)
	w.Write(columns)
	must.Do(w.Close())
	if f := must.Have(Open(bytes.NewReader(b.Bytes()), int64(b.Len()), Codecs{})); len(f.groups) != 2 || f.groups[1].rows != 1 {
		t.Errorf("17 MiB are %d groups", len(f.groups))
	}
}

// flat is a file of one column without compression, as the format says.
func flat(element record, rows int, pages string) []byte {
	meta := record{{1, element[0].value}, {4, codecNone}, {5, int64(rows)}, {7, int64(len(pages))}, {9, int64(len(Magic))}}
	groups := []any{record{{1, []any{record{{2, int64(0)}, {3, meta}}}}, {3, int64(rows)}}}
	footer := record{{1, 2}, {2, []any{record{{4, "schema"}, {5, 1}}, element}}, {3, int64(rows)}, {4, groups}}.append(nil)
	return slices.Concat([]byte(Magic+pages), footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte(Magic))
}

// Columns by hand hold these values, - for null, and the error that ends them.
func TestByHand(t *testing.T) {
	page := func(kind, size, field int, more record, body string) string {
		return string(record{{1, kind}, {2, size}, {3, len(body)}, {field, more}}.append(nil)) + body
	}
	data := func(values, encoding int, body string) string {
		return page(dataPage, len(body), 5, record{{1, values}, {2, encoding}, {3, runLengths}}, body)
	}
	second := func(values, definitions, repetitions int, body string) string {
		return page(dataPage2, len(body), 8, record{{1, values}, {4, plainValues}, {5, definitions}, {6, repetitions}}, body)
	}
	words := func(values, encoding int, body string) string {
		return page(dictionaryPage, len(body), 7, record{{1, values}, {2, encoding}}, body)
	}
	of := func(physical, repetition, converted int) record {
		return record{{1, physical}, {3, repetition}, {4, "a"}, {6, converted}}
	}
	plain := func(physical int) record { return record{{1, physical}, {4, "a"}} }
	texts, maybe, whole := of(byteArray, 0, 0), of(byteArray, optional, 0), plain(int32s)
	const one, two = "\x01\x00\x00\x00", "\x02\x00\x00\x00"
	pair, many := record{{1, fixedArray}, {2, 2}, {4, "a"}}, strings.Repeat("a", 300)
	const ab, numbers = one + "a" + one + "b", one + two
	dictionaryOf := words(2, plainValues, ab)
	for _, test := range []struct {
		element record
		rows    int
		pages   string
		want    string
	}{
		{texts, 2, data(2, plainValues, ab), "a b"},
		{texts, 0, "", ""},
		{texts, 2, data(0, plainValues, "") + data(1, plainValues, ab[:5]) + data(1, plainValues, ab[5:]), "a b"},
		{texts, 2, page(indexPage, 0, 6, record{}, "") + data(2, plainValues, ab), "a b"},
		{texts, 3, data(2, plainValues, ab), "a b 29: the column ends before its row group"},
		{texts, 2, data(2, plainValues, ab[:9]), "a 4: fewer values than it says"},
		{texts, 2, data(2, plainValues, ab[:8]), "a 4: fewer values than it says"},
		{texts, 1, page(dataPage, 5, 5, record{{1, 1}, {2, 0}, {3, 3}, {5, record{{1, strings.Repeat("long", 1000)}}}}, ab[:5]), "a"},
		{texts, 1, data(-1, plainValues, ab), "4: 10 bytes and -1 values where the column has 10 more bytes"},
		{texts, 1, page(dataPage, MaxPage, 5, record{{1, 1}, {2, 0}}, ab), "a"},
		{texts, 1, page(dataPage, MaxPage+1, 5, record{{1, 1}, {2, 0}}, ab),
			"4: 10 bytes, 67108865 uncompressed: want at most 67108864, write smaller pages"},
		{texts, 1, data(1, plainValues, ab)[:20], "4: 10 bytes and 1 values where the column has 5 more bytes"},
		{texts, 1, page(4, 0, 5, record{}, ""), "4: a page of kind 4: want a newer BaCa, or data pages of version 1 or 2"},
		{texts, 1, data(1, 5, ab), "4: values of encoding 5 in a column of text"},
		{whole, 1, data(1, runLengths, one), "4: values of encoding 3 in a column of whole numbers"},
		{plain(boolean), 1, data(1, 5, one), "4: values of encoding 5 in a column of truths"},
		{append(plain(int64s), record{{11, record{{8, record{}}}}}...), 1, data(1, plainValues, "12345678"), "4050765991979987505"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x01\x03\x02"), "a b a"},
		{texts, 3, words(2, plainDictionary, ab) + data(3, plainDictionary, "\x01\x06\x01"), "b b b"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x00\x06"), "a a a"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x00\x03"), "a a a"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x20\x02\x01\x00\x00\x00\x04\x00\x00\x00\x00"), "b a a"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x21\x06\x01\x00\x00\x00\x00"), "27: places in a dictionary of 33 bits: want at most 32"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x09\x02\x01\x00\x02\x00"), "b 27: fewer values than it says"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x02\x03\x14"), "27: fewer values than it says"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x02\x06\x02"), "27: a value beyond the dictionary"},
		{texts, 3, data(3, dictionary, "\x01\x03\x02"), "4: no dictionary in front of it"},
		{texts, 3, dictionaryOf + dictionaryOf, "27: a second dictionary"},
		{texts, 3, words(2, runLengths, ab), "4: a dictionary of encoding 3: want plain"},
		{whole, 2, words(2, plainValues, numbers) + data(2, dictionary, "\x01\x03\x02"), "1 2"},
		{whole, 3, words(2, plainValues, numbers) + data(2, dictionary, "\x01\x03\x02") + data(1, plainValues, two), "1 2 2"},
		{texts, 3, dictionaryOf + data(3, dictionary, "\x00"), "27: fewer values than it says"},
		{whole, 2, words(3, plainValues, numbers), "4: a dictionary of 3 values in 8 bytes"},
		{plain(boolean), 2, words(1, plainValues, "\x01"), "4: a dictionary of truths"},
		{maybe, 2, dictionaryOf + data(2, dictionary, two+"\x04\x00"), "- -"},
		{maybe, 2, data(2, plainValues, two+"\x03\x02"+ab[:5]), "- a"},
		{maybe, 2, data(2, plainValues, two+"\x04"), "4: metadata end early"},
		{maybe, 1, data(1, plainValues, "\x00\x00\x00\x00"), "4: fewer values than it says"},
		{maybe, 2, data(2, plainValues, two[:3]), "4: metadata end early"},
		{maybe, 2, page(dataPage, 6, 5, record{{1, 2}, {2, 0}, {3, 4}}, two+"\x04\x00"), "4: definition levels of encoding 4: want 3"},
		{maybe, 2, second(2, 2, 0, "\x03\x02"+ab[:5]), "- a"},
		{maybe, 2, second(2, 2, 1, "?\x04\x00"), "- -"},
		{maybe, 2, second(2, 2, 1, "\x04\x00"), "4: levels are longer than the page"},
		{maybe, 2, second(2, -1, 2, "\x04\x00"), "4: levels are longer than the page"},
		{plain(boolean), 3, data(3, plainValues, "\x05"), "true false true"},
		{plain(boolean), 9, data(9, plainValues, "\x05"), "true false true false false false false false 4: fewer values than it says"},
		{plain(boolean), 3, data(3, runLengths, two+"\x06\x01"), "true true true"},
		{plain(boolean), 3, data(3, runLengths, two[:3]), "4: metadata end early"},
		{plain(boolean), 3, data(3, runLengths, two), "4: fewer values than it says"},
		{whole, 2, data(2, plainValues, "\xff\xff\xff\xff\x05\x00\x00\x00"), "-1 5"},
		{of(int32s, 0, 13), 2, data(2, plainValues, "\xff\xff\xff\xff\x05\x00\x00\x00"), "4294967295 5"},
		{of(int64s, 0, 14), 1, data(1, plainValues, strings.Repeat("\xff", 8)), "18446744073709551615"},
		{plain(int64s), 1, data(1, plainValues, strings.Repeat("\xff", 8)), "-1"},
		{plain(floats), 1, data(1, plainValues, "\xcd\xcc\xcc\x3d"), "0.1"},
		{plain(doubles), 1, data(1, plainValues, "\x00\x00\x00\x00\x00\x00\xf8\xbf"), "-1.5"},
		{of(int32s, 0, 6), 1, data(1, plainValues, one), "1970-01-02"},
		// Differences in blocks of 128 values and 4 miniblocks: 7, 8, 9 and so on; of 0 bits; cut; of other sizes.
		{whole, 3, data(3, deltaBinary, "\x80\x01\x04\x03\x0e\x02\x00\x00\x00\x00"), "7 8 9"},
		{plain(int64s), 3, data(3, deltaBinary, "\x80\x01\x04\x03\x0e\x01\x02\x00\x00\xff\x0d\x00\x00\x00\x00\x00\x00\x00"), "7 7 9"},
		{whole, 2, data(2, deltaBinary, "\x80\x01\x04\x02\xfe\xff\xff\xff\x0f\x02\x00\x00\x00\x00"), "2147483647 -2147483648"}, // wraps
		{whole, 2, data(2, deltaBinary, "\x80\x01\x04\x01\x0e"), "7 4: fewer values than it says"}, {whole, 1, data(1, deltaBinary, ""), "4: fewer values than it says"},
		{whole, 2, data(2, deltaBinary, "\x80\x01\x04\x02\x0e\x02\x00\x00\x00"), "4: damaged differences"}, {whole, 1, data(1, deltaBinary, "\x80"), "4: damaged differences"},
		{whole, 2, data(2, deltaBinary, "\x80\x01\x04\x02\x0e\x02\x41\x00\x00\x00"+many), "4: damaged differences"}, {whole, 2, data(2, deltaBinary, "\x80\x01\x04\x02\x0e\x02\x01\x00\x00\x00abc"), "4: damaged differences"},
		{whole, 1, data(1, deltaBinary, "\x80\x01\x00\x01\x0e"), "4: damaged differences"}, {whole, 1, data(1, deltaBinary, "\x00\x04\x01\x0e"), "4: damaged differences"}, {whole, 1, data(1, deltaBinary, "\x04\x01\x01\x0e"), "4: damaged differences"},
		{whole, 1, data(1, deltaBinary, "\xff\xff\xff\xff\xff\x01\x01\x01\x0e"), "4: damaged differences"}, {texts, 1, data(1, deltaBinary, many), "4: values of encoding 5 in a column of text"},
		{whole, 1, data(1, deltaBinary, "\x80\x01\x80\x80\x80\x80\x80\x80\x80\x80\x20\x01\x0e"), "4: damaged differences"}, // 2⁶¹ miniblocks
		// A block of 2³¹ values of 0 bits: what is behind it is found at once.
		{texts, 3, data(3, deltaLength, "\x80\x80\x80\x80\x08\x01\x80\x80\x80\x80\x08\x02\x00\x00ab"), "4: damaged differences"},
		{texts, 2, data(2, deltaLength, "\x80\x01\x04\x02\x02\x00\x00\x00\x00\x00ab"), "a b"}, {texts, 1, data(1, deltaLength, "\x80\x01\x04\x01\x01"), "4: damaged differences"},
		{maybe, 2, data(2, deltaLength, two+"\x04\x00"), "- -"}, {texts, 2, data(2, deltaLength, "\x80\x01\x04\x02\x02"), "4: damaged differences"},
		{texts, 2, data(2, deltaArray, "\x80\x01\x04\x02\x00\x02\x00\x00\x00\x00"+"\x80\x01\x04\x02\x02\x00\x00\x00\x00\x00"+"ab"), "a ab"},
		{texts, 1, data(1, deltaArray, "\x80\x01\x04\x01\x02"+"\x80\x01\x04\x01\x02"+"a"), "4: damaged differences"}, {texts, 1, data(1, deltaArray, "\x80\x01\x04\x01\x00"), "4: damaged differences"},
		{texts, 1, data(1, deltaArray, "\x80\x01\x04\x01\x00"+"\x80\x01\x04\x01\x00"), ""}, // empty, not null
		{pair, 1, data(1, deltaArray, "\x80\x01\x04\x01\x00"+"\x80\x01\x04\x01\x02"+"a"), "4: damaged differences"},
		{whole, 2, data(2, streamSplit, "\x01\x02"+"\x00\x01"+"\x00\x00\x00\x00"), "1 258"}, {pair, 2, data(2, streamSplit, "abcd"), "ac bd"}, {pair, 3, data(3, streamSplit, "abcd"), "ac bd 4: fewer values than it says"},
		{pair, 2, data(2, streamSplit, "abc"), "4: values of encoding 9 in a column of bytes"}, {pair, 1, data(1, streamSplit, ""), "4: fewer values than it says"}, {texts, 1, data(1, streamSplit, ab), "4: values of encoding 9 in a column of text"},
		// A checksum, and values that nobody would read.
		{texts, 1, string(record{{1, dataPage}, {2, 5}, {3, 5}, {4, int(int32(crc32.ChecksumIEEE([]byte(ab[:5]))))}, {5, record{{1, 1}, {2, 0}}}}.append(nil)) + ab[:5], "a"},
		{texts, 1, string(record{{1, dataPage}, {2, 5}, {3, 5}, {4, -1}, {5, record{{1, 1}, {2, 0}}}}.append(nil)) + ab[:5], "4: its checksum is wrong: the file is damaged"},
		{texts, 1, data(2, plainValues, ab), "a 4: 1 more values than its row group has rows"}, {texts, 1, data(1, plainValues, ab[:5]) + data(1, plainValues, ab[5:]), "a 24: 1 more values than its row group has rows"},
		{texts, 1, data(1, plainValues, ab[:5]) + data(0, plainValues, ""), "a"}, {texts, 1, data(1, plainValues, ab[:5]) + "\x15", "a 24: metadata end early"},
		{of(byteArray, repeated, 0), 1, data(1, plainValues, ab), `holds lists: want text or numbers`},
	} {
		file := flat(test.element, test.rows, test.pages)
		f := must.Have(Open(bytes.NewReader(file), int64(len(file)), Codecs{}))
		var got []string
		for cells, err := range f.Rows(0) {
			switch {
			case err != nil:
				_, said, _ := strings.Cut(err.Error(), `row group 1: column "a": `)
				got = append(got, strings.TrimPrefix(said, "page at byte "))
			case cells[0] == nil:
				got = append(got, "-")
			default:
				got = append(got, string(cells[0]))
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%v, %q: %s, want %s", test.element, test.pages, got, test.want)
		}
	}
}

// Small files that claim much are errors, and no memory is taken for them: columns that share a dictionary; pages that
// expand a thousandfold, in many columns; row groups without columns; more columns than a table may have; rows that no
// group has; differences without bits.
func TestHostile(t *testing.T) {
	packed := func(b []byte) string {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		must.Have(w.Write(b))
		must.Do(w.Close())
		return out.String()
	}
	page := func(kind, field, size int, body string, more record) string {
		return string(record{{1, kind}, {2, size}, {3, len(body)}, {field, more}}.append(nil)) + body
	}
	words := page(dictionaryPage, 7, 32<<20, packed(make([]byte, 32<<20)), record{{1, 8 << 20}, {2, 0}})
	large := page(dataPage, 5, 32<<20, packed(make([]byte, 32<<20)), record{{1, 1}, {2, 0}})
	zeros := "\x80\x80\x80\x80\x08\x01\x80\x80\x80\x02\x00\x00\x00"
	deltas := page(dataPage, 5, len(zeros), zeros, record{{1, 1}, {2, deltaBinary}})
	for name, test := range map[string]struct {
		columns, groups int
		rows            int64
		pages           string
		codec           int
		shared          bool // all columns have the same pages
		want            string
	}{
		"shared pages": {1000, 1, 1, words, codecGzip, true, "columns of"},
		"dictionaries": {8, 1, 1, words, codecGzip, false, ErrBomb.Error()},
		"large pages":  {8, 1, 1, large, codecGzip, false, ErrBomb.Error()},
		"row groups":   {50_000, 50_000, 1, "", 0, false, "row group 1 has 0 columns"},
		"columns":      {70_000, 0, 0, "", 0, false, "more than 65536 columns"},
		"rows":         {1, 0, 1 << 40, "", 0, false, "1099511627776 rows, and 0 in the row groups"},
		"differences":  {1, 1, 1, deltas, 0, false, ErrBomb.Error()},
	} {
		file := []byte(Magic)
		schema := []any{record{{4, "schema"}, {5, test.columns}}}
		var chunks, groups []any
		for i := range test.columns {
			schema = append(schema, record{{1, int32s}, {4, "a"}})
			at := int64(len(Magic))
			if i == 0 || !test.shared {
				at = int64(len(file))
				file = append(file, test.pages...)
			}
			if test.pages != "" {
				chunks = append(chunks, record{{3, record{{1, int32s}, {4, test.codec}, {5, int64(1)}, {7, int64(len(test.pages))}, {9, at}}}})
			}
		}
		for range test.groups {
			groups = append(groups, record{{1, chunks}, {3, test.rows}})
		}
		footer := record{{1, 2}, {2, schema}, {3, test.rows}, {4, groups}}.append(nil)
		file = slices.Concat(file, footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte(Magic))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := Open(bytes.NewReader(file), int64(len(file)), Codecs{})
		if err == nil {
			columns := make([]int, test.columns)
			for i := range columns {
				columns[i] = i
			}
			for _, err = range f.Rows(columns...) {
			}
		}
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 150<<20 {
			t.Errorf("%s: %d bytes take %d", name, len(file), grown)
		}
	}
}

// A file that says where its data are is not believed.
func TestChunks(t *testing.T) {
	file := flat(record{{1, int32s}, {4, "a"}}, 1, "the pages")
	for _, test := range []struct {
		want   string
		change func(*chunk)
	}{
		{"its data are in another file: want one file", func(k *chunk) { k.elsewhere = true }},
		{"2 values in 1 rows", func(k *chunk) { k.values = 2 }},
		{"its type is not that of the schema", func(k *chunk) { k.physical = int64s }},
		{"its data are said to be bytes 3 to 12 of", func(k *chunk) { k.at = 3 }},
		{"its data are said to be bytes 4 to 3 of", func(k *chunk) { k.size = -1 }},
		{"the file looks truncated", func(k *chunk) { k.size = int64(len(file)) - 3 }},
		{"the file looks truncated", func(k *chunk) { k.at, k.size = int64(len(file))+1, 0 }},
		{"", func(k *chunk) { k.at, k.size = int64(len(file)), 0 }},
		{"", func(k *chunk) { k.size = int64(len(file)) - 4 }},
	} {
		f := must.Have(Open(bytes.NewReader(file), int64(len(file)), Codecs{}))
		test.change(&f.groups[0].chunks[0])
		if _, err := f.cursor(0, 0, nil); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	for _, test := range []struct {
		fields    record
		at        int64
		elsewhere bool
	}{
		{record{{3, record{{9, int64(9)}}}}, 9, false}, {record{{3, record{{9, int64(9)}, {11, int64(4)}}}}, 4, false},
		{record{{3, record{{9, int64(4)}, {11, int64(9)}}}}, 4, false},
		{record{{1, "other"}, {3, record{{9, int64(9)}}}}, 9, true}, {record{{2, "no path"}, {3, record{{9, int64(9)}}}}, 9, false},
		{record{{1, 5}}, 0, false},
	} {
		if c := readChunk(&reader{left: test.fields.append(nil)}); c.at != test.at || c.elsewhere != test.elsewhere {
			t.Errorf("%v: %+v", test.fields, c)
		}
	}
	empty := []byte(Magic + "\x00\x00\x00\x00" + Magic)
	if _, err := Open(bytes.NewReader(empty), 12, Codecs{}); err == nil || err.Error() != "metadata of the Parquet file: metadata end early" {
		t.Errorf("without metadata: %v", err)
	}
	// A page of version 2 says whether it is compressed: 1 is true, and 2 false.
	for truth, body := range map[string]string{"\x11": "\x05\x10\x01\x00\x00\x00a", "\x12": "\x01\x00\x00\x00a"} {
		head := record{{1, dataPage2}, {2, 5}, {3, len(body)}, {8, record{{1, 1}, {4, plainValues}, {5, 0}, {6, 0}}}}.append(nil)
		file := flat(record{{1, byteArray}, {4, "a"}}, 1, string(head[:len(head)-2])+truth+"\x00\x00"+body)
		f := must.Have(Open(bytes.NewReader(file), int64(len(file)), Codecs{}))
		f.groups[0].chunks[0].codec = codecSnappy
		for cells, err := range f.Rows(0) {
			if err != nil || string(cells[0]) != "a" {
				t.Errorf("compressed %q: %q, %v", truth, cells, err)
			}
		}
	}
	copy(file[len(file)-4:], "PARE")
	_, err := Open(bytes.NewReader(file), int64(len(file)), Codecs{})
	if err == nil || err.Error() != "an encrypted Parquet file: want one that is not" {
		t.Error(err)
	}
}

// What is written has these levels and values, by the definition of lists of three levels. Rows of many kinds, and enough
// for packed levels, runs and more groups than one.
func TestWritten(t *testing.T) {
	const rows = groupRows + 100
	columns := []Cells{{Name: "yes", Kind: Truths}, {Name: "texts", Kind: TextLists}, {Name: "numbers", Kind: NumberLists}}
	columns = append(columns, slices.Repeat([]Cells{{Name: "empty", Kind: Texts, Texts: make([]string, rows)}}, 12)...)
	var want [3]strings.Builder
	for i := range rows {
		n := i % 7 * (i / 40 % 2) // without values, 40 rows at a time
		columns[0].Numbers = append(columns[0].Numbers, []float64{1, 0, math.NaN()}[n%3])
		columns[1].TextLists = append(columns[1].TextLists, [][]string{nil, {}, {"x"}, {"", "yz"}, nil, nil, nil}[n])
		columns[2].NumberLists = append(columns[2].NumberLists, [][]float64{nil, {}, {0.5}, {math.NaN(), 2, math.NaN()}, nil, nil, nil}[n])
		want[0].WriteString([]string{"0:1=true ", "0:1=false ", "0:0 "}[n%3])
		want[1].WriteString([]string{"0:0 ", "0:1 ", "0:3=x ", "0:3= 1:3=yz ", "0:0 ", "0:0 ", "0:0 "}[n])
		want[2].WriteString([]string{"0:0 ", "0:1 ", "0:3=0.5 ", "0:2 1:3=2 1:2 ", "0:0 ", "0:0 ", "0:0 "}[n])
	}
	for _, c := range columns {
		if c.Len() != rows {
			t.Errorf("column %s has %d rows", c.Name, c.Len())
		}
	}
	var b bytes.Buffer
	w := NewWriter(&b, "a test", columns)
	w.Write(columns)
	must.Do(w.Close())
	f := must.Have(Open(bytes.NewReader(b.Bytes()), int64(b.Len()), Codecs{}))
	if f.rows != rows || len(f.groups) != 2 || f.groups[0].rows != groupRows || !f.columns[0].Value ||
		f.columns[0].What != "truths" || f.columns[1].What != "lists" || f.columns[2].What != "lists" {
		t.Fatalf("%d rows in %d groups of %+v", f.rows, len(f.groups), f.columns)
	}
	for k := range columns[1:] {
		if a, b := f.groups[0].chunks[k], f.groups[0].chunks[k+1]; a.at+a.size != b.at {
			t.Errorf("column %d ends at byte %d, the next begins at %d", k, a.at+a.size, b.at)
		}
	}
	for k, physical := range []int64{boolean, byteArray, doubles} {
		var column Column
		column.setForm(element{physical: physical})
		var got strings.Builder
		for _, group := range f.groups {
			at := group.chunks[k].at
			c := &cursor{file: f, column: &column, chunk: group.chunks[k], at: at, end: at + group.chunks[k].size, unpacking: new(unpacking)}
			h := must.Have(c.header())
			body := must.Have(c.decompress(b.Bytes()[c.at:c.at+h.compressed], h.uncompressed))
			levels := func(width int) *hybrid {
				size := binary.LittleEndian.Uint32(body)
				list := &hybrid{left: body[4 : 4+size], width: width}
				body = body[4+size:]
				return list
			}
			repetitions, most := &hybrid{run: math.MaxInt}, uint32(1)
			if k > 0 {
				repetitions, most = levels(1), 3
			}
			definitions := levels(int(most+1) / 2)
			for values := c.plain(body); h.values > 0; h.values-- {
				definition := must.Have(definitions.next())
				fmt.Fprintf(&got, "%d:%d", must.Have(repetitions.next()), definition)
				if definition == most {
					fmt.Fprintf(&got, "=%s", must.Have(c.shown(must.Have(values.next()))))
				}
				got.WriteByte(' ')
			}
		}
		if got.String() != want[k].String() {
			t.Errorf("column %d is not what was written", k)
		}
	}
}
