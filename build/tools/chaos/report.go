//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"baca/build/internal/machine"
)

// A result is how a fault ended: survived unless it says something else.
type result struct {
	refused bool
	lost    error
}

// A count is a row of the table.
type count struct{ tried, survived, refused, lost int }

// A report is what all faults gave.
type report struct {
	options
	root, version string
	duration      time.Duration
	leftOut       []string

	cells  []cell
	mu     sync.Mutex
	counts map[string]*count
	done   int
	lost   []string
}

func (r *report) leaveOut(what string) {
	fmt.Fprintf(r.log, "left out: %s\n", what)
	r.leftOut = append(r.leftOut, what)
}

// add counts a result, and says what is lost at once.
func (r *report) add(c cell, i, of int, result result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.counts[c.name()]
	if n == nil {
		n = new(count)
		r.counts[c.name()] = n
	}
	n.tried++
	switch {
	case result.lost != nil:
		n.lost++
		text := fmt.Sprintf("%s, fault %d: %v", c.name(), i, result.lost)
		fmt.Fprintf(r.log, "LOST %s\n", text)
		r.lost = append(r.lost, text)
	case result.refused:
		n.refused++
	default:
		n.survived++
	}
	if r.done++; r.done%20 == 0 || r.done == of {
		fmt.Fprintf(r.log, "%d of %d faults, %d lost\n", r.done, of, len(r.lost))
	}
}

// save prints the table, writes it to a file if there is a name, and is an error if
// anything was lost.
func (r *report) save(name string) error {
	r.write(os.Stdout)
	if name != "" {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		r.write(f)
		if err := f.Close(); err != nil {
			return err
		}
	}
	if n := len(r.lost); n > 0 {
		return fmt.Errorf("%d faults lost something; what they left is in %s", n, r.root)
	}
	return nil
}

func (r *report) write(w io.Writer) {
	fmt.Fprint(w, "# Faults, injected\n\nFrom `go run ./build/tools/chaos")
	fmt.Fprintf(w, " -seed %d -faults %d", r.seed, r.faults)
	fmt.Fprintf(w, "`, %s,\n%s, in %v.\n\n", r.version, system(), r.duration.Round(time.Second))
	for _, what := range r.leftOut {
		fmt.Fprintf(w, "Left out: %s.\n\n", what)
	}
	fmt.Fprint(w, "| fault | in | tried | survived | refused | lost |\n|---|---|---|---|---|---|\n")
	var all count
	for _, c := range r.cells {
		n := r.counts[c.name()]
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d |\n", c.kind.name, c.target.name, n.tried, n.survived, n.refused, n.lost)
		all.tried, all.survived, all.refused, all.lost = all.tried+n.tried, all.survived+n.survived, all.refused+n.refused, all.lost+n.lost
	}
	fmt.Fprintf(w, "| **all** | | **%d** | **%d** | **%d** | **%d** |\n", all.tried, all.survived, all.refused, all.lost)
	fmt.Fprint(w, explanation)
	for _, text := range r.lost {
		fmt.Fprintf(w, "\nLost: %s\n", text)
	}
}

const explanation = `
Survived: after the same command again, with --resume where there is that, the result has the
bytes of a run without faults, or of one with the changed input alone. Refused: an error named the file, the
exit status was not 0, and the rows from before the fault were still there; of several writers, one or
more were refused while another wrote the reference bytes. Lost: all else, such as
other bytes, success with too little, a crash, or no end.

- kill: SIGKILL at a random moment, half of the time within 30 ms behind an interrupt, up to three times in a row.
- full disk: a disk with room for a random part of what is written. It says so, and goes on once there is room.
- changing input: replaced by rename, cut, appended to, or written over with length and time restored, while
  it is read or between a kill and going on.
- changing model: replaced by another, cut, damaged in some bytes or in 4 096, or written over, before it is read or meanwhile.
- several writers: two or three runs with one output, at once or soon behind each other.
- slow reader: in small pieces, with a pause, or gone before the end. Up to 100 clients of serve, of which a third reads nothing and a
  third leaves; the others get all bytes, and the server takes 256 MB at most.
- end of serve: SIGTERM while files are sent. Who reads gets all; who reads nothing is cut off.
`

// system describes where the faults were injected.
func system() string {
	kernel, _ := exec.Command("uname", "-sr").Output()
	return fmt.Sprintf("%s, %s, %s", machine.Processor(), strings.TrimSpace(string(kernel)), runtime.Version())
}
