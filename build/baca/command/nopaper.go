//go:build nopaper

package command

import "github.com/spf13/cobra"

// paperCommands are none: the harness of the paper, with what draws its figures, is a fifth of
// the program.
func paperCommands() []*cobra.Command { return nil }
