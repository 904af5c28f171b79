package dataset

import (
	"testing"

	"baca/algo/molecule"
)

// A record is parsed once for a form. In another form it is parsed from its text, as if it were new.
func TestIn(t *testing.T) {
	const salt = "[Na+].[O-]C(=O)c1ccccc1" // its parent is the acid
	r := Listed(1, salt)
	r.Form = molecule.UnorderedParent
	parent := r.Parsed()
	same := parent.In(molecule.UnorderedParent)
	if same.Graph == nil || same.Graph == parent.Graph || same.Parsed().Graph != same.Graph {
		t.Error("in its own form a record has no copy of its graph, or is parsed again")
	}
	if got := parent.In(molecule.AsWritten).Parsed(); got.Graph.N() != 10 || got.Aside != (molecule.Aside{}) {
		t.Errorf("as written: %d atoms, aside %+v, want 10 and nothing", got.Graph.N(), got.Aside)
	}
	if n := parent.Graph.N(); n != 9 {
		t.Errorf("the parent has %d atoms, want 9", n)
	}
}
