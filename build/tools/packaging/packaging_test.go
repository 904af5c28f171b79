// Package packaging only holds examples of how to run the program elsewhere, and
// what checks them.
package packaging

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestMain is also sbatch and parallel, as far as the examples need them: they run
// the tasks of a job one after the other, in this process.
func TestMain(m *testing.M) {
	switch os.Getenv("BACA_TEST_AS") {
	case "sbatch":
		os.Exit(sbatch(os.Args[1:]))
	case "parallel":
		os.Exit(parallel(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// task runs one process of a job.
func task(env []string, name string, args ...string) int {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	err := c.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	return 0
}

// sbatch --array=0-LAST SCRIPT
func sbatch(args []string) int {
	last, err := strconv.Atoi(strings.TrimPrefix(args[0], "--array=0-"))
	if err != nil {
		panic(err)
	}
	status := 0
	for k := range last + 1 {
		status = max(status, task([]string{fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", k), "SLURM_CPUS_PER_TASK=1"}, "sh", args[1]))
	}
	return status
}

// parallel --jobs N COMMAND… ::: FILE…
func parallel(args []string) int {
	end := slices.Index(args, ":::")
	status := 0
	for _, file := range args[end+1:] {
		fill := strings.NewReplacer("{.}", strings.TrimSuffix(file, filepath.Ext(file)), "{}", file)
		var command []string
		for _, word := range args[2:end] {
			command = append(command, fill.Replace(word))
		}
		status = max(status, task(nil, "sh", "-c", strings.Join(command, " ")))
	}
	return status
}

// baca is the program as the images and the archives have it: without C.
var baca = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "baca")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "baca")
	c := exec.Command("go", "build", "-o", name, "baca/build/baca")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return name, nil
})

// An array job on parts of a library gives the rows of one process, but for the places in errors.
func TestArrayJobs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the examples are scripts of a Unix shell with GNU split")
	}
	program, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("array")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var library strings.Builder
	for i := range 200 {
		fmt.Fprintf(&library, "C%s%s m%d\n", strings.Repeat("C", i%9), []string{"O", "N", "(=O)O", "c1ccccc1", "("}[i%5], i)
	}
	place := regexp.MustCompile(`[a-z]+(-\d+)?\.smi:\d+`)
	for name, line := range map[string]string{"sbatch": "sbatch --array=0-3 %s/score.sbatch", "parallel": "%s/parallel.sh"} {
		t.Run(name, func(t *testing.T) {
			folder, bin := t.TempDir(), t.TempDir()
			script := fmt.Sprintf("#!/bin/sh\nBACA_TEST_AS=%s exec %q \"$@\"\n", name, self)
			if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "library.smi"), []byte(library.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			sh := func(line string) []byte {
				t.Helper()
				c := exec.Command("sh", "-ec", line)
				c.Dir, c.Env = folder, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "BACA="+program)
				var stderr strings.Builder
				c.Stderr = &stderr
				out, err := c.Output()
				if err != nil {
					t.Fatalf("%s: %v\n%s", line, err, &stderr)
				}
				return out
			}
			want := sh("$BACA score library.smi")
			sh("split -n l/4 -d -a 2 --additional-suffix=.smi library.smi part-")
			sh(fmt.Sprintf(line, examples))
			sh(examples + "/join.sh")
			got, err := os.ReadFile(filepath.Join(folder, "scores.csv"))
			if err != nil {
				t.Fatal(err)
			}
			if parts, err := filepath.Glob(filepath.Join(folder, "part-*.csv")); err != nil || len(parts) != 4 {
				t.Errorf("parts %v, %v", parts, err)
			}
			if string(place.ReplaceAll(got, nil)) != string(place.ReplaceAll(want, nil)) {
				t.Error("other rows than those of one process")
			}
		})
	}
}

// The images hold static programs and run as nobody; what is copied is there, and
// what is built has a name in the repository.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	const root = "../../.."
	type stage struct{ from, user, entry string }
	stages := map[string]*stage{}
	var now *stage
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch words[0] {
		case "FROM":
			now = &stage{from: words[1]}
			stages[words[3]] = now
			if stages[words[1]] == nil && words[1] != "scratch" && (!strings.Contains(words[1], ":") || strings.HasSuffix(words[1], ":latest")) {
				t.Errorf("%s: want a version", line)
			}
		case "USER":
			now.user = words[1]
		case "ENTRYPOINT":
			now.entry = words[1]
		case "COPY":
			if from, ok := strings.CutPrefix(words[1], "--from="); ok {
				if stages[from] == nil {
					t.Errorf("%s: no such stage before", line)
				}
				continue
			}
			for _, name := range words[1 : len(words)-1] {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		case "RUN":
			if words[1] == "go" && strings.HasPrefix(words[len(words)-1], "./") {
				if _, err := os.Stat(filepath.Join(root, words[len(words)-1])); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		case "ARG", "ENV", "WORKDIR", "EXPOSE":
		default:
			t.Errorf("%s: not known to this test", line)
		}
	}
	for _, name := range []string{"baca", "baca-beam"} {
		s := stages[name]
		if s == nil || s.from != "scratch" || !slices.Contains([]string{`["/baca"]`, `["/opt/apache/beam/boot"]`}, s.entry) {
			t.Fatalf("stage %s is %+v", name, s)
		}
		if user, _, _ := strings.Cut(s.user, ":"); user == "0" || user == "" || strings.Trim(user, "0123456789") != "" {
			t.Errorf("stage %s runs as user %q, want a number that is not 0", name, s.user)
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	if want := "golang:" + string(version) + "-"; !strings.HasPrefix(stages["source"].from, want) {
		t.Errorf("image %s, want %s…", stages["source"].from, want)
	}
	if runtime.GOOS != "linux" {
		return
	}
	name, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	program, err := elf.NewFile(io.ReaderAt(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic linker, which the image does not have")
		}
	}
}
