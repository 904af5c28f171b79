package weights

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/fingerprint"
)

// Embedded models are as Save writes them, and the structures in them are their training graphs. None calls a graph
// that was trained on outside, whatever its parts say: its score is at most 0.5, where p-values are far above any rate
// of false alarms. Plain graphs have no structures. All can show the paper's method.
func TestEmbeddedModels(t *testing.T) {
	if n := len(Names()); n < 10 {
		t.Errorf("%d models, want one for each pair of the paper", n)
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
		if !bytes.Equal(save(t, m), have(Bytes(name))) {
			t.Errorf("%s is not as Save writes it", name)
		}
		if err := batch.CheckModel(m, algo.ByAttention); err != nil {
			t.Error(err)
		}
		known := 0.0 // of molecules at most
		if m.Card.Schema == algo.Constant {
			known = 0.5
		}
		p, verdicts := have(algo.NewSingleScorer(t.Context(), m, 0)).Judge([]float64{known}, 0.05)
		if !strings.Contains(m.Card.Description, ": inside is ") || !(p[0] > 0.15) || verdicts[0] != decide.Inside {
			t.Errorf("%s: a known graph may have p = %g and be %s; %q says what is inside", name, p[0], verdicts[0], m.Card.Description)
		}
		if none := m.Card.Schema == algo.Constant; none != (m.Structures == nil) {
			t.Errorf("%s has no structures: %t, want %t", name, !none, none)
		} else if none {
			continue
		}
		for k, text := range m.Structures.SMILES {
			r := dataset.Record{Entry: dataset.Entry{SMILES: text}, Form: m.Form()}.Parsed()
			if r.Err != nil {
				t.Fatalf("%s, row %d: %v", name, k, r.Err)
			}
			if p := fingerprint.New(r.Graph, fingerprint.DefaultHeight); !p.Equal(m.Subtrees.Print(k)) {
				t.Errorf("%s: row %d, %s, is not the training graph", name, k, text)
			}
		}
	}
}

// Each embedded model and the background have a set, and each set says what is shipped of it and by which licence.
func TestDataLicenses(t *testing.T) {
	licenses, used := string(have(os.ReadFile("DATA-LICENSES.txt"))), []string(nil)
	for block := range strings.SplitSeq(licenses[strings.Index(licenses, "\nname: "):], "\n\n") {
		for _, key := range []string{"used by", "as", "by", "licence"} {
			_, value, found := strings.Cut(block, "\n"+key+": ")
			if value, _, _ = strings.Cut(value, "\n"); !found || value == "" {
				t.Errorf("no %s in %q", key, block)
			} else if key == "used by" {
				used = append(used, strings.Split(value, ", ")...)
			}
		}
	}
	for _, name := range append(Names(), "background") {
		if !slices.Contains(used, name) {
			t.Errorf("no set of %s is named", name)
		}
	}
	for name, sets := range map[string][]string{"drugs": {"BBBP", "ClinTox", "SIDER"}, "bioactive": {"ChEMBL"}, "enzymes": {"ENZYMES"}} {
		if m := have(Open(name)); slices.ContainsFunc(sets, func(set string) bool {
			return !strings.Contains(m.Card.Description, set) || !strings.Contains(licenses, set+"\nused by: ")
		}) {
			t.Errorf("%s is of %s: %q", name, sets, m.Card.Description)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for _, name := range []string{"", "README.md", "bbbp.msgpack", "../models/bbbp", "ptc"} {
		if _, err := Open(name); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "aids, bbbp, bioactive") {
			t.Errorf("%q: %v, want the known names", name, err)
		}
	}
}
