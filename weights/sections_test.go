package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/gin"
)

// sections takes a valid file apart.
func sections(t testing.TB, file []byte) []algo.Section {
	t.Helper()
	return have(read(file, kind(file[atKind])))
}

// sectionOf is the bytes of one section of a valid file.
func sectionOf(t testing.TB, file []byte, name string) []byte {
	t.Helper()
	list, at := find(t, file, name)
	return slices.Clone(list[at].Data)
}

// find is the sections of a valid file and which of them has the name.
func find(t testing.TB, file []byte, name string) ([]algo.Section, int) {
	t.Helper()
	list := sections(t, file)
	at := slices.IndexFunc(list, func(s algo.Section) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("no section %q", name)
	}
	return list, at
}

// sealed is a file of sections, with right checksums.
func sealed(t testing.TB, k kind, list ...algo.Section) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(write(&b, k, list))
	return b.Bytes()
}

// replaced is a valid file with other bytes for one section, and right checksums.
func replaced(t testing.TB, file []byte, name string, data []byte) []byte {
	t.Helper()
	list, at := find(t, file, name)
	list[at].Data = data
	return sealed(t, kind(file[atKind]), list...)
}

// everything is a small model of molecules with all sections, one of them unknown.
func everything(t testing.TB) *algo.Model {
	t.Helper()
	m := testModel(t, gin.Config{Features: 9, Hidden: 1, Layers: 1}, 2, 2)
	m.Background, m.Sizes, m.Card.Background, m.Card.BackgroundGraphs = nil, nil, "", 0 // 25 kB
	m.Residuals = &algo.Residuals{Observed: "y", Predicted: "ŷ", Errors: []float64{-0.1, math.NaN()}, Trained: make([]float64, m.ErrorsOfTrained())}
	m.Residuals.Trained[0] = 0.3
	m.Structures = &algo.Structures{
		SMILES: []string{"C", "CC"}, Names: []string{"", "näme, of a kind"},
		Observed: []float64{-11.01, math.NaN()}, Predicted: []float64{math.NaN(), 0.1 + 0.2},
	}
	m.Others = []algo.Section{{Name: "x-of-16-letters!", Data: []byte("?")}, {Name: "empty", Data: []byte{}}}
	return m
}

// ours reports whether the program reads a section.
func ours(s algo.Section) bool {
	return slices.Contains([]string{headSection, indexSection, residualsSection, structuresSection}, s.Name)
}

type file struct {
	data []byte
	load func([]byte) error
}

// files are valid ones of each kind. Their load fails if what was loaded cannot be saved, or comes back different.
func files(t testing.TB) map[string]file {
	t.Helper()
	return map[string]file{
		"model":      {save(t, everything(t)), loadTwice},
		"checkpoint": {saveCheckpoint(t, testCheckpoint(3)), loadCheckpointTwice},
	}
}

var causes = []error{ErrMagic, ErrVersion, ErrKind, ErrTruncated, ErrTrailing, ErrTooLarge, ErrChecksum, ErrFormat, ErrSchema, ErrTensor, ErrNumber, ErrRows}

// named reports whether err wraps exactly one of the causes.
func named(err error) bool {
	n := 0
	for _, c := range causes {
		if errors.Is(err, c) {
			n++
		}
	}
	return n == 1
}

// refused reports whether an error has one cause and says so.
func refused(t *testing.T, name string, err, cause error, text string) {
	t.Helper()
	if !errors.Is(err, cause) || !named(err) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %q: %q", name, err, cause, text)
	}
}

// notLoaded fails if the file of a model is not refused for that cause and with that text.
func notLoaded(t *testing.T, name string, data []byte, cause error, text string) {
	t.Helper()
	m, err := Load(data)
	if refused(t, name, err, cause, text); m != nil {
		t.Errorf("%s: a model beside an error", name)
	}
}

