package command

import (
	"github.com/spf13/cobra"

	"baca/build/internal/usage"
	"baca/build/service"
	"baca/build/service/pipe"
)

// newPipe returns a command for programs, which help does not list.
func newPipe() *cobra.Command {
	var workers int
	c := &cobra.Command{
		Use:    "pipe",
		Short:  "Answer the questions of a program on standard input",
		Hidden: true,
		Args:   usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return pipe.Serve(c.Context(), service.New(workers), c.InOrStdin(), rowsOut(c))
		},
	}
	c.Flags().IntVar(&workers, "workers", 0, "cores to use, 0 for all; the answers do not depend on it")
	return c
}
