package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/build/internal/replace"
	"baca/build/internal/sealed"
	"baca/build/internal/version"
)

// A scoreState is the progress of `baca score`. A batch is not stored: it is recomputed in seconds.
type scoreState struct {
	Rows    int   `json:"rows"`    // written
	Out     int64 `json:"out"`     // bytes of --out with them
	Rejects int64 `json:"rejects"` // bytes of --rejects, 0 without
	Refused int   `json:"refused"`
	decide.Counts
	SetAside molecule.Asides `json:"set_aside,omitempty"`

	Shown []string `json:"shown"` // the first refused records, with carets

	// The first Read bytes of the input, with SHA-256 Digest, gave these rows. Sample is the whole
	// input's, where a sample formed a batch.
	Read   int64  `json:"read"`
	Digest string `json:"digest"`
	Sample string `json:"sample,omitempty"`
}

// A runIdentity is what rows depend on: resuming requires the same.
type runIdentity struct {
	Program    string `json:"program"`
	Model      string `json:"model"`            // SHA-256
	InputBytes int64  `json:"input_bytes"`      // of a file; a scoreState knows its content
	Graphs     string `json:"graphs,omitempty"` // SHA-256 of a TUDataset set's graphs
	Flags      string `json:"flags"`            // all except unrelatedFlags
	Device     string `json:"device,omitempty"` // empty for the processor
}

// unrelatedFlags do not affect rows. The seed does in a batch.
var unrelatedFlags = []string{"model", "workers", "device", "out", "rejects", "resume", "fail-on", "help"}

type scoreCheckpoint struct {
	Run  runIdentity `json:"run"`
	Done scoreState  `json:"done"`
}

// fingerprint describes the run.
func (f *scoreFlags) fingerprint(fs *pflag.FlagSet, x *opening) runIdentity {
	r := runIdentity{Program: version.String(), Model: hashOf(x.file), Graphs: x.graphs, Flags: fmt.Sprintf("form=%s rejects=%t", f.to, f.rejects != "")}
	fs.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(unrelatedFlags, flag.Name) && (flag.Name != "seed" || f.batch()) {
			r.Flags += fmt.Sprintf(" --%s %q", flag.Name, flag.Value)
		}
	})
	if d := x.model.Encoder.Device; d != nil {
		r.Device = d.String()
	}
	if x.input.file != nil {
		r.InputBytes = x.input.file.opened.Size()
	}
	return r
}

// fits refuses a run with other rows.
func (r runIdentity) fits(now runIdentity) error {
	switch {
	case r.Program != now.Program:
		return fmt.Errorf("it is of baca %s, this is %s", r.Program, now.Program)
	case r.Model != now.Model:
		return fmt.Errorf("it is of another model (SHA-256 %.12s…, this one has %.12s…)", r.Model, now.Model)
	case r.InputBytes != now.InputBytes:
		return fmt.Errorf("the input has changed since: it had %d bytes, now it has %d", r.InputBytes, now.InputBytes)
	case r.Graphs != now.Graphs:
		return errors.New("the input has changed since: it holds other graphs")
	case r.Device != now.Device:
		return fmt.Errorf("it is of a run on another device (%s, now %s), which rounds otherwise", cmp.Or(r.Device, "processor"), cmp.Or(now.Device, "processor"))
	case r != now:
		return errors.New("it is of a run with other flags")
	}
	return nil
}

// checkpointExt is appended to the name of --out.
const checkpointExt = ".checkpoint"

// checkpointRows are written between checkpoints. Tests lower it.
var checkpointRows = 16384

// save makes the rows durable, from time to time.
func (s *scoring) save() error {
	if !s.resumable || s.done.Rows < s.saved+checkpointRows {
		return nil
	}
	if err := s.settle(); err != nil {
		return err
	}
	s.saved = s.done.Rows
	if f := s.input.file; f != nil {
		s.done.Read, s.done.Digest, s.done.Sample = f.read, f.digest(), f.sample
	}
	return replace.File(s.checkpoint, func(w io.Writer) error {
		return sealed.Write(w, scoreCheckpoint{Run: s.run, Done: s.done})
	})
}

// settle syncs the rows, and finds their end.
func (s *scoring) settle() error {
	for _, o := range s.outs {
		if !o.regular {
			continue
		}
		if err := o.Sync(); err != nil {
			return written(o.name, err)
		}
		at, err := o.intact()
		if err != nil {
			return err
		}
		if o.flag == "--out" {
			s.done.Out = at
		} else {
			s.done.Rejects = at
		}
	}
	return nil
}

// conclude ends a complete run.
func (s *scoring) conclude() error {
	if err := s.settle(); err != nil {
		return err
	}
	return forget(s.checkpoint)
}

// restore reads an earlier checkpoint, if resume is set.
func (s *scoring) restore(resume bool) error {
	if s.checkpoint == "" {
		return nil
	}
	data, err := readLimited(s.checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		if resume {
			fmt.Fprintf(s.stderr, "no checkpoint %s: starting from the first row\n", s.checkpoint)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !resume {
		fmt.Fprintf(s.stderr, "discarding %s of an earlier run: starting from the first row, without --resume\n", s.checkpoint)
		return forget(s.checkpoint)
	}
	var c scoreCheckpoint
	if err = sealed.Read(data, &c); err == nil {
		err = c.Run.fits(s.run)
	}
	if err == nil {
		err = c.Done.check(s.outName, s.rejectsName)
	}
	if err == nil && s.input.file != nil {
		err = s.input.file.began(c.Done)
	}
	if err != nil {
		return fmt.Errorf("cannot resume from %s: %w; without --resume the run starts from the first row", s.checkpoint, err)
	}
	s.done, s.saved, s.options.Skip = c.Done, c.Done.Rows, c.Done.Rows
	fmt.Fprintf(s.stderr, "resuming after row %d\n", s.done.Rows)
	return nil
}

// check refuses outputs without the rows.
func (d scoreState) check(out, rejects string) error {
	for _, f := range []struct {
		name string
		want int64
	}{{out, d.Out}, {rejects, d.Rejects}} {
		if f.name == "" {
			continue
		}
		info, err := os.Stat(f.name)
		if err != nil {
			return err
		}
		if f.want <= 0 || d.Rows <= 0 || info.Size() < f.want {
			return fmt.Errorf("%s has %d bytes, it had %d", f.name, info.Size(), f.want)
		}
	}
	return nil
}

// forget removes a finished run's checkpoint and leftovers.
func forget(checkpoint string) error {
	replace.Clean(checkpoint)
	if err := os.Remove(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
