package weights

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/near"
	"baca/algo/rare"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// noError ends all tests at an error in what no test is about.
func noError(err error) {
	if err != nil {
		panic(err)
	}
}

// have returns a value that must come without an error.
func have[T any](v T, err error) T {
	noError(err)
	return v
}

// testModel returns a model with all fields set and node scores that are not defined in bank and holdout.
func testModel(t testing.TB, c gin.Config, bank, holdout int) *algo.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	schema := algo.Constant
	if c.Features != 1 {
		schema = algo.OGB
	}
	m := &algo.Model{
		Card: algo.Card{
			Name: "tiny", Description: "A model to test with, µ.", Schema: schema,
			Dataset: "none.smi", DatasetSHA256: strings.Repeat("ab", 32), Graphs: bank + 2*holdout + 300, Train: bank,
			Seed: math.MaxUint64, Epochs: 400, Batch: 128, LearningRate: 1e-4, Loss: -1.0 / 3, Program: "v0.0.0-test",
		},
		Encoder: gin.New(c, rng),
	}
	for i := range holdout + 1 {
		m.Card.HoldoutRows = append(m.Card.HoldoutRows, m.Card.Graphs-1-i)
	}
	for _, s := range []struct {
		v **contrast.Representation
		n int
	}{{&m.Bank, bank}, {&m.Holdout, holdout}} {
		q := make([]float32, s.n*2*c.Width())
		for i := range q {
			q[i] = 8 * rng.Float32()
		}
		node := make([]float64, s.n)
		for i := range node {
			node[i] = 3*rng.Float64() - 2
		}
		if s.n > 1 {
			node[1] = math.NaN()
		}
		*s.v = have(contrast.Restore(m.Encoder, q, node, randomPrints(t, rng, s.n)))
	}
	m.Subtrees = fingerprint.NewIndex(m.Bank.Prints)
	m.Profile = testProfile(rng, c.Features, m.Card.Train)
	for i := range holdout {
		m.HoldoutTraits = append(m.HoldoutTraits, algo.Trait{Fold: i % background.Folds})
	}
	m.Measured = &algo.Measured{Rules: 7}
	for k := range m.Measured.Scales.Parts {
		m.Measured.Scales.Parts[k] = near.Scale{Mean: rng.NormFloat64(), Deviation: rng.Float64()}
	}
	m.Measured.Scales.Sum = near.Scale{Mean: math.NaN(), Deviation: 1}
	for range holdout {
		m.Measured.Holdout = append(m.Measured.Holdout, rng.NormFloat64())
	}
	if c.Features == 9 {
		m.Card.Background, m.Card.BackgroundGraphs, m.Card.Holdout = "everything.smi", 1234, "later.smi"
		m.Background, m.Sizes = testBackground(rng)
		m.Rare = testTable(bank)
		for i := range m.HoldoutTraits {
			m.HoldoutTraits[i].Level = i % 3
		}
	}
	return m
}

// testBackground returns one whose numbers a file keeps as they are.
func testBackground(rng *rand.Rand) (*background.Head, *background.Sizes) {
	h, s := &background.Head{Mean: -2.5, Deviation: 1.0 / 3, AUC: 0.9}, &background.Sizes{Low: 1, High: 77}
	for f := range h.Weights {
		h.Weights[f] = make([]float32, background.Buckets+1)
		for i := range h.Weights[f] {
			h.Weights[f][i] = float32(rng.IntN(255)-127) / 512
		}
	}
	for k := range s.Mean {
		s.Mean[k], s.Deviation[k] = float64(float32(rng.NormFloat64())), float64(1+rng.Float32())
	}
	return h, s
}

// testTable returns a table of parts for a bank.
func testTable(bank int) *rare.Table {
	t := &rare.Table{Keys: []uint32{3, 4, math.MaxUint32}, Counts: []uint32{1, rare.Common, 7}, Levels: []uint32{5, 900}, Bank: make([]byte, bank)}
	t.Bank[bank-1] = 2
	return t.Open()
}

// testProfile returns a profile of so many training graphs.
func testProfile(rng *rand.Rand, features, train int) *explain.Profile {
	p := &explain.Profile{}
	for range explain.StatisticCount {
		row := make([]float64, explain.LevelCount)
		for l := range row {
			row[l] = float64(float32(rng.NormFloat64()))
		}
		slices.Sort(row)
		p.Quantiles = append(p.Quantiles, row)
	}
	for range features {
		var list []explain.Value
		for v := -2; v < 200; v += 1 + rng.IntN(120) {
			list = append(list, explain.Value{Of: v, Graphs: 1 + rng.IntN(train)})
		}
		p.Values = append(p.Values, list)
	}
	return p
}

