package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/gin"
)

// structured is a small model of molecules with structures, and their file.
func structured(t testing.TB) (*algo.Model, *algo.Structures, []byte) {
	t.Helper()
	m, s := testModel(t, gin.Config{Features: 9, Hidden: 2, Layers: 1}, 3, 2), &algo.Structures{}
	for i := range m.Bank.Len() {
		s.SMILES, s.Names = append(s.SMILES, strings.Repeat("C", i+1)), append(s.Names, []string{"", "näme, of a kind"}[i%2])
	}
	var b bytes.Buffer
	hash, err := SaveStructures(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	m.Card.StructuresSHA256 = hash
	return m, s, b.Bytes()
}

func TestStructuresRoundTrip(t *testing.T) {
	m, want, file := structured(t)
	again := load(t, save(t, m))
	if sum := sha256.Sum256(file); again.Card.StructuresSHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the card has %s, the file %x", again.Card.StructuresSHA256, sum)
	}
	got, err := LoadStructures(file, again)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	want.Names = nil
	want.SMILES[1] = "C\r\nC"
	var b bytes.Buffer
	if m.Card.StructuresSHA256, err = SaveStructures(&b, want); err != nil {
		t.Fatal(err)
	}
	if got, err = LoadStructures(b.Bytes(), m); err != nil || got.Names != nil || got.SMILES[1] != "C  C" {
		t.Errorf("without names: %+v, %v", got, err)
	}
	// A model without any is written as before, eleven entries and no more.
	with, without := save(t, m), m
	without.Card.StructuresSHA256 = ""
	plain := save(t, without)
	if n := len(with) - len(plain); n != 77 || plain[headerSize] != 0x8b || with[headerSize] != 0x8c {
		t.Errorf("structures take %d bytes of a model; its map begins with %#x, with them %#x", n, plain[headerSize], with[headerSize])
	}
}

// The bytes are those of the example in FORMAT.md.
func TestStructuresFormat(t *testing.T) {
	var b bytes.Buffer
	if _, err := SaveStructures(&b, &algo.Structures{SMILES: []string{"CCO", "CC"}, Names: []string{"ethanol", ""}}); err != nil {
		t.Fatal(err)
	}
	want := "\x82\xa4rows\x02\xa7columns\x82\xa6smiles\xc4\x07CCO\nCC\n\xa4name\xc4\x09ethanol\n\n"
	if got := string(b.Bytes()[headerSize:]); got != want || b.Bytes()[atKind] != 3 {
		t.Errorf("%q of kind %d, want %q of kind 3", got, b.Bytes()[atKind], want)
	}
}

