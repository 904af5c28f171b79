//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A kind of fault.
type kind struct {
	name    string
	targets []string
	needs   func() error // why it cannot be injected here; nil if it always can
	inject  func(*fault) (refused bool, lost error)
}

// writers are the targets that write files which outlast a fault.
var writers = []string{"score", "train", "bench table1", beam, "site"}

var kinds = []*kind{
	{"kill", writers, nil, (*fault).kill},
	{"full disk", writers, mayMount, (*fault).fillDisk},
	{"changing input", []string{"score", "score by a sample", "train", beam}, nil, (*fault).changeInput},
	{"changing model", slices.Sorted(maps.Keys(verbs)), nil, (*fault).changeModel},
	{"several writers", writers, nil, (*fault).severalWriters},
	{"slow reader", []string{"score to a pipe", "score --out FIFO", "featurize to a pipe"}, nil, (*fault).readSlowly},
}

// A fault is injected into one run of a target in a folder of its own.
type fault struct {
	*world
	target  *target
	rng     *rand.Rand
	dir     string
	mounted bool
	did     []string // for the report of a loss
	crashed error    // the first run that crashed or hung
}

func (f *fault) out(name string) string { return filepath.Join(f.dir, "out", name) }

func (f *fault) note(format string, args ...any) { f.did = append(f.did, fmt.Sprintf(format, args...)) }

// fresh empties the folder and gives it the inputs.
func (f *fault) fresh() error {
	f.did = nil
	if f.mounted {
		f.unmount()
	}
	err := os.RemoveAll(f.dir)
	for _, name := range f.target.reads {
		data, failed := os.ReadFile(f.input(name))
		err = errors.Join(err, failed, write(filepath.Join(f.dir, name), data))
	}
	return errors.Join(err, os.MkdirAll(f.out(""), 0o777))
}

// pause lets a random part of the time pass that a run without faults takes.
func (f *fault) pause(share float64) {
	d := time.Duration(f.rng.Float64() * share * float64(f.target.duration))
	f.note("waited %v", d.Round(time.Millisecond))
	time.Sleep(d)
}

// hits tries a fault on fresh inputs, with ever shorter waiting until it comes before the end of the run.
func (f *fault) hits(try func(share float64) (bool, error)) error {
	for share := 1.2; ; share *= 0.7 {
		if err := f.fresh(); err != nil {
			return err
		}
		if hit, err := try(share); hit || err != nil {
			return err
		}
	}
}

// goOn gives the same commands again, as a user would, and compares the result. An error is
// fine where all is there already, as when a kill came after the last write.
func (f *fault) goOn() error {
	e := f.wait(f.begin(f.target.again))
	lost := f.target.differs(f.dir, f.target.reference)
	if lost != nil && e.err != nil {
		return fmt.Errorf("cannot go on: %s", tail(e.stderr))
	}
	return lost
}

// kill kills a run once or more, and goes on with it.
func (f *fault) kill() (refused bool, lost error) {
	err := f.hits(func(share float64) (bool, error) { return f.cutShort(f.begin(""), share), nil })
	if err != nil {
		return false, err
	}
	for range f.rng.IntN(3) {
		f.cutShort(f.begin(f.target.again), 1)
	}
	return false, f.goOn()
}

// cutShort kills a run, half the time while it is busy with an interrupt. It is false if the run ended before.
func (f *fault) cutShort(r *run, share float64) bool {
	f.pause(share)
	hit := false
	if f.rng.IntN(2) == 0 {
		hit = r.signal(syscall.SIGINT)
		f.note("interrupted")
		time.Sleep(time.Duration(f.rng.IntN(30)) * time.Millisecond)
	}
	hit = r.signal(syscall.SIGKILL) || hit
	f.note("killed")
	return f.wait(r).err != nil && hit
}

