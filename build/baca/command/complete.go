package command

import (
	"slices"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/table"
	"baca/weights"
)

// completeValues registers completions of flag values.
func completeValues(c *cobra.Command) {
	values := map[string][]string{
		"by": slices.Insert(algo.Deciders(), 1, byBoth), "errors-by": orderNames(), "fail-on": failNames(), "format": formats, "to": table.Forms(),
	}
	for name, list := range values {
		if c.Flags().Lookup(name) != nil {
			c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	models := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return weights.Names(), cobra.ShellCompDirectiveDefault // or a file
	}
	if c.Flags().Lookup("model") != nil {
		c.RegisterFlagCompletionFunc("model", models)
	}
	switch c.Name() {
	case "show", "verify", "calibrate", "structures", "share":
		c.ValidArgsFunction = models
	case "serve", "list", "version":
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, below := range c.Commands() {
		completeValues(below)
	}
}
