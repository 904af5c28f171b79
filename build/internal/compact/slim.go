package compact

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A slimmed module is a library that the page is compiled with a copy of, without what a
// browser has no use for.
type slimmed struct {
	module, folder string
	what           string // that is left out
	edits          []edit
}

// An edit replaces text of a file that stands in it once.
type edit struct{ file, old, new string }

// without leaves a file out.
func without(file, name string) edit {
	return edit{file, "package " + name + "\n", "//go:build !wasm\n\npackage " + name + "\n"}
}

var slimmedModules = []slimmed{{
	// The library that draws the page comes with a server, whose packages (net/http,
	// TLS and all) are a sixth of what would have to be loaded.
	"github.com/maxence-charriere/go-app/v10", "pkg/app", "the server", []edit{
		// The server itself. GenerateStaticWebsite, which does nothing in a
		// browser, still names it.
		without("http.go", "app"),
		{"wasm.go", "func GenerateStaticWebsite(dir string, h *Handler, pages ...string) error {", "func GenerateStaticWebsite(dir string, h any, pages ...string) error {"},
		// Folders on a server's disk.
		{"resource.go", "\t\"net/http\"\n", ""},
		{"resource.go", "\t\tHandler:   http.FileServer(http.Dir(directory)),\n", ""},
		{"resource.go", "\thttp.Handler\n", ""},
		// Texts are only escaped where HTML is written, on a server; the names of
		// all two thousand entities come with that.
		{"node.go", "\t\"html\"\n", ""},
		{"node.go", "html.EscapeString(v.value)", "v.value"},
		// Routes by pattern; the page has one, by name.
		{"route.go", "\t\"regexp\"\n", ""},
		{"route.go", "\t\tregexp:       regexp.MustCompile(pattern),\n", ""},
		{"route.go", "regexp       *regexp.Regexp", "regexp       interface{ MatchString(string) bool }"},
		// Encryption, which the page never asks for, and names of this browser, for
		// which the time will do.
		without("crypto.go", "app"),
		{"context.go", "b, err = encrypt(ctx.cryptoKey(), b)", "b, err = b, error(errors.New(\"no encryption in this page\"))"},
		{"context.go", "b, err := decrypt(ctx.cryptoKey(), crypted)", "b, err := crypted, error(errors.New(\"no encryption in this page\"))"},
		{"context.go", "\t\"github.com/google/uuid\"\n", ""},
		{"context.go", "uuid.NewString()", "time.Now().String()"},
		{"state.go", "\t\"github.com/google/uuid\"\n", ""},
		{"state.go", "uuid.NewString()", "time.Now().String()"},
	},
}, {
	// L-BFGS needs no matrices, but the methods beside it do, and with them comes all
	// of linear algebra: a twentieth of the program.
	"gonum.org/v1/gonum", "optimize", "its matrices", []edit{
		without("bfgs.go", "optimize"),
		without("cmaes.go", "optimize"),
		without("guessandcheck.go", "optimize"),
		without("listsearch.go", "optimize"),
		without("newton.go", "optimize"),
		// No method that is left asks for second derivatives.
		{"minimize.go", "\t\"gonum.org/v1/gonum/mat\"\n", ""},
		{"minimize.go", "Hessian *mat.SymDense\n", "Hessian *hessian\n"},
		{"minimize.go", "loc.Hessian = mat.NewSymDense(len(x), nil)", "panic(\"optimize: no second derivatives in this page\")"},
		{"types.go", "\t\"gonum.org/v1/gonum/mat\"\n", ""},
		{"types.go", "Hess func(hess *mat.SymDense, x []float64)", "Hess func(hess *hessian, x []float64)"},
		{"types.go", "func resizeSymDense(m *mat.SymDense, dim int) *mat.SymDense {\n" +
			"\tif m == nil || cap(m.RawSymmetric().Data) < dim*dim {\n" +
			"\t\treturn mat.NewSymDense(dim, nil)\n\t}\n" +
			"\treturn mat.NewSymDense(dim, m.RawSymmetric().Data[:dim*dim])\n}\n",
			"type hessian struct{}\n\n" +
				"func (*hessian) IsEmpty() bool     { return true }\n" +
				"func (*hessian) SymmetricDim() int { return 0 }\n" +
				"func (*hessian) ReuseAsSym(int)    {}\n"},
	},
}}

// slim makes copies of libraries in dir without what a browser has no use for, and
// returns a go.mod with which programs are compiled with them.
func slim(root, dir string) (string, error) {
	var replaced strings.Builder
	for _, m := range slimmedModules {
		list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m.module)
		list.Dir = root
		out, err := list.Output()
		if err != nil {
			return "", fmt.Errorf("finding %s: %w", m.module, err)
		}
		to := filepath.Join(dir, filepath.FromSlash(m.module))
		if err := os.CopyFS(to, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
			return "", err
		}
		for _, e := range m.edits {
			name := filepath.Join(to, filepath.FromSlash(m.folder), e.file)
			data, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			if bytes.Count(data, []byte(e.old)) != 1 {
				return "", fmt.Errorf("%s: %s is not what this program knows how to leave %s out of", m.module, e.file, m.what)
			}
			if err := os.Chmod(name, 0o666); err != nil {
				return "", err
			}
			if err := os.WriteFile(name, bytes.Replace(data, []byte(e.old), []byte(e.new), 1), 0o666); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(&replaced, "\nreplace %s => %s\n", m.module, to)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		if name == "go.mod" {
			data = append(data, replaced.String()...)
		}
		if err := os.WriteFile(filepath.Join(dir, "page"+filepath.Ext(name)), data, 0o666); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "page.mod"), nil
}
