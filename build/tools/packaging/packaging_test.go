// Package packaging only holds examples of how to run the program elsewhere, and what checks them.
package packaging

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"baca/algo"
	"baca/build/internal/try"
)

// sbatch runs the tasks of a job one after the other, as far as the example needs it.
const sbatch = `#!/bin/sh
for k in $(seq 0 "${1#--array=0-}"); do
	SLURM_ARRAY_TASK_ID=$k SLURM_CPUS_PER_TASK=1 sh "$2" || exit
done
`

// parallel runs a command for each file, one after the other.
const parallel = `#!/bin/sh
shift 2
while [ "$1" != ::: ]; do command="$command $1"; shift; done
shift
for file; do
	sh -c "$(echo "$command" | sed "s|{[.]}|${file%.*}|g; s|{}|$file|g")" || exit
done
`

// An array job on parts of a library, by a program without C, gives the rows of one process, but for the places in errors.
func TestArrayJob(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the example is a script of a Unix shell with GNU split")
	}
	examples := try.To(filepath.Abs("array"))
	folder, bin := t.TempDir(), t.TempDir()
	baca := filepath.Join(bin, "baca")
	c := exec.Command("go", "build", "-trimpath", "-o", baca, "baca/build/baca")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	program := try.To(elf.Open(baca))
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic linker, which an image may not have")
		}
	}
	var library strings.Builder
	for i := range 200 {
		fmt.Fprintf(&library, "C%s%s m%d\n", strings.Repeat("C", i%9), []string{"O", "N", "(=O)O", "c1ccccc1", "("}[i%5], i)
	}
	for name, text := range map[string]string{
		filepath.Join(bin, "sbatch"): sbatch, filepath.Join(bin, "parallel"): parallel, filepath.Join(folder, "library.smi"): library.String(),
	} {
		try.Check(os.WriteFile(name, []byte(text), 0o777))
	}
	sh := func(line string) []byte {
		t.Helper()
		c := exec.Command("sh", "-ec", line)
		c.Dir, c.Env = folder, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return out
	}
	place := regexp.MustCompile(`[a-z]+(-\d+)?\.smi:\d+`)
	want := place.ReplaceAll(sh("baca score library.smi"), nil)
	for _, job := range []string{"sbatch --array=0-3 " + examples + "/score.sbatch", examples + "/parallel.sh"} {
		sh("split -n l/4 -d -a 2 --additional-suffix=.smi library.smi part-; " + job + "; rm part-*.smi")
		if got := place.ReplaceAll(sh(examples+"/join.sh; rm part-00.csv part-01.csv part-02.csv part-03.csv; cat scores.csv"), nil); string(got) != string(want) {
			t.Errorf("%s: other rows than those of one process:\n%s", job, got)
		}
	}
}

// What the images copy and build is there, and Go is that of the module.
func TestDockerfile(t *testing.T) {
	text := try.To(os.ReadFile("Dockerfile"))
	const root = "../../.."
	needed := regexp.MustCompile(`(?m)^COPY ([a-zA-Z.].*) \S+$|^RUN go .* (\./\S+)$`).FindAllStringSubmatch(string(text), -1)
	if len(needed) < 5 {
		t.Errorf("the files that it takes are %q", needed)
	}
	for _, m := range needed {
		for _, name := range strings.Fields(m[1] + m[2]) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Error(err)
			}
		}
	}
	mod := try.To(os.ReadFile(filepath.Join(root, "go.mod")))
	for _, want := range []string{"\nUSER 65532:65532\n", "org.opencontainers.image.licenses=\"MIT AND CC-BY-SA-3.0\"", "org.opencontainers.image.revision=\"$COMMIT\""} {
		if strings.Count(string(text), want) != 2 {
			t.Errorf("want %q in both images", want)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	if want := fmt.Sprintf("\nFROM golang:%s-", version); !strings.Contains(string(text), want) {
		t.Errorf("no line %q", want)
	}
}

// Under a name of its own the project still imports itself, and says where it is published.
func TestOwner(t *testing.T) {
	script := try.To(filepath.Abs("owner.sh"))
	for _, name := range []string{"git", "perl", "gofmt"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	if text, err := exec.Command("git", "clone", "--quiet", "--shared", "../../..", dir).CombinedOutput(); err != nil {
		t.Skipf("no repository of git: %s", text)
	}
	for _, c := range []struct{ line, want string }{
		{script + " ../a 2>&1; echo $?", "want a name of letters, digits and dashes\n2\n"},
		{script + " octo-lab; (go list -deps ./build/baca ./wasm/...; go list -C build/research -deps .) | grep -c '^baca/' || true", "0\n"},
		{"go list -deps -test ./... | grep -c '^github.com/octo-lab/baca/algo/dataset$'", "1\n"},
		{"go test ./build -run WhoImportsWhom > /dev/null; echo $?", "0\n"},
		{"git grep -l github.com/octo-lab/baca CITATION.cff build/npm/package build/python/wheel/main.go build/tools/packaging/Dockerfile build/beam/go.mod | wc -l", "5\n"},
	} {
		sh := exec.Command("sh", "-c", c.line)
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), c.want) {
			t.Errorf("%s: %v\n%s, want %q", c.line, err, out, c.want)
		}
	}
}

