// Package compact compiles programs for browsers into few bytes: libraries without what a
// browser has no use for, without inlining where that costs no time, and without tables of lines.
package compact

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// plain are packages whose functions are not inlined, which makes what is sent a tenth
// smaller: those that draw, read and write, and none in which a run spends its time.
// To read a molecule takes 25 µs and a fifth more without, to score it milliseconds, and
// to calibrate a batch a twentieth more.
var plain = []string{
	"baca/algo", "baca/algo/baseline", "baca/algo/chart", "baca/algo/dataset", "baca/algo/decide",
	"baca/algo/dictionary", "baca/algo/explain", "baca/algo/graph", "baca/algo/job", "baca/algo/metric", "baca/algo/molecule/...", "baca/algo/near", "baca/algo/pretrain", "baca/algo/ratio", "baca/algo/report", "baca/algo/table", "baca/algo/wgsl",
	"baca/app/...", "baca/build/...", "baca/wasm/message", "baca/wasm/worker/...", "baca/weights", "github.com/...", "gonum.org/...",
	"archive/zip", "bufio", "bytes", "compress/...", "context", "encoding/...", "errors", "fmt", "internal/fmtsort", "internal/poll",
	"internal/strconv", "io", "io/...", "log", "mime/...", "net/...", "os", "path", "reflect", "regexp/...", "sort", "strconv", "strings",
	"syscall", "time", "unicode/...", "unique",
}

// Compile compiles a package main, such as ./wasm/app, of the repository in root, and
// returns the program. It names no folder, so that every build of a commit is the same.
func Compile(root, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "compact")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	modfile, err := slim(root, dir)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "baca.wasm")
	// What Go notes about the modules would name the folder of the slimmed ones.
	args := []string{"build", "-modfile", modfile, "-trimpath", "-ldflags=-s -w -buildid= -X=runtime.modinfo=", "-o", binary}
	for _, name := range plain {
		args = append(args, "-gcflags="+name+"=-l")
	}
	c := exec.Command("go", append(args, program)...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=mod")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("compiling %s: %w", program, err)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if data, err = lineless(data); err != nil {
		return nil, fmt.Errorf("making %s smaller: %w", program, err)
	}
	return data, nil
}
