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

// limit is how long a command may take before it counts as hanging. Without faults
// all take seconds.
const limit = 5 * time.Minute

// An end is how steps ended.
type end struct {
	err     error // nil for exit status 0
	stderr  string
	crashed error // what no fault excuses
}

// A run is command lines at work, one after the other until one fails.
type run struct {
	mu      sync.Mutex
	command *exec.Cmd // at work
	stopped bool      // by a signal
	ended   chan struct{}
	end     end
}

// start starts command lines of the programs in a folder. stdout may be nil.
func (w *world) start(dir string, lines []string, stdout *os.File) *run {
	r := &run{ended: make(chan struct{})}
	begun := make(chan struct{})
	go func() {
		defer close(r.ended)
		for i, line := range lines {
			var stderr bytes.Buffer
			words := strings.Fields(line)
			c := exec.Command(filepath.Join(w.root, words[0]), words[1:]...)
			c.Dir, c.Stderr, c.WaitDelay = dir, &stderr, 10*time.Second
			if stdout != nil {
				c.Stdout = stdout
			}
			err := r.begin(c)
			if i == 0 {
				close(begun)
			}
			if err == nil {
				err = r.watch(c, line, &stderr)
			}
			r.end.err, r.end.stderr = err, r.end.stderr+stderr.String()
			if err != nil {
				return
			}
		}
	}()
	<-begun
	return r
}

// begin starts a step, unless a signal stopped the run.
func (r *run) begin(c *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return errors.New("stopped between two steps")
	}
	r.command = c
	return c.Start()
}

// watch waits for the end of a step.
func (r *run) watch(c *exec.Cmd, line string, stderr *bytes.Buffer) error {
	hangs := time.AfterFunc(limit, func() { c.Process.Signal(syscall.SIGQUIT) })
	err := c.Wait()
	said := stderr.String()
	if !hangs.Stop() {
		r.end.crashed = fmt.Errorf("%s did not end in %v: %s", line, limit, tail(said))
	}
	for _, sign := range []string{"panic:", "fatal error:", "SIGSEGV"} {
		if r.end.crashed == nil && strings.Contains(said, sign) {
			r.end.crashed = fmt.Errorf("%s crashed: %s", line, tail(said))
		}
	}
	return err
}

// signal sends a signal to the step at work, and keeps further ones from beginning. It
// is false if all steps were over.
func (r *run) signal(sig os.Signal) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over() {
		return false
	}
	r.stopped = true
	r.command.Process.Signal(sig)
	return true
}

func (r *run) over() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// tail is the end of a text that may be long.
func tail(text string) string { return strings.TrimSpace(text[max(0, len(text)-2000):]) }

// begin begins the steps in the fault's folder, with a flag added to each.
func (f *fault) begin(flag string) *run {
	var lines []string
	for _, step := range f.target.steps {
		lines = append(lines, step+flag)
	}
	return f.start(f.dir, lines, nil)
}

// wait waits for the end of a run.
func (f *fault) wait(r *run) end {
	<-r.ended
	if f.crashed == nil {
		f.crashed = r.end.crashed
	}
	return r.end
}
