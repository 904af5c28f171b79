package command

import (
	"github.com/spf13/cobra"

	"baca/build/internal/usage"
	"baca/build/service"
	"baca/build/service/mcp"
)

func newMCP() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Answer an assistant that speaks the Model Context Protocol",
		Long: `MCP speaks the Model Context Protocol on standard input and output, until standard input
ends. Assistants start it to use the tools score, explain and models. Nothing is sent
anywhere else, and no file is read.`,
		Example: `  baca mcp < questions > answers`,
		Args:    usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return mcp.Serve(c.Context(), service.New(0), waiting(c.Context(), c.InOrStdin()), rowsOut(c))
		},
	}
}
