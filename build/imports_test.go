// Package build only holds what builds and checks the project as a whole.
package build

import (
	"baca/build/internal/try"
	"cmp"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers orders the packages below algo: each may import only those of lines above. The dot is algo itself.
var layers = []string{
	"internal/kernel internal/lists internal/parallel molecule/internal/buffer molecule/internal/neighbor",
	"chart cover decide dictionary document graph internal/adam metric molecule/internal/rings parquet product xlsx",
	"fingerprint gin graphon molecule",
	"molecule/molfile molecule/rewrite molecule/smarts molecule/smiles property tanimoto",
	"baseline contrast dataset",
	"near pretrain rare split wgsl",
	"explain",
	"alone/internal/group attention background ratio",
	"feature/compare model",
	"alone",
	"batch feature/trust",
	". table",
	"feature/suggest report run training",
}

// helpers help tests alone, and may use files.
const helpers = "contrast/contrasttest gin/gintest internal/golden internal/must internal/sample molecule/internal/check training/trainingtest wgsl/check"

// mayImport lists what each further part may import of the project. A prefix that
// ends in /... stands for all below it.
var mayImport = []struct {
	part, allowed string
}{
	{"baca/weights", "baca/algo/..."},
	{"baca/wasm/message", "baca/algo baca/algo/decide baca/algo/table baca/algo/feature/compare baca/algo/feature/suggest baca/algo/feature/trust baca/algo/property"},
	{"baca/wasm/worker", "baca/algo/... baca/weights baca/wasm/message"},
	{"baca/wasm/app", "baca/app/... baca/wasm/message baca/wasm/worker"},
	{"baca/wasm/compute", "baca/wasm/worker"},
	{"baca/app/words", "baca/wasm/message baca/algo baca/algo/decide"},
	{"baca/app/table", "baca/app/words baca/wasm/message baca/algo/decide baca/algo/property baca/algo/table"},
	{"baca/app/store", "baca/app/table baca/app/words baca/wasm/message"},
	{"baca/app/run", "baca/algo/explain baca/app/store baca/app/table baca/app/words baca/wasm/message"},
	{"baca/app/lab", "baca/app/run baca/app/store baca/app/table baca/app/words baca/wasm/message baca/algo/feature/suggest"},
	{"baca/app/frame", "baca/app/run baca/app/store baca/app/table baca/app/words baca/wasm/message"},
	{"baca/app/picture", "baca/app/run baca/app/table baca/app/words baca/wasm/message baca/algo/chart baca/algo/decide"},
	{"baca/app", "baca/wasm/message baca/algo/decide baca/algo/property"},
	{"baca/web", ""},
	{"baca/build/baca", "baca/algo/... baca/build/device baca/build/internal/apart baca/build/internal/lock baca/build/internal/opened baca/build/internal/progress baca/build/internal/replace baca/build/internal/sealed baca/build/internal/spool baca/build/internal/unpack baca/build/internal/usage baca/build/internal/version baca/build/service baca/build/service/api baca/build/service/mcp baca/build/service/pipe baca/build/site baca/web baca/weights"},
	{"baca/build/tools/chaos", "baca/build/internal/machine baca/build/internal/replace baca/build/internal/try"},
	{"baca/build/tools/bench", "baca/algo/dataset baca/build/internal/revision baca/build/internal/try"},
	{"baca/build/tools/same", "baca/build/internal/revision baca/build/internal/try"},
	{"baca/build/tools/sets", "baca/algo/dataset baca/algo/molecule baca/algo/molecule/smiles baca/build/internal/try baca/weights"},
	{"baca/build/tools/packaging", "baca/algo baca/build/internal/ship baca/build/internal/try"},
	{"baca/build/internal/apart", "baca/build/internal/replace baca/build/internal/usage"},
	{"baca/build/internal/chromium", ""},
	{"baca/build/internal/browser", ""},
	{"baca/build/internal/lock", ""},
	{"baca/build/internal/machine", ""},
	{"baca/build/internal/opened", ""},
	{"baca/build/internal/progress", "baca/algo/document"},
	{"baca/build/internal/replace", "baca/build/internal/lock"},
	{"baca/build/internal/sealed", ""},
	{"baca/build/internal/ship", "baca/build/internal/try"},
	{"baca/build/internal/testset", "baca/algo/... baca/weights"},
	{"baca/build/internal/try", ""},
	{"baca/build/internal/spool", ""},
	{"baca/build/internal/unpack", "baca/algo/dataset baca/build/internal/spool"},
	{"baca/build/internal/usage", ""},
	{"baca/build/python/wheel", "baca/algo baca/build/internal/ship baca/build/internal/try"},
	{"baca/build/service/api", "baca/algo/... baca/build/internal/spool baca/build/service"},
	{"baca/build/service/mcp", "baca/algo/... baca/build/service"},
	{"baca/build/service/pipe", "baca/algo/... baca/weights baca/build/service"},
	{"baca/build/service", "baca/algo/... baca/weights"},
	{"baca/build/device", "baca/algo/..."},
	{"baca/build/site", "baca/build/internal/replace"},
	{"baca/build/internal/version", "baca/algo"},
	{"baca/build/npm", "baca/algo baca/build/internal/browser baca/build/internal/ship baca/weights"},
	{"baca/build/tools/page", "baca/algo/... baca/app baca/app/run baca/build/internal/browser baca/build/internal/ship baca/build/site baca/wasm/message baca/wasm/worker/engine baca/weights baca/web"},
	{"baca/build/tools/wasmtest", "baca/build/internal/chromium baca/build/internal/try"},
	{"baca/build/tools/e2e", "baca/algo/... baca/build/internal/chromium baca/build/site baca/wasm/message baca/weights baca/web"},
}

// layer is the place of a package in layers, above all of them for a feature that is in none, and −1 for none.
func layer(pkg string) int {
	below := strings.TrimPrefix(strings.TrimPrefix(pkg, "baca/algo"), "/")
	if strings.HasPrefix(below, "feature/") && !strings.Contains(strings.Join(layers, " "), below) {
		return len(layers)
	}
	return slices.IndexFunc(layers, func(line string) bool { return slices.Contains(strings.Fields(line), cmp.Or(below, ".")) })
}

// forbidden packages would give algo files, a network, flags or a terminal.
var forbidden = map[string]bool{
	"os": true, "os/exec": true, "os/signal": true, "net": true, "net/http": true,
	"syscall": true, "syscall/js": true, "flag": true, "log": true, "log/slog": true, "embed": true, "C": true,
}

// list returns what go list prints.
func list(args ...string) string {
	return string(try.To(exec.Command("go", append([]string{"list"}, args...)...).Output()))
}

// embedding packages have text that is a part of the program: shaders, the periodic table, the list of counter-ions, forms.
var embedding = []string{"baca/algo/wgsl", "baca/algo/molecule", "baca/algo/molecule/smiles", "baca/algo/feature/domain"}

func TestWhoImportsWhom(t *testing.T) {
	seen := 0
	for line := range strings.Lines(list("-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "baca/...")) {
		fields := strings.Fields(line)
		pkg, imports := fields[0], fields[1:]
		if strings.HasPrefix(pkg, "baca/build/scratch") {
			continue
		}
		seen++
		for _, i := range imports {
			own := i == "baca" || strings.HasPrefix(i, "baca/")
			switch {
			case strings.HasPrefix(pkg, "baca/algo"):
				switch rank := layer(pkg); {
				case slices.Contains(strings.Fields(helpers), strings.TrimPrefix(pkg, "baca/algo/")):
				case rank < 0:
					t.Errorf("%s has no place in the layers of algo", pkg)
				case own && (!strings.HasPrefix(i, "baca/algo") || layer(i) < 0 || layer(i) >= rank):
					t.Errorf("%s imports %s, which is not below it", pkg, i)
				case !own && strings.Contains(strings.Split(i, "/")[0], ".") && !strings.HasPrefix(i, "gonum.org/v1/gonum/"):
					t.Errorf("%s imports %s: algo may use gonum and the standard library", pkg, i)
				case forbidden[i] && !(i == "embed" && slices.Contains(embedding, pkg)):
					t.Errorf("%s imports %s: algo has no files, network, flags or terminal", pkg, i)
				}
			case own && !allowed(pkg, i):
				t.Errorf("%s must not import %s", pkg, i)
			case !own && strings.HasPrefix(pkg, "baca/app/") && strings.HasPrefix(i, "github.com/"):
				t.Errorf("%s imports %s: what the page does is told without a browser", pkg, i)
			}
		}
	}
	if seen < 15 {
		t.Errorf("go list shows %d packages, want the whole project", seen)
	}
}

// Imports between folders run one way, but those of tests' helpers and for two pairs whose packages still form no circle.
func TestFoldersImportOneWay(t *testing.T) {
	folder := func(pkg string) string {
		parts := strings.Split(strings.TrimPrefix(pkg, "baca/"), "/")
		if parts[0] == "algo" {
			return strings.Join(parts[:min(2, len(parts))], "/")
		}
		return parts[0]
	}
	below, packages := map[string]map[string]bool{}, list("-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "baca/...")
	packages += "baca/wasm/app baca/app\n" // built for the browser
	for line := range strings.Lines(packages) {
		fields := strings.Fields(line)
		from := folder(fields[0])
		if slices.Contains(strings.Fields(helpers), strings.TrimPrefix(fields[0], "baca/algo/")) {
			continue // tests alone import it
		}
		for _, i := range fields[1:] {
			if below[from] == nil {
				below[from] = map[string]bool{}
			}
			if strings.HasPrefix(i, "baca/") {
				below[from][folder(i)] = true
			}
		}
	}
	var both []string
	for from := range below {
		for to := range below[from] {
			if from < to && below[to][from] {
				both = append(both, from+" "+to)
			}
		}
	}
	slices.Sort(both)
	if want := []string{"algo/feature algo/table", "app wasm"}; !slices.Equal(both, want) {
		t.Errorf("folders that import each other: %q, want %q", both, want)
	}
}

// A plain build needs no C compiler and no nested module: GPUs are in build/gpu alone, what repeats
// the paper in build/research.
func TestPlainBuildIsGo(t *testing.T) {
	if text := strings.TrimSpace(list("-f", `{{if .CgoFiles}}{{.ImportPath}} uses C{{end}}`, "baca/...")); text != "" {
		t.Error(text)
	}
	for _, nested := range []string{"webgpu", "baca/build/"} {
		if strings.Contains(list("-m", "all"), nested) {
			t.Errorf("the main module requires %s: only nested modules may", nested)
		}
	}
}

func allowed(pkg, i string) bool {
	for _, o := range mayImport {
		if pkg != o.part && !strings.HasPrefix(pkg, o.part+"/") {
			continue
		}
		for _, a := range strings.Fields(o.allowed) {
			base, below := strings.CutSuffix(a, "/...")
			if i == base || below && strings.HasPrefix(i, base+"/") {
				return true
			}
		}
		return strings.HasPrefix(i, o.part+"/") // its own parts
	}
	return false
}
