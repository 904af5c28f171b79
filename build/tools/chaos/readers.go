//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// pipeSize is what a pipe holds: a writer cannot know whether that was read.
const pipeSize = 64 << 10

// readSlowly reads output slowly, with a long pause, or not to its end.
func (f *fault) readSlowly() (refused bool, lost error) {
	if f.target.stream == "" {
		return false, f.serveSlowly()
	}
	if err := f.fresh(); err != nil {
		return false, err
	}
	want, err := os.ReadFile(filepath.Join(f.target.reference, "out", "stream"))
	if err != nil {
		return false, err
	}
	way, at := f.rng.IntN(3), f.rng.IntN(len(want))
	f.note("read in way %d of 3, until byte %d", way, at)
	got, e, err := f.stream(func(r io.Reader) ([]byte, error) {
		switch way {
		case 0: // in small pieces
			return readPieces(r, func() int { return 1 + f.rng.IntN(16<<10) }, time.Millisecond)
		case 1: // with a pause
			first, err := io.ReadAll(io.LimitReader(r, int64(at)))
			time.Sleep(time.Duration(f.rng.IntN(300)) * time.Millisecond)
			rest, rerr := io.ReadAll(r)
			return append(first, rest...), errors.Join(err, rerr)
		default: // not to its end
			return io.ReadAll(io.LimitReader(r, int64(at)))
		}
	})
	switch {
	case err != nil:
		return false, err
	case !bytes.HasPrefix(want, got):
		return false, fmt.Errorf("%d bytes were read that are not those of a run without faults", len(got))
	case way == 2:
		return f.closed(e, len(want)-len(got))
	case e.err != nil || len(got) < len(want):
		return false, fmt.Errorf("%d of %d bytes were read, %v: %s", len(got), len(want), e.err, tail(e.stderr))
	}
	return false, nil
}

// closed judges how a run ended whose reader left that many bytes. A reader of standard
// output may leave, as head does; of a file that was asked for, rows are missing.
func (f *fault) closed(e end, left int) (refused bool, lost error) {
	if f.target.stream == "fifo" && left > 2*pipeSize && e.err == nil {
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

// keepStream keeps what a run without faults writes to its reader.
func (f *fault) keepStream() error {
	data, e, err := f.stream(io.ReadAll)
	if err = errors.Join(err, e.err); err != nil {
		return err
	}
	return os.WriteFile(f.out("stream"), data, 0o666)
}

// stream runs the step with a reader of its output, which is closed once read returns.
func (f *fault) stream(read func(io.Reader) ([]byte, error)) (data []byte, e end, err error) {
	var r *os.File
	var p *process
	if f.target.stream == "fifo" {
		if err := syscall.Mkfifo(f.out("fifo"), 0o666); err != nil {
			return nil, e, err
		}
		p = f.start(f.dir, f.target.steps[0], nil)
		go func() { // opening waits for a writer, which may have ended before it opened the other side
			<-p.ended
			if w, err := os.OpenFile(f.out("fifo"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
		}()
		r, err = os.Open(f.out("fifo"))
	} else {
		var w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return nil, e, err
		}
		p = f.start(f.dir, f.target.steps[0], w)
		w.Close()
	}
	if err != nil {
		return nil, f.ended(p), err
	}
	data, err = read(r)
	r.Close()
	return data, f.ended(p), err
}
