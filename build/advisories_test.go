package build

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"baca/build/internal/try"
)

// standardLibrary stands for what comes with the toolchain that a go.mod names.
const standardLibrary = "stdlib"

// advisories are those of modules and packages that this repository uses or has used, each with the
// version that fixes it, for machines that cannot reach a database. Of several advisories for one
// module, the list holds the one with the latest fix.
var advisories = []struct{ module, fixed, advisory string }{
	// Read from the sources of toolchains, without a database: in archive/tar sparse files, and in encoding/xml nesting, got bounds after
	// 1.26.0; in net/http the ranges of a request and the rest of a body, and in net/textproto headers, between 1.26.8 and this.
	{standardLibrary, "v1.26.11", "archive/tar, encoding/xml and net/http of 2026"},
	{"github.com/modelcontextprotocol/go-sdk", "v1.4.1", "CVE-2026-33252"},
	{"github.com/getkin/kin-openapi", "v0.144.0", "CVE-2026-73501"},
	{"github.com/golang-jwt/jwt/v5", "v5.2.2", "CVE-2025-30204"},
	{"github.com/go-jose/go-jose/v4", "v4.1.4", "CVE-2026-34986"},
	{"go.opentelemetry.io/otel", "v1.41.0", "CVE-2026-29181"},
	{"golang.org/x/crypto", "v0.56.0", "CVE-2026-56855"},
	{"golang.org/x/image", "v0.43.0", "CVE-2026-46602"},
	{"golang.org/x/net", "v0.56.0", "CVE-2026-46600"},
	{"golang.org/x/oauth2", "v0.27.0", "CVE-2025-22868"},
	{"golang.org/x/text", "v0.3.8", "CVE-2022-32149"},
	{"google.golang.org/grpc", "v1.83.2", "CVE-2026-84445"},
	{"google.golang.org/protobuf", "v1.33.0", "CVE-2024-24786"},
	{"gopkg.in/yaml.v3", "v3.0.1", "CVE-2022-28948"},
	{"esbuild", "v0.25.0", "GHSA-67mh-4wv8-2f99"},
	{"nanoid", "v3.3.17", "CVE-2026-67213"},
	{"postcss", "v8.5.23", "CVE-2026-69153"},
	{"vite", "v7.3.2", "CVE-2026-39363"},
}

// No module that is used has a known advisory.
func TestAdvisories(t *testing.T) {
	used := map[string]map[string]string{} // versions by modules, by files
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "node_modules":
			return fs.SkipDir
		case d.Name() == "go.mod":
			used[path] = goModules(path)
		case d.Name() == "package-lock.json":
			used[path] = npmPackages(path)
		}
		return nil
	})
	if err != nil || len(used) < 7 {
		t.Fatalf("%v, %d files name modules", err, len(used))
	}
	for _, a := range advisories {
		for file, modules := range used {
			if v := modules[a.module]; v != "" && semver.Compare(v, a.fixed) < 0 {
				t.Errorf("%s has %s %s: %s needs %s or later", file, a.module, v, a.advisory, a.fixed)
			}
		}
	}
}

func goModules(path string) map[string]string {
	file := try.To(modfile.Parse(path, try.To(os.ReadFile(path)), nil))
	modules := map[string]string{standardLibrary: "v" + file.Go.Version}
	if file.Toolchain != nil {
		modules[standardLibrary] = "v" + strings.TrimPrefix(file.Toolchain.Name, "go")
	}
	for _, r := range file.Require {
		modules[r.Mod.Path] = r.Mod.Version
	}
	return modules
}

func npmPackages(path string) map[string]string {
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	try.Check(json.Unmarshal(try.To(os.ReadFile(path)), &lock))
	packages := map[string]string{}
	for name, p := range lock.Packages {
		if _, name, found := strings.Cut(name, "node_modules/"); found {
			packages[name] = "v" + p.Version
		}
	}
	return packages
}
