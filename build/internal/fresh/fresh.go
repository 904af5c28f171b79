// Package fresh prepares the output folder of a package builder.
package fresh

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Folder empties or makes a folder, and returns the repository's root.
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
