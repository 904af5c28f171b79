package command

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"baca/algo"
	"baca/build/internal/usage"
)

// newMan returns the hidden command "man".
func newMan() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:    "man --out DIR",
		Hidden: true,
		Short:  "Write the help of each command as a manual page",
		Args:   usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				return usage.Errorf("want --out DIR")
			}
			if err := os.MkdirAll(out, 0o777); err != nil {
				return err
			}
			c.Root().DisableAutoGenTag = true
			return doc.GenManTree(c.Root(),
				&doc.GenManHeader{Section: "1", Source: "baca " + algo.Version, Manual: "General Commands Manual"}, out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` to write to")
	return c
}
