package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"baca/build/internal/try"
)

// A side is one of the two programs: that of the other commit, or that of the working tree.
type side struct {
	tree   string // folder of its source
	home   string // folder where it is built and runs
	in     string // folder of the inputs
	tool   string // folder of this package's scripts
	python string // the Python interpreter, or empty
}

// findPython returns a Python interpreter that can import what the Python package needs, or "".
func findPython() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} { // Debian installs packages for its own Python
		if exec.Command(name, "-c", "import numpy, pandas").Run() == nil {
			return name
		}
	}
	return ""
}

// build builds the command, and the Python package with the command in it. With packages it also builds all packages.
func (s *side) build(ctx context.Context, packages bool) {
	const commit = "same" // in versions
	tags := ""
	if packages {
		tags = "page"
		s.must(ctx, "make", "page", "python", "npm", "FAST=-fast", "COMMIT="+commit)
	}
	program, module := filepath.Join(s.home, "bin", "baca"), filepath.Join(s.home, "python", "baca")
	flags := "-ldflags=-X baca/build/internal/version.commit=" + commit
	s.must(ctx, "go", "build", "-trimpath", "-buildvcs=false", flags, "-tags="+tags, "-o", program, "./build/baca")
	try.Check(os.CopyFS(module, os.DirFS(filepath.Join(s.tree, "build", "python", "baca"))))
	try.Check(os.Mkdir(filepath.Join(module, "bin"), 0o777))
	try.Check(os.Symlink(program, filepath.Join(module, "bin", "baca")))
}

// must runs a command in the tree. It fails if the command fails.
func (s *side) must(ctx context.Context, name string, args ...string) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = s.tree, append(os.Environ(), "CGO_ENABLED=0")
	try.Check(finish(c))
}

// inputs makes the inputs of both sides, by a script of the working tree.
func (s *side) inputs(ctx context.Context) {
	try.Check(os.Mkdir(s.in, 0o777))
	try.Check(finish(s.shell(ctx, s.in, "-e", filepath.Join(s.tool, "inputs.sh"))))
}

// finish runs a command. The error has what the command wrote.
func finish(c *exec.Cmd) error {
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	return nil
}

// shell returns a command that runs the shell in a folder, with the side's programs in its path.
func (s *side) shell(ctx context.Context, dir string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", args...)
	c.Dir, c.WaitDelay = dir, 5*time.Second
	c.Env = append(os.Environ(), "PATH="+filepath.Join(s.home, "bin")+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8", "BACA_TOKEN=",
		"TREE="+s.tree, "TOOL="+s.tool, "PYTHON="+s.python, "PYTHONPATH="+filepath.Join(s.home, "python"), "PYTHONDONTWRITEBYTECODE=1")
	return c
}

// An answer has the texts of a result by what they are, such as exit status, stdout or files/rows.csv.
type answer map[string]string

// limit is the time after which a line counts as hanging.
const limit = 2 * time.Minute

// answers runs a task, and returns the answer of its line and then that of each request.
func (s *side) answers(ctx context.Context, t task) []answer {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: still runs after %v", t.line, limit))
	defer cancel()
	dir := try.To(os.MkdirTemp(s.home, "line"))
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "files")
	try.Check(os.Mkdir(work, 0o777))
	try.Check(os.Symlink(s.in, filepath.Join(work, "in")))
	c := s.shell(ctx, work, "-c", t.line)
	if t.requests != nil {
		c.Args[2] = "exec " + t.line // so that the server gets the interrupt
	}
	stdout, stderr := try.To(os.Create(filepath.Join(dir, "stdout"))), try.To(os.Create(filepath.Join(dir, "stderr")))
	defer stdout.Close()
	defer stderr.Close()
	c.Stdout, c.Stderr = stdout, stderr
	try.Check(c.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Wait() // the exit status is compared
	}()
	list := make([]answer, 1)
	if t.requests != nil {
		address := listening(ended, stderr.Name())
		for _, r := range t.requests {
			list = append(list, s.ask(ctx, address, r))
		}
		c.Process.Signal(os.Interrupt)
	}
	<-ended
	try.Check(context.Cause(ctx))
	list[0] = s.gather(dir)
	list[0]["exit status"] = fmt.Sprintln(c.ProcessState.ExitCode())
	return list
}

// gather returns the files in a folder. For programs, which change with their source, it returns the size only.
func (s *side) gather(dir string) answer {
	a := answer{}
	try.Check(fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		name = s.plain(name)
		if program.MatchString(name) {
			a[sizeOf+name] = fmt.Sprint(len(data))
		} else {
			a[name] = s.plain(string(data))
		}
		return err
	}))
	return a
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// listening waits until a server has written its address to the file stderr, and returns the address, or "" if the
// server ends before.
func listening(ended <-chan struct{}, stderr string) string {
	for {
		if found := address.Find(try.To(os.ReadFile(stderr))); found != nil {
			return string(found)
		}
		select {
		case <-ended:
			return ""
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// field matches a header field, in which + stands for a blank.
var field = regexp.MustCompile(`^([A-Z][\w-]*):(\S+) ?`)

// ask sends a request and returns the answer. text has a method, a path, header fields, and a body or @in/NAME, an input.
func (s *side) ask(ctx context.Context, address, text string) answer {
	method, text, _ := strings.Cut(text, " ")
	path, text, _ := strings.Cut(text, " ")
	header := http.Header{}
	for m := field.FindStringSubmatch(text); m != nil; m = field.FindStringSubmatch(text) {
		header.Add(m[1], strings.ReplaceAll(m[2], "+", " "))
		text = text[len(m[0]):]
	}
	if name, isFile := strings.CutPrefix(text, "@in/"); isFile {
		text = string(try.To(os.ReadFile(filepath.Join(s.in, name))))
	}
	r := try.To(http.NewRequestWithContext(ctx, method, address+path, strings.NewReader(text)))
	r.Header, r.Host = header, header.Get("Host")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{"error": s.plain(err.Error())}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	response.Header.Del("Date")
	var fields strings.Builder
	response.Header.Write(&fields)
	return answer{"status": response.Status, "header": fields.String(), "body": s.plain(string(body)), "error": fmt.Sprint(err)}
}
