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

// Paper runs the second program, as [Main] runs the first: the harness's commands and featurize. more has the harness's
// texts of help.
func Paper(more fs.FS, harness ...*cobra.Command) { main(newPaper(more, harness...)) }

// newPaper returns the program baca-paper with the commands of harness, whose texts of help are in more.
func newPaper(more fs.FS, harness ...*cobra.Command) *cobra.Command {
	root := program(paperName, "Repeat what the paper of BaCa reports", `Baca-paper repeats the tables and figures of the paper, measures what it leaves out, and
prints the graphs of molecules as the models see them.`)
	root.AddCommand(harness...)
	root.AddCommand(newFeaturize(), newVersion(nil))
	describe(root, more, declared())
	finish(root)
	return root
}

// TrainEncoder trains an encoder for the paper's harness and returns its model file. If path is given, it resumes from the
// checkpoint beside it. If t has no background, it uses the built-in one.
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
