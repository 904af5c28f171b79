package command

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/training"
	"baca/weights"
)

func newShare() *cobra.Command {
	var r remake
	k := algo.DefaultShare
	check := func() error {
		return rules{{r.out == "", "want --out MODEL"}, {k < 2, fmt.Sprintf("--k %d: want 2 or more", k)}}.check()
	}
	c := r.verb(&cobra.Command{
		Use:   "share NAME|FILE --out MODEL",
		Short: "Make a model file that can be handed out",
		Long: `Share writes a model that holds nothing of single training graphs. The bank becomes
means of the embeddings of 2k or more similar graphs, with the subtrees that k of them
have. Of the held-out graphs only the scores remain. Hashes of training graphs, the
sha-256 of the training file, names of files, and whatever fewer than k graphs have are
left out; a model that was named after its file is called shared. baca model show says what
remains. The weights stay as they are.

The larger k, the less scores tell of what the model was trained on, and the less it finds.

Such a model scores each graph by itself, never by a batch, and has p-values.`,
		Example: `  baca model share private.msgpack --out public.msgpack
  baca model share --k 50 private.msgpack --out public.msgpack`,
	}, check, func(m *algo.Model) ([]byte, error) {
		data, err := shareFile(r.c.Context(), m, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.model, err)
		}
		return data, nil
	})
	r.registerModelOut(c)
	c.Flags().IntVar(&k, "k", k, "graphs that anything in the file is of, at least")
	return c
}

// shareFile returns the file of a shared model.
func shareFile(ctx context.Context, m *algo.Model, k int) ([]byte, error) {
	// The file rounds the bank, so held-out scores must come from the rounded bank.
	s, err := alone.Share(ctx, 0, m, k)
	if err != nil {
		return nil, err
	}
	if m.Card.Name == training.ModelName(m.Card.Dataset) {
		s.Card.Name = "shared" // its own is a file's name
	}
	var b bytes.Buffer
	if err := weights.Save(&b, s); err != nil {
		return nil, err
	}
	rounded, err := weights.Load(b.Bytes())
	if err != nil {
		return nil, err
	}
	if err := alone.Refer(ctx, 0, rounded, m); err != nil {
		return nil, err
	}
	b.Reset()
	err = weights.SaveMeasured(ctx, 0, &b, rounded)
	return b.Bytes(), err
}
