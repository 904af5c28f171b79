package command

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"baca/web"
)

// The features of every atom and the ends of every bond are those that RDKit
// computed.
func TestFeaturizeMatchesReference(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "..", "shared")
	for _, set := range []string{"bbbp", "clintox", "esol", "freesolv"} {
		t.Run(set, func(t *testing.T) {
			reference, err := os.Open(filepath.Join(shared, "golden", "molecule", set+".jsonl.gz"))
			if err != nil {
				t.Skipf("needs the reference values in shared beside the project: %v", err)
			}
			defer reference.Close()
			want, err := gzip.NewReader(reference)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if status := execute(newPaper(), []string{"featurize", filepath.Join(shared, "data", "mol", set+".csv.gz")}, nil, &got, io.Discard); status != 0 {
				t.Fatalf("status %d", status)
			}
			type line struct {
				Row int
				X   [][]int
				E   [][]int
			}
			lines := json.NewDecoder(&got)
			n := 0
			for s := bufio.NewReader(want); ; n++ {
				text, err := s.ReadBytes('\n')
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				var w, g line
				if err := json.Unmarshal(text, &w); err != nil {
					t.Fatal(err)
				}
				if err := lines.Decode(&g); err != nil {
					t.Fatal(err)
				}
				for i := range w.E {
					w.E[i] = w.E[i][:2] // without the kind of bond
				}
				if w.Row != g.Row || !reflect.DeepEqual(w.X, g.X) || len(w.E)+len(g.E) > 0 && !reflect.DeepEqual(w.E, g.E) {
					t.Errorf("row %d: %+v, want %+v", w.Row, g, w)
				}
			}
			if n == 0 || lines.More() {
				t.Errorf("%d reference molecules, and more lines: %v", n, lines.More())
			}
		})
	}
}

// All ways of writing a molecule have one score. A model of parents gives its salts that score, too,
// and the rows say what was set aside; one of molecules as written does neither.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	examples := filepath.Join(dir, "examples.csv")
	if err := os.WriteFile(examples, web.Examples(), 0o600); err != nil {
		t.Fatal(err)
	}
	three := filepath.Join(dir, "alanine.smi")
	if err := os.WriteFile(three, []byte("N[C@@H](C)C(=O)O\nC[C@H](N)C(=O)O\n[Na+].C[C@H](N)C(=O)[O-]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag   string
		salt   bool // has the score of the others
		asides [3]string
		said   string
	}{
		{"--as-written=false", true, [3]string{"stereo", "stereo", "stereo, 1 counter-ion, charge"},
			"of 3 molecules 3 were read without their stereo marks, 1 without counter-ions, 1 without charges\n"},
		{"--as-written", false, [3]string{}, ""},
	} {
		model := filepath.Join(dir, c.flag+".msgpack")
		args := []string{"train", examples, "--out", model, "--epochs", "2", c.flag}
		var stderr bytes.Buffer
		if status := run(nil, args, nil, io.Discard, &stderr); status != 0 {
			t.Fatalf("pretrain: status %d\n%s", status, &stderr)
		}
		stderr.Reset()
		var out bytes.Buffer
		if status := run(nil, []string{"score", "--model", model, "--alpha", "0.2", "--to", "jsonl", three}, nil, &out, &stderr); status != 0 {
			t.Fatalf("score: status %d\n%s", status, &stderr)
		}
		if got := strings.Contains(stderr.String(), "were read"); got != (c.said != "") || !strings.Contains(stderr.String(), c.said) {
			t.Errorf("%s: score says\n%swant %q", c.flag, &stderr, c.said)
		}
		var scores [3]float64
		rows := json.NewDecoder(&out)
		for i := range scores {
			var row struct {
				Score float64 `json:"score"`
				Aside string  `json:"set_aside"`
			}
			if err := rows.Decode(&row); err != nil {
				t.Fatal(err)
			}
			if scores[i] = row.Score; row.Aside != c.asides[i] {
				t.Errorf("%s: %q is set aside of row %d, want %q", c.flag, row.Aside, i, c.asides[i])
			}
		}
		if scores[0] != scores[1] || (scores[0] == scores[2]) != c.salt {
			t.Errorf("%s: scores %v, want the second equal to the first, and the third %t", c.flag, scores, c.salt)
		}
	}
}
