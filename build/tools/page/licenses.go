package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// licenses adds the licences of everything in the program of the page: Go's, and
// those of the modules it is compiled from. Those of the scripts beside it are in
// their own file.
func (b *builder) licenses(goroot string) error {
	c := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./wasm/app")
	c.Dir = b.root
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("listing the modules of wasm/app: %w", err)
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	modules = append([]string{"Go itself " + goroot}, slices.Compact(modules)...)
	var text bytes.Buffer
	text.WriteString("The program of this page holds code under the licences below. The scripts that it loads\nbeside it are listed in web/lib/LICENSES.txt.\n")
	for _, m := range modules {
		words := strings.SplitN(m, " ", 3)
		title, dir := words[0]+" "+words[1], words[2]
		files, err := filepath.Glob(filepath.Join(dir, "LICEN[SC]E*"))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s has no file LICENSE in %s", title, dir)
		}
		fmt.Fprintf(&text, "\n\n== %s ==\n", title)
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "\n%s\n", bytes.TrimSpace(data))
		}
	}
	b.add("licenses.txt", text.Bytes()).late = true
	return nil
}