// Sections are found by their names, and those that nobody knows are kept.
func TestSections(t *testing.T) {
	m := everything(t)
	data := save(t, m)
	list := sections(t, data)
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if want := []string{"head", "index", "residuals", "structures", "x-of-16-letters!", "empty"}; !slices.Equal(names, want) {
		t.Fatalf("sections %q, want %q", names, want)
	}
	if got := have(Load(data)); fmt.Sprint(got.Others) != fmt.Sprint(m.Others) || !bytes.Equal(save(t, got), data) {
		t.Errorf("unknown sections %q, want %q", got.Others, m.Others)
	}
	slices.Reverse(list[1:4])
	if mixed := sealed(t, modelKind, list...); bytes.Equal(mixed, data) || !bytes.Equal(save(t, have(Load(mixed))), data) {
		t.Error("sections in another order give another model")
	}
	big := testModel(t, gin.Config{Features: 1, Hidden: 2, Layers: 1}, 12, 3)
	big.Others = m.Others
	shared := have(alone.Share(t.Context(), 1, big, 2))
	if list := sections(t, save(t, shared)); len(list) != 2 {
		t.Errorf("a shared model has %d sections, want 2", len(list))
	}
}

// forged is a valid file with a changed table, in which checksums are right.
func forged(valid []byte, change func(table []byte)) []byte {
	data := slices.Clone(valid)
	table := data[headerSize:][:entrySize*binary.LittleEndian.Uint32(data[atCount:])]
	change(table)
	sum := sha256.Sum256(table)
	copy(data[atSum:], sum[:])
	return data
}

func TestDamagedTables(t *testing.T) {
	valid := save(t, everything(t))
	name := func(s string) func([]byte) {
		return func(table []byte) { copy(table[entrySize:], append([]byte(s), make([]byte, nameSize-len(s))...)) }
	}
	length := func(section int, by uint64) func([]byte) {
		return func(table []byte) {
			at := table[section*entrySize+nameSize:]
			binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)+by)
		}
	}
	huge := func(n uint64) func([]byte) {
		return func(table []byte) { binary.LittleEndian.PutUint64(table[entrySize+nameSize:], n) }
	}
	for _, c := range []struct {
		name   string
		change func(table []byte)
		want   error
		text   string
	}{
		{"no name", name(""), ErrFormat, `section 1 is called "", want "head" first, and then other names, each once`},
		{"name twice", name("structures"), ErrFormat, `section 3 is called "structures"`},
		{"two heads", name("head"), ErrFormat, `section 1 is called "head"`},
		{"control character", name("in\x07dex"), ErrFormat, `section 1 is called "in\adex"`},
		{"zero in a name", name("in\x00dex"), ErrFormat, `"in\x00dex"`},
		{"blank", name("in dex"), ErrFormat, `"in dex"`},
		{"beyond ASCII", name("ïndex"), ErrFormat, `"ïndex"`},
		{"not UTF-8", name("\xffndex"), ErrFormat, `"\xffndex"`},
		{"head elsewhere", func(table []byte) { table[0] = 'd' }, ErrFormat, `section 0 is called "dead"`},
		{"no index", name("indices"), ErrFormat, `a model without section "index"`},
		{"entries swapped", func(table []byte) {
			copy(table, slices.Concat(table[:entrySize], table[2*entrySize:3*entrySize], table[entrySize:2*entrySize]))
		}, ErrChecksum, `sha-256 of section "residuals"`},
		{"one byte more", length(5, 1), ErrTruncated, `section "empty" has 1 bytes, 0 remain`},
		{"one byte less", length(4, math.MaxUint64), ErrChecksum, `sha-256 of section "x-of-16-letters!"`},
		{"beyond the file", huge(1 << 40), ErrTruncated, `section "index" has 1099511627776 bytes`},
		{"wraps", huge(math.MaxUint64), ErrTruncated, `section "index" has 18446744073709551615 bytes`},
		{"wraps to the start", huge(math.MaxUint64 - headerSize + 1), ErrTruncated, `section "index" has`},
		{"sum", func(table []byte) { table[4*entrySize-1] ^= 1 }, ErrChecksum, `sha-256 of section "structures" is`},
	} {
		notLoaded(t, c.name, forged(valid, c.change), c.want, c.text)
	}
	for n, want := range map[uint32]error{0: ErrFormat, 1: ErrChecksum, 5: ErrChecksum, 7: ErrChecksum, 256: ErrTruncated, 257: ErrFormat, math.MaxUint32: ErrFormat} {
		data := slices.Clone(valid)
		binary.LittleEndian.PutUint32(data[atCount:], n)
		notLoaded(t, fmt.Sprint(n, " sections"), data, want, "")
	}
}

