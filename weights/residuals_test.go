package weights

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/gin"
)

// withResiduals is a small model of molecules that knows errors of its two held-out graphs.
func withResiduals(t testing.TB) *algo.Model {
	m := testModel(t, gin.Config{Features: 9, Hidden: 2, Layers: 1}, 3, 2)
	m.Residuals = &algo.Residuals{Observed: "y", Predicted: "ŷ", Errors: []float64{-0.1, math.NaN()}}
	return m
}

func TestResidualsRoundTrip(t *testing.T) {
	m := withResiduals(t)
	plain := withResiduals(t)
	plain.Residuals = nil
	if with, without := save(t, m), save(t, plain); with[headerSize] != 0x8c || without[headerSize] != 0x8b {
		t.Errorf("maps begin with %#x, and without residuals with %#x", with[headerSize], without[headerSize])
	}
	for _, hash := range []string{"", strings.Repeat("ab", 32)} {
		m.Card.StructuresSHA256, m.Residuals.Classes = hash, hash != ""
		again := load(t, save(t, m))
		r := again.Residuals
		if r == nil || r.Observed != "y" || r.Predicted != "ŷ" || r.Classes != (hash != "") || r.Errors[0] != -0.1 || !math.IsNaN(r.Errors[1]) || r.Known() != 1 {
			t.Errorf("%+v, want %+v", r, m.Residuals)
		}
		if again.Card.StructuresSHA256 != hash {
			t.Errorf("structures %q, want %q", again.Card.StructuresSHA256, hash)
		}
	}
}

func TestResidualsThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		errors []float64
		want   error
	}{
		"too many": {[]float64{1, 2, 3}, ErrRows}, "too few": {[]float64{1}, ErrRows}, "none known": {[]float64{math.NaN(), math.NaN()}, ErrRows},
		"infinite": {[]float64{1, math.Inf(-1)}, ErrNumber},
	} {
		m := withResiduals(t)
		m.Residuals.Errors = c.errors
		if err := check(m, m.Holdout); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	m := withResiduals(t)
	m.Residuals.Classes, m.Residuals.Errors = true, []float64{-1.5, 1}
	if err := check(m, m.Holdout); !errors.Is(err, ErrNumber) {
		t.Errorf("an error of a class above 1: %v", err)
	}
	// Every byte of the entry that is cut off or changed is an error or another value, never a panic.
	m = withResiduals(t)
	file := save(t, m)
	payload := file[headerSize:]
	from := strings.LastIndex(string(payload), "residuals")
	for i := from; i < len(payload); i++ {
		changed := append([]byte(nil), payload...)
		changed[i] ^= 0xff
		if got, err := Load(sealed(t, modelKind, changed)); err == nil && reflect.DeepEqual(got.Residuals, m.Residuals) {
			t.Errorf("byte %d is changed and nothing with it", i-from)
		}
		if _, err := Load(sealed(t, modelKind, payload[:i])); err == nil {
			t.Errorf("%d bytes are cut off unnoticed", len(payload)-i)
		}
	}
}

func TestStructuresWithValues(t *testing.T) {
	m, want, _ := structured(t)
	none := math.NaN()
	want.Observed, want.Predicted = []float64{-11.01, none, 1e-300}, []float64{none, 0.1 + 0.2, none}
	file, err := saveStructuresOf(m, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := LoadStructures(file, m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Observed {
		for _, v := range [][2]float64{{got.Observed[i], want.Observed[i]}, {got.Predicted[i], want.Predicted[i]}} {
			if v[0] != v[1] && !(math.IsNaN(v[0]) && math.IsNaN(v[1])) {
				t.Errorf("molecule %d: %g, want %g", i, v[0], v[1])
			}
		}
	}
	if !strings.Contains(string(file), "observed\xc4\x0f-11.01\n\n1e-300\n") {
		t.Errorf("%q", file)
	}
	want.Observed[1] = math.Inf(1)
	if _, err := saveStructuresOf(m, want); !errors.Is(err, ErrNumber) {
		t.Errorf("an infinite value: %v", err)
	}
	for _, text := range []string{"abc\n", "NaN\n", "1e999\n", "inf\n", "1,5\n", " 1\n"} {
		if _, err := loadStructures(sealed(t, structuresKind, payloadOf(uint8(1), "smiles", []byte("C\n"), "observed", []byte(text)))); !errors.Is(err, ErrNumber) {
			t.Errorf("observed %q: %v", text, err)
		}
	}
}

func saveStructuresOf(m *algo.Model, s *algo.Structures) ([]byte, error) {
	var b strings.Builder
	hash, err := SaveStructures(&b, s)
	m.Card.StructuresSHA256 = hash
	return []byte(b.String()), err
}
