//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
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

var kinds = []*kind{
	{name: "kill", targets: []string{"score", "pretrain", "bench table1", "shards, merge", beamMerge, "site"}, inject: (*fault).kill},
	{name: "full disk", targets: []string{"score", "pretrain", "bench table1", "shards, merge", beamMerge, "site"}, needs: mayMount, inject: (*fault).fillDisk},
	{name: "changing input", targets: []string{"score", "score by a sample", "pretrain", "shards, merge", beamMerge}, inject: (*fault).changeInput},
	{name: "changing model", targets: slices.Sorted(maps.Keys(verbs)), inject: (*fault).changeModel},
	{name: "several writers", targets: []string{"score", "pretrain", "bench table1", "shards, merge", beamMerge, "site"}, inject: (*fault).severalWriters},
	{name: "slow reader", targets: []string{"score to a pipe", "score --out FIFO", "featurize to a pipe", "serve"}, inject: (*fault).readSlowly},
	{name: "end of serve", targets: []string{"serve"}, inject: (*fault).endServe},
}

// A fault is injected into one run of a target in a folder of its own.
type fault struct {
	*world
	target  *target
	rng     *rand.Rand
	dir     string
	mounted bool
	did     []string // for the report of a loss
	crashed error    // the first process that crashed or hung
}

func (f *fault) out(name string) string { return filepath.Join(f.dir, "out", name) }

func (f *fault) note(format string, args ...any) { f.did = append(f.did, fmt.Sprintf(format, args...)) }

// fresh empties the folder and gives it the inputs.
func (f *fault) fresh() error {
	f.did = nil
	if err := os.RemoveAll(f.dir); err != nil {
		return err
	}
	for _, name := range f.target.reads {
		data, err := os.ReadFile(f.input(name))
		if err == nil {
			err = write(filepath.Join(f.dir, name), data)
		}
		if err != nil {
			return err
		}
	}
	return os.MkdirAll(f.out(""), 0o777)
}

// run runs the steps to their end.
func (f *fault) run(flag string) end { return f.ended(f.begin(flag)) }

// ended waits for the end of the steps.
func (f *fault) ended(p interface{ wait() end }) end {
	e := p.wait()
	if f.crashed == nil {
		f.crashed = e.crashed
	}
	return e
}

// pause lets a random part of the time pass that a run without faults takes.
func (f *fault) pause(share float64) {
	d := time.Duration(f.rng.Float64() * share * float64(f.target.duration))
	f.note("waited %v", d.Round(time.Millisecond))
	time.Sleep(d)
}

// hits tries a fault with ever shorter waiting until it comes before the end of the run.
func hits(try func(share float64) (bool, error)) error {
	for share := 1.2; ; share *= 0.7 {
		if hit, err := try(share); hit || err != nil {
			return err
		}
	}
}

// goOn gives the same commands again, as a user would, and compares the result. An error is
// fine where all is there already, as when a kill came after the last write.
func (f *fault) goOn() error {
	e := f.run(f.target.again)
	lost := f.target.differs(f.dir, f.target.reference)
	if lost != nil && e.err != nil {
		return fmt.Errorf("cannot go on: %s", tail(e.stderr))
	}
	return lost
}

// kill kills a run once or more, and goes on with it.
func (f *fault) kill() (refused bool, lost error) {
	err := hits(func(share float64) (bool, error) {
		if err := f.fresh(); err != nil {
			return false, err
		}
		return f.cutShort(share, ""), nil
	})
	if err != nil {
		return false, err
	}
	for range f.rng.IntN(3) {
		f.cutShort(1, f.target.again)
	}
	return false, f.goOn()
}

// cutShort begins a run and kills it, half the time while it is busy with an interrupt. It is
// false if the run ended before that.
func (f *fault) cutShort(share float64, flag string) bool {
	s := f.begin(flag)
	f.pause(share)
	hit := false
	if f.rng.IntN(2) == 0 {
		hit = s.signal(syscall.SIGINT)
		f.note("interrupted")
		time.Sleep(time.Duration(f.rng.IntN(30)) * time.Millisecond)
	}
	hit = s.signal(syscall.SIGKILL) || hit
	f.note("killed")
	return f.ended(s).err != nil && hit
}

