package weights

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/near"
)

// large returns a model whose index is too large for its own file.
func large(t testing.TB, seed uint64) *algo.Model {
	t.Helper()
	const known, each, keys = 1200, 900, 3000
	rng := rand.New(rand.NewPCG(seed, 31))
	prints := make([]fingerprint.Print, known)
	for i := range prints {
		p := &prints[i]
		for key := range uint32(keys) {
			if rng.IntN(keys) < each {
				p.Keys, p.Counts = append(p.Keys, key<<15), append(p.Counts, 1+uint32(rng.IntN(300))*uint32(rng.IntN(2)))
			}
		}
	}
	m := testModel(t, gin.Config{Features: 1, Hidden: 2, Layers: 1}, 3, 2)
	m.Card.Train, m.Card.Graphs = known, m.Card.Graphs+known
	for k := range m.Bank.Prints {
		m.Bank.Prints[k] = prints[near.Place(k, m.Bank.Len(), known)]
	}
	m.Subtrees = fingerprint.NewIndex(prints)
	return m
}

func noIndex() ([]byte, error) { return nil, fmt.Errorf("%w, says the test", ErrIndex) }

func TestIndexRoundTrip(t *testing.T) {
	m := large(t, 1)
	data := save(t, m)
	model, index := SplitIndex(data)
	if len(model)+len(index) != len(data) || len(index) < 1<<20 || len(model) > 1<<17 {
		t.Fatalf("%d bytes of a model and %d of its index", len(model), len(index))
	}
	beside := func() ([]byte, error) { return index, nil }
	apart, err := LoadBeside(model, beside)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*algo.Model{"behind": load(t, data), "beside": apart} {
		if got.Known() != m.Known() {
			t.Fatalf("%s: %d training graphs, want %d", name, got.Known(), m.Known())
		}
		samePrints(t, name, got.Bank.Prints, m.Bank.Prints)
		for i := range m.Known() {
			p := m.Subtrees.Print(i)
			if !got.Subtrees.Print(i).Equal(p) {
				t.Errorf("%s: training graph %d has other subtrees", name, i)
			}
			if i%20 > 0 {
				continue
			}
			p.Keys, p.Counts = p.Keys[i%7:], p.Counts[i%7:]
			if a, b := got.Subtrees.Best(p, i), m.Subtrees.Best(p, i); a != b {
				t.Errorf("%s: best %v, want %v", name, a, b)
			}
		}
		if !bytes.Equal(save(t, got), data) {
			t.Errorf("%s: what was loaded is saved in other bytes", name)
		}
		if err := VerifyIndex(context.Background(), got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(model); !errors.Is(err, ErrIndex) {
		t.Errorf("the model alone: %v, want %v", err, ErrIndex)
	}
	if _, err := LoadBeside(model, noIndex); !errors.Is(err, ErrIndex) {
		t.Errorf("without an index: %v", err)
	}
	if _, err := Load(slices.Concat(save(t, small(t)), index)); !errors.Is(err, ErrTrailing) {
		t.Errorf("an index behind a model that has none: %v, want %v", err, ErrTrailing)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := VerifyIndex(ctx, apart); !errors.Is(err, context.Canceled) {
		t.Errorf("verified although cancelled: %v", err)
	}
}

// Structures follow the index, or the model where that has none.
func TestSplitAll(t *testing.T) {
	data := save(t, large(t, 1))
	_, _, structures := structured(t)
	for _, whole := range [][]byte{data, save(t, small(t))} {
		if own, behind := Split(slices.Concat(whole, structures)); !bytes.Equal(own, whole) || !bytes.Equal(behind, structures) {
			t.Errorf("%d bytes and %d of structures are parted into %d and %d", len(whole), len(structures), len(own), len(behind))
		}
		if own, behind := Split(whole); !bytes.Equal(own, whole) || behind != nil {
			t.Errorf("%d bytes are parted into %d and %d", len(whole), len(own), len(behind))
		}
	}
}

// An index that is cut short, changed, or of another model is refused. What changes in the arrays
// only a verification sees.
func TestHostileIndex(t *testing.T) {
	model, index := SplitIndex(save(t, large(t, 1)))
	_, other := SplitIndex(save(t, large(t, 2)))
	refused := func(what string, file []byte, want error) {
		t.Helper()
		m, err := LoadBeside(model, func() ([]byte, error) { return file, nil })
		if m != nil || !named(err) || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	refused("another", other, ErrChecksum)
	refused("none", nil, ErrTruncated)
	refused("a model", model, ErrKind)
	refused("more", append(bytes.Clone(index), 0), ErrTrailing)
	table, err := readHead(index)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(index); n += 1 + n/50 {
		refused(fmt.Sprintf("%d bytes", n), index[:n], ErrTruncated)
	}
	refused("a byte less", index[:len(index)-1], ErrTruncated)
	bad := bytes.Clone(index)
	for at := range headerSize + len(table.table) {
		bad[at] ^= 1 << (at % 8)
		refused(fmt.Sprintf("byte %d", at), bad, nil)
		bad[at] = index[at]
	}
	for i, length := range table.length {
		if length == 0 {
			continue
		}
		at := table.begin
		for _, n := range table.length[:i] {
			at += n + -n&(indexAlign-1)
		}
		at += length / 2
		bad[at] ^= 0x40
		m, err := LoadBeside(model, func() ([]byte, error) { return bad, nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyIndex(context.Background(), m); !errors.Is(err, ErrChecksum) {
			t.Errorf("a changed bit of %s: %v, want %v", table.arrays[i].Name, err, ErrChecksum)
		}
		for k := range 20 {
			m.Subtrees.Best(m.Bank.Prints[k%3], k) // returns
		}
		bad[at] = index[at]
	}
}

// What is measured of a model that comes with the program is what the program measures. Where
// this fails, Rules goes up and the models are made again.
func TestMeasuredByTheseRules(t *testing.T) {
	for i, name := range Names() {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		was := m.Measured
		if was == nil || was.Rules != algo.Rules {
			t.Errorf("%s: measured is %v, want what rules %d measure", name, was, algo.Rules)
			continue
		}
		quick, err := algo.NewSingleScorer(context.Background(), m, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Measure(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		here := m.Measured
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
		made := same
		exact := runtime.GOARCH == "amd64" || runtime.GOARCH == "wasm" // others may fuse products with sums
		if !exact {
			made = func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 || same(a, b) }
		}
		if !slices.EqualFunc(was.Holdout, here.Holdout, made) || !slices.EqualFunc(quick.Holdout(), was.Holdout, made) {
			t.Errorf("%s: held-out graphs have other scores than when it was made", name)
		}
		if exact && fmt.Sprint(was.Scales) != fmt.Sprint(here.Scales) {
			t.Errorf("%s: scales %v, they were %v when it was made", name, here.Scales, was.Scales)
		}
		// Of another model, or other rules, nothing is used. One model shows it.
		if i > 0 {
			continue
		}
		for _, stale := range []func(*algo.Measured){
			func(v *algo.Measured) { v.Rules++ },
			func(v *algo.Measured) { v.Holdout[0]++ },
			func(v *algo.Measured) { v.Scales.Sum.Mean++ },
		} {
			m.Measured = &algo.Measured{Rules: was.Rules, Scales: was.Scales, Holdout: slices.Clone(was.Holdout)}
			stale(m.Measured)
			s, err := algo.NewSingleScorer(context.Background(), m, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(s.Holdout(), here.Holdout, same) {
				t.Errorf("%s: scores of other rules are used", name)
			}
		}
	}
}

func TestHostileMeasured(t *testing.T) {
	for name, change := range map[string]func(*algo.Measured){
		"no rules":        func(v *algo.Measured) { v.Rules = -1 },
		"a score less":    func(v *algo.Measured) { v.Holdout = v.Holdout[1:] },
		"infinite score":  func(v *algo.Measured) { v.Holdout[0] = math.Inf(1) },
		"infinite mean":   func(v *algo.Measured) { v.Scales.Parts[1].Mean = math.Inf(-1) },
		"no deviation":    func(v *algo.Measured) { v.Scales.Sum.Deviation = 0 },
		"NaN deviation":   func(v *algo.Measured) { v.Scales.Parts[0].Deviation = math.NaN() },
		"large deviation": func(v *algo.Measured) { v.Scales.Parts[0].Deviation = math.Inf(1) },
	} {
		m := small(t)
		change(m.Measured)
		if err := Save(new(bytes.Buffer), m); !named(err) {
			t.Errorf("%s is saved: %v", name, err)
		}
		w := newWriter()
		w.measured(m.Measured)
		payload := save(t, small(t))[headerSize:]
		from := bytes.Index(payload, []byte("\xa8measured"))
		if _, err := Load(sealed(t, modelKind, slices.Concat(payload[:from], w.buf.Bytes()))); !named(err) {
			t.Errorf("%s is loaded: %v", name, err)
		}
	}
}

func FuzzIndexHead(f *testing.F) {
	model, index := SplitIndex(save(f, large(f, 1)))
	t, err := readHead(index)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(index[headerSize:t.begin])
	f.Add(model[headerSize:])
	f.Add([]byte("\x82\xa6arrays\x81\xa4keys\x82\xa4unit\x04\xa6length\xcf\x7f\xff\xff\xff\xff\xff\xff\xff\xa4sums\xc4\x00"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var b bytes.Buffer
		if err := seal(&b, indexKind, payload); err != nil {
			t.Skip(err)
		}
		b.Write(make([]byte, 3*indexAlign))
		x, err := openIndex(b.Bytes(), tableSum(payload), 1)
		if err != nil && !named(err) {
			t.Errorf("%v has no name", err)
		}
		if x != nil {
			x.Best(x.Print(0), -1)
		}
	})
}
