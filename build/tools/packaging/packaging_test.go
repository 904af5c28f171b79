// Package packaging only holds examples of how to run the program elsewhere, and
// what checks them.
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
	examples, err := filepath.Abs("array")
	if err != nil {
		t.Fatal(err)
	}
	folder, bin := t.TempDir(), t.TempDir()
	baca := filepath.Join(bin, "baca")
	c := exec.Command("go", "build", "-o", baca, "baca/build/baca")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	program, err := elf.Open(baca)
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
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
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
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
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	if want := fmt.Sprintf("\nFROM golang:%s-", version); !strings.Contains(string(text), want) {
		t.Errorf("no line %q", want)
	}
}
