package command

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "baca %s\n%s %s/%s\nmodel file format %d\n",
				version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH, weights.Version)
			return err
		},
	}
}
