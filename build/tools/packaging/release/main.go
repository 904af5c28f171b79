// Command release builds the archives of a release: the command, with the page in
// it, for every system, with its licences, and SHA256SUMS over all. Building the
// same source with the same Go again gives the same bytes.
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
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"baca/algo"
	"baca/build/internal/ship"
)

// targets are the systems to build for.
var targets = []ship.Program{
	{OS: "linux", Arch: "amd64"}, {OS: "linux", Arch: "arm64"},
	{OS: "darwin", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"},
	{OS: "windows", Arch: "amd64"}, {OS: "windows", Arch: "arm64"},
}

func main() {
	out := flag.String("out", filepath.Join("out", "release"), "folder to write, which is emptied first")
	commit := flag.String("commit", "", "that is built, which the program names in its version")
	flag.Parse()
	if err := release(*out, *commit, targets); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(out, commit string, targets []ship.Program) error {
	root, err := ship.Folder(out)
	if err != nil {
		return err
	}
	pages, err := manual(root, out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		t.Package, t.Tags = "./build/baca", "page"
		name, data, err := archive(t, root, commit, pages)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.OS, t.Arch, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s: %.1f MB\n", filepath.Join(out, name), float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o666)
}

// manual are the manual pages, which are the same for every system that has any.
func manual(root, out string) ([]ship.File, error) {
	dir, err := filepath.Abs(filepath.Join(out, "man"))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := exec.Command("go", "run", "./build/baca", "man", "--out", dir)
	c.Dir, c.Env = root, append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", ship.Made.Unix()))
	if text, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("baca man: %w\n%s", err, text)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []ship.File
	for _, e := range entries {
		page, err := ship.Read(path.Join("man", "man1", e.Name()), filepath.Join(dir, e.Name()), 0o644)
		if err != nil {
			return nil, err
		}
		files = append(files, page)
	}
	return files, nil
}

func archive(t ship.Program, root, commit string, pages []ship.File) (name string, data []byte, err error) {
	program, err := t.Compile(root, "baca", commit)
	if err != nil {
		return "", nil, err
	}
	files := []ship.File{program}
	for _, name := range []string{"LICENSE", "README.md"} {
		f, err := ship.Read(name, filepath.Join(root, name), 0o644)
		if err != nil {
			return "", nil, err
		}
		files = append(files, f)
	}
	text, err := licenses(t, root)
	if err != nil {
		return "", nil, err
	}
	files = append(files, ship.File{Name: "licenses.txt", Data: text, Mode: 0o644})
	folder, ext, write := fmt.Sprintf("baca-%s-%s-%s", algo.Version, t.OS, t.Arch), ".zip", ship.Zip
	if t.OS != "windows" {
		files, ext, write = append(files, pages...), ".tar.gz", writeTar
	}
	for i := range files {
		files[i].Name = path.Join(folder, files[i].Name)
	}
	var b bytes.Buffer
	err = write(&b, files)
	return folder + ext, b.Bytes(), err
}

// licenses are those of Go, of the modules that the command is compiled from, and of
// the scripts of the page.
func licenses(t ship.Program, root string) ([]byte, error) {
	text, err := ship.Licenses(root, "The program holds code under the licences below, besides its own in LICENSE.\n",
		t, ship.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"})
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
