package ship

import (
	"baca/build/internal/try"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Module is compiled into a program.
type Module struct{ Path, Version, Dir string }

// Modules returns the modules from which programs are compiled, other than this one, by path.
func Modules(root string, programs ...Program) (list []Module, err error) {
	defer try.Catch(&err)
	var lines []string
	for _, p := range programs {
		text := try.To(p.Go(root, "list", "-deps", "-tags="+p.Tags, "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", p.Package))
		lines = append(lines, strings.Split(string(text), "\n")...)
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		if words := strings.SplitN(line, " ", 3); len(words) == 3 {
			list = append(list, Module{words[0], words[1], words[2]})
		}
	}
	return list, nil
}

// Licenses returns an introduction followed by the licences of Go and of the programs' modules. A module without a licence
// is an error.
func Licenses(root, introduction string, programs ...Program) (text *bytes.Buffer, err error) {
	defer try.Catch(&err)
	goroot := try.To(programs[0].Go(root, "env", "GOROOT"))
	text = bytes.NewBufferString(introduction)
	for _, m := range append([]Module{{"Go", "itself", strings.TrimSpace(string(goroot))}}, try.To(Modules(root, programs...))...) {
		title := m.Path + " " + m.Version
		var names []string
		for _, name := range []string{"LICEN[SC]E*", "UNLICENSE*", "COPYING*"} {
			names = append(names, try.To(filepath.Glob(filepath.Join(m.Dir, name)))...)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", title, m.Dir)
		}
		fmt.Fprintf(text, "\n\n== %s ==\n", title)
		for _, name := range names {
			fmt.Fprintf(text, "\n%s\n", bytes.TrimSpace(try.To(os.ReadFile(name))))
		}
	}
	return text, nil
}
