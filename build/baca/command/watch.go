package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/build/internal/lock"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// watchFlags are those of `baca score --watch`.
type watchFlags struct {
	folder string
	every  time.Duration
}

func (f *watchFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.folder, "watch", "", "score each file that comes into this `folder`, see above")
	fs.DurationVar(&f.every, "every", 2*time.Second, "time between two looks of --watch")
}

// The names of what a watch writes: behind that of the input.
const (
	scoresExt = ".scores."
	errorExt  = ".error.txt"
	watchLock = ".baca-watch"
)

// retryAfter is when a file is tried again that could not be read or whose rows could not be
// written.
const retryAfter = time.Minute

// A stamp tells a file from what it was before. Folders of other machines send no notice of
// changes, so a watch looks.
type stamp struct {
	size int64
	time time.Time
}

// A watch scores the files of a folder.
type watch struct {
	scoreFlags
	command *cobra.Command
	to      string           // folder of the rows
	seen    map[string]stamp // at the last look
	done    map[string]stamp // what was scored, or failed for good
	later   map[string]time.Time
	scored  int
	broken  string // why the last look failed
}

func (f *scoreFlags) runWatch(c *cobra.Command, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	switch {
	case len(args) > 0:
		return usage.Errorf("--watch %s and the input %s: want one of them", f.watch.folder, args[0])
	case f.shard != "" || f.resume || f.rejects != "" || len(f.failOn.words) > 0:
		return usage.Errorf("--watch: none of --shard, --resume, --rejects and --fail-on goes with it")
	case f.watch.every <= 0:
		return usage.Errorf("--every %v: want more", f.watch.every)
	}
	w := &watch{scoreFlags: *f, command: c, to: f.out, seen: map[string]stamp{}, done: map[string]stamp{}, later: map[string]time.Time{}}
	if w.to == "" {
		w.to = f.watch.folder
	}
	if _, err := os.ReadDir(f.watch.folder); err != nil {
		return err
	}
	if err := os.MkdirAll(w.to, 0o777); err != nil {
		return err
	}
	// A model that cannot be read is no reason to refuse files.
	if _, err := openModel(f.model); err != nil {
		return err
	}
	release, err := lock.Acquire(filepath.Join(w.to, watchLock))
	switch {
	case err == nil:
		defer release()
	case !errors.Is(err, errors.ErrUnsupported):
		return fmt.Errorf("%s is written by another --watch: %w", w.to, err)
	}
	return w.run(c.Context())
}

// run looks until ctx ends, which is no error.
func (w *watch) run(ctx context.Context) error {
	fmt.Fprintf(w.command.ErrOrStderr(), "watching %s, rows go to %s (Ctrl-C ends it)\n", w.watch.folder, w.to)
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			fmt.Fprintf(w.command.ErrOrStderr(), "scored %s\n", explain.Count(w.scored, "file"))
			return nil
		case <-time.After(w.watch.every):
		}
	}
}

// look scores the files that are complete. A folder that cannot be read may come back.
func (w *watch) look(ctx context.Context) {
	entries, err := os.ReadDir(w.watch.folder)
	if err != nil {
		if err.Error() != w.broken {
			fmt.Fprintf(w.command.ErrOrStderr(), "%v; looking again every %v\n", err, w.watch.every)
		}
		w.broken = err.Error()
		return
	}
	w.broken = ""
	now := map[string]stamp{}
	var complete []string
	for _, e := range entries {
		name := e.Name()
		if !watched(name) {
			continue
		}
		s, ok := stampOf(filepath.Join(w.watch.folder, name))
		if !ok || s.size == 0 {
			continue // it is gone, no file, or yet to be filled
		}
		now[name] = s
		if w.seen[name] == s && w.done[name] != s && time.Now().After(w.later[name]) {
			complete = append(complete, name)
		}
	}
	w.seen = now
	for name := range w.done {
		if _, there := now[name]; !there {
			delete(w.done, name)
		}
	}
	for _, name := range complete {
		if ctx.Err() != nil {
			return
		}
		w.file(ctx, name, now[name])
	}
}

// watched tells files that may hold molecules or graphs from others by their names.
func watched(name string) bool {
	plain := dataset.PlainName(strings.ToLower(name))
	ext := filepath.Ext(plain)
	return !strings.HasPrefix(name, ".") && ext != ".txt" && slices.Contains(dataset.Extensions(), ext) &&
		!strings.Contains(plain, scoresExt)
}

func stampOf(path string) (stamp, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime()}, true
}

// file scores a file, unless an earlier watch has.
func (w *watch) file(ctx context.Context, name string, s stamp) {
	path, rows := filepath.Join(w.watch.folder, name), filepath.Join(w.to, name+scoresExt+w.scoreFlags.to)
	failed := filepath.Join(w.to, name+errorExt)
	if _, again := w.done[name]; !again && (newer(rows, s) || newer(failed, s)) {
		w.done[name] = s
		return
	}
	stderr := w.command.ErrOrStderr()
	fmt.Fprintf(stderr, "%s:\n", path)
	part := filepath.Join(w.to, "."+name+scoresExt+"part")
	defer os.Remove(part)
	defer os.Remove(part + checkpointExt)
	err := w.score(path, part)
	if ctx.Err() != nil {
		return
	}
	if now, ok := stampOf(path); !ok || now != s {
		fmt.Fprintf(stderr, "%s changed while it was read\n", path)
		return // the next looks see when it is complete
	}
	if err == nil {
		if err = publish(part, rows, s); err == nil {
			os.Remove(failed)
			w.done[name], w.scored = s, w.scored+1
			return
		}
	}
	fmt.Fprintf(stderr, "%v\n", err)
	if wrong := new(fs.PathError); errors.As(err, &wrong) {
		w.later[name] = time.Now().Add(retryAfter)
		return
	}
	os.Remove(rows)
	if err := replace.Bytes(failed, []byte(err.Error()+"\n")); err == nil {
		os.Chtimes(failed, time.Time{}, s.time)
	}
	w.done[name] = s
}

// score writes the rows of a file to another one, which may have been left unfinished.
func (w *watch) score(path, part string) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	os.Remove(part + checkpointExt)
	f := w.scoreFlags
	f.path, f.out = path, part
	return f.run(w.command)
}

// publish gives the rows their name, and the time of the input, so that a change of that is newer.
func publish(part, rows string, s stamp) error {
	if err := os.Chtimes(part, time.Time{}, s.time); err != nil {
		return err
	}
	return os.Rename(part, rows)
}

// newer tells whether a file is there and no older than a stamp, as far as disks keep times:
// FAT to two seconds.
func newer(path string, s stamp) bool {
	info, err := os.Stat(path)
	return err == nil && !info.ModTime().Before(s.time.Add(-2*time.Second))
}
