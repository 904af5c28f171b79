package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"baca/algo/table"
	"baca/build/internal/replace"
	"baca/build/internal/sealed"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// A scoreState is the progress of `baca score`. It does not hold the batch, which takes only seconds to compute again.
type scoreState struct {
	table.Tally
	Out     int64 `json:"out"`     // bytes of --out that its rows have
	Rejects int64 `json:"rejects"` // bytes of --rejects; 0 without it

	Shown []string `json:"shown"` // the first refused records, as they are shown

	// The first Read bytes of the input, whose SHA-256 is Digest, gave these rows. Sample is the SHA-256 of the whole
	// input if a sample formed a batch.
	Read   int64  `json:"read"`
	Digest string `json:"digest"`
	Sample string `json:"sample,omitempty"`
}

// A runIdentity is what rows depend on. A run can only be resumed if it is the same.
type runIdentity struct {
	Program string `json:"program"`
	Model   string `json:"model"` // SHA-256 of the model's file
	Input   string `json:"input"` // size of a file, whose content a scoreState knows, or SHA-256 of a TUDataset set
	Flags   string `json:"flags"`
	Device  string `json:"device,omitempty"` // empty for the processor
}

type scoreCheckpoint struct {
	Run  runIdentity `json:"run"`
	Done scoreState  `json:"done"`
}

// identify sets the identity of the run. The seed is part of it only for a batch.
func (s *scoring) identify() (err error) {
	without := []string{"model", "out", "seed"}
	if s.batch() {
		without = without[:2]
	}
	s.identity = runIdentity{Program: version.String(), Model: hashOf(s.data), Flags: s.settings(without...)}
	if d := s.model.Encoder.Device; d != nil {
		s.identity.Device = d.String()
	}
	if s.source.file != nil {
		s.identity.Input = fmt.Sprintf("%d bytes", s.source.file.opened.Size())
	} else if s.files != nil {
		s.identity.Input, err = s.files.Sum()
	}
	return err
}

// fits returns an error if the present run, now, would give other rows than the earlier run r.
func (r runIdentity) fits(now runIdentity) error {
	switch {
	case r.Program != now.Program:
		return fmt.Errorf("baca %s wrote it, and this is baca %s", r.Program, now.Program)
	case r.Model != now.Model:
		return fmt.Errorf("it belongs to another model (SHA-256 %.12s…, this one has %.12s…)", r.Model, now.Model)
	case r.Input != now.Input:
		return fmt.Errorf("the input has changed since: it had %.24s, now it has %.24s", r.Input, now.Input)
	case r.Device != now.Device:
		return fmt.Errorf("the run used another device (%s, now %s), which rounds otherwise",
			cmp.Or(r.Device, "processor"), cmp.Or(now.Device, "processor"))
	case r != now:
		return errors.New("the run had other flags")
	}
	return nil
}

// Endings of the names of files beside --out.
const (
	checkpointExt = ".checkpoint"
	lockExt       = ".lock"
)

// checkpointRows is the number of rows between checkpoints. Tests lower it.
var checkpointRows = 16384

// save writes a checkpoint if the run can be resumed and enough rows were written since the last one.
func (s *scoring) save() error {
	s.done.Tally = s.Tally
	if !s.resumable || s.done.Records < s.saved+checkpointRows {
		return nil
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.saved = s.done.Records
	if f := s.source.file; f != nil {
		s.done.Read, s.done.Digest, s.done.Sample = f.read.Load(), f.digest(), f.sample
	}
	return replace.File(s.checkpoint, func(w io.Writer) error {
		return sealed.Write(w, scoreCheckpoint{Run: s.identity, Done: s.done})
	})
}

// settle syncs the outputs, and records how long they are.
func (s *scoring) settle() (err error) {
	if s.done.Out, err = s.written.settle(); err == nil {
		s.done.Rejects, err = s.refused.settle()
	}
	return err
}

// settle syncs a regular file, and returns its length. It returns 0 for nil and for other files.
func (o *output) settle() (int64, error) {
	if o == nil || !o.regular {
		return 0, nil
	}
	if err := o.Sync(); err != nil {
		return 0, written(o.name, err)
	}
	return o.intact()
}

// conclude ends a complete run: it removes the checkpoint and gives the outputs their names. A run without records has
// opened no outputs.
func (s *scoring) conclude() error {
	if err := s.settle(); err != nil {
		return err
	}
	// If the run is killed between these steps, the next one starts anew.
	if err := forget(s.checkpoint); err != nil || s.done.Records == 0 {
		return err
	}
	return cmp.Or(s.refused.finish(), s.written.finish())
}

// restore finds out whether the run can be resumed. It can if the input can be read again and outputs can be cut. With --resume it
// continues from the checkpoint of an earlier run, if there is one. It returns an error if that does not fit.
func (s *scoring) restore() error {
	s.resumable = s.records.Again != nil && s.fdr == 0 && len(s.paths) == 1 && table.Lines(s.to) && len(s.names) == 1
	if s.resume && s.records.Again == nil {
		return usage.Errorf("--resume: the input %s is no regular file or folder, and cannot be read again", s.paths[0])
	}
	for _, o := range []*output{s.refused, s.written} {
		if o != nil && !o.regular {
			s.resumable = false
			if s.resume {
				return usage.Errorf("--resume: %s is no regular file, so a run cannot be resumed there", o.name)
			}
		}
	}
	if s.written == nil || !s.written.regular {
		s.resumable = false
		return nil
	}
	s.checkpoint = s.out + checkpointExt
	if err := s.identify(); err != nil {
		return err
	}
	data, err := readLimited(s.checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		if s.resume {
			fmt.Fprintf(s.stderr, "no checkpoint %s: starting from the first row\n", s.checkpoint)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !s.resume {
		s.discard = true // once there is a row
		return nil
	}
	var c scoreCheckpoint
	if err = sealed.Read(data, &c); err == nil {
		err = c.Run.fits(s.identity)
	}
	if err == nil {
		err = c.Done.check(s.written, s.refused)
	}
	if err == nil && s.source.file != nil {
		err = s.source.file.began(c.Done)
	}
	if err != nil {
		return fmt.Errorf("cannot resume from %s: %w; without --resume the run starts from the first row", s.checkpoint, err)
	}
	s.done, s.saved, s.Skip = c.Done, c.Done.Records, c.Done.Records
	fmt.Fprintf(s.stderr, "resuming after row %d\n", s.done.Records)
	return nil
}

// check returns an error if the outputs are shorter than the checkpoint says, or if it says that there are no rows.
func (d scoreState) check(out, rejects *output) error {
	for _, f := range []struct {
		*output
		want int64
	}{{out, d.Out}, {rejects, d.Rejects}} {
		if f.output == nil {
			continue
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if f.want <= 0 || d.Records <= 0 || info.Size() < f.want {
			return fmt.Errorf("%s has %d bytes, it had %d", f.at, info.Size(), f.want)
		}
	}
	return nil
}

// forget removes the checkpoint of a finished run, and what it left behind.
func forget(checkpoint string) error {
	replace.Clean(checkpoint)
	if err := os.Remove(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
