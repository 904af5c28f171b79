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
			if status := run(nil, []string{"featurize", filepath.Join(shared, "data", "mol", set+".csv.gz")}, nil, &got, io.Discard); status != 0 {
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

// A model of canonical forms gives two ways of writing a molecule one score, where a
// model of molecules as written does not. One of standard forms gives a salt that of
// what is left without counter-ion and charges.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	examples := filepath.Join(dir, "examples.csv")
	if err := os.WriteFile(examples, web.Examples(), 0o600); err != nil {
		t.Fatal(err)
	}
	twice := filepath.Join(dir, "alanine.smi")
	if err := os.WriteFile(twice, []byte("N[C@@H](C)C(=O)O\nC[C@H](N)C(=O)O\n[Na+].C[C@H](N)C(=O)[O-]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string][2]bool{"--canonical": {true, false}, "--canonical=false": {false, false}, "--standardize": {true, true}} {
		model := filepath.Join(dir, strings.Trim(flag, "-")+".msgpack")
		args := []string{"pretrain", "--in", examples, "--out", model, "--epochs", "2", flag}
		var stderr bytes.Buffer
		if status := run(nil, args, nil, io.Discard, &stderr); status != 0 {
			t.Fatalf("pretrain: status %d\n%s", status, &stderr)
		}
		var out bytes.Buffer
		if status := run(nil, []string{"score", "--model", model, "--alpha", "0.2", "--to", "jsonl", twice}, nil, &out, &stderr); status != 0 {
			t.Fatalf("score: status %d\n%s", status, &stderr)
		}
		var scores [3]float64
		rows := json.NewDecoder(&out)
		for i := range scores {
			var row struct {
				Score float64 `json:"score"`
			}
			if err := rows.Decode(&row); err != nil {
				t.Fatal(err)
			}
			scores[i] = row.Score
		}
		if got := [2]bool{scores[0] == scores[1], scores[0] == scores[2]}; got != want {
			t.Errorf("%s: scores %v, want the second and the third equal to the first: %v", flag, scores, want)
		}
	}
}
