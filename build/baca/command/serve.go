package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"baca/build/internal/usage"
	"baca/build/service"
	"baca/build/service/mcp"
	"baca/build/site"
	"baca/web"
	"baca/weights"
)

// openSite returns the embedded page.
func openSite() (*site.Site, error) {
	files, err := web.Site()
	if err != nil {
		return nil, err
	}
	return site.Open(files, weights.Bytes)
}

// newServe returns the command "serve".
func newServe() *cobra.Command {
	var addr, write, models string
	var speakMCP bool
	var api apiFlags
	c := &cobra.Command{
		Use:        "serve",
		Short:      "Serve the page, which does the same in a browser tab, or an API",
		SuggestFor: []string{"web", "page", "server", "site", "mcp"},
		Args:       usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := api.check(c); err != nil {
				return err
			}
			s := service.New(0)
			if models != "" && !api.on && !speakMCP {
				return usage.Errorf("--models: want --api or --mcp, too; the page opens model files itself")
			} else if models != "" {
				if err := s.Offer(models); err != nil {
					return fmt.Errorf("--models: %w", err)
				}
			}
			switch {
			case api.on:
				return api.serve(c, s, addr)
			case speakMCP:
				return mcp.Serve(c.Context(), s, waiting(c.Context(), c.InOrStdin()), rowsOut(c))
			}
			toFolder := c.Flags().Changed("write")
			if toFolder && write == "" {
				return usage.Errorf("--write: want the name of a folder")
			}
			page, err := openSite()
			if err != nil {
				return err
			}
			if toFolder {
				return writeSite(c, page, write)
			}
			l, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("--addr %s: %w", addr, err)
			}
			fmt.Fprintf(c.ErrOrStderr(), "BaCa is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
			return serve(c.Context(), l, page, usualLimits, c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8000", "`host:port` to listen on; port 0 takes a free one")
	c.Flags().StringVar(&write, "write", "", "write the page to this `folder`, new, empty or with an earlier site")
	c.Flags().BoolVar(&speakMCP, "mcp", false, "answer an assistant on standard input and output")
	c.Flags().StringVar(&models, "models", "", "offer the model files of this `folder`, too, by name, to the API or an assistant")
	api.register(c.Flags())
	c.MarkFlagsMutuallyExclusive("api", "mcp", "write")
	return c
}

// writeSite writes the files of the page to a folder.
func writeSite(c *cobra.Command, s *site.Site, folder string) error {
	if err := s.Write(folder); err != nil {
		return fmt.Errorf("--write %s: %w", folder, err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "wrote %d files to %s\n", len(s.Files()), folder)
	return nil
}

// serveLimits are the limits of clients.
type serveLimits struct {
	connections int           // connections at once; more wait
	stall       time.Duration // longest time without reading; the system's buffers can triple it
	last        time.Duration // time that transfers have to finish at the end
}

var usualLimits = serveLimits{connections: 256, stall: 30 * time.Second, last: 30 * time.Second}

// serve serves until ctx ends. It returns an error if transfers were cut off then, or if the listener fails.
func serve(ctx context.Context, l net.Listener, h http.Handler, limits serveLimits, stderr io.Writer) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		fmt.Fprintf(stderr, "ending once transfers are over, in %v at most; a second interrupt ends it now\n", limits.last)
		last, cancel := context.WithTimeout(context.Background(), limits.last)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
			ended <- fmt.Errorf("transfers were cut off, %v after the interrupt", limits.last)
		}
		close(ended)
	})
	err := server.Serve(&boundedListener{l, ctx, make(chan struct{}, limits.connections), limits.stall})
	if stop() {
		return err // of the listener
	}
	return <-ended
}

// A boundedListener bounds the number of connections at once until ctx ends.
type boundedListener struct {
	net.Listener
	ctx   context.Context
	room  chan struct{}
	stall time.Duration
}

// Accept waits for room, then for a connection. It returns net.ErrClosed if ctx ends before there is room.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
	leave := sync.OnceFunc(func() { <-l.room })
	c, err := l.Listener.Accept()
	if err != nil {
		leave()
		return nil, err
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(writeBuffer)
	}
	return &boundedConn{c, l.stall, leave}, nil
}

// writeBuffer and writePiece are small, so that slow clients are noticed. The system reports progress only when a third of
// its buffer is free, so a large buffer would hide that a client reads.
const (
	writeBuffer = 128 << 10
	writePiece  = 16 << 10
)

// A boundedConn fails when a write makes no progress for the time stall.
type boundedConn struct {
	net.Conn
	stall time.Duration
	leave func()
}

// Write writes b in pieces. Each has a deadline of its own, and a piece of which a part was sent in time counts as
// progress.
func (c *boundedConn) Write(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
			return n, err
		}
		k, err := c.Conn.Write(b[n:min(n+writePiece, len(b))])
		n += k
		if slow := k > 0 && errors.Is(err, os.ErrDeadlineExceeded); err != nil && !slow {
			return n, err
		}
	}
	return n, nil
}

// Close closes the connection and makes room for another one.
func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
