package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Over all choices of signs, which are equally likely where nothing has changed, the
// interval holds 0 in at least 95 of 100.
func TestIntervalHoldsTheCentre(t *testing.T) {
	for n := minPairs; n <= 12; n++ {
		held := 0
		for signs := range 1 << n {
			differences := make([]float64, n)
			for i := range differences {
				differences[i] = math.Pow(1.7, float64(i))
				if signs>>i&1 == 1 {
					differences[i] *= -1
				}
			}
			middle, low, high := centre(differences)
			if low > middle || middle > high {
				t.Fatalf("%v has its centre %g outside [%g, %g]", differences, middle, low, high)
			}
			if low <= 0 && 0 <= high {
				held++
			}
		}
		if share := float64(held) / float64(int(1)<<n); share < 0.95 || share == 1 {
			t.Errorf("%d pairs: the interval holds the centre in %.4f of all cases", n, share)
		}
	}
	if middle, low, high := centre([]float64{1, 2, 3, 4, 5, 6, 7, 8}); middle != 4.5 || low != 2 || high != 7 {
		t.Errorf("the centre of 1 to 8 is %g [%g, %g], want 4.5 [2, 7]", middle, low, high)
	}
}

// fake writes a program that lists benchmarks and says how long each took: so many
// nanoseconds, and a little more from run to run.
func fake(t *testing.T, dir string, names string, ns map[string]int) {
	t.Helper()
	var cases strings.Builder
	for name, n := range ns {
		fmt.Fprintf(&cases, "*bench=^Benchmark%s\\$*) echo \"Benchmark%s/sub 1 $((%d + n %% 3)) ns/op\" ;;\n", name, name, n)
	}
	script := "#!/bin/sh\ncase \"$*\" in *-test.list*) echo '" + names + "'; exit;; esac\n" +
		"n=$(($(cat \"$0.count\" 2>/dev/null || echo 0) + 1)); echo $n >\"$0.count\"\n" +
		"case \"$*\" in\n*Broken*) exit 3 ;;\n" + cases.String() + "esac\n"
	if err := os.WriteFile(filepath.Join(dir, "fake"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
}

// A pair of programs whose times are known.
func TestDuel(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	d := &duel{pairs: 8, out: io.Discard}
	for k, ns := range []map[string]int{
		{"Same": 100_000, "Slower": 100_000, "Little": 100_000, "Faster": 100_000},
		{"Same": 100_000, "Slower": 130_000, "Little": 102_000, "Faster": 50_000},
	} {
		dir := t.TempDir()
		d.sides[k] = tree{dir, dir}
		fake(t, dir, "", ns)
	}
	b := bout{folder: ".", program: "fake"}
	d.match(b, []string{"BenchmarkSame", "BenchmarkSlower", "BenchmarkLittle", "BenchmarkFaster", "BenchmarkBroken", "BenchmarkGone"},
		[]string{"BenchmarkSame", "BenchmarkSlower", "BenchmarkLittle", "BenchmarkFaster", "BenchmarkBroken", "BenchmarkNew"})
	var out bytes.Buffer
	err := d.fight(context.Background(), &out)
	if err == nil || !strings.Contains(err.Error(), "1 of 4 benchmarks became slower") {
		t.Errorf("the verdict is %v", err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Slower/sub 100 µs 130 µs 1.300 1.300 to 1.300 SLOWER",
		"Little/sub 100 µs 102 µs 1.020 1.020 to 1.020 a little slower",
		"Faster/sub 100 µs 50.0 µs 0.500 0.500 to 0.500 faster",
		"Same/sub 100 µs 100 µs 1.000 1.000 to 1.000 same",
		"BenchmarkGone of . does not exist now", "BenchmarkNew of . does not exist before", "BenchmarkBroken of . is not compared: fake: exit status 3",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// A revision lies in a folder of its own, also its programs, until it is removed, even
// after an interruption.
func TestCheckout(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		c.Dir = root
		out, err := c.CombinedOutput()
		if err != nil {
			t.Skipf("git %s: %v: %s", args[0], err, out)
		}
		return string(out)
	}
	git("init", "-q")
	path := filepath.Join(root, "file")
	for _, text := range []string{"old", "new"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		git("add", "file")
		git("commit", "-q", "-m", text)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	old, remove, err := checkout(ctx, root, "HEAD~1", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(old.root, "file")); string(text) != "old" || !exists(old.bin) {
		t.Errorf("the revision holds %q (%v), want the old file", text, err)
	}
	cancel()
	remove()
	if exists(old.root) || strings.Count(git("worktree", "list"), "\n") != 1 {
		t.Errorf("the revision is still there: %s", git("worktree", "list"))
	}
	if _, _, err := checkout(context.Background(), root, "nothing", t.TempDir()); err == nil || !strings.Contains(err.Error(), "revision nothing") {
		t.Errorf("a revision that is not there: %v", err)
	}
}
