// Command baca-paper repeats what the paper of BaCa reports, and measures what it
// leaves out. The product, build/baca, holds none of this.
package main

import (
	"context"
	"io"

	"baca/algo/job"
	"baca/build/baca/command"
	"baca/build/paper"
)

func main() { command.Paper(paper.Commands(train)...) }

// train trains encoders as baca does.
func train(ctx context.Context, stderr io.Writer, t paper.Training) ([]byte, error) {
	return command.TrainEncoder(ctx, stderr, job.Training{Graphs: t.Graphs, Workers: t.Workers, Split: t.Parting(), Card: t.Card}, t.Path)
}
