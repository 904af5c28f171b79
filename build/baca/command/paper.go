package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"baca/algo/job"
	"baca/build/internal/usage"
)

// paperName is the second program, which repeats the paper.
const paperName = "baca-paper"

// Paper runs the second program like [Main]: featurize, and the harness's commands.
func Paper(harness ...*cobra.Command) { main(newPaper(harness...)) }

func newPaper(harness ...*cobra.Command) *cobra.Command {
	root := program(paperName, "Repeat what the paper of BaCa reports", `Baca-paper repeats the tables and figures of the paper, measures what it leaves out, and
prints the graphs of molecules as the models see them.`)
	root.AddCommand(harness...)
	root.AddCommand(newFeaturize(), newVersion(nil))
	finish(root)
	return root
}

// movedToPaper are commands of the second program; their old names start it.
func movedToPaper() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range []string{"eval", "bench", "featurize"} {
		list = append(list, &cobra.Command{
			Use: name, Short: "Start baca-paper " + name, DisableFlagParsing: true,
			RunE: func(c *cobra.Command, args []string) error { return startPaper(c, append([]string{name}, args...)) },
		})
	}
	return list
}

// startPaper runs the second program beside this one, replacing the process where possible.
func startPaper(c *cobra.Command, args []string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	path, err := exec.LookPath(filepath.Join(filepath.Dir(own), paperName))
	if err != nil {
		return usage.Errorf("%s is a command of %s, which is not beside this program: `make paper` builds it in the source of BaCa", args[0], paperName)
	}
	if runtime.GOOS != "windows" {
		return syscall.Exec(path, append([]string{path}, args...), os.Environ())
	}
	p := exec.Command(path, args...) // ctrl-C reaches both
	p.Stdin, p.Stdout, p.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = p.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	return err
}

// TrainEncoder trains an encoder for the paper's harness and returns its model file. With the path of
// that file it resumes from a checkpoint.
func TrainEncoder(ctx context.Context, stderr io.Writer, t job.Training, path string) ([]byte, error) {
	j := &trainJob{Training: t, path: path, stderr: stderr, hint: "the same command continues from there"}
	j.resume = j.begun()
	if err := j.addBackground(ctx, builtInBackground); err != nil {
		return nil, err
	}
	data, err := j.run(ctx)
	if err == nil && path != "" {
		err = j.finish(data)
	}
	return data, err
}