// randomPrints returns the prints of n random trees with a few more edges.
func randomPrints(t testing.TB, rng *rand.Rand, n int) []fingerprint.Print {
	t.Helper()
	prints := make([]fingerprint.Print, n)
	for i := range prints {
		nodes := 2 + rng.IntN(20)
		var edges [][2]int32
		for j := 1; j < nodes; j++ {
			edges = append(edges, [2]int32{int32(j), rng.Int32N(int32(j))})
		}
		for range nodes / 8 {
			edges = append(edges, [2]int32{rng.Int32N(int32(nodes)), rng.Int32N(int32(nodes))})
		}
		g, _, err := graph.New(nodes, edges)
		noError(err)
		prints[i] = fingerprint.New(g, fingerprint.DefaultHeight)
	}
	return prints
}

func small(t testing.TB) *algo.Model {
	t.Helper()
	return testModel(t, gin.Config{Features: 1, Hidden: 2, Layers: 1}, 3, 2)
}

// whole is a model that knows the subtrees of more training graphs than its bank has.
func whole(t testing.TB, known int) *algo.Model {
	t.Helper()
	m := small(t)
	m.Card.Train, m.Card.Graphs = known, m.Card.Graphs+known
	prints := randomPrints(t, rand.New(rand.NewPCG(9, 9)), known)
	for k := range m.Bank.Prints {
		m.Bank.Prints[k] = prints[near.Place(k, m.Bank.Len(), known)]
	}
	m.Subtrees = fingerprint.NewIndex(prints)
	return m
}

func save(t testing.TB, m *algo.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(Save(&b, m))
	return b.Bytes()
}

func TestModelRoundTrip(t *testing.T) {
	shared, bare := small(t), small(t)
	share(shared)
	share(bare)
	bare.Profile = nil
	for _, m := range []*algo.Model{
		small(t), everything(t), whole(t, 40), testModel(t, gin.Default(9), 40, 0), shared, bare,
		testModel(t, gin.Config{Features: 9, Hidden: 3, Layers: 2}, 1, 17),
	} {
		data := save(t, m)
		if !bytes.Equal(data, save(t, m)) {
			t.Fatal("two files of one model differ")
		}
		got := have(Load(data))
		if fmt.Sprint(got.Card) != fmt.Sprint(m.Card) {
			t.Errorf("card %+v, want %+v", got.Card, m.Card)
		}
		if got.Encoder.Config != m.Encoder.Config {
			t.Errorf("shape %+v, want %+v", got.Encoder.Config, m.Encoder.Config)
		}
		sameLevels(t, got.Bank.Q, m.Bank.Q, m.Bank.Dim())
		// With the precision of float16, 11 bits.
		half := func(a, b float32) bool { return math.Abs(float64(a-b)) <= 0x1p-11*float64(b)+0x1p-25 }
		if !slices.EqualFunc(got.Holdout.Q, m.Holdout.Q, half) {
			t.Errorf("embeddings of the holdout %v, want %v", got.Holdout.Q, m.Holdout.Q)
		}
		sameRows(t, "bank", m.Encoder, got.Bank, m.Bank)
		sameRows(t, "holdout", m.Encoder, got.Holdout, m.Holdout)
		for row := range max(got.Known(), m.Known()) {
			if !got.Subtrees.Print(row).Equal(m.Subtrees.Print(row)) {
				t.Fatalf("training graph %d has other subtrees", row)
			}
		}
		for name, v := range map[string][2]any{
			"parameters": {got.Encoder.Params, m.Encoder.Params}, "shared": {got.Shared, m.Shared}, "reference": {got.Reference, m.Reference},
			"profile": {got.Profile, m.Profile}, "rare": {got.Rare, m.Rare}, "traits": {got.HoldoutTraits, m.HoldoutTraits}, "background": {got.Background, m.Background},
			"sizes": {got.Sizes, m.Sizes}, "residuals": {got.Residuals, m.Residuals}, "structures": {got.Structures, m.Structures}, "others": {got.Others, m.Others},
		} {
			// As text, since NaN is not NaN.
			if got, want := fmt.Sprintf("%+v", v[0]), fmt.Sprintf("%+v", v[1]); got != want && !reflect.DeepEqual(v[0], v[1]) {
				t.Errorf("%s %s, want %s", name, got, want)
			}
		}
		if got.Holdout.Len() == 0 {
			got.Holdout = nil // it is written as an empty one is
		}
		if !bytes.Equal(data, save(t, got)) {
			t.Error("the file of the loaded model is another one")
		}
	}
}

