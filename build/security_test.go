package build

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each promise names its tests, and these are there.
func TestPromisesAreTested(t *testing.T) {
	page, err := os.ReadFile("../weights/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "node_modules":
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			code.WriteString("script " + d.Name() + "\n")
		case strings.HasSuffix(path, "_test.go"):
			data, err := os.ReadFile(path)
			code.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test|Fuzz)[A-Za-z]+`|`[a-z]+[.]txtar`").FindAllString(string(page), -1)
	if len(named) < 30 {
		t.Errorf("%d tests are named, want those of all promises", len(named))
	}
	for _, name := range named {
		name = strings.Trim(name, "`")
		if !strings.Contains(code.String(), "\nfunc "+name+"(") && !strings.Contains(code.String(), "script "+name+"\n") {
			t.Errorf("there is no test %s", name)
		}
	}
}
