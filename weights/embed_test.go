package weights

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
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
