package paper

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/graph"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/weights"
)

// shared is the folder of public data beside the repository.
const shared = "../../../../shared/data"

func needsShared(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"mol", "tu"} {
		if _, err := os.Stat(filepath.Join(shared, kind)); err != nil {
			t.Skipf("needs the data sets in %s: %v", shared, err)
		}
	}
}

// smallTrainer trains as baca does, but without checkpoints and background.
func smallTrainer(ctx context.Context, _ io.Writer, t training.Training, path string) (file []byte, err error) {
	defer try.Catch(&err)
	o := pretrain.Defaults(try.To(algo.SchemaWidth(t.Card.Schema)))
	o.Seed = t.Card.Seed
	t.Card.Batch, t.Card.LearningRate, t.Card.Program = o.Batch, o.LearningRate, algo.Version
	o.Workers = t.Workers
	train, holdout := t.Split(len(t.Graphs), t.Card.Seed)
	trainer := try.To(pretrain.New(pick(t.Graphs, train), o, nil))
	for range t.Card.Epochs {
		try.To(trainer.Epoch(ctx))
	}
	var b bytes.Buffer
	try.Check(weights.Save(&b, try.To(algo.NewModel(ctx, t.Workers, trainer.Encoder(), t.Graphs, train, holdout, t.Card))))
	if path != "" {
		try.Check(os.WriteFile(path, b.Bytes(), 0o666))
	}
	return b.Bytes(), nil
}

// failure is the error that work ends at.
func failure(work func()) (err error) {
	defer try.Catch(&err)
	work()
	return nil
}

// call runs a command line.
func call(args ...string) (stdout, stderr string, err error) {
	root := &cobra.Command{Use: "baca-paper", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Commands(smallTrainer)...)
	var out, text bytes.Buffer
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&text)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage.Error{Err: err} })
	err = root.ExecuteContext(context.Background())
	return out.String(), text.String(), err
}

// succeed runs a command line that must succeed.
func succeed(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, err := call(args...)
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr)
	}
	return stdout, stderr
}

// refuse runs a command line that must fail with a message, and says whether it is a
// mistake in the command line.
func refuse(t *testing.T, mistake bool, message string, args ...string) {
	t.Helper()
	_, _, err := call(args...)
	if err == nil || !strings.Contains(err.Error(), message) {
		t.Errorf("%q: %v, want %q", args, err, message)
	}
	if got := errors.As(err, new(usage.Error)); got != mistake {
		t.Errorf("%q: %v: a mistake in the command line is %v, want %v", args, err, got, mistake)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return try.To(os.ReadFile(path))
}

// evaluated are TREES and RINGS.
func evaluated(t *testing.T, epochs int, weights string) *evaluation {
	t.Helper()
	return newEvaluation(t.Context(), &sets{folder: testset.Pair(t)}, &pair{ID: "TREES", OOD: "RINGS"}, encoders{smallTrainer, epochs, 1, weights})
}

// joined is a graph of n nodes, of which some pairs are joined.
func joined(n int, pair func(i, j int) bool) *graph.Graph {
	var edges [][2]int32
	for i := range n {
		for j := range i {
			if pair(i, j) {
				edges = append(edges, [2]int32{int32(j), int32(i)})
			}
		}
	}
	g, _, err := graph.New(n, edges)
	try.Check(err)
	return g
}

func path(n int) *graph.Graph { return joined(n, func(i, j int) bool { return i == j+1 }) }

// ring has n nodes in a ring, and others that hang on the first.
func ring(n, others int) *graph.Graph {
	return joined(n+others, func(i, j int) bool { return i < n && i == j+1 || i >= n-1 && j == 0 })
}
