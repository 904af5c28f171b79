// Command release writes a release: archives of the command for every system, which include the page, licences, manual
// pages and completions; the page as a static site; a list of materials (CycloneDX); files that are named, such
// as wheels; and SHA256SUMS of all these. The same source and the same Go give the same bytes again.
//
//	go run ./build/tools/page                # what is built in
//	go run ./build/tools/packaging/release   # into out/release
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"baca/algo"
	"baca/build/internal/ship"
	"baca/build/internal/try"
)

// targets are the systems to build for.
var targets = []ship.Program{
	{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"},
	{OS: "darwin", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"},
	{OS: "windows", Arch: "amd64"}, {OS: "windows", Arch: "arm64"},
}

// pageProgram is the program of the page.
var pageProgram = ship.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"}

func main() {
	out := flag.String("out", filepath.Join("out", "release"), "folder to write, which is emptied first")
	commit := flag.String("commit", "", "the commit that is built, for the version of the program")
	flag.Parse()
	if err := release(*out, *commit, targets, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes archives for the target systems, and copies further files beside them.
func release(out, commit string, targets []ship.Program, further []string) (err error) {
	defer try.Catch(&err)
	root := try.To(ship.Folder(out))
	texts, site := generated(root)
	var files []ship.File
	for i := range targets {
		t := &targets[i]
		t.Package, t.Tags = "./build/baca", "page"
		files = append(files, archive(*t, root, commit, texts))
	}
	files = append(files,
		ship.File{Name: "baca-" + algo.Version + "-site.tar.gz", Data: packed(writeTar, within("baca-"+algo.Version+"-site", site))},
		ship.File{Name: "baca-" + algo.Version + ".cdx.json", Data: materials(root, targets)})
	for _, name := range further {
		files = append(files, try.To(ship.Read(filepath.Base(name), name, 0o644)))
	}
	var sums bytes.Buffer
	for _, f := range files {
		try.Check(os.WriteFile(filepath.Join(out, f.Name), f.Data, 0o666))
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.Data), f.Name)
		fmt.Printf("%s: %.1f MB\n", filepath.Join(out, f.Name), float64(len(f.Data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o666)
}

// completions are the names of files in which shells look for completions.
var completions = map[string]string{"bash": "baca.bash", "zsh": "_baca", "fish": "baca.fish", "powershell": "baca.ps1"}

// generated returns what is the same on every system, made by the command on this machine. texts are manual pages and
// completions. site is the page with the schema of rows, as the files of a site.
func generated(root string) (texts, site []ship.File) {
	dir := try.To(os.MkdirTemp("", "baca"))
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "baca")
	// ask returns what a command prints.
	ask := func(args ...string) []byte {
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env = root, append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", ship.Made.Unix()))
		text, err := c.Output()
		if err != nil {
			try.Check(fmt.Errorf("%s: %w", strings.Join(args, " "), err))
		}
		return text
	}
	ask("go", "build", "-tags=page", "-o", program, "./build/baca")
	ask(program, "man", "--out", filepath.Join(dir, "text", "man", "man1"))
	ask(program, "serve", "--write", filepath.Join(dir, "site"))
	for _, shell := range slices.Sorted(maps.Keys(completions)) {
		texts = append(texts, ship.File{Name: path.Join("completions", completions[shell]),
			Data: ask(program, "completion", shell), Mode: 0o644})
	}
	site = []ship.File{{Name: "schema.json", Data: ask(program, "columns", "--json"), Mode: 0o644}}
	return append(texts, below(filepath.Join(dir, "text"))...), append(site, below(filepath.Join(dir, "site"))...)
}

// below returns the files below a folder.
func below(folder string) (files []ship.File) {
	try.Check(filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, try.To(ship.Read(filepath.ToSlash(try.To(filepath.Rel(folder, name))), name, 0o644)))
		}
		return err
	}))
	return files
}

// pages are the pages of an archive. The archive also has the pages to which they link.
var pages = []string{
	"README.md", "algo/READING.md", "algo/RATIONALE.md", "build/baca/README.md", "build/baca/DOMAIN.md", "build/baca/RECIPES.md", "build/baca/SETS.md",
	"build/baca/SHELL.md", "build/baca/TRUST.md", "build/baca/testdata/hydration.csv", "build/npm/README.md", "build/python/README.md",
	"build/service/api/README.md", "build/service/mcp/README.md", "build/CHANGELOG.md", "web/EMBED.md", "weights/FORMAT.md", "weights/SECURITY.md",
}

// archive returns an archive with the command for a system, in the form that is usual there.
func archive(t ship.Program, root, commit string, texts []ship.File) ship.File {
	files := []ship.File{try.To(t.Compile(root, "baca", commit))}
	files = append(files, try.To(ship.Read("LICENSE", filepath.Join(root, "LICENSE"), 0o644)))
	files = append(files, try.To(ship.Documents(root, pages...))...)
	files = append(files, ship.File{Name: "licenses.txt", Data: licenses(t, root), Mode: 0o644})
	files = append(files, texts...)
	folder, ext, write := fmt.Sprintf("baca-%s-%s-%s", algo.Version, t.OS, t.Arch), ".zip", ship.Zip
	if t.OS != "windows" {
		ext, write = ".tar.gz", writeTar
	}
	return ship.File{Name: folder + ext, Data: packed(write, within(folder, files))}
}

// packed returns the bytes of an archive.
func packed(write func(io.Writer, []ship.File) error, files []ship.File) []byte {
	var b bytes.Buffer
	try.Check(write(&b, files))
	return b.Bytes()
}

// within returns files moved into a folder.
func within(folder string, files []ship.File) []ship.File {
	list := slices.Clone(files)
	for i := range list {
		list[i].Name = path.Join(folder, list[i].Name)
	}
	return list
}

// licenses returns the licences of Go, of the modules that the command is compiled from, and of the scripts of the page.
func licenses(t ship.Program, root string) []byte {
	text := try.To(ship.Licenses(root, "The program holds code under the licences below, besides its own in LICENSE.\n", t, pageProgram))
	scripts, err := os.ReadFile(filepath.Join(root, "web", "static", "lib", "LICENSES.txt"))
	if err != nil {
		try.Check(fmt.Errorf("%w: build the page first", err))
	}
	fmt.Fprintf(text, "\n\n== Scripts of the page ==\n\n%s\n", bytes.TrimSpace(scripts))
	return text.Bytes()
}

// writeTar writes files as a compressed tar archive, the same bytes for the same files.
func writeTar(w io.Writer, files []ship.File) error {
	z := try.To(gzip.NewWriterLevel(w, gzip.BestCompression))
	a := tar.NewWriter(z)
	for _, f := range files {
		try.Check(a.WriteHeader(&tar.Header{Name: f.Name, Mode: int64(f.Mode), Size: int64(len(f.Data)),
			ModTime: ship.Made, Format: tar.FormatPAX}))
		try.To(a.Write(f.Data))
	}
	return errors.Join(a.Close(), z.Close())
}