// sameRows compares all but Q, from which the projections have to follow.
func sameRows(t *testing.T, name string, e *gin.Encoder, got, want *contrast.Representation) {
	t.Helper()
	if got.Len() != want.Len() || got.Width != want.Width {
		t.Fatalf("%s: %d rows of width %d, want %d of %d", name, got.Len(), got.Width, want.Len(), want.Width)
	}
	for i, x := range want.NodeScore {
		if got.NodeScore[i] != float64(float32(x)) && !(math.IsNaN(x) && math.IsNaN(got.NodeScore[i])) {
			t.Fatalf("%s: node score %d is %g, want %g", name, i, got.NodeScore[i], x)
		}
	}
	samePrints(t, name, got.Prints, want.Prints)
	v := have(contrast.Restore(e, got.Q, got.NodeScore, got.Prints))
	if !slices.Equal(got.ZF(), v.ZF()) || !slices.Equal(got.ZS(), v.ZS()) {
		t.Fatalf("%s: projections do not follow from Q", name)
	}
}

func samePrints(t *testing.T, name string, got, want []fingerprint.Print) {
	t.Helper()
	if !slices.EqualFunc(got, want, fingerprint.Print.Equal) {
		t.Fatalf("%s: prints %v, want %v", name, got, want)
	}
}

// share makes of a model one that is made for sharing.
func share(m *algo.Model) {
	m.Shared, m.Reference = 2, []float64{-1.5, 0, 0, 2.25}
	m.Holdout, m.HoldoutTraits, m.Card.HoldoutRows = m.Holdout.Select(nil), nil, nil
	m.Measured.Holdout, m.Rare = nil, nil
}

// withBin is a valid model whose head has other bytes for the last value of a key, a bin.
func withBin(t testing.TB, model []byte, key string, value []byte) []byte {
	t.Helper()
	head := sectionOf(t, model, headSection)
	at := bytes.LastIndex(head, append([]byte{0xa0 | byte(len(key))}, key...))
	if at < 0 {
		t.Fatalf("no %s", key)
	}
	r, w := newReader(head[at:]), newWriter()
	r.bin(key, nil)
	w.bin(key, value)
	return replaced(t, model, headSection, slices.Concat(head[:at], w.buf.Bytes(), head[len(head)-r.remaining():]))
}

