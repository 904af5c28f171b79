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

	"baca/build/internal/replace"
	"baca/build/internal/try"
)

// A kind is a kind of fault.
type kind struct {
	name    string
	targets []string
	inject  func(*fault) (outcome int) // fails by package try if something is lost
	// What [fault.disturb] does to a run: the probability that it ends the run, and the share of the run's time in which
	// it begins.
	ends, within    float64
	mounts, changes bool // it gives the run too small a disk; it changes an input

	cells  int // number of targets that can run here
	became [lost + 1]int
}

// writers are the targets whose files remain after a fault.
var writers = []string{"score", "train", "bench table1", beam, site}

var kinds = []*kind{
	{name: "kill", targets: writers, inject: (*fault).disturb, ends: 1, within: 1.2},
	{name: "full disk", targets: writers, inject: (*fault).disturb, ends: 0.2, within: 1.2, mounts: true},
	{name: "changing input", targets: []string{"score", "score by a sample", "train", beam}, inject: (*fault).disturb,
		ends: 0.3, within: 1.2, changes: true},
	{name: "changing model", targets: []string{"calibrate", "drift", "neighbors", "report", "share", "structures", "suggest"},
		inject: (*fault).disturb, within: 0.4, changes: true}, // a model is read at the beginning
	{name: "several writers", targets: writers, inject: (*fault).severalWriters},
	{name: "slow reader", targets: []string{toPipe, toFIFO, "featurize to a pipe"}, inject: (*fault).readSlowly},
}

// harms are command lines that change the file $F of $S bytes, so that from some place on it has the content of $OTHER. $R
// is a random number. The first ones are also for files of lines.
var harms = []string{
	`cp "$OTHER" "$F.new" && mv "$F.new" "$F"`,
	`truncate -s $((S / 4 + R % (S / 2))) "$F"`,
	`touch -r "$F" time && dd if="$OTHER" of="$F" conv=notrunc status=none && touch -r time "$F"`,
	`tail -c +$((S / 2)) "$OTHER" >> "$F"`,
	`for k in 1 2 3 4 5; do printf '\377' | dd of="$F" bs=1 seek=$((R * k % S)) conv=notrunc status=none; done`,
	`dd if=/dev/zero of="$F" bs=1024 count=1 seek=$((R % S / 1024)) conv=notrunc status=none`,
}

const ofLines = 4

// reads are command lines that read output slowly, or not to its end. N stands for a random place in it.
var reads = []string{
	"for k in $(seq 40); do head -c 4000; sleep 0.01; done; cat",
	"head -c N; sleep 0.3; cat",
	"head -c N",
}

// A fault is injected into one run of a target in a folder of its own.
type fault struct {
	*world
	cell
	rng *rand.Rand
	dir string
	did []string // what was done, for the report of a loss
}

// lose ends the fault because something is lost.
func lose(format string, args ...any) { try.Check(fmt.Errorf(format, args...)) }

func (f *fault) out(name string) string { return filepath.Join(f.dir, "out", name) }

func (f *fault) note(format string, args ...any) { f.did = append(f.did, fmt.Sprintf(format, args...)) }

// fresh empties the folder and copies the inputs into it.
func (f *fault) fresh() {
	f.did = nil
	f.unmount()
	try.Check(errors.Join(os.RemoveAll(f.dir), os.CopyFS(f.dir, os.DirFS(f.input(""))), os.MkdirAll(f.out(""), 0o777)))
	f.putYesterday()
}

// yesterday is the content of a file of rows before a run.
const yesterday = "of yesterday\n"

// putYesterday writes an older file of rows at the place where the run will write its rows. A run that fails must leave it
// as it is. checkKept finds a mixture of both.
func (f *fault) putYesterday() {
	if f.target.rows != "" {
		write(f.out(f.target.rows), yesterday)
	}
}

// begin starts the steps of the target with a flag.
func (f *fault) begin(flag string) *run { return f.start(f.dir, "cat", f.target.steps+flag) }

// wait waits for the end of a run, and returns the run. If it crashed or hung, wait calls lose.
func (f *fault) wait(r *run) *run {
	<-r.ended.Done()
	if r.crash {
		lose("%s crashed, or did not end in %v: %s", f.target.steps, limit, r.messages())
	}
	return r
}

// pause waits for a random part of the given share of the time that a run without faults takes.
func (f *fault) pause(share float64) {
	d := time.Duration(f.rng.Float64() * share * float64(f.target.duration))
	f.note("waited %v", d.Round(time.Millisecond))
	time.Sleep(d)
}

