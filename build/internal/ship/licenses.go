package ship

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Licenses returns an introduction and the licences of Go and of the programs' modules.
func Licenses(root, introduction string, programs ...Program) (*bytes.Buffer, error) {
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
