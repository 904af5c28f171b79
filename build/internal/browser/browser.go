// Package browser compiles programs for browsers.
package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// hot packages take most of the time. Functions of all others are not inlined, which makes the download a tenth smaller.
var hot = []string{
	"baca/algo/fingerprint", "baca/algo/gin",
	"baca/algo/internal/...", "baca/algo/near", "internal/abi", "internal/bytealg", "internal/byteorder", "internal/runtime/...",
	"math", "math/bits", "runtime/...", "slices",
}

// Compile compiles a package main of the repository in root, such as ./wasm/app. It leaves out symbols and names of folders,
// so that all builds of a commit are equal. It leaves out HTTP/2, too, which the browser speaks itself.
func Compile(root, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "baca.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-ldflags=-s -w -buildid=", "-o", binary, "-gcflags=all=-l"}
	for _, name := range hot {
		args = append(args, "-gcflags="+name+"=") // the last matching pattern counts
	}
	c := exec.Command("go", append(args, program)...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("compiling %s: %w", program, err)
	}
	return os.ReadFile(binary)
}