// A section that is whole has no byte less or more, is there once, and belongs to its model.
func TestDamagedSections(t *testing.T) {
	for name, file := range files(t) {
		k, list := kind(file.data[atKind]), sections(t, file.data)
		for i, s := range list {
			what := fmt.Sprintf("%s, section %s", name, s.Name)
			refused(t, what+" is there twice", file.load(sealed(t, k, append(slices.Clone(list), s)...)), ErrFormat, "")
			if missing := file.load(sealed(t, k, slices.Delete(slices.Clone(list), i, i+1)...)); s.Name == headSection || s.Name == indexSection {
				refused(t, what+" is missing", missing, ErrFormat, "")
			} else if missing != nil {
				t.Errorf("%s is missing: %v", what, missing)
			}
			if !ours(s) {
				continue
			}
			for change, data := range map[string][]byte{"doubled": append(slices.Clone(s.Data), s.Data...), "cut": s.Data[:len(s.Data)-1], "empty": nil} {
				refused(t, what+" is "+change, file.load(replaced(t, file.data, s.Name, data)), ErrFormat, "")
			}
		}
	}
	model := save(t, everything(t))
	refused(t, "a checkpoint with a second section", loadCheckpointTwice(sealed(t, checkpointKind, sections(t, model)[:2]...)), ErrFormat, "a checkpoint of training has 2 sections, want one")
	other := save(t, testModel(t, gin.Config{Features: 9, Hidden: 1, Layers: 1}, 3, 2))
	plain := everything(t)
	plain.Residuals = nil // it is found out before they are read
	refused(t, "an index of another model", loadTwice(replaced(t, save(t, plain), indexSection, sectionOf(t, other, indexSection))), ErrRows, "the subtrees of 3 training graphs, want those of 2")
	many := everything(t)
	for i := range maxSections - 5 {
		many.Others = append(many.Others, algo.Section{Name: fmt.Sprint(i)})
	}
	refused(t, "too many sections", Save(new(bytes.Buffer), many), ErrTooLarge, "257 sections to write")
	many.Others = many.Others[1:]
	if err := loadTwice(save(t, many)); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", headSection, structuresSection, "seventeen-letters", "ï"} {
		many.Others = []algo.Section{{Name: name}}
		refused(t, "a section called "+name, Save(new(bytes.Buffer), many), ErrFormat, "")
	}
}

func TestEveryTruncation(t *testing.T) {
	for name, file := range files(t) {
		for n := range file.data {
			if err := file.load(file.data[:n]); !errors.Is(err, ErrTruncated) {
				t.Fatalf("%s, %d bytes of %d: %v, want %v", name, n, len(file.data), err, ErrTruncated)
			}
		}
		refused(t, name+" goes on", file.load(append(slices.Clone(file.data), 0)), ErrTrailing, fmt.Sprintf("%d bytes, its table announces %d", len(file.data)+1, len(file.data)))
	}
}

func TestEveryBitFlip(t *testing.T) {
	for name, file := range files(t) {
		data := slices.Clone(file.data)
		for i := range data {
			want := []error{ErrChecksum}
			switch {
			case i < atVersion:
				want = []error{ErrMagic}
			case i < atKind:
				want = []error{ErrVersion}
			case i < atFlags:
				want = []error{ErrKind}
			case i < atCount:
				want = []error{ErrVersion}
			case i < atSum:
				want = []error{ErrTruncated, ErrChecksum, ErrFormat}
			}
			for bit := range 8 {
				data[i] ^= 1 << bit
				err := file.load(data)
				if !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }) {
					t.Fatalf("%s, byte %d, bit %d: %v, want %v", name, i, bit, err, want)
				}
				data[i] ^= 1 << bit
			}
		}
	}
}

// TestDamagePastTheChecksum cuts and flips each section and gives the file right
// checksums: what loads all the same must be a model like any other.
func TestDamagePastTheChecksum(t *testing.T) {
	// As WebAssembly, where each try takes long, one bit of each byte is enough.
	step, cut := 3, 1
	if testing.Short() {
		step, cut = 8, 8
	}
	for name, file := range files(t) {
		for _, s := range sections(t, file.data) {
			if !ours(s) {
				continue
			}
			data := slices.Clone(s.Data)
			for n := 0; n < len(data); n += cut {
				if err := file.load(replaced(t, file.data, s.Name, data[:n])); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTensor) {
					t.Fatalf("%s, %d bytes of %d of section %s: %v", name, n, len(data), s.Name, err)
				}
			}
			loaded, tried := 0, 0
			for i := range data {
				for bit := i % step; bit < 8; bit += step {
					data[i] ^= 1 << bit
					err := file.load(replaced(t, file.data, s.Name, data))
					if tried++; err == nil {
						loaded++
					} else if !named(err) {
						t.Fatalf("%s, section %s, byte %d, bit %d: %v, want a named error", name, s.Name, i, bit, err)
					}
					data[i] ^= 1 << bit
				}
			}
			if loaded == 0 || loaded == tried {
				t.Errorf("%s, section %s: %d of %d flips load, want those in numbers and names only", name, s.Name, loaded, tried)
			}
		}
	}
}