// fillDisk runs on a disk that is too small, and goes on once there is room.
func (f *fault) fillDisk() (refused bool, lost error) {
	var e end
	interrupt := f.target.name == "train" && f.rng.IntN(2) == 0 // to write a checkpoint
	err := f.hits(func(share float64) (bool, error) {
		room := int64(f.rng.Float64() * share * float64(f.target.bytes))
		f.note("a disk of %d bytes", room)
		if err := f.mount(room); err != nil {
			return false, err
		}
		r := f.begin("")
		if interrupt {
			f.pause(share)
			r.signal(syscall.SIGINT)
			f.note("interrupted")
		}
		e = f.wait(r)
		return e.err != nil, nil
	})
	if err != nil {
		return false, err
	}
	if !strings.Contains(e.stderr, "no space left on device") && !(interrupt && strings.Contains(e.stderr, "interrupted")) {
		return false, fmt.Errorf("the error does not say that the disk is full: %s", tail(e.stderr))
	}
	if err := f.kept(f.soundRows()); err != nil {
		return false, err
	}
	if err := syscall.Mount("tmpfs", f.out(""), "tmpfs", syscall.MS_REMOUNT, "size=1g"); err != nil {
		return false, err
	}
	return false, f.goOn()
}

// soundRows are the bytes of the rows so far, or nil for a target without.
func (f *fault) soundRows() []byte {
	if f.target.rows == "" {
		return nil
	}
	rows, _ := os.ReadFile(f.out(f.target.rows))
	return rows
}

// kept reports rows that were there before and are gone, or were not those of a run without
// faults.
func (f *fault) kept(before []byte) error {
	if f.target.rows == "" {
		return nil
	}
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", f.target.rows))
	switch {
	case err != nil:
		return err
	case !bytes.HasPrefix(want, before):
		return fmt.Errorf("%d bytes of rows were not those of a run without faults", len(before))
	case !bytes.HasPrefix(f.soundRows(), before):
		return fmt.Errorf("%d bytes of rows are no longer there", len(before))
	}
	return nil
}

// mayMount tells why no small disk can be made.
func mayMount() error {
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4096"); err != nil {
		return fmt.Errorf("no right to mount, which unshare -rm gives: %w", err)
	}
	return syscall.Unmount(dir, 0)
}

// mount makes out a disk with room for so many bytes: without any it would have no bound.
func (f *fault) mount(room int64) error {
	err := syscall.Mount("tmpfs", f.out(""), "tmpfs", 0, fmt.Sprintf("size=%d", max(1, room)))
	f.mounted = err == nil
	return err
}

func (f *fault) unmount() {
	syscall.Unmount(f.out(""), syscall.MNT_DETACH)
	f.mounted = false
}

// A harm changes a file that has content: from some place on others stands for it.
type harm struct {
	name string
	do   func(f *fault, path string, old, others []byte) error
}

var harms = []harm{
	{"another file of the name", func(_ *fault, path string, _, others []byte) error {
		return errors.Join(os.WriteFile(path+".new", others, 0o666), os.Rename(path+".new", path))
	}},
	{"cut", func(f *fault, path string, old, _ []byte) error {
		return os.Truncate(path, int64(len(old)/4+f.rng.IntN(len(old)/2)))
	}},
	{"written over, with the time that it had", func(_ *fault, path string, old, others []byte) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteAt(others, 0)
		return errors.Join(err, file.Close(), os.Chtimes(path, info.ModTime(), info.ModTime()))
	}},
	{"longer", func(_ *fault, path string, old, others []byte) error {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(others[len(others)/2:])
		return errors.Join(err, file.Close())
	}},
	{"some bytes", func(f *fault, path string, old, _ []byte) error {
		for range 1 + f.rng.IntN(20) {
			old[f.rng.IntN(len(old))] ^= byte(1 + f.rng.IntN(255))
		}
		return os.WriteFile(path, old, 0o666)
	}},
	{"a hole", func(f *fault, path string, old, _ []byte) error {
		from := f.rng.IntN(len(old))
		clear(old[from:min(len(old), from+4096)])
		return os.WriteFile(path, old, 0o666)
	}},
}

