package command

import (
	"strings"

	"github.com/spf13/cobra"

	"baca/algo/feature/trust"
	"baca/algo/table"
	"baca/weights"
)

// completeValues registers completions of arguments and of flag values, also for all subcommands.
func completeValues(c *cobra.Command) {
	values := map[string][]string{
		"by": deciders(), "errors-by": strings.Split(trust.Names(trust.Orders()), ", "), "fail-on": failWords,
		"format": formats, "to": table.Forms(),
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
	switch {
	case strings.Contains(c.Use, "NAME|FILE"):
		c.ValidArgsFunction = models
	case !strings.Contains(c.Use, " "): // no arguments
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, below := range c.Commands() {
		completeValues(below)
	}
}
