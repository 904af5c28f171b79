package build

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each promise names its tests, and these pass.
func TestPromisesAreKept(t *testing.T) {
	if os.Getenv("BACA_TEST") != "all" {
		t.Skip("runs some fifty tests once more, which takes a minute: set BACA_TEST=all")
	}
	page, err := os.ReadFile("../weights/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests, scripts []string
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`|`([a-z-]+)[.]txtar`").FindAllStringSubmatch(string(page), -1) {
		if m[2] != "" {
			scripts = append(scripts, m[2])
		} else {
			tests = append(tests, m[1])
		}
	}
	if len(tests) < 50 || len(scripts) < 3 {
		t.Errorf("%d tests and %d scripts are named, want those of all promises", len(tests), len(scripts))
	}
	passed := passing(t, "^("+strings.Join(tests, "|")+")$", packagesOf(t, tests)...)
	for _, script := range scripts {
		tests = append(tests, "TestScripts/"+script)
	}
	passed = append(passed, passing(t, "^TestScripts$/^("+strings.Join(scripts, "|")+")$", "baca/build/baca/command")...)
	for _, test := range tests {
		if !slices.Contains(passed, test) {
			t.Errorf("%s has not passed: SECURITY.md names it", test)
		}
	}
}

// packagesOf are the packages that may have some of the tests.
func packagesOf(t *testing.T, tests []string) (packages []string) {
	list, err := exec.Command("go", "list", "-f", `{{range .TestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}`, "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	one := regexp.MustCompile(`(?m)^func (` + strings.Join(tests, "|") + `)\(`)
	for line := range strings.Lines(string(list)) {
		name, file, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || slices.Contains(packages, name) {
			continue
		}
		code, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		if one.Match(code) {
			packages = append(packages, name)
		}
	}
	return packages
}

// passing runs tests and returns those that pass.
func passing(t *testing.T, pattern string, packages ...string) (passed []string) {
	run := exec.Command("go", append([]string{"test", "-json", "-run", pattern}, packages...)...)
	run.Env = append(os.Environ(), "BACA_TEST=") // of usual size
	out, failed := run.Output()
	said := map[string]string{} // by each test
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Package, Test, Output string }
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		said[e.Package+e.Test] += e.Output
		switch {
		case e.Action == "pass" && e.Test != "":
			passed = append(passed, e.Test)
		case e.Action == "fail", e.Action == "skip" && e.Test != "":
			t.Errorf("%s %s: %s\n%s", e.Package, e.Test, e.Action, said[e.Package+e.Test])
		}
	}
	if failed != nil {
		t.Errorf("go test: %v", failed)
	}
	return passed
}
