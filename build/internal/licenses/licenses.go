// Package licenses gathers the licences of compiled modules.
package licenses

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Program is a package main, compiled for a system.
type Program struct{ OS, Arch, Package, Tags string }

// Go runs the go command for the program's system in the repository's root.
func (p Program) Go(root string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0")
	out, err := c.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}

// Text returns an introduction and the licences of Go and of the programs' modules.
func Text(root, introduction string, programs ...Program) (*bytes.Buffer, error) {
	goroot, err := programs[0].Go(root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var modules []string
	for _, p := range programs {
		list, err := p.Go(root, "list", "-deps", "-tags="+p.Tags, "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", p.Package)
		if err != nil {
			return nil, err
		}
		modules = append(modules, strings.Split(strings.TrimSpace(string(list)), "\n")...)
	}
	slices.Sort(modules)
	modules = append([]string{"Go itself " + strings.TrimSpace(string(goroot))}, slices.Compact(modules)...)
	text := bytes.NewBufferString(introduction)
	for _, m := range modules {
		words := strings.SplitN(m, " ", 3)
		if len(words) < 3 {
			continue
		}
		title, dir := words[0]+" "+words[1], words[2]
		var names []string
		for _, name := range []string{"LICEN[SC]E*", "UNLICENSE*", "COPYING*"} {
			found, err := filepath.Glob(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			names = append(names, found...)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", title, dir)
		}
		fmt.Fprintf(text, "\n\n== %s ==\n", title)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(text, "\n%s\n", bytes.TrimSpace(data))
		}
	}
	return text, nil
}
