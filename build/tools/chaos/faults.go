//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A kind of fault.
type kind struct {
	name    string
	targets []string
	needs   func() error                // why it cannot be injected here; nil if it always can
	inject  func(*fault) (refused bool) // panics with what is lost
}

// writers are the targets that write files which outlast a fault.
var writers = []string{"score", "train", "bench table1", "Beam", "site"}

var kinds = []*kind{
	{"kill", writers, nil, (*fault).kill},
	{"full disk", writers, mayMount, (*fault).fillDisk},
	{"changing input", []string{"score", "score by a sample", "train", "Beam"}, nil, (*fault).changeInput},
	{"changing model", []string{"calibrate", "drift", "neighbors", "report", "share", "structures", "suggest"}, nil, (*fault).changeModel},
	{"several writers", writers, nil, (*fault).severalWriters},
	{"slow reader", []string{toPipe, toFIFO, "featurize to a pipe"}, nil, (*fault).readSlowly},
}

// harms are command lines that change the file $F of $S bytes: from some place on, $OTHER stands for it. $R is
// a random number. The last two are for files without lines.
var harms = []string{
	`cp "$OTHER" "$F.new" && mv "$F.new" "$F"`,
	`truncate -s $((S / 4 + R % (S / 2))) "$F"`,
	`touch -r "$F" time && dd if="$OTHER" of="$F" conv=notrunc status=none && touch -r time "$F"`,
	`tail -c +$((S / 2)) "$OTHER" >> "$F"`,
	`for k in 1 2 3 4 5; do printf '\377' | dd of="$F" bs=1 seek=$((R * k % S)) conv=notrunc status=none; done`,
	`dd if=/dev/zero of="$F" bs=1024 count=1 seek=$((R % S / 1024)) conv=notrunc status=none`,
}

// reads are command lines that read output slowly, or not to its end. N is a random place in it.
var reads = []string{
	"for k in $(seq 40); do head -c 4000; sleep 0.01; done; cat",
	"head -c N; sleep 0.3; cat",
	"head -c N",
}

// A fault is injected into one run of a target in a folder of its own.
type fault struct {
	*world
	target  *target
	rng     *rand.Rand
	dir     string
	mounted bool
	did     []string // for the report of a loss
}

// A loss is what [fault.lose] panics with.
type loss struct{ error }

func (f *fault) lose(format string, args ...any) { panic(loss{fmt.Errorf(format, args...)}) }

// must loses if there is an error.
func (f *fault) must(err error) {
	if err != nil {
		f.lose("%w", err)
	}
}

func (f *fault) out(name string) string { return filepath.Join(f.dir, "out", name) }

func (f *fault) note(format string, args ...any) { f.did = append(f.did, fmt.Sprintf(format, args...)) }

// fresh empties the folder and gives it the inputs.
func (f *fault) fresh() {
	f.did = nil
	f.unmount()
	f.must(errors.Join(os.RemoveAll(f.dir), os.CopyFS(f.dir, os.DirFS(f.input(""))), os.MkdirAll(f.out(filepath.Dir(f.target.rows)), 0o777)))
}

// begin begins the steps with a flag, and wait waits for the end of a run.
func (f *fault) begin(flag string) *run { return f.start(f.dir, "cat", f.target.steps+flag) }

func (f *fault) wait(r *run) *run {
	if <-r.ended; r.crash {
		f.lose("%s crashed, or did not end in %v: %s", f.target.steps, limit, r.said())
	}
	return r
}

// pause lets a random part of the time pass that a run without faults takes.
func (f *fault) pause(share float64) {
	d := time.Duration(f.rng.Float64() * share * float64(f.target.duration))
	f.note("waited %v", d.Round(time.Millisecond))
	time.Sleep(d)
}

// hits tries a fault on fresh inputs, with ever shorter waiting until it comes before the end of the run.
func (f *fault) hits(try func(share float64) bool) {
	for share := 1.2; ; share *= 0.7 {
		if f.fresh(); try(share) {
			return
		}
	}
}

// goOn gives the same command again, as a user would, and compares the result. An error is
// fine where all is there already, as when a kill came after the last write.
func (f *fault) goOn() {
	r := f.wait(f.begin(f.target.again))
	if err := f.target.differs(f.dir, f.target.reference); err != nil {
		f.lose("%w: %s", err, r.said())
	}
}

