package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	kernelPackage = "./algo/internal/kernel"
	suitePackage  = "./build/tools/bench/suite"
	suiteFolder   = "build/tools/bench/suite/data"
)

// The sets that the benchmarks know.
var sets = []string{"mol/bbbp.csv.gz", "mol/bace.csv.gz", "tu/PTC_MR", "tu/MUTAG", "tu/BZR", "tu/COX2"}

// A tree is the project's files at one revision, with the programs built from them.
type tree struct {
	root string
	bin  string // folder of programs
}

// program is where a program of that name lies.
func (t tree) program(name string) string { return filepath.Join(t.bin, name) }

// test builds the test program of a package with the files of an overlay.
func (t tree) test(ctx context.Context, overlay, name, pkg string, env []string, flags ...string) error {
	args := append([]string{"test", "-c", "-trimpath", "-overlay", overlay, "-o", t.program(name)}, flags...)
	_, err := execute(ctx, t.root, env, "go", append(args, pkg)...)
	return err
}

// command builds the project's command, as the Makefile does but without the page.
func (t tree) command(ctx context.Context) (path string, err error) {
	path = t.program("baca")
	_, err = execute(ctx, t.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false", "-o", path, "./build/baca")
	return path, err
}

// overlay describes how files, by their path below the folder of the benchmarks' data,
// are laid over it.
func (t tree) overlay(files map[string]string) (path string, err error) {
	replace := map[string]string{}
	for name, from := range files {
		replace[filepath.Join(t.root, suiteFolder, name)] = from
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = t.program("overlay.json")
	return path, os.WriteFile(path, text, 0o666)
}

// present lists the files of the sets that a folder has, by their names in it, and says
// what it lacks.
func present(data string) (files map[string]string, lacks []string) {
	files = map[string]string{}
	for _, name := range sets {
		from := filepath.Join(data, name)
		if strings.HasPrefix(name, "mol/") {
			if _, err := os.Stat(from); err != nil {
				lacks = append(lacks, fmt.Sprintf("the example molecules stand for the set %s: %v", name, err))
			} else {
				files[name] = from
			}
			continue
		}
		inside, err := os.ReadDir(from)
		if err != nil {
			lacks = append(lacks, fmt.Sprintf("without the set %s: %v", name, err))
		}
		for _, f := range inside {
			files[filepath.Join(name, f.Name())] = filepath.Join(from, f.Name())
		}
	}
	return files, lacks
}

// checkout lays the files of a revision into a new folder below dir, beside what lies
// beside the project itself. remove takes them away, also once ctx is done.
func checkout(ctx context.Context, root, rev, dir string) (t tree, remove func(), err error) {
	t = tree{root: filepath.Join(dir, "tree"), bin: filepath.Join(dir, "bin")}
	if err := os.MkdirAll(t.bin, 0o777); err != nil {
		return t, nil, err
	}
	if _, err := execute(ctx, root, nil, "git", "worktree", "add", "--detach", t.root, rev); err != nil {
		return t, nil, fmt.Errorf("revision %s: %w", rev, err)
	}
	remove = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		execute(ctx, root, nil, "git", "worktree", "remove", "--force", t.root)
	}
	// Tests look for the public sets beside the project.
	if shared := filepath.Join(root, "..", "shared"); exists(shared) {
		if err := os.Symlink(shared, filepath.Join(dir, "shared")); err != nil {
			remove()
			return t, nil, err
		}
	}
	return t, remove, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// environment is this program's, without what would make the go command, which the
// wrappers of WebAssembly programs call, build for another system.
func environment(more []string) (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOOS=") && !strings.HasPrefix(v, "GOARCH=") && !strings.HasPrefix(v, "BACA_KERNEL=") {
			env = append(env, v)
		}
	}
	return append(env, more...)
}

// execute runs a command in a folder and returns what it writes to standard output. The
// error holds the end of what it writes to standard error.
func execute(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = dir, environment(env), 5*time.Second
	var out, message bytes.Buffer
	c.Stdout, c.Stderr = &out, &message
	err := c.Run()
	if err != nil {
		err = failure(name, err, cmp.Or(message.String(), out.String()))
	}
	return out.Bytes(), err
}

// failure adds to the error of a command the end of what it said.
func failure(name string, err error, said string) error {
	const most = 300
	text := strings.Join(strings.Fields(said), " ")
	if len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, text)
}