// A background that gives no score is refused, in memory and in a file.
func TestHostileBackgrounds(t *testing.T) {
	molecules := func(t testing.TB) *algo.Model {
		t.Helper()
		return testModel(t, gin.Config{Features: 9, Hidden: 2, Layers: 1}, 4, 3)
	}
	notSaved(t, molecules, []harm{
		{"deviation 0", func(m *algo.Model) { m.Background.Deviation = 0 }, ErrNumber},
		{"deviation NaN", func(m *algo.Model) { m.Background.Deviation = math.NaN() }, ErrNumber},
		{"mean infinite", func(m *algo.Model) { m.Background.Mean = math.Inf(1) }, ErrNumber},
		{"AUC above 1", func(m *algo.Model) { m.Background.AUC = 1.5 }, ErrNumber},
		{"weight too large", func(m *algo.Model) { m.Background.Weights[1][7] = 20_000 }, ErrNumber},
		{"weight NaN", func(m *algo.Model) { m.Background.Weights[2][0] = float32(math.NaN()) }, ErrNumber},
		{"weights missing", func(m *algo.Model) { m.Background.Weights[0] = m.Background.Weights[0][1:] }, ErrRows},
		{"no sizes", func(m *algo.Model) { m.Sizes = nil }, ErrRows},
		{"size 0", func(m *algo.Model) { m.Sizes.Low = 0 }, ErrNumber},
		{"sizes descend", func(m *algo.Model) { m.Sizes.High = m.Sizes.Low - 1 }, ErrNumber},
		{"size without spread", func(m *algo.Model) { m.Sizes.Deviation[3] = 0 }, ErrNumber},
		{"graphs of no background", func(m *algo.Model) { m.Background, m.Sizes = nil, nil }, ErrRows},
		{"plain graphs", func(m *algo.Model) {
			other := small(t)
			m.Encoder, m.Bank, m.Holdout, m.Card.Schema, m.Profile = other.Encoder, other.Bank, other.Holdout, other.Card.Schema, other.Profile
			m.HoldoutTraits, m.Subtrees, m.Card.Train = other.HoldoutTraits, other.Subtrees, other.Card.Train
		}, ErrSchema},
		{"fold beyond the last", func(m *algo.Model) { m.HoldoutTraits[1].Fold = background.Folds }, ErrNumber},
		{"level beyond the last", func(m *algo.Model) { m.HoldoutTraits[1].Level = 3 }, ErrNumber},
		{"parts out of order", func(m *algo.Model) { m.Rare.Keys[1] = 3 }, ErrNumber},
		{"part of no graph", func(m *algo.Model) { m.Rare.Counts[1] = 0 }, ErrNumber},
		{"count missing", func(m *algo.Model) { m.Rare.Counts = m.Rare.Counts[1:] }, ErrRows},
		{"levels out of order", func(m *algo.Model) { slices.Reverse(m.Rare.Levels) }, ErrRows},
		{"level of the bank missing", func(m *algo.Model) { m.Rare.Bank = m.Rare.Bank[1:] }, ErrRows},
		{"level of the bank beyond the last", func(m *algo.Model) { m.Rare.Bank[0] = 3 }, ErrNumber},
		{"traits missing", func(m *algo.Model) { m.HoldoutTraits = m.HoldoutTraits[1:] }, ErrRows},
	})
	// What a writer would not write.
	data := save(t, molecules(t))
	for _, test := range []struct {
		key  string
		keep int
		want error
	}{
		{"weights", 0, ErrFormat}, {"weights", background.Folds*foldBytes - 1, ErrFormat}, {"weights", 7, ErrFormat},
		{"parts", 2, ErrRows}, {"bank_levels", 1, ErrRows},
		{"sizes", 0, ErrFormat}, {"sizes", 4, ErrFormat}, {"sizes", 8*background.SizeKnots + 4, ErrFormat},
		{"sizes", 8 * background.SizeKnots, ErrNumber}, // without spread
	} {
		notLoaded(t, fmt.Sprintf("%q with %d bytes", test.key, test.keep), withBin(t, data, test.key, make([]byte, test.keep)), test.want, "")
	}
}

// hostileProfiles are profiles of a model of one feature that are wrong.
var hostileProfiles = []struct {
	name      string
	quantiles int // zeros
	values    []byte
	want      error
	text      string
}{
	{"quantiles missing", 69, uvarints(0), ErrFormat, "quantiles has 69 values, want 70"},
	{"no quantiles but values", 0, uvarints(0), ErrFormat, "quantiles has 0 values, want 70"},
	{"values missing", 70, nil, ErrFormat, "feature 0 ends within a number"},
	{"values announced", 70, uvarints(math.MaxUint64), ErrFormat, "feature 0 announces 18446744073709551615 values of at least 2 bytes, 0 bytes remain"},
	{"value cut", 70, append(uvarints(1), 0x80, 0x80), ErrFormat, "feature 0 ends within a number"},
	{"value too large", 70, uvarints(1, 1<<40, 1), ErrNumber, "feature 0 has the value 549755813888 in 1 of 3 training graphs"},
	{"gap too large", 70, uvarints(2, 0, 1, math.MaxUint64, 1), ErrNumber, "feature 0 has the value"},
	{"too many graphs", 70, uvarints(1, 0, math.MaxUint64), ErrNumber, "feature 0 has the value 0"},
	{"more graphs than were trained on", 70, uvarints(1, 0, 4), ErrNumber, "in 4 of 3 training graphs"},
	{"in no graph", 70, uvarints(1, 0, 0), ErrNumber, "in 0 of 3 training graphs"},
	{"values after the last", 70, uvarints(0, 0), ErrFormat, "values has 1 bytes after the last of 1 features"},
}

func TestHostileProfiles(t *testing.T) {
	plain := save(t, small(t))
	with := func(quantiles int, values []byte) []byte {
		return withBin(t, withBin(t, plain, "quantiles", make([]byte, 4*quantiles)), "values", values)
	}
	for _, c := range hostileProfiles {
		notLoaded(t, c.name, with(c.quantiles, c.values), c.want, c.text)
	}
	m := have(Load(with(70, uvarints(2, 3, 1, 4, 2))))
	if want := [][]explain.Value{{{Of: -2, Graphs: 1}, {Of: 3, Graphs: 2}}}; !reflect.DeepEqual(m.Profile.Values, want) {
		t.Errorf("values %v, want %v", m.Profile.Values, want)
	}
}

