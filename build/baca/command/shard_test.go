package command

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/lock"
)

// A process that has one of the shards is killed in the midst of its work, and
// started again. The shards that were finished are not touched.
func TestKilledShard(t *testing.T) {
	name := killable(t)
	var text bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40_000 {
		fmt.Fprintln(&text, strings.Repeat("C", 1+rng.IntN(5))+strings.Repeat("O", rng.IntN(3)))
	}
	if err := os.WriteFile(name("in.smi"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := func(more ...string) []string {
		return append([]string{"score", "--model", name("model.msgpack"), name("in.smi")}, more...)
	}
	do := func(args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		if code := run(nil, args, nil, io.Discard, &stderr); code != 0 {
			t.Fatalf("%v: exit status %d: %s", args, code, &stderr)
		}
	}
	shard := func(i int) []string { return args("--out", name("out"), "--shard", fmt.Sprintf("%d/2", i)) }
	do(args("--out", name("whole.csv"))...)
	do(shard(0)...)
	finished, err := os.Stat(name("out/scores-00000-of-00002.csv"))
	if err != nil {
		t.Fatal(err)
	}

	c, _, _ := startRun(t, shard(1)...)
	ended := until(t, c, func() bool {
		parts, err := filepath.Glob(name("out/scores-00001-of-00002.csv.part*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(parts) == 0 {
			return false
		}
		info, err := os.Stat(parts[0])
		return err == nil && info.Size() > 0
	})
	c.Process.Kill()
	<-ended
	if _, err := os.Stat(name("out/done-00001-of-00002.json")); err == nil {
		t.Fatal("the shard was finished before the process was killed")
	}

	refuse(t, exitFailure, "no rows that can be used of 1 of 2 shards", "merge", name("out"))
	// While another process is at work on a shard, its unfinished files are left alone.
	release, err := lock.Acquire(name("out/shard-00001-of-00002.lock"))
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, exitFailure, fmt.Sprintf("shard-00001-of-00002.lock: held by process %d on ", os.Getpid()), shard(1)...)
	if left, err := filepath.Glob(name("out/scores-00001-of-00002.csv.part*")); err != nil || len(left) != 1 {
		t.Errorf("of the other's unfinished files %v are left, %v", left, err)
	}
	release()
	do(shard(0)...)
	do(shard(1)...)
	do("merge", name("out"))
	if !bytes.Equal(read(t, name("out/scores.csv")), read(t, name("whole.csv"))) {
		t.Error("other rows than those of one process")
	}
	again, err := os.Stat(name("out/scores-00000-of-00002.csv"))
	if err != nil || !os.SameFile(finished, again) || !finished.ModTime().Equal(again.ModTime()) {
		t.Errorf("a finished shard was done again (%v)", err)
	}
	for _, pattern := range []string{"out/*.part*", "out/*.lock"} {
		if left, err := filepath.Glob(name(pattern)); err != nil || len(left) > 0 {
			t.Errorf("unfinished work is left: %v, %v", left, err)
		}
	}
}
