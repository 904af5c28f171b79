package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"baca/build/internal/usage"
)

func newSite() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "site",
		Short: "Write the page as files for any static host",
		Long: `Site writes the page as static files, which work from any folder of any host, and
beside them compressed forms (.br, .gz) for hosts that send such. The page holds its
content security policy itself, so no header has to be configured; a host should
send .wasm files as application/wasm. That no other site shows the page in a frame
can only be said in a header, Content-Security-Policy: frame-ancestors 'self', which
baca serve sends; give it to your host, too.

The folder must be new, empty, or hold an earlier site, whose files.json names all that
was written with its SHA-256: that site is replaced, unless one of its files was changed
since. Other files beside it are left alone, and none is written over.`,
		Example: `  baca site --out public`,
		Args:    usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				return usage.Errorf("want --out DIR")
			}
			s, err := openSite()
			if err != nil {
				return err
			}
			if err := s.Write(out); err != nil {
				return fmt.Errorf("--out %s: %w", out, err)
			}
			fmt.Fprintf(c.ErrOrStderr(), "wrote %d files to %s\n", len(s.Files()), out)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` to write, new, empty or with an earlier site that was not changed")
	return c
}