// resume runs the command again, as a user would, and calls lose if its files differ from those of a run without
// faults. The command itself may fail, since everything may exist already: the kill may have come after the last
// write.
func (f *fault) resume() {
	r := f.wait(f.begin(f.target.again))
	if err := f.target.differs(f.dir, f.target.reference); err != nil {
		lose("%w: %s", err, r.messages())
	}
}

// disturb ends a run, changes its input, or gives it too small a disk, and then resumes it. It starts again with shorter waits until
// the fault hits: it comes before the end of the run.
func (f *fault) disturb() (outcome int) {
	ends, hit := f.rng.Float64() < f.ends, false
	var r *run
	var before string
	for within := f.within; !hit; within *= 0.7 {
		f.fresh()
		if f.mounts {
			f.mount(int64(f.rng.Float64() * within * float64(f.target.bytes)))
		}
		r = f.begin("")
		f.pause(within)
		if ends {
			f.end(r)
		}
		before = f.soundRows()
		hit = !r.over() || r.err != nil // a run that has failed was hit, too
		if hit && f.changes {
			f.harm()
		} else if hit {
			hit = f.wait(r).err != nil // else it succeeded after all
		}
	}
	if f.changes {
		// A run that was ended is not judged, only the one that a user gives again.
		if (ends || !f.ofOneInput(f.wait(r), before)) && !f.ofOneInput(f.wait(f.begin(f.target.again)), before) {
			return refused
		}
		return survived
	}
	if said := r.messages(); !ends && !strings.Contains(said, "no space left on device") {
		lose("the error does not say that the disk is full: %s", said)
	}
	f.checkKept(before)
	if f.mounts {
		try.Check(syscall.Mount("tmpfs", f.out(""), "tmpfs", syscall.MS_REMOUNT, "size=1g"))
	}
	for n := f.rng.IntN(3); ends && n > 0; n-- { // the next runs may be ended, too
		r = f.begin(f.target.again)
		f.pause(1)
		f.end(r)
	}
	f.resume()
	return survived
}

// end interrupts a run, kills it, or does both. An interrupted run may leave a checkpoint.
func (f *fault) end(r *run) {
	way := f.rng.IntN(3)
	if way > 0 {
		r.signal(syscall.SIGINT)
		f.note("interrupted")
	}
	if way < 2 {
		time.Sleep(time.Duration(way*f.rng.IntN(30)) * time.Millisecond)
		r.signal(syscall.SIGKILL)
		f.note("killed")
	}
	f.wait(r)
}

// soundRows returns the rows so far, without those of yesterday. For a target without rows it returns "".
func (f *fault) soundRows() string {
	rows, err := os.ReadFile(f.out(f.target.rows + replace.PartExt))
	if err != nil {
		rows, _ = os.ReadFile(f.out(f.target.rows)) // a folder for a target without rows
	}
	return strings.TrimPrefix(string(rows), yesterday)
}

// checkKept counts a loss, see lose, if the finished file is neither the old one nor that of a run without faults, or if
// rows that were there before the fault are gone or differ from those of such a run.
func (f *fault) checkKept(before string) {
	if f.target.rows == "" {
		return
	}
	want := try.To(os.ReadFile(filepath.Join(f.target.reference, "out", f.target.rows)))
	if file := string(try.To(os.ReadFile(f.out(f.target.rows)))); file != yesterday && file != string(want) {
		lose("of yesterday's file and today's %d bytes are left", len(file))
	}
	if !strings.HasPrefix(string(want), before) || !strings.HasPrefix(f.soundRows(), before) {
		lose("%d bytes of rows were not those of a run without faults, or are no longer there", len(before))
	}
}

// mayMount returns why a small disk cannot be mounted on a folder, or nil if it can.
func mayMount(dir string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4096"); err != nil {
		return fmt.Errorf("no right to mount, which unshare -rm gives: %w", err)
	}
	return syscall.Unmount(dir, 0)
}

// mount mounts a disk of room bytes on the folder out.
func (f *fault) mount(room int64) {
	f.note("a disk of %d bytes", room)
	try.Check(syscall.Mount("tmpfs", f.out(""), "tmpfs", 0, fmt.Sprintf("size=%d", max(1, room))))
	f.putYesterday()
}

// unmount unmounts the disk, if there is one.
func (f *fault) unmount() { syscall.Unmount(f.out(""), syscall.MNT_DETACH) }

