//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
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

// A run is command lines at work, one after the other until one fails: a shell with a process group of its own.
type run struct {
	shell *exec.Cmd
	ended chan struct{}
	end   end
}

// start starts command lines of the programs in a folder. stdout may be nil.
func (w *world) start(dir string, lines []string, stdout *os.File) *run {
	var stderr bytes.Buffer
	line := strings.Join(lines, " && ")
	r := &run{shell: exec.Command("sh", "-c", line), ended: make(chan struct{})}
	r.shell.Dir, r.shell.Env = dir, append(os.Environ(), "PATH="+w.root+":"+os.Getenv("PATH"))
	r.shell.Stderr, r.shell.WaitDelay = &stderr, 10*time.Second
	r.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if stdout != nil {
		r.shell.Stdout = stdout
	}
	if r.end.err = r.shell.Start(); r.end.err != nil {
		close(r.ended)
		return r
	}
	hangs := time.AfterFunc(limit, func() { r.signal(syscall.SIGQUIT) })
	go func() {
		defer close(r.ended)
		err := r.shell.Wait()
		r.end = end{err: err, stderr: stderr.String()}
		if !hangs.Stop() {
			r.end.crashed = fmt.Errorf("%s did not end in %v: %s", line, limit, tail(r.end.stderr))
		}
		for _, sign := range []string{"panic:", "fatal error:", "SIGSEGV"} {
			if strings.Contains(r.end.stderr, sign) {
				r.end.crashed = fmt.Errorf("%s crashed: %s", line, tail(r.end.stderr))
			}
		}
	}()
	return r
}

// signal sends a signal to the shell and the step at work. It is false if all steps were over.
func (r *run) signal(sig syscall.Signal) bool {
	return !r.over() && syscall.Kill(-r.shell.Process.Pid, sig) == nil
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
