package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"baca/algo"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/weights"
)

// checkState reports flags that do not go with --state.
func (f *scoreFlags) checkState() error {
	switch {
	case f.state == "":
		return nil
	case f.options.By != algo.ByAttention:
		return usage.Errorf("--state: it keeps what the attention learned, so it wants --by %s", algo.ByAttention)
	case f.resume || f.shard != "":
		return usage.Errorf("--state: a batch changes it, so neither --resume nor --shard goes with it")
	}
	for _, other := range []struct{ flag, name string }{{"--out", f.out}, {"--rejects", f.rejects}, {"the input", f.path}, {"--model", f.model}} {
		if other.name != "" && samePath(f.state, other.name) {
			return usage.Errorf("--state and %s are both %s: want two files", other.flag, f.state)
		}
	}
	return nil
}

// openState makes the scorer go on from --state, where that is there, and keeps other
// processes from using it until release is called. model is the SHA-256 of the model.
func (f *scoreFlags) openState(s *algo.Scorer, model string) (release func(), err error) {
	if f.state == "" {
		return func() {}, nil
	}
	if release, err = replace.Alone(f.state+".lock", f.state); err == nil {
		if err = f.readState(s, model); err == nil {
			return release, nil
		}
		release()
	}
	return nil, fmt.Errorf("--state %s: %w", f.state, err)
}

func (f *scoreFlags) readState(s *algo.Scorer, model string) error {
	data, err := readLimited(f.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	state, err := weights.LoadState(data, model)
	if err != nil {
		return err
	}
	return s.Resume(state)
}

// saveState writes what the batch left, if there was one.
func (f *scoreFlags) saveState(s *algo.Scorer, model string) error {
	state := s.State()
	if f.state == "" || state == nil {
		return nil
	}
	err := replace.File(f.state, func(w io.Writer) error { return weights.SaveState(w, state, model) })
	if err != nil {
		return fmt.Errorf("--state %s: %w", f.state, err)
	}
	return nil
}
