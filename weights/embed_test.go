package weights

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"baca/algo"
	"baca/algo/decide"
)

func TestEmbeddedModels(t *testing.T) {
	if len(Names()) == 0 {
		t.Skip("no model in the folder models yet")
	}
	for _, name := range Names() {
		m, err := Open(strings.ToUpper(name))
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Card.Name != name {
			t.Errorf("%s has the name %q on its card", name, m.Card.Name)
		}
		data, err := Bytes(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(save(t, m), data) {
			t.Errorf("%s is not as Save writes it", name)
		}
	}
}

func TestFind(t *testing.T) {
	fsys := fstest.MapFS{
		"models/README.md":      {Data: []byte("about")},
		"models/ptc_mr.msgpack": {Data: []byte("second")},
		"models/Bbbp.msgpack":   {Data: []byte("first")},
	}
	if got := names(fsys); !slices.Equal(got, []string{"Bbbp", "ptc_mr"}) {
		t.Errorf("names are %q", got)
	}
	for name, want := range map[string]string{"bbbp": "first", "PTC_MR": "second", "Bbbp": "first"} {
		if data, err := find(fsys, name); err != nil || string(data) != want {
			t.Errorf("%s is %q, %v, want %q", name, data, err, want)
		}
	}
	for _, name := range []string{"", "README.md", "bbbp.msgpack", "../models/Bbbp", "ptc"} {
		if _, err := find(fsys, name); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "Bbbp, ptc_mr") {
			t.Errorf("%q: %v, want the known names", name, err)
		}
	}
	empty := fstest.MapFS{"models/README.md": {}}
	if _, err := find(empty, "bbbp"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "none embedded") {
		t.Errorf("without models: %v", err)
	}
	if _, err := Open("no such model"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Open: %v", err)
	}
}

// A graph that was trained on is called outside by no embedded model, whatever its parts
// say: its score is at most 0.5, where p-values are far above any rate of false alarms.
func TestKnownGraphsAreInside(t *testing.T) {
	for _, name := range Names() {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := algo.NewSingleScorer(context.Background(), m, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, verdicts := a.Judge([]float64{0.5}, 0.05)
		t.Logf("%s: a known graph has p = %.2f at least", name, p[0])
		if !(p[0] > 0.15) || verdicts[0] != decide.Inside {
			t.Errorf("%s: a known graph may have p = %g and be %s", name, p[0], verdicts[0])
		}
	}
}