// A stranger's program imports the published packages, and a nested module finds what it requires. The modules come from a bare
// repository in a folder, those of others from this machine's cache.
func TestStranger(t *testing.T) {
	if os.Getenv("BACA_TEST") != "all" {
		t.Skip("compiles everything anew; BACA_TEST=all runs it")
	}
	script := try.To(filepath.Abs("owner.sh"))
	for _, name := range []string{"git", "perl", "gofmt"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	cache := strings.TrimSpace(string(try.To(exec.Command("go", "env", "GOMODCACHE").Output())))
	env := append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+dir+"/.insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/",
		"GOPROXY=file://"+filepath.ToSlash(cache)+"/cache/download", "GONOPROXY=github.com/octo-lab", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOMODCACHE="+filepath.Join(dir, "modules"), "GOFLAGS=-trimpath -modcacherw")
	sh := func(where, line string) (string, error) {
		c := exec.Command("sh", "-ec", line)
		c.Dir, c.Env = filepath.Join(dir, where), env
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if text, err := exec.Command("git", "clone", "--quiet", "--shared", "../../..", filepath.Join(dir, "source")).CombinedOutput(); err != nil {
		t.Skipf("no repository of git: %s", text)
	}
	version := "v" + algo.Version
	publish := script + " octo-lab; git -c user.name=a -c user.email=a@b commit -qam owned; git tag " + version + "; git tag build/research/" + version +
		"; mkdir ../octo-lab; git clone -q --bare . ../octo-lab/baca"
	if out, err := sh("source", publish); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const program = `package main

import (
	"fmt"

	"github.com/octo-lab/baca/algo/molecule/smiles"
	"github.com/octo-lab/baca/weights"
)

func main() {
	m, err := weights.Open("drugs")
	_, wrong := smiles.Parse("CCO")
	fmt.Println(m.Card.Name, err, wrong)
}
`
	for name, lines := range map[string]string{
		"imports": "go get github.com/octo-lab/baca/weights@" + version + "; go run .",
		"nested":  "rm main.go; go get github.com/octo-lab/baca/build/research@" + version + "; grep baca/build/research go.mod",
	} {
		try.Check(os.MkdirAll(filepath.Join(dir, name), 0o777))
		try.Check(os.WriteFile(filepath.Join(dir, name, "main.go"), []byte(program), 0o666))
		out, err := sh(name, "go mod init stranger; "+lines)
		if strings.Contains(out, "cache/download/") && !strings.Contains(out, "octo-lab") {
			t.Logf("%s: not tried, since modules of others are not on this machine: %s", name, out)
		} else if err != nil || name == "imports" && !strings.HasSuffix(out, "drugs <nil> <nil>\n") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Templates of workflows call targets that there are, and nothing runs them from here.
func TestWorkflows(t *testing.T) {
	makefile := try.To(os.ReadFile("../../../Makefile"))
	names, err := filepath.Glob("workflows/*.yml")
	if err != nil || len(names) != 3 {
		t.Fatalf("%v, %v: want three workflows", names, err)
	}
	for _, name := range names {
		text := try.To(os.ReadFile(name))
		calls := regexp.MustCompile(`\bmake ([a-z-]+)`).FindAllSubmatch(text, -1)
		for _, m := range calls {
			if !strings.Contains(string(makefile), "\n"+string(m[1])+":") {
				t.Errorf("%s: there is no target %s", name, m[1])
			}
		}
		if len(calls) == 0 || !strings.Contains(string(text), "\npermissions:\n") {
			t.Errorf("%s: want a call of make, and permissions", name)
		}
	}
}