// harm changes the input that varies in one of the first ways.
func (f *fault) harm(ways int, others func(old []byte) []byte) error {
	path := filepath.Join(f.dir, f.target.varies)
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	h := harms[f.rng.IntN(ways)]
	f.note("changed the input: %s", h.name)
	return h.do(f, path, old, others(slices.Clone(old)))
}

// changeInput changes an input while it is read, or between a kill and going on.
func (f *fault) changeInput() (refused bool, lost error) {
	var e end
	var before []byte
	killed := f.rng.IntN(3) == 0
	err := f.hits(func(share float64) (bool, error) {
		r := f.begin("")
		f.pause(share)
		if killed {
			by := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[f.rng.IntN(2)] // an interrupt leaves a checkpoint
			r.signal(by)
			f.note("ended by %v", by)
			f.wait(r)
		}
		before = f.soundRows()
		if !killed && r.over() {
			return false, nil
		}
		// From the beginning of some line on, and at least the last tenth, it has other molecules.
		err := f.harm(4, func(old []byte) []byte {
			from := bytes.LastIndexByte(old[:f.rng.IntN(len(old)*9/10)], '\n') + 1
			return append(old[:from:from], others(old[from:])...)
		})
		e = f.wait(r)
		return !killed || e.err != nil, err
	})
	if err != nil {
		return false, err
	}
	if !killed {
		if e.err == nil {
			return false, f.ofOneInput()
		}
		if err := f.refused(e, before); err != nil {
			return false, err
		}
	}
	if e = f.wait(f.begin(f.target.again)); e.err == nil {
		f.note("gone on with")
		return false, f.ofOneInput()
	}
	return true, f.refused(e, before)
}

// changeModel changes the model before a run or while it reads.
func (f *fault) changeModel() (refused bool, lost error) {
	other, err := os.ReadFile(f.input("other.msgpack"))
	if err = errors.Join(err, f.fresh()); err != nil {
		return false, err
	}
	var r *run
	during := f.rng.IntN(2) == 0
	if during {
		r = f.begin("")
		f.pause(0.5) // a model is read at the beginning
	}
	if err := f.harm(len(harms), func([]byte) []byte { return other }); err != nil {
		return false, err
	}
	if !during {
		r = f.begin("")
	}
	if e := f.wait(r); e.err != nil {
		return true, f.refused(e, nil)
	}
	return false, f.ofOneInput()
}

// ofOneInput reports a result that is neither that of the old input nor that of the new one.
func (f *fault) ofOneInput() error {
	if f.target.differs(f.dir, f.target.reference) == nil {
		return nil
	}
	clean := *f
	clean.dir += "-clean"
	input, err := os.ReadFile(filepath.Join(f.dir, f.target.varies))
	if err = errors.Join(err, clean.fresh(), write(filepath.Join(clean.dir, f.target.varies), input)); err != nil {
		return err
	}
	if e := clean.wait(clean.begin("")); e.err != nil {
		return fmt.Errorf("success with an input that is refused by itself: %s", tail(e.stderr))
	}
	if err := f.target.differs(f.dir, clean.dir); err != nil {
		return fmt.Errorf("success with what neither the old input gives nor the new one: %w", err)
	}
	return os.RemoveAll(clean.dir)
}

// refused reports an error that does not say which file it is about, or rows that are gone.
func (f *fault) refused(e end, before []byte) error {
	said := lastLine(e.stderr)
	if !strings.HasPrefix(said, "baca") || !strings.Contains(said, f.target.varies) && !strings.Contains(said, "out/") {
		return fmt.Errorf("the error names neither the input nor the output: %s", tail(e.stderr))
	}
	return f.kept(before)
}