// payloadOf is a payload of structures, its columns names and values by turns.
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
	{payloadOf(uint8(1), "name", []byte("a\n"), "smiles", []byte("C\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "smiles", []byte("C\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "name", []byte("a\n"), "name", []byte("a\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("\xff\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", []byte("C\n"), "x", []byte("\xff\n")), ErrFormat},
	{payloadOf(uint8(1), "smiles", "C\n"), ErrFormat},
	{append(payloadOf(uint8(1), "smiles", []byte("C\n")), 0), ErrFormat},
	{append(payloadOf(uint8(1))[:15], 0xdf, 0xff, 0xff, 0xff, 0xff), ErrFormat},                                // a map of 2³²−1 columns
	{append(payloadOf(uint8(1), "smiles", []byte{})[:23], 0xc6, 0xff, 0xff, 0xff, 0xff, 'C', '\n'), ErrFormat}, // a bin of 2³²−1 bytes
}

func TestHostileStructures(t *testing.T) {
	for i, c := range hostileStructures {
		s, err := loadStructures(sealed(t, structuresKind, c.payload))
		if !errors.Is(err, c.want) || (err == nil) != (s != nil) {
			t.Errorf("case %d: %+v, %v, want %v", i, s, err, c.want)
		}
	}
	m, _, file := structured(t)
	for n := range file {
		if _, err := loadStructures(file[:n]); !errors.Is(err, ErrTruncated) {
			t.Fatalf("%d bytes of %d: %v, want %v", n, len(file), err, ErrTruncated)
		}
		broken := slices.Clone(file)
		broken[n] ^= 4
		if _, err := LoadStructures(broken, m); !errors.Is(err, ErrChecksum) {
			t.Fatalf("byte %d changed: %v, want %v", n, err, ErrChecksum)
		}
	}
	if _, err := loadStructures(save(t, m)); !errors.Is(err, ErrKind) {
		t.Errorf("a model for structures: %v", err)
	}
	if _, err := Load(file); !errors.Is(err, ErrKind) {
		t.Errorf("structures for a model: %v", err)
	}
	m.Bank = m.Bank.Select([]int{0, 1})
	if _, err := LoadStructures(file, m); !errors.Is(err, ErrRows) {
		t.Errorf("structures of a larger bank: %v", err)
	}
	for _, s := range []*algo.Structures{{}, {SMILES: []string{"C"}, Names: []string{"a", "b"}}, {SMILES: []string{"\xff"}}} {
		if _, err := SaveStructures(new(bytes.Buffer), s); err == nil {
			t.Errorf("%+v is written", s)
		}
	}
}

func TestHostileStructuresHash(t *testing.T) {
	m, _, _ := structured(t)
	good := m.Card.StructuresSHA256
	for _, hash := range []string{"no", good[1:], strings.ToUpper(good), good + "00"} {
		if m.Card.StructuresSHA256 = hash; Save(new(bytes.Buffer), m) == nil {
			t.Errorf("the hash %q is written", hash)
		}
	}
	plain := small(t)
	if plain.Card.StructuresSHA256 = good; !errors.Is(Save(new(bytes.Buffer), plain), ErrRows) {
		t.Error("a model of plain graphs has structures")
	}
	m.Card.StructuresSHA256 = good
	data := save(t, m)
	payload := slices.Clone(data[headerSize : len(data)-66])
	if _, err := Load(sealed(t, modelKind, append(payload, 0xa0))); !errors.Is(err, ErrFormat) {
		t.Errorf("an empty hash: %v", err)
	}
}

func TestSplit(t *testing.T) {
	m, _, file := structured(t)
	data := save(t, m)
	a, b := Split(append(slices.Clone(data), file...))
	if !bytes.Equal(a, data) || !bytes.Equal(b, file) {
		t.Errorf("%d and %d bytes, want %d and %d", len(a), len(b), len(data), len(file))
	}
	for _, whole := range [][]byte{nil, data, data[:20], data[:len(data)-1], append(slices.Clone(data), 1, 2, 3)} {
		if a, b := Split(whole); !bytes.Equal(a, whole) || b != nil {
			t.Errorf("%d bytes are split into %d and %d", len(whole), len(a), len(b))
		}
	}
}

// The structures of each embedded model are those of its bank, graph by graph. Plain graphs have
// none, and bioactive would have to fetch a megabyte of them.
func TestEmbeddedStructures(t *testing.T) {
	for _, name := range Names() {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		file := StructuresFile(name)
		if hash := m.Card.StructuresSHA256; (hash == "") != (file == nil) || (hash == "") != (m.Card.Schema == algo.Constant || name == "bioactive") {
			t.Errorf("%s wants structures %q and has %d bytes of them", name, hash, len(file))
		}
		if file == nil {
			continue
		}
		s, err := LoadStructures(file, m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		known := m.Subtrees
		if known == nil {
			known = fingerprint.NewIndex(m.Bank.Prints)
		}
		for k, text := range s.SMILES {
			r := dataset.Record{SMILES: text}.Parsed(algo.FormOf(m.Card.Schema))
			if r.Err != nil {
				t.Fatalf("%s, row %d: %v", name, k, r.Err)
			}
			p := fingerprint.New(r.Graph, fingerprint.DefaultHeight)
			if !p.Equal(known.Print(k)) {
				t.Fatalf("%s, row %d: %s is not the training graph", name, k, text)
			}
		}
		var b bytes.Buffer
		if _, err := SaveStructures(&b, s); err != nil || !bytes.Equal(b.Bytes(), file) {
			t.Errorf("the structures of %s are not as SaveStructures writes them: %v", name, err)
		}
	}
}

func loadStructuresTwice(data []byte) error {
	s, err := loadStructures(data)
	if err != nil {
		return err
	}
	var first, second bytes.Buffer
	if _, err := SaveStructures(&first, s); err != nil {
		return err
	}
	again, err := loadStructures(first.Bytes())
	if err != nil {
		return err
	}
	if _, err := SaveStructures(&second, again); err != nil {
		return err
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return errors.New("the second file differs from the first")
	}
	return nil
}
