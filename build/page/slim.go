package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goAppModule is the library that draws the page. It comes with a server, which a
// browser has no use for, but whose packages (net/http, TLS and all) are a sixth
// of what would have to be loaded.
const goAppModule = "github.com/maxence-charriere/go-app/v10"

// slim makes a copy of go-app without its server in dir, and returns a go.mod with
// which the page is compiled with that copy.
func (b *builder) slim(dir string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", goAppModule).Output()
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", goAppModule, err)
	}
	from, to := strings.TrimSpace(string(out)), filepath.Join(dir, "go-app")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return "", err
	}
	for _, edit := range []struct{ file, old, new string }{
		// The server itself. GenerateStaticWebsite, which does nothing in a
		// browser, still names it.
		{"http.go", "package app\n", "//go:build !wasm\n\npackage app\n"},
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
		{"crypto.go", "package app\n", "//go:build !wasm\n\npackage app\n"},
		{"context.go", "b, err = encrypt(ctx.cryptoKey(), b)", "b, err = b, error(errors.New(\"no encryption in this page\"))"},
		{"context.go", "b, err := decrypt(ctx.cryptoKey(), crypted)", "b, err := crypted, error(errors.New(\"no encryption in this page\"))"},
		{"context.go", "\t\"github.com/google/uuid\"\n", ""},
		{"context.go", "uuid.NewString()", "time.Now().String()"},
		{"state.go", "\t\"github.com/google/uuid\"\n", ""},
		{"state.go", "uuid.NewString()", "time.Now().String()"},
	} {
		name := filepath.Join(to, "pkg", "app", edit.file)
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if bytes.Count(data, []byte(edit.old)) != 1 {
			return "", fmt.Errorf("%s: %s is not what this program knows how to leave the server out of", goAppModule, edit.file)
		}
		if err := os.Chmod(name, 0o666); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, bytes.Replace(data, []byte(edit.old), []byte(edit.new), 1), 0o666); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.root, name))
		if err != nil {
			return "", err
		}
		if name == "go.mod" {
			data = fmt.Appendf(data, "\nreplace %s => %s\n", goAppModule, to)
		}
		if err := os.WriteFile(filepath.Join(dir, "page"+filepath.Ext(name)), data, 0o666); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "page.mod"), nil
}
