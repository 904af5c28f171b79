package modelfile

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/weights"
)

// written writes a model whose index is in a file of its own and returns it with its path.
func written(t *testing.T, seed uint64) (*algo.Model, string) {
	t.Helper()
	m, err := weights.Open("esol")
	if err != nil {
		t.Skip(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	own := m.Bank.Prints
	prints := make([]fingerprint.Print, 9000)
	for i := range prints {
		p := &prints[i]
		from := own[rng.IntN(len(own))]
		for k, key := range from.Keys {
			if rng.IntN(4) > 0 {
				p.Keys, p.Counts = append(p.Keys, key), append(p.Counts, from.Counts[k])
			}
		}
		for n := rng.IntN(400); n > 0; n-- {
			key := rng.Uint32()
			if at, found := slices.BinarySearch(p.Keys, key); !found {
				p.Keys, p.Counts = slices.Insert(p.Keys, at, key), slices.Insert(p.Counts, at, 1+rng.Uint32N(3))
			}
		}
	}
	for k, p := range own {
		prints[near.Place(k, len(own), len(prints))] = p
	}
	m.Subtrees, m.Measured = fingerprint.NewIndex(prints), nil
	m.Card.Train, m.Card.Graphs, m.Card.StructuresSHA256 = len(prints), len(prints)+len(m.Card.HoldoutRows)+len(m.Card.Repeats), ""
	var b bytes.Buffer
	if err := weights.SaveMeasured(context.Background(), 2, &b, m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.msgpack")
	if err := Write(path, b.Bytes()); err != nil {
		t.Fatal(err)
	}
	return m, path
}

func open(t *testing.T, path string) (*algo.Model, error) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Load(data, path)
}

func graphs(t *testing.T) (gs []*graph.Graph) {
	t.Helper()
	for _, text := range []string{"CCO", "c1ccccc1N", "CC(=O)Oc1ccccc1C(=O)O", "C1CCCCC1", "CCCCCCCCCC", "O=S(=O)(N)c1ccc(N)cc1", "[Na+].[Cl-]"} {
		g, err := smiles.ParseGraph(text)
		if err != nil {
			t.Fatal(err)
		}
		gs = append(gs, g)
	}
	return gs
}

// A model scores through a mapped index as it does from memory, in several goroutines and
// loaded several times.
func TestMapped(t *testing.T) {
	ctx := context.Background()
	m, path := written(t, 1)
	inMemory, err := algo.NewSingleScorer(ctx, m, 2)
	if err != nil {
		t.Fatal(err)
	}
	want, err := inMemory.Scores(ctx, graphs(t))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got, err := open(t, path)
			if err != nil {
				t.Error(err)
				return
			}
			if got.Known() != 9000 || got.Subtrees.Seal() == nil {
				t.Errorf("%d training graphs, mapped: %t", got.Known(), got.Subtrees.Seal() != nil)
			}
			s, err := algo.NewSingleScorer(ctx, got, 2)
			if err != nil {
				t.Error(err)
				return
			}
			// esol's embeddings in the file are those of the loaded model.
			if scores, err := s.Scores(ctx, graphs(t)); err != nil || !slices.Equal(scores, want) {
				t.Errorf("scores %v, want %v; %v", scores, want, err)
			}
			if !slices.Equal(s.Holdout(), inMemory.Holdout()) {
				t.Error("the holdout has other scores")
			}
			if err := weights.VerifyIndex(ctx, got); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestIndexThatIsNotThere(t *testing.T) {
	_, path := written(t, 1)
	if err := os.Remove(Index(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path); !errors.Is(err, weights.ErrIndex) || !strings.Contains(err.Error(), "model.index, which is not there") {
		t.Errorf("without: %v", err)
	}
	if err := os.WriteFile(Index(path), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path); err == nil {
		t.Error("an empty file is taken for an index")
	}
	if err := os.Remove(Index(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(Index(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path); err == nil {
		t.Error("a folder is taken for an index")
	}
	// That of another model.
	_, other := written(t, 2)
	data, err := os.ReadFile(Index(other))
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(Index(path))
	if err := os.WriteFile(Index(path), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path); !errors.Is(err, weights.ErrChecksum) {
		t.Errorf("another model's: %v, want %v", err, weights.ErrChecksum)
	}
}

// A file that is cut short while it is in use is an error, not the end of the process.
func TestCutWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut files that are mapped")
	}
	ctx := context.Background()
	_, path := written(t, 1)
	m, err := open(t, path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := algo.NewSingleScorer(ctx, m, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(Index(path), 1<<14); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scores(ctx, graphs(t)); err == nil || !strings.Contains(err.Error(), "changed while it was in use") {
		t.Errorf("scores of a model whose index was cut short: %v", err)
	}
	if err := weights.VerifyIndex(ctx, m); err == nil {
		t.Error("an index that was cut short is verified")
	}
}
