//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A text can be read while it is written.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// limit is how long a command may take before it counts as hanging. Without faults
// all take seconds.
const limit = 5 * time.Minute

// A process is a command at work.
type process struct {
	*exec.Cmd
	line   string
	stderr text
	ended  chan struct{}
	end    end
}

// An end is how a process ended, or a sequence of them.
type end struct {
	err    error // nil for exit status 0
	stderr string
	// crashed tells what no fault excuses.
	crashed error
}

// start starts a command line of one of the programs in a folder. stdout may be nil.
func (w *world) start(dir, line string, stdout *os.File) *process {
	words := strings.Fields(line)
	p := &process{Cmd: exec.Command(filepath.Join(w.root, words[0]), words[1:]...), line: line, ended: make(chan struct{})}
	p.Dir, p.Stderr, p.WaitDelay = dir, &p.stderr, 10*time.Second
	if stdout != nil {
		p.Stdout = stdout
	}
	if err := p.Start(); err != nil {
		p.end.err = err
		close(p.ended)
		return p
	}
	go p.watch()
	return p
}

// watch waits for the end.
func (p *process) watch() {
	defer close(p.ended)
	hangs := time.AfterFunc(limit, func() { p.Process.Signal(syscall.SIGQUIT) })
	err := p.Wait()
	p.end = end{err: err, stderr: p.stderr.String()}
	switch {
	case !hangs.Stop():
		p.end.crashed = fmt.Errorf("%s did not end in %v: %s", p.line, limit, tail(p.end.stderr))
	case strings.Contains(p.end.stderr, "panic:"), strings.Contains(p.end.stderr, "fatal error:"), strings.Contains(p.end.stderr, "SIGSEGV"):
		p.end.crashed = fmt.Errorf("%s crashed: %s", p.line, tail(p.end.stderr))
	}
}

// wait waits for the end.
func (p *process) wait() end {
	<-p.ended
	return p.end
}

// tail is the end of a text that may be long.
func tail(text string) string { return strings.TrimSpace(text[max(0, len(text)-2000):]) }

// A sequence is a target's steps, which run one after the other until one fails.
type sequence struct {
	mu      sync.Mutex
	process *process // at work
	stopped bool     // by a signal
	ended   chan struct{}
	end     end
}

// begin begins the steps in the fault's folder, with a flag added to each.
func (f *fault) begin(flag string) *sequence {
	s := &sequence{ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for _, step := range f.target.steps {
			s.mu.Lock()
			if s.stopped {
				s.mu.Unlock()
				s.end.err = errors.New("stopped between two steps")
				return
			}
			p := f.start(f.dir, step+flag, nil)
			s.process = p
			s.mu.Unlock()
			e := p.wait()
			s.end = end{e.err, s.end.stderr + e.stderr, e.crashed}
			if e.err != nil {
				return
			}
		}
	}()
	return s
}

// signal sends a signal to the step at work, and keeps further ones from beginning. It
// is false if all steps were over.
func (s *sequence) signal(sig os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over() {
		return false
	}
	s.stopped = true
	if s.process != nil {
		s.process.Process.Signal(sig)
	}
	return true
}

func (s *sequence) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

func (s *sequence) wait() end {
	<-s.ended
	return s.end
}
