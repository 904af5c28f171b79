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

// newShare returns the command "model share".
func newShare() *cobra.Command {
	var r remake
	k := algo.DefaultShare
	check := func() error {
		return rules{{r.out == "", "want --out MODEL"}, {k < 2, fmt.Sprintf("--k %d: want 2 or more", k)}}.check()
	}
	c := r.verb(&cobra.Command{
		Use:   "share NAME|FILE --out MODEL",
		Short: "Make a model file that can be handed out",
	}, check, func(m *algo.Model) ([]byte, error) {
		data, err := shareFile(r.c.Context(), m, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.model, err)
		}
		return data, nil
	})
	r.registerModelOut(c)
	c.Flags().IntVar(&k, "k", k, "every value in the file describes at least `K` graphs")
	return c
}

// shareFile returns the file of a model that can be handed out, made from m in groups of k graphs.
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
