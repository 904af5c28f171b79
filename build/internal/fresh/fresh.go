// Package fresh prepares the folder that a builder of packages fills.
package fresh

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Folder empties a folder, or makes it, and returns the root of the repository that the
// program runs in.
func Folder(out string) (root string, err error) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), os.MkdirAll(out, 0o777)
}
