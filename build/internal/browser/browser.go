// Package browser compiles programs for browsers.
package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// hot packages take most of the time. Functions of all others are not inlined, which makes the download a tenth smaller.
var hot = []string{
	"baca/algo/fingerprint", "baca/algo/gin",
	"baca/algo/internal/...", "baca/algo/molecule", "baca/algo/molecule/internal/...", "baca/algo/near",
	"internal/abi", "internal/bytealg", "internal/byteorder", "internal/runtime/...",
	"math", "math/bits", "runtime/...", "slices",
}

// Compile compiles a package main of the repository in root, such as ./wasm/app. It leaves out symbols and names of folders,
// so that all builds of a commit are equal. It leaves out HTTP/2 and the keys of TLS, too, since the browser speaks both itself.
func Compile(root, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	without, err := withoutKeys(root, dir)
	if err != nil {
		return nil, fmt.Errorf("the library of Go: %w", err)
	}
	binary := filepath.Join(dir, "baca.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags=nethttpomithttp2", "-overlay=" + without, "-ldflags=-s -w -buildid=", "-o", binary, "-gcflags=all=-l"}
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

// keys are variables of package crypto/hpke with their values: the methods of Encrypted Client Hello, and so all elliptic
// curves.
var keys = regexp.MustCompile(`(?ms)^var (\w+) = &(dhKEM|hybridKEM|mlkemKEM)\{(?:[^\n]*|\n.*?^)\}$`)

// withoutKeys writes the files of crypto/hpke to dir, without the values of keys, and returns the name of the file that has go
// build use them. Then the linker leaves out the curves, 34 kB of a download.
func withoutKeys(root, dir string) (overlay string, err error) {
	c := exec.Command("go", "env", "GOROOT")
	c.Dir = root // which may choose another version of Go
	out, err := c.Output()
	if err != nil {
		return "", err
	}
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "src", "crypto", "hpke", "*.go"))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
		if keys.Match(text) {
			replace[source] = filepath.Join(dir, filepath.Base(source))
			if err := os.WriteFile(replace[source], keys.ReplaceAll(text, []byte("var $1 *$2")), 0o600); err != nil {
				return "", err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}
