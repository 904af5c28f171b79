//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// limit is how long command lines may take before they count as hanging. Without faults all take seconds.
const limit = 5 * time.Minute

var crashed = regexp.MustCompile("panic:|fatal error:|SIGSEGV")

// A run is command lines at work: a shell with a process group of its own.
type run struct {
	shell  *exec.Cmd
	stderr bytes.Buffer
	ended  context.Context // is over when the run is
	err    error           // nil for exit status 0
	crash  bool            // it crashed or hung, which no fault excuses
}

// start starts command lines of the programs in a folder, one after the other until one fails. What they
// write to standard output, read reads; see [target.steps].
func (w *world) start(dir, read string, lines ...string) *run {
	ended, end := context.WithCancel(context.Background())
	r := &run{shell: exec.Command("bash", "-o", "pipefail", "-c", strings.Join(lines, " && ")), ended: ended}
	r.shell.Dir, r.shell.Env = dir, append(os.Environ(), "PATH="+w.root+":"+os.Getenv("PATH"), "READ="+read)
	r.shell.Stderr, r.shell.WaitDelay = &r.stderr, 10*time.Second
	r.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if r.err = r.shell.Start(); r.err != nil {
		end()
		return r
	}
	hangs := time.AfterFunc(limit, func() { r.signal(syscall.SIGQUIT) })
	go func() {
		defer end()
		r.err = r.shell.Wait()
		r.crash = !hangs.Stop()
		r.crash = r.crash || crashed.Match(r.stderr.Bytes())
	}()
	return r
}

// do runs command lines to their end.
func (w *world) do(dir string, lines ...string) error {
	r := w.start(dir, "cat", lines...)
	if <-r.ended.Done(); r.err != nil {
		return fmt.Errorf("%s: %w: %s", lines[0], r.err, lastLine(r.said()))
	}
	return nil
}

// signal sends a signal to the shell and the step at work.
func (r *run) signal(sig syscall.Signal) {
	if !r.over() {
		syscall.Kill(-r.shell.Process.Pid, sig)
	}
}

func (r *run) over() bool { return r.ended.Err() != nil }

// said is the end of what a run that is over wrote to standard error.
func (r *run) said() string {
	text := r.stderr.String()
	return strings.TrimSpace(text[max(0, len(text)-2000):])
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