// harm changes the input that varies. A model becomes another model, or no model. In a file of lines, the molecules from
// some line in the first nine tenths on become others.
func (f *fault) harm() {
	old := try.To(os.ReadFile(filepath.Join(f.dir, f.target.varies)))
	ways, other := len(harms), f.input("other.msgpack")
	if f.target.varies != model {
		from := strings.LastIndexByte(string(old[:f.rng.IntN(len(old)*9/10)]), '\n') + 1
		ways, other = ofLines, "other"
		write(filepath.Join(f.dir, other), string(old[:from])+otherMolecules(string(old[from:])))
	}
	way := harms[f.rng.IntN(ways)]
	f.note("changed the input: %s", way)
	try.Check(f.do(f.dir, fmt.Sprintf("F=%s OTHER=%s S=%d R=%d", f.target.varies, other, len(old), f.rng.IntN(1<<30)), way))
}

// ofOneInput reports whether a run succeeded. It is a loss if the result is neither that of the old input nor that of the
// new one, if an error names no file, or if rows are gone after an error.
func (f *fault) ofOneInput(r *run, before string) bool {
	if said := lastLine(r.messages()); r.err != nil {
		if !strings.HasPrefix(said, "baca") || !strings.Contains(said, f.target.varies) && !strings.Contains(said, "out/") {
			lose("the error names neither the input nor the output: %s", r.messages())
		}
		f.checkKept(before)
		return false
	}
	if f.target.differs(f.dir, f.target.reference) == nil {
		return true
	}
	clean := f.withoutFaults(f.dir+"-clean", string(try.To(os.ReadFile(filepath.Join(f.dir, f.target.varies)))))
	if err := f.target.differs(f.dir, clean); err != nil {
		lose("success with what neither the old input gives nor the new one: %w", err)
	}
	try.Check(os.RemoveAll(clean))
	return true
}

// withoutFaults runs the target without faults in the folder dir, and returns the folder. varied replaces the input
// that varies, unless it is empty. If the run fails, it calls lose.
func (f *fault) withoutFaults(dir, varied string) string {
	clean := &fault{world: f.world, cell: f.cell, dir: dir}
	clean.fresh()
	if varied != "" {
		write(filepath.Join(dir, f.target.varies), varied)
	}
	if r := clean.wait(clean.begin("")); r.err != nil {
		lose("%s without faults: %w: %s", f.of, r.err, r.messages())
	}
	return dir
}

// severalWriters starts two or three runs that write the same output.
func (f *fault) severalWriters() (outcome int) {
	f.fresh()
	runs, succeeded := make([]*run, 2+f.rng.IntN(2)), 0
	for i := range runs {
		if i > 0 && f.rng.IntN(2) == 0 {
			f.pause(1)
		}
		runs[i] = f.begin("")
		f.note("run %d began", i+1)
	}
	for _, r := range runs {
		if f.wait(r).err == nil {
			succeeded++
			f.checkKept(f.soundRows()) // all rows, or the first ones of a run that began just now
			continue
		}
		outcome = refused
		if !strings.Contains(lastLine(r.messages()), "out/") {
			lose("a run does not name the file: %s", r.messages())
		}
	}
	if succeeded == 0 { // each run may have held a shard that another one needed
		f.resume()
	}
	try.Check(f.target.differs(f.dir, f.target.reference))
	return outcome
}

// readSlowly has the output read in one of the ways of reads.
func (f *fault) readSlowly() (outcome int) {
	const pipeSize = 64 << 10 // a writer cannot know whether what a pipe holds was read
	f.fresh()
	want := try.To(os.ReadFile(filepath.Join(f.target.reference, "out", "stream")))
	way := f.rng.IntN(len(reads))
	read := strings.ReplaceAll(reads[way], "N", fmt.Sprint(f.rng.IntN(len(want))))
	f.note("read by %s", read)
	r := f.wait(f.start(f.dir, read, f.target.steps))
	got := try.To(os.ReadFile(f.out("stream")))
	left := len(want) - len(got)
	switch {
	case !strings.HasPrefix(string(want), string(got)):
		lose("%d bytes were read that are not those of a run without faults", len(got))
	case way < 2 && (r.err != nil || left > 0):
		lose("%d bytes were not read, %v: %s", left, r.err, r.messages())
	case f.of == toFIFO && left > 2*pipeSize && r.err == nil:
		// A reader of standard output may leave, as head does. But a file that was asked for lacks rows.
		lose("success, though %d bytes were not read", left)
	case r.err != nil:
		return refused
	}
	return survived
}