// allocated is what f allocates, in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostile are heads of values that announce 2³²−1 elements and have none.
var hostile = map[string][]byte{
	"array": {0xdd, 0xff, 0xff, 0xff, 0xff},
	"bin":   {0xc6, 0xff, 0xff, 0xff, 0xff},
	"str":   {0xdb, 0xff, 0xff, 0xff, 0xff},
	"map":   {0xdf, 0xff, 0xff, 0xff, 0xff},
	"ext":   {0xc9, 0xff, 0xff, 0xff, 0xff},
}

// TestHostileHeads puts a head of five bytes at every place of a section where a value starts, and everywhere else.
func TestHostileHeads(t *testing.T) {
	const limit = 1 << 20 // for all heads together
	step := 1
	if testing.Short() {
		step = 7
	}
	for what, file := range files(t) {
		for _, s := range sections(t, file.data) {
			for at := 0; ours(s) && at < len(s.Data); at += step {
				var bad [][]byte
				for _, head := range hostile {
					bad = append(bad, replaced(t, file.data, s.Name, append(slices.Clone(s.Data[:at]), head...)))
				}
				if n := allocated(func() {
					for i, data := range bad {
						// In the last five bytes the head is data of the last bin.
						if err := file.load(data); err == nil && at != len(s.Data)-5 || err != nil && !named(err) {
							t.Fatalf("head %d at byte %d of %s, %s: %v, want a named error", i, at, what, s.Name, err)
						}
					}
				}); n > limit {
					t.Fatalf("heads at byte %d of %s, %s: %d bytes allocated", at, what, s.Name, n)
				}
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := Load(make([]byte, MaxSize+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Load: %v", err)
	}
	largest := make([]byte, MaxSize-headerSize-entrySize+1)
	for cut, want := range []error{ErrTooLarge, nil} {
		if err := write(io.Discard, modelKind, []algo.Section{{Name: headSection, Data: largest[cut:]}}); !errors.Is(err, want) {
			t.Errorf("write of %d bytes: %v, want %v", len(largest)-cut, err, want)
		}
	}
}

// FuzzLoad takes a piece for a place in a file or, with checksums that are right, in a section of
// one. With whole files the time would go into making what is found shorter.
func FuzzLoad(f *testing.F) {
	type part struct {
		data []byte
		load func(testing.TB, []byte) error
	}
	var parts []part
	add := func(data []byte, load func([]byte) error) {
		parts = append(parts, part{data, func(_ testing.TB, changed []byte) error { return load(changed) }})
		for _, s := range sections(f, data) {
			if ours(s) {
				parts = append(parts, part{s.Data, func(t testing.TB, changed []byte) error { return load(replaced(t, data, s.Name, changed)) }})
			}
		}
	}
	add(save(f, everything(f)), loadTwice)
	add(saveCheckpoint(f, testCheckpoint(2)), loadCheckpointTwice)
	for which, p := range parts {
		f.Add(byte(which), uint16(0), uint16(0), []byte{})
		f.Add(byte(which), uint16(len(p.data)/2), uint16(len(p.data)), []byte{})
		for _, i := range []int{0, atVersion, atKind, atCount, atSum, headerSize, headerSize + nameSize + 7, len(p.data) - 1} {
			f.Add(byte(which), uint16(i), uint16(1), []byte{0xff})
		}
	}
	for _, c := range hostileIndexes {
		f.Add(byte(2), uint16(0), uint16(math.MaxUint16), c.payload())
	}
	for _, c := range hostileStructures {
		f.Add(byte(4), uint16(0), uint16(math.MaxUint16), c.payload)
	}
	f.Fuzz(func(t *testing.T, which byte, at, size uint16, piece []byte) {
		p := parts[int(which)%len(parts)]
		from := min(int(at), len(p.data))
		to := min(from+int(size), len(p.data))
		if err := p.load(t, slices.Concat(p.data[:from], piece, p.data[to:])); err != nil && !named(err) {
			t.Fatalf("%v, want a named error", err)
		}
	})
}
