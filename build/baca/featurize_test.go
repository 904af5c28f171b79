package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// The features of every atom and the ends of every bond are those that RDKit
// computed.
func TestFeaturizeMatchesReference(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared")
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
			if status := run([]string{"featurize", filepath.Join(shared, "data", "mol", set+".csv.gz")}, nil, &got, io.Discard); status != 0 {
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
