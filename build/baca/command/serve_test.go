package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"baca/build/internal/try"
	"baca/web"
)

// A pipeListener accepts connections in memory, which testing/synctest can wait for.
type pipeListener struct {
	net.Listener
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.closed)
	return nil
}

// get sends a request, and returns the response when it is begun.
func (l *pipeListener) get(t *testing.T) *http.Response {
	t.Helper()
	client, server := net.Pipe()
	l.conns <- server
	try.To(io.WriteString(client, "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"))
	return try.To(http.ReadResponse(bufio.NewReader(client), nil))
}

const pageSize = 1 << 20

// serving serves a page, with a clock of its own, and tells how each transfer ended.
func serving(t *testing.T, limits serveLimits, test func(l *pipeListener, transfers <-chan error, end func(), ended <-chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{conns: make(chan net.Conn, 8), closed: make(chan struct{})}
		transfers, ended := make(chan error, 8), make(chan error, 1)
		page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(pageSize))
			_, err := w.Write(make([]byte, pageSize))
			transfers <- err
		})
		ctx, end := context.WithCancel(t.Context())
		var server sync.WaitGroup
		server.Go(func() { ended <- serve(ctx, l, page, limits, io.Discard) })
		test(l, transfers, end, ended)
		end()
		server.Wait()
	})
}

func TestServeEndsOnceTransfersAreOver(t *testing.T) {
	serving(t, usualLimits, func(l *pipeListener, transfers <-chan error, end func(), ended <-chan error) {
		r := l.get(t)
		end()
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("the server ended while it was sending a page")
		}
		if n, err := io.Copy(io.Discard, r.Body); n != pageSize || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if err := errors.Join(<-transfers, <-ended); err != nil {
			t.Error(err)
		}
	})
}

func TestServeCutsOffAtTheEnd(t *testing.T) {
	limits := usualLimits
	limits.stall *= 10
	serving(t, limits, func(l *pipeListener, transfers <-chan error, end func(), ended <-chan error) {
		l.get(t)
		end()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "transfers were cut off, 30s after") {
			t.Errorf("the server ended with %v", err)
		}
		if <-transfers == nil {
			t.Error("the page that nobody read was sent")
		}
	})
}

// A client that takes nothing is dropped, one that is slow is not.
func TestServeDropsWhoTakesNothing(t *testing.T) {
	serving(t, usualLimits, func(l *pipeListener, transfers <-chan error, _ func(), _ <-chan error) {
		l.get(t)
		if err := <-transfers; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the transfer ended with %v", err)
		}
		r, n := l.get(t), int64(0)
		for n < pageSize {
			time.Sleep(usualLimits.stall * 2 / 3)
			k, err := io.CopyN(io.Discard, r.Body, 10_000)
			if n += k; err != nil && n < pageSize {
				t.Fatalf("after %d bytes: %v", n, err)
			}
		}
		if err := <-transfers; err != nil {
			t.Error(err)
		}
	})
}

func TestServeBoundsConnections(t *testing.T) {
	limits := usualLimits
	limits.connections = 2
	serving(t, limits, func(l *pipeListener, transfers <-chan error, _ func(), _ <-chan error) {
		first, _ := l.get(t), l.get(t)
		begun := make(chan *http.Response)
		go func() { begun <- l.get(t) }()
		synctest.Wait()
		select {
		case <-begun:
			t.Error("a third client was served beside two")
		default:
		}
		try.To(io.Copy(io.Discard, first.Body))
		try.To(io.Copy(io.Discard, (<-begun).Body))
	})
}

// A build without the page says how to get one; a build with it writes it.
func TestSite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if _, missing := web.Site(); missing != nil {
		refuse(t, exitFailure, "make build", "serve", "--write", dir)
		return
	}
	if stdout, _ := succeed(t, "serve", "--write", dir); stdout != "" {
		t.Errorf("stdout %q", stdout)
	}
	if page := read(t, filepath.Join(dir, "index.html")); !bytes.Contains(page, []byte("Content-Security-Policy")) {
		t.Errorf("index.html of %d bytes has no policy", len(page))
	}
}
