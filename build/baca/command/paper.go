//go:build !nopaper

package command

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"baca/build/paper"
)

// paperCommands are the harness of the paper.
func paperCommands() []*cobra.Command { return paper.Commands(trainEncoder) }

// trainEncoder trains an encoder for baca eval and baca bench. Where a file is to be made,
// it goes on from the checkpoint of a run that was cut short.
func trainEncoder(ctx context.Context, stderr io.Writer, t paper.Training) ([]byte, error) {
	job := &trainJob{
		graphs: t.Graphs, workers: t.Workers, split: t.Parting(), hint: "the same command goes on from there", card: t.Card,
	}
	to := target{path: t.Path}
	if t.Path != "" {
		job.checkpoint = to.checkpoint()
		_, err := os.Stat(job.checkpoint)
		job.resume = err == nil
	}
	if err := job.addBackground(ctx, stderr, builtInBackground); err != nil {
		return nil, err
	}
	data, err := job.run(ctx, stderr)
	if err == nil && t.Path != "" {
		err = job.finish(to, data)
	}
	return data, err
}
