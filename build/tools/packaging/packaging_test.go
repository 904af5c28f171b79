// Package packaging only holds examples of how to run the program elsewhere, and
// what checks them.
package packaging

import (
	"debug/elf"
	"encoding/json"
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

// TestMain is also sbatch and kubectl, as far as the examples need them: they run
// the tasks of a job at once, in this process.
func TestMain(m *testing.M) {
	switch os.Getenv("BACA_TEST_AS") {
	case "sbatch":
		os.Exit(sbatch(os.Args[1:]))
	case "kubectl":
		os.Exit(kubectl(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// state has a file with the exit status of each job.
func state() string { return os.Getenv("BACA_TEST_STATE") }

func finished(job string) (status int, found bool) {
	text, err := os.ReadFile(filepath.Join(state(), job))
	if err != nil {
		return 0, false
	}
	status, err = strconv.Atoi(string(text))
	return status, err == nil
}

func finish(job string, status int) {
	if err := os.WriteFile(filepath.Join(state(), job), []byte(strconv.Itoa(status)), 0o666); err != nil {
		panic(err)
	}
}

// task runs one process of a job.
func task(env []string, name string, args ...string) int {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), env...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
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

func sbatch(args []string) int {
	entries, err := os.ReadDir(state())
	if err != nil {
		panic(err)
	}
	id := strconv.Itoa(100 + len(entries))
	tasks, run := 1, true
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		name, value, _ := strings.Cut(args[0], "=")
		args = args[1:]
		switch name {
		case "--parsable":
		case "--array":
			last, err := strconv.Atoi(strings.TrimPrefix(value, "0-"))
			if err != nil {
				panic(err)
			}
			tasks = last + 1
		case "--dependency":
			kind, job, _ := strings.Cut(value, ":")
			status, found := finished(job)
			if !found {
				panic("no job " + job)
			}
			run = kind == "afterany" || kind == "afterok" && status == 0
		default:
			panic(name)
		}
	}
	status := 1 // of a job that never runs
	if run {
		status = 0
		for k := range tasks {
			env := []string{fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", k), fmt.Sprintf("SLURM_ARRAY_TASK_COUNT=%d", tasks), "SLURM_CPUS_PER_TASK=1"}
			status = max(status, task(env, "sh", args...))
		}
	}
	finish(id, status)
	fmt.Println(id)
	return 0
}

var (
	nameLine        = regexp.MustCompile(`(?m)^  name: (\S+)$`)
	completionsLine = regexp.MustCompile(`(?m)^  completions: (\d+)$`)
	commandLine     = regexp.MustCompile(`(?m)^          command: (\[.*\])$`)
)

func kubectl(args []string) int {
	job := func(a string) string { return strings.TrimPrefix(a, "job/") }
	switch args[0] {
	case "delete":
		os.Remove(filepath.Join(state(), args[len(args)-1]))
	case "apply":
		text, err := os.ReadFile(args[2])
		if err != nil {
			panic(err)
		}
		completions := 1
		if m := completionsLine.FindSubmatch(text); m != nil {
			completions, _ = strconv.Atoi(string(m[1]))
		}
		var command []string
		if err := json.Unmarshal(commandLine.FindSubmatch(text)[1], &command); err != nil {
			panic(err)
		}
		status := 0
		for k := range completions {
			var words []string
			for _, w := range command {
				w = strings.ReplaceAll(w, "$(JOB_COMPLETION_INDEX)", strconv.Itoa(k))
				if strings.HasPrefix(w, "/data/") {
					w = filepath.Join(os.Getenv("BACA_TEST_DATA"), w[len("/data/"):])
				}
				words = append(words, w)
			}
			if words[0] != "/baca" {
				panic(words[0])
			}
			status = max(status, task(nil, os.Getenv("BACA"), words[1:]...))
		}
		finish(string(nameLine.FindSubmatch(text)[1]), status)
	case "wait":
		status, found := finished(job(args[len(args)-1]))
		if !found || (args[1] == "--for=condition=Complete") != (status == 0) {
			return 1
		}
	case "logs":
	default:
		panic(args[0])
	}
	return 0
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

// as sets up a folder with the examples as a library, and this process as a program.
func as(t *testing.T, program string) (folder string, env []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the examples are scripts of a Unix shell")
	}
	name, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nBACA_TEST_AS=%s exec %q \"$@\"\n", program, self)
	if err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return folder, append(os.Environ(),
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "BACA="+name,
		"BACA_TEST_STATE="+t.TempDir(), "BACA_TEST_DATA="+folder)
}

// library writes molecules and returns what one process says of them.
func library(t *testing.T, name string) string {
	t.Helper()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "C%s%s m%d\n", strings.Repeat("C", i%9), []string{"O", "N", "(=O)O", "c1ccccc1", "("}[i%5], i)
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := exec.Command(program, "score", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(rows)
}

func run(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = env
	text, err := c.CombinedOutput()
	return string(text), err
}

func check(t *testing.T, folder, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(folder, "scores.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("other rows than those of one process")
	}
}

func TestSlurm(t *testing.T) {
	folder, env := as(t, "sbatch")
	input, out := filepath.Join(folder, "in.smi"), filepath.Join(folder, "scores")
	want := library(t, input)
	text, err := run(t, env, "slurm/submit.sh", "3", out, input)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	check(t, out, want)

	// What fails is named at the end, and nothing is joined.
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if text, err = run(t, env, "slurm/submit.sh", "3", out, input, input+".none"); err != nil || !strings.Contains(text, "none") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(out, "scores.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("rows were joined without the shards that failed (%v)", err)
	}
	if _, err := run(t, env, "slurm/submit.sh", "3"); err == nil {
		t.Error("no input, and no error")
	}
}

func TestKubernetes(t *testing.T) {
	folder, env := as(t, "kubectl")
	// The name does not say gzip: that is found out.
	want := library(t, filepath.Join(folder, "library.smi.gz"))
	text, err := run(t, env, "kubernetes/run.sh")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	check(t, filepath.Join(folder, "scores"), want)

	if err := os.Remove(filepath.Join(folder, "library.smi.gz")); err != nil {
		t.Fatal(err)
	}
	if text, err := run(t, env, "kubernetes/run.sh"); err == nil {
		t.Errorf("no input, and no error\n%s", text)
	}
	shards, err := os.ReadFile("kubernetes/shards.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The number stands in three places.
	if n := completionsLine.FindSubmatch(shards)[1]; !strings.Contains(string(shards), "/"+string(n)+`"`) || !strings.Contains(string(shards), "parallelism: "+string(n)) {
		t.Errorf("%s completions, and not as many shards", n)
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