// fillDisk runs on a disk that is too small, and goes on once there is room.
func (f *fault) fillDisk() (refused bool, lost error) {
	var e end
	interrupt := f.target.name == "pretrain" && f.rng.IntN(2) == 0 // to write a checkpoint
	err := hits(func(share float64) (bool, error) {
		if f.mounted {
			f.unmount()
		}
		if err := f.fresh(); err != nil {
			return false, err
		}
		room := int64(f.rng.Float64() * share * float64(f.target.bytes))
		f.note("a disk of %d bytes", room)
		if err := f.mount(room); err != nil {
			return false, err
		}
		s := f.begin("")
		if interrupt {
			f.pause(share)
			s.signal(os.Interrupt)
			f.note("interrupted")
		}
		e = f.ended(s)
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
	now := f.soundRows()
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", f.target.rows))
	switch {
	case err != nil:
		return err
	case !bytes.HasPrefix(want, before):
		return fmt.Errorf("%d bytes of rows were not those of a run without faults", len(before))
	case !bytes.HasPrefix(now, before):
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

// mount makes out a disk with room for so many bytes.
func (f *fault) mount(room int64) error {
	// Without any room it would have no bound.
	if err := syscall.Mount("tmpfs", f.out(""), "tmpfs", 0, fmt.Sprintf("size=%d", max(1, room))); err != nil {
		return err
	}
	f.mounted = true
	return nil
}

func (f *fault) unmount() {
	syscall.Unmount(f.out(""), syscall.MNT_DETACH)
	f.mounted = false
}

// changeInput changes an input while it is read, or between a kill and going on.
func (f *fault) changeInput() (refused bool, lost error) {
	var e end
	var before []byte
	killed := f.rng.IntN(3) == 0
	err := hits(func(share float64) (bool, error) {
		if err := f.fresh(); err != nil {
			return false, err
		}
		s := f.begin("")
		f.pause(share)
		if killed {
			by := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[f.rng.IntN(2)] // an interrupt leaves a checkpoint
			s.signal(by)
			f.note("ended by %v", by)
			f.ended(s)
		}
		before = f.soundRows()
		if !killed && s.over() {
			return false, nil
		}
		if err := f.change(); err != nil {
			return false, err
		}
		e = f.ended(s)
		return !killed || e.err != nil, nil
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
	if e = f.run(f.target.again); e.err == nil {
		f.note("gone on with")
		return false, f.ofOneInput()
	}
	return true, f.refused(e, before)
}

// change changes the input in one of four ways.
func (f *fault) change() error {
	name := filepath.Join(f.dir, f.target.varies)
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	// From the beginning of some line on, and at least the last tenth, it has other molecules.
	from := bytes.LastIndexByte(old[:f.rng.IntN(len(old)*9/10)], '\n') + 1
	way := f.rng.IntN(4)
	f.note("changed the input in way %d of 4 from byte %d on", way, from)
	switch way {
	case 0: // another file of the name
		if err := os.WriteFile(name+".new", append(old[:from:from], others(old[from:])...), 0o666); err != nil {
			return err
		}
		return os.Rename(name+".new", name)
	case 1: // cut, in the middle of a line
		return os.Truncate(name, int64(len(old)/4+f.rng.IntN(len(old)/2)))
	case 2: // longer
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		_, err = file.Write(others(old[from:]))
		return errors.Join(err, file.Close())
	default: // written over, with the length and the time that it had
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteAt(others(old[from:]), int64(from))
		return errors.Join(err, file.Close(), os.Chtimes(name, info.ModTime(), info.ModTime()))
	}
}

// changeModel changes the model before a run or while it reads, in one of five ways.
func (f *fault) changeModel() (refused bool, lost error) {
	if err := f.fresh(); err != nil {
		return false, err
	}
	other, err := os.ReadFile(f.input("other.msgpack"))
	if err != nil {
		return false, err
	}
	var s *sequence
	during := f.rng.IntN(2) == 0
	if during {
		s = f.begin("")
		f.pause(0.5) // a model is read at the beginning
	}
	way := f.rng.IntN(5)
	f.note("changed the model in way %d of 5", way)
	if err := f.harmModel(way, other); err != nil {
		return false, err
	}
	if !during {
		s = f.begin("")
	}
	if e := f.ended(s); e.err != nil {
		return true, f.refused(e, nil)
	}
	return false, f.ofOneInput()
}

func (f *fault) harmModel(way int, other []byte) error {
	name := filepath.Join(f.dir, f.target.varies)
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	switch way {
	case 0: // another model
		if err := os.WriteFile(name+".new", other, 0o666); err != nil {
			return err
		}
		return os.Rename(name+".new", name)
	case 1: // cut
		return os.Truncate(name, f.rng.Int64N(int64(len(old))))
	case 2: // some bytes
		for range 1 + f.rng.IntN(20) {
			old[f.rng.IntN(len(old))] ^= byte(1 + f.rng.IntN(255))
		}
	case 3: // a hole
		from := f.rng.IntN(len(old))
		clear(old[from:min(len(old), from+4096)])
	default: // written over by another model
		old = other
	}
	return os.WriteFile(name, old, 0o666)
}

// ofOneInput reports a result that is neither that of the old input nor that of the new one.
func (f *fault) ofOneInput() error {
	if f.target.differs(f.dir, f.target.reference) == nil {
		return nil
	}
	clean := *f
	clean.dir += "-clean"
	if err := clean.fresh(); err != nil {
		return err
	}
	input, err := os.ReadFile(filepath.Join(f.dir, f.target.varies))
	if err == nil {
		err = write(filepath.Join(clean.dir, f.target.varies), input)
	}
	if err != nil {
		return err
	}
	if e := clean.run(""); e.err != nil {
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
	var runs []*sequence
	for range 2 + f.rng.IntN(2) {
		if len(runs) > 0 && f.rng.IntN(2) == 0 {
			f.pause(1)
		}
		runs = append(runs, f.begin(""))
		f.note("run %d began", len(runs))
	}
	over := make(chan int)
	for i, s := range runs {
		go func() { <-s.ended; over <- i }()
	}
	succeeded := 0
	for range runs {
		i := <-over
		e := f.ended(runs[i])
		switch {
		case e.err == nil:
			succeeded++
			// There are all rows, or the first ones of a run that began just now.
			lost = errors.Join(lost, f.kept(f.soundRows()))
		case strings.Contains(lastLine(e.stderr), "out/"):
			refused = true
		default:
			lost = errors.Join(lost, fmt.Errorf("run %d does not name the file: %s", i+1, tail(e.stderr)))
		}
	}
	if succeeded == 0 {
		// Each may have had a shard that another wanted.
		return true, errors.Join(lost, f.goOn())
	}
	return refused, errors.Join(lost, f.target.differs(f.dir, f.target.reference))
}
