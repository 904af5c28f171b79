//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// memoryBound is the most memory that serve may take, whatever its clients do. All forms
// of what it serves have 25 MB.
const memoryBound = 256 << 20

// A server is a run of serve.
type server struct {
	*process
	site    string   // folder with what it serves
	files   []string // paths of large files
	addr    string
	leaving sync.WaitGroup // clients that are still there
}

var address = regexp.MustCompile(`http://([^/ ]+)/`)

// serve starts a server and waits until it listens.
func (f *fault) serve() (*server, error) {
	if err := f.fresh(); err != nil {
		return nil, err
	}
	s := &server{site: filepath.Join(f.target.reference, "out", "site")}
	err := filepath.WalkDir(s.site, func(path string, d fs.DirEntry, err error) error {
		info, ierr := d.Info()
		if ext := filepath.Ext(path); ierr == nil && info.Size() > 500_000 && ext != ".br" && ext != ".gz" {
			s.files = append(s.files, path[len(s.site):])
		}
		return errors.Join(err, ierr)
	})
	if err != nil {
		return nil, err
	}
	s.process = f.start(f.dir, "baca serve --addr 127.0.0.1:0", nil)
	for {
		if at := address.FindStringSubmatch(s.stderr.String()); at != nil {
			s.addr = at[1]
			return s, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("serve ended: %s", tail(s.end.stderr))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// serveSlowly has clients that read slowly, nothing, or not to the end.
func (f *fault) serveSlowly() error {
	s, err := f.serve()
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	good := f.clients(s, 20+f.rng.IntN(80), stop)
	lost := good.wait()
	memory, err := s.memory()
	if err == nil && memory > memoryBound {
		err = fmt.Errorf("serve took %d MB, want at most %d MB", memory>>20, memoryBound>>20)
	}
	close(stop)
	s.leaving.Wait()
	s.Process.Signal(syscall.SIGTERM)
	return errors.Join(lost, err, f.ended(s).err)
}

// endServe ends a server that has clients.
func (f *fault) endServe() (refused bool, lost error) {
	s, err := f.serve()
	if err != nil {
		return false, err
	}
	stop := make(chan struct{})
	good := f.clients(s, 10+f.rng.IntN(20), stop)
	good.begun.Wait()
	s.Process.Signal(syscall.SIGTERM)
	stay := f.rng.IntN(8) == 0
	f.note("clients that read nothing stay to the end: %v", stay)
	if !stay {
		time.Sleep(time.Duration(f.rng.IntN(300)) * time.Millisecond)
		close(stop)
	}
	e := f.ended(s)
	if stay {
		close(stop)
	}
	s.leaving.Wait()
	refused = e.err != nil
	if refused && !(stay && strings.Contains(e.stderr, "cut off")) {
		lost = fmt.Errorf("the server failed: %s", tail(e.stderr))
	}
	return refused, errors.Join(lost, good.wait())
}

// A crowd are clients that read all they ask for.
type crowd struct {
	begun sync.WaitGroup // reading
	done  sync.WaitGroup
	mu    sync.Mutex
	err   error
}

func (c *crowd) wait() error {
	c.done.Wait()
	return c.err
}

// clients starts clients of three manners, and returns those that read all. The others have
// left once stop is closed.
func (f *fault) clients(s *server, n int, stop <-chan struct{}) *crowd {
	good := new(crowd)
	f.note("%d clients", n)
	for range n {
		path, piece := s.files[f.rng.IntN(len(s.files))], 1<<(12+f.rng.IntN(6))
		switch f.rng.IntN(3) {
		case 0: // reads all
			good.begun.Add(1)
			good.done.Go(func() {
				begun := sync.OnceFunc(good.begun.Done)
				defer begun()
				if err := s.fetch(path, piece, begun); err != nil {
					good.mu.Lock()
					good.err = errors.Join(good.err, err)
					good.mu.Unlock()
				}
			})
		case 1: // reads nothing
			s.leaving.Go(func() {
				if conn, err := s.ask(path); err == nil {
					<-stop
					conn.Close()
				}
			})
		default: // leaves
			s.leaving.Go(func() {
				if conn, err := s.ask(path); err == nil {
					io.CopyN(io.Discard, conn, int64(piece))
					conn.Close()
				}
			})
		}
	}
	return good
}

// ask asks for a file as it is, which is its largest form.
func (s *server) ask(path string) (net.Conn, error) {
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: here\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n", path)
	return conn, err
}

// fetch reads a file in pieces and compares it.
func (s *server) fetch(path string, piece int, begun func()) error {
	conn, err := s.ask(path)
	if err != nil {
		return err
	}
	defer conn.Close()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	begun()
	got, err := readPieces(r.Body, func() int { return piece }, 100*time.Microsecond)
	if err != nil {
		return fmt.Errorf("%s broke off behind %d bytes: %w", path, len(got), err)
	}
	want, err := os.ReadFile(s.site + path)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("%s came with status %d and %d bytes that are not those of baca serve --write (%d bytes)", path, r.StatusCode, len(got), len(want))
	}
	return err
}

// memory is the most memory that the server has had so far.
func (s *server) memory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "VmHWM:" {
			kb, err := strconv.ParseInt(words[1], 10, 64)
			return kb << 10, err
		}
	}
	return 0, errors.New("/proc does not tell the memory of serve")
}