// kill kills a run once or more, and goes on with it.
func (f *fault) kill() (refused bool) {
	f.hits(func(share float64) bool { return f.cutShort(f.begin(""), share) })
	for range f.rng.IntN(3) {
		f.cutShort(f.begin(f.target.again), 1)
	}
	f.goOn()
	return false
}

// cutShort kills a run, half the time while it is busy with an interrupt. It is false if the run ended before.
func (f *fault) cutShort(r *run, share float64) (hit bool) {
	f.pause(share)
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
func (f *fault) fillDisk() (refused bool) {
	var r *run
	interrupt := f.target.name == "train" && f.rng.IntN(2) == 0 // to write a checkpoint
	f.hits(func(share float64) bool {
		f.mount(int64(f.rng.Float64() * share * float64(f.target.bytes)))
		r = f.begin("")
		if interrupt {
			f.pause(share)
			r.signal(syscall.SIGINT)
			f.note("interrupted")
		}
		return f.wait(r).err != nil
	})
	if said := r.said(); !strings.Contains(said, "no space left on device") && !(interrupt && strings.Contains(said, "interrupted")) {
		f.lose("the error does not say that the disk is full: %s", said)
	}
	f.kept(f.soundRows())
	f.must(syscall.Mount("tmpfs", f.out(""), "tmpfs", syscall.MS_REMOUNT, "size=1g"))
	f.goOn()
	return false
}

// soundRows are the rows so far, or nothing for a target without.
func (f *fault) soundRows() string {
	rows, _ := os.ReadFile(f.out(f.target.rows)) // of a target without rows it is a folder
	return string(rows)
}

// kept loses rows that were there before and are gone, or were not those of a run without faults.
func (f *fault) kept(before string) {
	if f.target.rows == "" {
		return
	}
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", f.target.rows))
	f.must(err)
	if !strings.HasPrefix(string(want), before) || !strings.HasPrefix(f.soundRows(), before) {
		f.lose("%d bytes of rows were not those of a run without faults, or are no longer there", len(before))
	}
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
func (f *fault) mount(room int64) {
	f.note("a disk of %d bytes", room)
	f.must(syscall.Mount("tmpfs", f.out(""), "tmpfs", 0, fmt.Sprintf("size=%d", max(1, room))))
	f.mounted = true
	f.must(os.MkdirAll(f.out(filepath.Dir(f.target.rows)), 0o777))
}

func (f *fault) unmount() {
	if f.mounted {
		syscall.Unmount(f.out(""), syscall.MNT_DETACH)
	}
	f.mounted = false
}

// harm changes the input that varies in one of the first ways, to what other is.
func (f *fault) harm(ways int, other func(old string) string) {
	old, err := os.ReadFile(filepath.Join(f.dir, f.target.varies))
	f.must(errors.Join(err, write(filepath.Join(f.dir, "other"), other(string(old)))))
	way := harms[f.rng.IntN(ways)]
	f.note("changed the input: %s", way)
	r := f.start(f.dir, "cat", fmt.Sprintf("F=%s OTHER=other S=%d R=%d", f.target.varies, len(old), f.rng.IntN(1<<30)), way)
	<-r.ended
	f.must(r.err)
}

// changeInput changes an input while it is read, or between a kill and going on.
func (f *fault) changeInput() (refused bool) {
	var r *run
	var before string
	killed := f.rng.IntN(3) == 0
	f.hits(func(share float64) bool {
		r = f.begin("")
		f.pause(share)
		if killed {
			by := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[f.rng.IntN(2)] // an interrupt leaves a checkpoint
			r.signal(by)
			f.note("ended by %v", by)
			f.wait(r)
		}
		before = f.soundRows()
		if !killed && r.over() {
			return false
		}
		// From the beginning of some line on, and at least the last tenth, it has other molecules.
		f.harm(4, func(old string) string {
			from := strings.LastIndexByte(old[:f.rng.IntN(len(old)*9/10)], '\n') + 1
			return old[:from] + others(old[from:])
		})
		return !killed || f.wait(r).err != nil
	})
	if !killed {
		if f.wait(r).err == nil {
			f.ofOneInput()
			return false
		}
		f.refused(r, before)
	}
	if r = f.wait(f.begin(f.target.again)); r.err == nil {
		f.note("gone on with")
		f.ofOneInput()
		return false
	}
	f.refused(r, before)
	return true
}

// changeModel changes the model before a run or while it reads.
func (f *fault) changeModel() (refused bool) {
	f.fresh()
	other, err := os.ReadFile(f.input("other.msgpack"))
	f.must(err)
	change := func() { f.harm(len(harms), func(string) string { return string(other) }) }
	during := f.rng.IntN(2) == 0
	if !during {
		change()
	}
	r := f.begin("")
	if during {
		f.pause(0.5) // a model is read at the beginning
		change()
	}
	if f.wait(r).err != nil {
		f.refused(r, "")
		return true
	}
	f.ofOneInput()
	return false
}

// ofOneInput loses a result that is neither that of the old input nor that of the new one.
func (f *fault) ofOneInput() {
	if f.target.differs(f.dir, f.target.reference) == nil {
		return
	}
	clean := &fault{world: f.world, target: f.target, dir: f.dir + "-clean"}
	input, err := os.ReadFile(filepath.Join(f.dir, f.target.varies))
	f.must(err)
	clean.fresh()
	f.must(write(filepath.Join(clean.dir, f.target.varies), string(input)))
	if r := f.wait(clean.begin("")); r.err != nil {
		f.lose("success with an input that is refused by itself: %s", r.said())
	}
	if err := f.target.differs(f.dir, clean.dir); err != nil {
		f.lose("success with what neither the old input gives nor the new one: %w", err)
	}
	f.must(os.RemoveAll(clean.dir))
}

// refused loses if an error does not say which file it is about, or rows are gone.
func (f *fault) refused(r *run, before string) {
	said := r.lastLine()
	if !strings.HasPrefix(said, "baca") || !strings.Contains(said, f.target.varies) && !strings.Contains(said, "out/") {
		f.lose("the error names neither the input nor the output: %s", r.said())
	}
	f.kept(before)
}

// severalWriters starts two or three runs with one output.
func (f *fault) severalWriters() (refused bool) {
	f.fresh()
	over, count, succeeded := make(chan *run), 2+f.rng.IntN(2), 0
	for i := range count {
		if i > 0 && f.rng.IntN(2) == 0 {
			f.pause(1)
		}
		r := f.begin("")
		f.note("run %d began", i+1)
		go func() { <-r.ended; over <- r }()
	}
	var ended []*run
	for range count {
		r := <-over
		if ended = append(ended, r); r.err == nil {
			succeeded++
			f.kept(f.soundRows()) // all rows, or the first ones of a run that began just now
		}
	}
	for _, r := range ended {
		if f.wait(r).err != nil && !strings.Contains(r.lastLine(), "out/") {
			f.lose("a run does not name the file: %s", r.said())
		}
		refused = refused || r.err != nil
	}
	if succeeded == 0 { // each may have had a shard that another wanted
		f.goOn()
	}
	f.must(f.target.differs(f.dir, f.target.reference))
	return refused
}

// pipeSize is what a pipe holds: a writer cannot know whether that was read.
const pipeSize = 64 << 10

// readSlowly reads output in one of the ways of reads.
func (f *fault) readSlowly() (refused bool) {
	f.fresh()
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", "stream"))
	f.must(err)
	way := f.rng.IntN(len(reads))
	read := strings.ReplaceAll(reads[way], "N", fmt.Sprint(f.rng.IntN(len(want))))
	f.note("read by %s", read)
	r := f.wait(f.start(f.dir, read, f.target.steps))
	got, err := os.ReadFile(f.out("stream"))
	f.must(err)
	left := len(want) - len(got)
	switch {
	case !strings.HasPrefix(string(want), string(got)):
		f.lose("%d bytes were read that are not those of a run without faults", len(got))
	case way < 2 && (r.err != nil || left > 0):
		f.lose("%d bytes were not read, %v: %s", left, r.err, r.said())
	case f.target.name == toFIFO && left > 2*pipeSize && r.err == nil:
		// A reader of standard output may leave, as head does; of a file that was asked for, rows are missing.
		f.lose("success, though %d bytes were not read", left)
	}
	return r.err != nil
}
