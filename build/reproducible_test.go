package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/try"
)

// The same commit makes the same program in any folder, which names the commit. The page
// is left out, since it takes long to build: package page checks its program.
func TestBuildsAreReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command twice")
	}
	for _, tool := range []string{"git", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	names := []string{"baca", "baca-paper"}
	var programs [2][2][]byte
	for i := range programs {
		dir := filepath.Join(t.TempDir(), "baca")
		commit := clone(t, dir)
		run(t, dir, "make", "-o", "page", "build")
		for k, name := range names {
			path := filepath.Join(dir, "bin", name)
			data := try.To(os.ReadFile(path))
			programs[i][k] = data
			if says := run(t, dir, path, "version"); !strings.HasPrefix(says, name+" ") || !strings.Contains(strings.SplitN(says, "\n", 2)[0], "+"+commit[:12]) {
				t.Errorf("%s built from commit %s is %s", name, commit, says)
			}
		}
	}
	for k, name := range names {
		if !bytes.Equal(programs[0][k], programs[1][k]) {
			t.Errorf("two folders give two programs %s", name)
		}
	}
}

// clone makes a repository of these files in dir, with a page that has none, and returns
// its commit.
func clone(t *testing.T, dir string) string {
	t.Helper()
	listed := run(t, "..", "git", "ls-files", "-co", "--exclude-standard", "-z")
	for _, name := range strings.Split(strings.TrimRight(listed, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) {
			continue // deleted, but not yet from the index
		}
		try.Check(err)
		write(t, filepath.Join(dir, name), data)
	}
	write(t, filepath.Join(dir, "web", "site", "files.json"), []byte("[]"))
	run(t, dir, "git", "init", "--quiet")
	run(t, dir, "git", "add", "--all")
	run(t, dir, "git", "commit", "--quiet", "--message", "test")
	return run(t, dir, "git", "rev-parse", "HEAD")
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	try.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	try.Check(os.WriteFile(name, data, 0o666))
}

// run returns what a command prints in dir. Commits of the same files are the same.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		c.Env = append(c.Env, "GIT_"+role+"_NAME=test", "GIT_"+role+"_EMAIL=test@example.org", "GIT_"+role+"_DATE=2000-01-01T00:00:00Z")
	}
	c.Env = append(os.Environ(), c.Env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