// TestGolden keeps files of this version readable, and written as they were.
func TestGolden(t *testing.T) {
	for name, data := range map[string][]byte{"model-v10.msgpack": save(t, everything(t)), "checkpoint-v10.msgpack": saveCheckpoint(t, testCheckpoint(3))} {
		path := filepath.Join("testdata", name)
		if *update {
			noError(os.WriteFile(path, data, 0o644))
		}
		want := have(os.ReadFile(path))
		if !bytes.Equal(data, want) {
			t.Errorf("%s is written differently now; a change of the format needs a new version", path)
		}
	}
}

func loadTwice(data []byte) error { return twice(data, Load, Save) }

// twice fails if what is loaded cannot be saved, or comes back different.
func twice[T any](data []byte, load func([]byte) (T, error), save func(io.Writer, T) error) error {
	v, err := load(data)
	if err != nil {
		return err
	}
	var first, second bytes.Buffer
	if err := save(&first, v); err != nil {
		return fmt.Errorf("saving what was loaded: %v", err)
	}
	if v, err = load(first.Bytes()); err != nil {
		return fmt.Errorf("loading what was saved: %v", err)
	}
	if err := save(&second, v); err != nil {
		return fmt.Errorf("saving again: %v", err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return errors.New("the second file differs from the first")
	}
	return nil
}

// edit is a valid model whose head has a text replaced by one of the same length.
func edit(t *testing.T, old, new string) []byte {
	t.Helper()
	data := save(t, small(t))
	head := sectionOf(t, data, headSection)
	if len(old) != len(new) || bytes.Count(head, []byte(old)) < 1 {
		t.Fatalf("cannot replace %q by %q", old, new)
	}
	return replaced(t, data, headSection, bytes.Replace(head, []byte(old), []byte(new), 1))
}

func TestLoadErrors(t *testing.T) {
	valid := save(t, small(t))
	with := func(at int, b ...byte) []byte {
		data := slices.Clone(valid)
		copy(data[at:], b)
		return data
	}
	payload := func(b ...byte) []byte { return replaced(t, valid, headSection, b) }
	// card is a payload up to and with a card of the given schema and an encoder.
	card := func(schema string, c gin.Config) []byte {
		w := newWriter()
		w.fields("", modelEntries)
		cardFields(w, &algo.Card{Schema: schema})
		configFields(w, "encoder", &c)
		w.fields("tensors", 1)
		return payload(w.buf.Bytes()...)
	}
	for _, c := range []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"empty", nil, ErrTruncated, "0 bytes"},
		{"SMILES", []byte("CC(=O)O acid\n"), ErrMagic, `"CC(=O)O "`},
		{"sent as text", bytes.ReplaceAll(valid, []byte("\r\n"), []byte("\n")), ErrMagic, `want "\x89BaCa\r\n\x1a"`},
		{"newer", with(atVersion, Version+1), ErrVersion, "11, this program reads 10; use a newer program"},
		{"version 6", with(atVersion, 6), ErrVersion, "6, of an older score; this program reads 10: score with the program that wrote it, or train it again (baca train INPUT --out MODEL)"},
		{"version 0", with(atVersion, 0), ErrVersion, "0, of an older score; this program reads 10"},
		{"checkpoint", saveCheckpoint(t, testCheckpoint(1)), ErrKind, "it is a checkpoint of training, want a model"},
		{"kind 9", with(atKind, 9), ErrKind, "kind 9"},
		{"flags", with(atFlags, 0, 1), ErrVersion, "flags 0x0100"},
		{"half a file", valid[:len(valid)/2], ErrTruncated, "remain"},
		{"damaged", with(len(valid)-1, valid[len(valid)-1]^1), ErrChecksum, "get the file again"},
		{"no payload", payload(), ErrFormat, "ends within the payload"},
		{"nil for a map", payload(0xc0), ErrFormat, "want a map"},
		{"extension before a map", payload(0xd4, 1, 1, 0x85), ErrFormat, "want a map"},
		{"number", payload(0x05), ErrFormat, "want a map"},
		{"entries", payload(0x81, 0xc0, 0xc0, 0xc0), ErrFormat, "1 entries, want 12"},
		{"payload goes on", payload(append(sectionOf(t, valid, headSection), 0xc0)...), ErrFormat, "1 bytes after the last value"},
		{"other key", edit(t, "\xabdescription", "\xabdescribtion"), ErrFormat, `key "describtion", want "description"`},
		{"key is bin", edit(t, "\xa4card", "\xc4\x03car"), ErrFormat, `the key card has a value of msgpack type 0xc4, want a string`},
		{"not UTF-8", edit(t, "test with", "test\xffwith"), ErrFormat, "description is not UTF-8"},
		{"negative", edit(t, "\xa5batch\xcc\x80", "\xa5batch\xd0\x80"), ErrFormat, "batch has a value of msgpack type 0xd0, want an unsigned integer"},
		{"float for integer", edit(t, "\xa5train\x03", "\xa5train\xca"), ErrFormat, "want an unsigned integer"},
		{"integer for float", edit(t, "\xa4loss\xcb", "\xa4loss\xcf"), ErrFormat, "want a float64"},
		{"infinite loss", edit(t, "\xa4loss\xcb\xbf\xd5\x55\x55\x55\x55\x55\x55", "\xa4loss\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), ErrNumber, "loss is +Inf"},
		{"schema", edit(t, algo.Constant, "constant-2"), ErrSchema, `"constant-2": want "ogb-atom-9", "ogb-atom-9-canonical", "ogb-atom-9-parent" or "constant-1"`},
		{"schema of other width", card(algo.OGB, gin.Config{Features: 1, Hidden: 2, Layers: 1}), ErrSchema, "takes 1 features, ogb-atom-9 has 9"},
		{"no layers", card(algo.Constant, gin.Config{Features: 1, Hidden: 2}), ErrFormat, "layers 0: want 1 to 32"},
		{"layers", card(algo.Constant, gin.Config{Features: 1, Hidden: 2, Layers: math.MaxInt}), ErrFormat, "want 1 to 32"},
		{"huge encoder", card(algo.Constant, gin.Config{Features: 1, Hidden: 1024, Layers: 4}), ErrTensor, "595922944 bytes of parameters, 1 bytes remain"},
		{"tensor renamed", edit(t, "feature.gin.0.second.bias", "feature.gin.0.second.bios"), ErrFormat, `key "feature.gin.0.second.bios", want "feature.gin.0.second.bias"`},
		{"tensor missing", edit(t, "feature.graph_head.first.bias", "feature.graph_head.second.bia"), ErrFormat, `want "feature.graph_head.first.bias"`},
		{"tensor out of place", edit(t, "feature.node_head.first.weight", "structure.gin.0.first.weights!"), ErrFormat, `want "feature.node_head.first.weight"`},
		{"tensor transposed", edit(t, "\xa5shape\x92\x02\x01", "\xa5shape\x92\x01\x02"), ErrTensor, "has shape [1 2], want [2 1]"},
		{"tensor too long", edit(t, "\xa7float32\xc4\x08", "\xa7float32\xc4\x09"), ErrFormat, "float32 has 9 bytes, want 8"},
		{"rows", edit(t, "\xa4rows\x03", "\xa4rows\x04"), ErrFormat, "q has 12 bytes, want 16"},
		{"train", edit(t, "\xa5train\x03", "\xa5train\x02"), ErrRows, "the bank has 3 rows, only 2 graphs"},
		{"holdout row twice", edit(t, "\xcd\x01\x32\xcd\x01\x31", "\xcd\x01\x31\xcd\x01\x31"), ErrRows, "row 305 is kept from training or repeated twice"},
		{"holdout row outside", edit(t, "\xcd\x01\x32\xcd\x01\x31", "\xcd\x01\x33\xcd\x01\x31"), ErrRows, "row 307 of 307 graphs"},
	} {
		notLoaded(t, c.name, c.data, c.want, c.text)
	}
}

// A harm is what makes a model contradict itself, and the cause of the error then.
type harm struct {
	name   string
	change func(m *algo.Model)
	want   error
}

// notSaved does each harm to a model, of which then nothing is written.
func notSaved(t *testing.T, whole func(testing.TB) *algo.Model, list []harm) {
	t.Helper()
	for _, c := range list {
		m := whole(t)
		c.change(m)
		var b bytes.Buffer
		if err := Save(&b, m); !errors.Is(err, c.want) || b.Len() != 0 {
			t.Errorf("%s: %v and %d bytes, want %v", c.name, err, b.Len(), c.want)
		}
	}
}

func TestSaveErrors(t *testing.T) {
	nan32 := float32(math.NaN())
	notSaved(t, small, []harm{
		{"no encoder", func(m *algo.Model) { m.Encoder = nil }, ErrFormat},
		{"no bank", func(m *algo.Model) { m.Bank = nil }, ErrFormat},
		{"empty bank", func(m *algo.Model) { m.Bank = m.Bank.Select(nil) }, ErrRows},
		{"parameter", func(m *algo.Model) { m.Encoder.Params[3] = nan32 }, ErrNumber},
		{"embedding NaN", func(m *algo.Model) { m.Bank.Q[2] = nan32 }, ErrNumber},
		{"embedding negative", func(m *algo.Model) { m.Bank.Q[2] = -1 }, ErrNumber},
		{"embedding large", func(m *algo.Model) { m.Holdout.Q[0] = 89 }, ErrNumber},
		{"node score", func(m *algo.Model) { m.Holdout.NodeScore[0] = math.Inf(-1) }, ErrNumber},
		{"node score beyond float32", func(m *algo.Model) { m.Bank.NodeScore[0] = 1e39 }, ErrNumber},
		{"bank of other width", func(m *algo.Model) { m.Bank.Width = 3 }, ErrRows},
		{"bank of other length", func(m *algo.Model) { m.Bank.Q = m.Bank.Q[1:] }, ErrRows},
		{"no prints", func(m *algo.Model) { m.Bank.Prints = nil }, ErrRows},
		{"print without counts", func(m *algo.Model) { m.Holdout.Prints[0].Counts = nil }, ErrRows},
		{"print with keys out of order", func(m *algo.Model) { slices.Reverse(m.Bank.Prints[1].Keys) }, ErrRows},
		{"print with a key twice", func(m *algo.Model) { m.Bank.Prints[0].Keys[1] = m.Bank.Prints[0].Keys[0] }, ErrRows},
		{"print with a key that never occurs", func(m *algo.Model) { m.Bank.Prints[0].Counts[0] = 0 }, ErrRows},
		{"print with too large counts", func(m *algo.Model) {
			m.Holdout.Prints[0] = fingerprint.Print{Keys: []uint32{1, 2}, Counts: []uint32{math.MaxInt32, 1}}
		}, ErrRows},
		{"no subtrees", func(m *algo.Model) { m.Subtrees = nil }, ErrFormat},
		{"subtrees of more than were trained on", func(m *algo.Model) { *m = *whole(t, 40); m.Card.Train = 39 }, ErrRows},
		{"subtrees of fewer than were trained on", func(m *algo.Model) { *m = *whole(t, 40); m.Subtrees = fingerprint.NewIndex(m.Bank.Prints) }, ErrRows},
		{"a row of the bank with other subtrees", func(m *algo.Model) { *m = *whole(t, 40); m.Bank.Prints[1] = m.Subtrees.Print(1) }, ErrRows},
		{"schema", func(m *algo.Model) { m.Card.Schema = "" }, ErrSchema},
		{"width of schema", func(m *algo.Model) { m.Card.Schema = algo.OGB }, ErrSchema},
		{"long text", func(m *algo.Model) { m.Card.Description = strings.Repeat("x", 4097) }, ErrFormat},
		{"not UTF-8", func(m *algo.Model) { m.Card.Name = "\xff" }, ErrFormat},
		{"negative count", func(m *algo.Model) { m.Card.Epochs = -1 }, ErrNumber},
		{"learning rate", func(m *algo.Model) { m.Card.LearningRate = math.NaN() }, ErrNumber},
		{"more trained than read", func(m *algo.Model) { m.Card.Graphs = 3 }, ErrRows},
		{"more kept from training than not trained on", func(m *algo.Model) { m.Card.Graphs, m.Card.HoldoutRows = 5, []int{0, 1, 2} }, ErrRows},
		{"holdout is not on the card", func(m *algo.Model) { m.Card.HoldoutRows, m.Card.Holdout = nil, "" }, ErrRows},
		{"holdout rows", func(m *algo.Model) { m.Card.HoldoutRows = []int{1, -1} }, ErrRows},
		{"quantile NaN", func(m *algo.Model) { m.Profile.Quantiles[2][3] = math.NaN() }, ErrNumber},
		{"quantiles out of order", func(m *algo.Model) { slices.Reverse(m.Profile.Quantiles[0]) }, ErrNumber},
		{"quantile missing", func(m *algo.Model) { m.Profile.Quantiles[1] = m.Profile.Quantiles[1][1:] }, ErrRows},
		{"statistic missing", func(m *algo.Model) { m.Profile.Quantiles = m.Profile.Quantiles[1:] }, ErrRows},
		{"value of no graph", func(m *algo.Model) { m.Profile.Values[0][0].Graphs = 0 }, ErrNumber},
		{"values out of order", func(m *algo.Model) { m.Profile.Values[0][0].Of = 1000 }, ErrNumber},
		{"scores but not shared", func(m *algo.Model) { m.Reference = []float64{1} }, ErrRows},
		{"shared with a holdout", func(m *algo.Model) { m.Shared = 2 }, ErrRows},
		{"scores out of order", func(m *algo.Model) { share(m); slices.Reverse(m.Reference) }, ErrNumber},
		{"score NaN", func(m *algo.Model) { share(m); m.Reference[0] = math.NaN() }, ErrNumber},
		{"shared by negative groups", func(m *algo.Model) { share(m); m.Shared = -1 }, ErrNumber},
	})
	broken := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Save(w, small(t)); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// TestRowLimits asks for more rows than a file may have, without the bytes.
func TestRowLimits(t *testing.T) {
	for _, c := range []struct{ hidden, rows int }{{1, maxRows + 1}, {1, math.MaxInt}, {256, maxWork/(256*256) + 1}} {
		e := gin.Zero(gin.Config{Features: 1, Hidden: c.hidden, Layers: 1})
		for _, p := range []struct {
			key     string
			entries int
			read    func(*codec, *algo.Model)
		}{
			{"bank", bankEntries, (*codec).bank},
			{"holdout", holdoutEntries, (*codec).holdout},
		} {
			w := newWriter()
			w.fields(p.key, p.entries)
			w.count("rows", &c.rows)
			w.buf.Write(make([]byte, 4096)) // so that no other length is short
			r := newReader(w.buf.Bytes())
			if err := r.do(func() { p.read(r, &algo.Model{Encoder: e}) }); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s, %d rows of width %d: %v", p.key, c.rows, c.hidden, err)
			}
		}
	}
}

func TestParameters(t *testing.T) {
	for _, n := range [][3]int{{1, 1, 1}, {9, 16, 5}, {9, 3, 2}, {1, 7, 32}, {100, 2, 1}} {
		c := gin.Config{Features: n[0], Hidden: n[1], Layers: n[2]}
		if got, want := parameters(c), len(gin.Zero(c).Params); got != want {
			t.Errorf("%+v: %d parameters, want %d", c, got, want)
		}
	}
}

// TestMsgpackIsPinned guards the version of package msgpack. v5.4.0 and v5.4.1 dropped the limits on what a length in
// the input can make a decoder allocate: five bytes can ask for 68 GB. This package checks lengths itself, but others
// that decode messages rely on the limits, and on this test.
func TestMsgpackIsPinned(t *testing.T) {
	const path, version = "github.com/vmihailenco/msgpack/v5", "v5.3.6"
	if got := "v" + msgpack.Version(); got != version {
		// Not a word more: the decoding below would take all memory.
		t.Fatalf("compiled with msgpack %s, want %s: newer ones allocate without limit; run go get %s@%s", got, version, path, version)
	}
	for _, c := range []struct {
		head  string
		into  any
		limit uint64
	}{
		{"array", new([]float32), 1 << 20},
		{"array", new([]int), 1 << 20},
		{"array", new([]string), 1 << 20},
		{"array", new(any), 1 << 20},
		{"str", new(string), 1 << 20},
		{"map", new(map[string]int), 1 << 20},
		{"map", new(struct{ A int }), 1 << 20},
		{"bin", new([]byte), 4 << 20}, // grows once before it looks for the bytes
	} {
		var err error
		if n := allocated(func() { err = msgpack.Unmarshal(hostile[c.head], c.into) }); n > c.limit || err == nil {
			t.Errorf("five bytes, %s into %T: %d bytes allocated, want at most %d; error %v", c.head, c.into, n, c.limit, err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	data := save(b, testModel(b, gin.Default(9), 2500, 200))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		have(Load(data))
	}
}
