package command

import (
	"context"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"baca/algo/training"
)

// paperName is the second program, which repeats the paper.
const paperName = "baca-paper"

// Paper runs the second program like [Main]: featurize, and the harness's commands, of which more has the texts.
func Paper(more fs.FS, harness ...*cobra.Command) { main(newPaper(more, harness...)) }

func newPaper(more fs.FS, harness ...*cobra.Command) *cobra.Command {
	root := program(paperName, "Repeat what the paper of BaCa reports", `Baca-paper repeats the tables and figures of the paper, measures what it leaves out, and
prints the graphs of molecules as the models see them.`)
	root.AddCommand(harness...)
	root.AddCommand(newFeaturize(), newVersion(nil))
	describe(root, more, declared())
	finish(root)
	return root
}

// TrainEncoder trains an encoder for the paper's harness and returns its model file. With the path of
// that file it resumes from a checkpoint. Without a background in t it takes the built-in one.
func TrainEncoder(ctx context.Context, stderr io.Writer, t training.Training, path string) ([]byte, error) {
	j := &trainJob{Training: t, path: path, stderr: stderr, hint: "the same command continues from there"}
	j.resume = j.begun()
	if t.Outside == nil {
		if err := j.addBackground(ctx, builtInBackground); err != nil {
			return nil, err
		}
	}
	data, err := j.run(ctx)
	if err == nil && path != "" {
		err = j.finish(data)
	}
	return data, err
}
