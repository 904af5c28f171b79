package weights

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo"
)

// The bytes are those of the example in FORMAT.md, and values are the shortest decimals.
func TestStructuresFormat(t *testing.T) {
	for want, s := range map[string]*algo.Structures{
		"\x82\xa4rows\x02\xa7columns\x82\xa6smiles\xc4\x07CCO\nCC\n\xa4name\xc4\x09ethanol\n\n": {SMILES: []string{"CCO", "CC"}, Names: []string{"ethanol", ""}},
		"\x82\xa4rows\x01\xa7columns\x81\xa6smiles\xc4\x05C  C\n":                               {SMILES: []string{"C\r\nC"}},
		"\x82\xa4rows\x03\xa7columns\x82\xa6smiles\xc4\x06C\nC\nC\n\xa8observed\xc4\x0f-11.01\n\n1e-300\n": {
			SMILES: []string{"C", "C", "C"}, Observed: []float64{-11.01, math.NaN(), 1e-300}},
	} {
		w := newWriter()
		if err := w.do(func() { w.structures(&algo.Model{Structures: s}) }); err != nil || w.buf.String() != want {
			t.Errorf("%q, %v, want %q", w.buf.String(), err, want)
		}
	}
}

// payloadOf is a section of structures, its columns names and values by turns.
func payloadOf(rows any, columns ...any) []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.EncodeMapLen(2)
	for _, v := range []any{"rows", rows, "columns"} {
		e.Encode(v)
	}
	e.EncodeMapLen(len(columns) / 2)
	for _, v := range columns {
		e.Encode(v)
	}
	return b.Bytes()
}

// manyColumns has one too many.
func manyColumns() []any {
	list := []any{"smiles", []byte("C\n")}
	for i := range maxColumns {
		list = append(list, string(rune('a'+i)), []byte("\n"))
	}
	return list
}

var hostileStructures = []struct {
	payload []byte
	want    error
}{
	{payloadOf(uint8(2), "smiles", []byte("C\nCC\n")), nil},
	{payloadOf(uint8(2), "smiles", []byte("C\nCC\n"), "measured", []byte("1.5\n\n"), "name", []byte("a\n\n")), nil},
	{payloadOf(uint8(3), "smiles", []byte("C\nCC\n")), ErrRows},
	{payloadOf(uint8(2), "smiles", []byte("C\nCC")), ErrRows},
	{payloadOf(uint8(2), "smiles", []byte("C\nC\nC")), ErrRows},
	{payloadOf(uint8(0), "smiles", []byte("")), ErrRows},
	{payloadOf(uint64(1<<62), "smiles", []byte("C\n")), ErrRows},
	{payloadOf(uint64(1<<63), "smiles", []byte("C\n")), ErrNumber},
	{payloadOf("2", "smiles", []byte("C\nCC\n")), ErrFormat},
	{payloadOf(uint8(1)), ErrFormat},
	{payloadOf(uint8(1), manyColumns()...), ErrFormat},
	{payloadOf(uint8(1), "name", []byte("a\n"), "smiles", []byte("C\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "smiles", []byte("C\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "name", []byte("a\n"), "name", []byte("a\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("\xff\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "x", []byte("\xff\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", "C\n"), ErrFormat},
	{append(payloadOf(uint8(1), "smiles", []byte("C\n")), 0), ErrFormat},
	{append(payloadOf(uint8(1))[:15], 0xdf, 0xff, 0xff, 0xff, 0xff), ErrFormat},                                // a map of 2³²−1 columns
	{append(payloadOf(uint8(1), "smiles", []byte{})[:23], 0xc6, 0xff, 0xff, 0xff, 0xff, 'C', '\n'), ErrFormat}, // a bin of 2³²−1 bytes
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte("abc\n")), ErrNumber},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "predicted", []byte("NaN\n")), ErrNumber},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte("1e999\n")), ErrNumber},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte("inf\n")), ErrNumber},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte("1,5\n")), ErrNumber},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte(" 1\n")), ErrNumber},
}

func TestHostileStructures(t *testing.T) {
	for i, c := range hostileStructures {
		r := newReader(c.payload)
		if err := r.do(func() { r.structures(new(algo.Model)) }); !errors.Is(err, c.want) {
			t.Errorf("case %d: %v, want %v", i, err, c.want)
		}
	}
	c := []string{"C", "C"}
	notSaved(t, everything, []harm{
		{"none", func(m *algo.Model) { m.Structures = &algo.Structures{} }, ErrRows},
		{"one missing", func(m *algo.Model) { m.Structures = &algo.Structures{SMILES: c[1:]} }, ErrRows},
		{"a name missing", func(m *algo.Model) { m.Structures = &algo.Structures{SMILES: c, Names: c[1:]} }, ErrRows},
		{"not UTF-8", func(m *algo.Model) { m.Structures.SMILES[0] = "\xff" }, ErrFormat},
		{"an infinite value", func(m *algo.Model) { m.Structures.Observed[1] = math.Inf(1) }, ErrNumber},
		{"of plain graphs", func(m *algo.Model) { *m = *small(t); m.Structures = &algo.Structures{SMILES: append(c, "C")} }, ErrRows},
		{"of shared molecules", func(m *algo.Model) { m.Residuals = nil; share(m) }, ErrRows},
	})
	short := everything(t)
	short.Structures = &algo.Structures{SMILES: []string{"C"}}
	w := newWriter()
	w.structures(short)
	other := replaced(t, save(t, everything(t)), structuresSection, w.buf.Bytes())
	notLoaded(t, "structures of another model", other, ErrRows, "1 structures for 2 training graphs")
}