// severalWriters starts two or three runs with one output.
func (f *fault) severalWriters() (refused bool, lost error) {
	if err := f.fresh(); err != nil {
		return false, err
	}
	over := make(chan *run)
	count := 2 + f.rng.IntN(2)
	for i := range count {
		if i > 0 && f.rng.IntN(2) == 0 {
			f.pause(1)
		}
		r := f.begin("")
		f.note("run %d began", i+1)
		go func() { <-r.ended; over <- r }()
	}
	succeeded := 0
	for range count {
		switch e := f.wait(<-over); {
		case e.err == nil:
			succeeded++
			// There are all rows, or the first ones of a run that began just now.
			lost = errors.Join(lost, f.kept(f.soundRows()))
		case strings.Contains(lastLine(e.stderr), "out/"):
			refused = true
		default:
			lost = errors.Join(lost, fmt.Errorf("a run does not name the file: %s", tail(e.stderr)))
		}
	}
	if succeeded == 0 {
		// Each may have had a shard that another wanted.
		return true, errors.Join(lost, f.goOn())
	}
	return refused, errors.Join(lost, f.target.differs(f.dir, f.target.reference))
}

// pipeSize is what a pipe holds: a writer cannot know whether that was read.
const pipeSize = 64 << 10

// readSlowly reads output in small pieces, with a pause, or not to its end.
func (f *fault) readSlowly() (refused bool, lost error) {
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", "stream"))
	if err = errors.Join(err, f.fresh()); err != nil {
		return false, err
	}
	way, at := f.rng.IntN(3), f.rng.IntN(len(want))
	f.note("read in way %d of 3, until byte %d", way, at)
	got, e, err := f.stream(func(r io.Reader) ([]byte, error) {
		if way == 0 {
			return readPieces(r, func() int { return 1 + f.rng.IntN(16<<10) }, time.Millisecond)
		}
		first, err := io.ReadAll(io.LimitReader(r, int64(at)))
		if way == 2 {
			return first, err
		}
		time.Sleep(time.Duration(f.rng.IntN(300)) * time.Millisecond)
		rest, failed := io.ReadAll(r)
		return append(first, rest...), errors.Join(err, failed)
	})
	left := len(want) - len(got)
	switch {
	case err != nil:
		return false, err
	case !bytes.HasPrefix(want, got):
		return false, fmt.Errorf("%d bytes were read that are not those of a run without faults", len(got))
	case way < 2 && (e.err != nil || left > 0):
		return false, fmt.Errorf("%d bytes were not read, %v: %s", left, e.err, tail(e.stderr))
	case f.target.stream == "fifo" && left > 2*pipeSize && e.err == nil:
		// A reader of standard output may leave, as head does; of a file that was asked for, rows are missing.
		return false, fmt.Errorf("success, though %d bytes were not read", left)
	}
	return e.err != nil, nil
}

func readPieces(r io.Reader, size func() int, pause time.Duration) (all []byte, err error) {
	for {
		piece := make([]byte, size())
		n, err := r.Read(piece)
		all = append(all, piece[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		time.Sleep(pause)
	}
}

// stream runs the step with a reader of its output, which is closed once read returns.
func (f *fault) stream(read func(io.Reader) ([]byte, error)) (data []byte, e end, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, e, err
	}
	defer w.Close()
	if f.target.stream == "fifo" {
		if err := syscall.Mkfifo(f.out("fifo"), 0o666); err != nil {
			return nil, e, err
		}
		running := f.begin("")
		go func() { // opening waits for a writer, which may have ended before it opened the other side
			<-running.ended
			if w, err := os.OpenFile(f.out("fifo"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
		}()
		r.Close()
		if r, err = os.Open(f.out("fifo")); err == nil {
			data, err = read(r)
			r.Close()
		}
		return data, f.wait(running), err
	}
	running := f.start(f.dir, f.target.steps, w)
	w.Close()
	data, err = read(r)
	r.Close()
	return data, f.wait(running), err
}
