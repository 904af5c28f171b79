package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"baca/build/site"
	"baca/web"
	"baca/weights"
)

// openSite returns the page that is embedded in this program.
func openSite() (*site.Site, error) {
	files, err := web.Site()
	if err != nil {
		return nil, err
	}
	return site.Open(files, weights.Bytes)
}

func newServe() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page, which does the same in a browser tab",
		Long: `Serve serves the page from this program: all of the method in a browser tab. What
is dropped or pasted there stays in the tab; the server only sends files.`,
		Example: `  baca serve
  baca serve --addr 127.0.0.1:9000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := openSite()
			if err != nil {
				return err
			}
			l, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("--addr %s: %w", addr, err)
			}
			fmt.Fprintf(c.ErrOrStderr(), "BaCa is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
			return serve(c.Context(), l, s)
		},
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8000", "`host:port` to listen on; port 0 takes a free one")
	return c
}

// serve serves until ctx ends, which is no error.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
