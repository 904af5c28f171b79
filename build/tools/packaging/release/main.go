// Command release writes a release: archives of the command, with the page in it, for every system,
// with its licences, manual pages and completions, the page as a static site, what all is made of
// (CycloneDX), files that are named, such as wheels, and SHA256SUMS over all. Building the same source with
// the same Go again gives the same bytes.
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
)

// targets are the systems to build for.
var targets = []ship.Program{
	{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"},
	{OS: "darwin", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"},
	{OS: "windows", Arch: "amd64"}, {OS: "windows", Arch: "arm64"},
}

// pageProgram is that of the page.
var pageProgram = ship.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"}

func main() {
	out := flag.String("out", filepath.Join("out", "release"), "folder to write, which is emptied first")
	commit := flag.String("commit", "", "that is built, which the program names in its version")
	flag.Parse()
	if err := release(*out, *commit, targets, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes archives for some systems, and with them further files.
func release(out, commit string, targets []ship.Program, further []string) error {
	root, err := ship.Folder(out)
	if err != nil {
		return err
	}
	texts, site, err := generated(root)
	if err != nil {
		return err
	}
	var files []ship.File
	for i := range targets {
		t := &targets[i]
		t.Package, t.Tags = "./build/baca", "page"
		f, err := archive(*t, root, commit, texts)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.OS, t.Arch, err)
		}
		files = append(files, f)
	}
	var b bytes.Buffer
	if err := writeTar(&b, within("baca-"+algo.Version+"-site", site)); err != nil {
		return err
	}
	list, err := materials(root, targets)
	if err != nil {
		return err
	}
	files = append(files,
		ship.File{Name: "baca-" + algo.Version + "-site.tar.gz", Data: b.Bytes()},
		ship.File{Name: "baca-" + algo.Version + ".cdx.json", Data: list})
	for _, name := range further {
		f, err := ship.Read(filepath.Base(name), name, 0o644)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	return write(out, files)
}

// write writes files, and SHA256SUMS over them.
func write(out string, files []ship.File) error {
	var sums bytes.Buffer
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(out, f.Name), f.Data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.Data), f.Name)
		fmt.Printf("%s: %.1f MB\n", filepath.Join(out, f.Name), float64(len(f.Data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o666)
}

// completions are the files of shells, by the names that they look for.
var completions = map[string]string{"bash": "baca.bash", "zsh": "_baca", "fish": "baca.fish", "powershell": "baca.ps1"}

// generated asks this machine's command for what is the same on every system: manual pages and completions, and the
// page with the schema of rows as the files of a site.
func generated(root string) (texts, site []ship.File, err error) {
	dir, err := os.MkdirTemp("", "baca")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "baca")
	ask := func(args ...string) (text []byte) {
		if err != nil {
			return nil
		}
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env = root, append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", ship.Made.Unix()))
		if text, err = c.Output(); err != nil {
			err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		return text
	}
	ask("go", "build", "-tags=page", "-o", program, "./build/baca")
	ask(program, "man", "--out", filepath.Join(dir, "text", "man", "man1"))
	ask(program, "serve", "--write", filepath.Join(dir, "site"))
	for _, shell := range slices.Sorted(maps.Keys(completions)) {
		texts = append(texts, ship.File{Name: path.Join("completions", completions[shell]), Data: ask(program, "completion", shell), Mode: 0o644})
	}
	site = []ship.File{{Name: "schema.json", Data: ask(program, "columns", "--json"), Mode: 0o644}}
	for folder, to := range map[string]*[]ship.File{"text": &texts, "site": &site} {
		if err == nil {
			err = readAll(filepath.Join(dir, folder), to)
		}
	}
	return texts, site, err
}

// readAll appends the files below a folder.
func readAll(folder string, files *[]ship.File) error {
	return filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		f, err := ship.Read(filepath.ToSlash(below), name, 0o644)
		*files = append(*files, f)
		return err
	})
}

func archive(t ship.Program, root, commit string, texts []ship.File) (ship.File, error) {
	program, err := t.Compile(root, "baca", commit)
	if err != nil {
		return ship.File{}, err
	}
	files := []ship.File{program}
	for _, name := range []string{"LICENSE", "README.md"} {
		f, err := ship.Read(name, filepath.Join(root, name), 0o644)
		if err != nil {
			return ship.File{}, err
		}
		files = append(files, f)
	}
	text, err := licenses(t, root)
	if err != nil {
		return ship.File{}, err
	}
	files = append(append(files, ship.File{Name: "licenses.txt", Data: text, Mode: 0o644}), texts...)
	folder, ext, write := fmt.Sprintf("baca-%s-%s-%s", algo.Version, t.OS, t.Arch), ".zip", ship.Zip
	if t.OS != "windows" {
		ext, write = ".tar.gz", writeTar
	}
	var b bytes.Buffer
	err = write(&b, within(folder, files))
	return ship.File{Name: folder + ext, Data: b.Bytes()}, err
}

// within are files in a folder.
func within(folder string, files []ship.File) []ship.File {
	list := slices.Clone(files)
	for i := range list {
		list[i].Name = path.Join(folder, list[i].Name)
	}
	return list
}

// licenses are those of Go, of the modules that the command is compiled from, and of
// the scripts of the page.
func licenses(t ship.Program, root string) ([]byte, error) {
	text, err := ship.Licenses(root, "The program holds code under the licences below, besides its own in LICENSE.\n",
		t, pageProgram)
	if err != nil {
		return nil, err
	}
	scripts, err := os.ReadFile(filepath.Join(root, "web", "static", "lib", "LICENSES.txt"))
	if err != nil {
		return nil, fmt.Errorf("%w: build the page first", err)
	}
	fmt.Fprintf(text, "\n\n== Scripts of the page ==\n\n%s\n", bytes.TrimSpace(scripts))
	return text.Bytes(), nil
}

func writeTar(w io.Writer, files []ship.File) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	a := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.Name, Mode: int64(f.Mode), Size: int64(len(f.Data)), ModTime: ship.Made, Format: tar.FormatPAX}
		if err := a.WriteHeader(h); err != nil {
			return err
		}
		if _, err := a.Write(f.Data); err != nil {
			return err
		}
	}
	return errors.Join(a.Close(), z.Close())
}
