// Command release builds the archives of a release: the command, with the page in
// it, for every system, with its licences, and SHA256SUMS over all. Building the
// same source with the same Go again gives the same bytes.
//
//	go run ./build/tools/page                # what is built in
//	go run ./build/tools/packaging/release   # into out/release
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"baca/algo"
	"baca/build/internal/fresh"
	"baca/build/internal/licenses"
)

// A target is a system to build for.
type target struct{ os, arch string }

func (t target) program() licenses.Program {
	return licenses.Program{OS: t.os, Arch: t.arch, Package: "./build/baca", Tags: "page"}
}

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
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

// A file of an archive.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

func release(out, commit string, targets []target) error {
	root, err := fresh.Folder(out)
	if err != nil {
		return err
	}
	pages, err := manual(root, out)
	if err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		name, data, err := t.archive(root, out, commit, pages)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
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
func manual(root, out string) ([]file, error) {
	dir, err := filepath.Abs(filepath.Join(out, "man"))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := exec.Command("go", "run", "./build/baca", "man", "--out", dir)
	c.Dir, c.Env = root, append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", made.Unix()))
	if text, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("baca man: %w\n%s", err, text)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join("man", "man1", e.Name()), data, 0o644})
	}
	return files, nil
}

func (t target) archive(root, out, commit string, pages []file) (name string, data []byte, err error) {
	folder := fmt.Sprintf("baca-%s-%s-%s", algo.Version, t.os, t.arch)
	program := "baca"
	if t.os == "windows" {
		program += ".exe"
	}
	built := filepath.Join(out, folder+".program")
	defer os.Remove(built)
	if _, err := t.program().Go(root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X baca/build/internal/version.commit="+commit, "-tags=page", "-o", built, "./build/baca"); err != nil {
		return "", nil, err
	}
	files := []file{{name: program, mode: 0o755}, {name: "LICENSE", mode: 0o644}, {name: "README.md", mode: 0o644}}
	for i, from := range []string{built, filepath.Join(root, "LICENSE"), filepath.Join(root, "README.md")} {
		if files[i].data, err = os.ReadFile(from); err != nil {
			return "", nil, err
		}
	}
	text, err := t.licenses(root)
	if err != nil {
		return "", nil, err
	}
	files = append(files, file{"licenses.txt", text, 0o644})
	if t.os != "windows" {
		files = append(files, pages...)
	}
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	var b bytes.Buffer
	if t.os == "windows" {
		name, err = folder+".zip", writeZip(&b, files)
	} else {
		name, err = folder+".tar.gz", writeTar(&b, files)
	}
	return name, b.Bytes(), err
}

// licenses are those of Go, of the modules that the command is compiled from, and of
// the scripts of the page.
func (t target) licenses(root string) ([]byte, error) {
	text, err := licenses.Text(root, "The program holds code under the licences below, besides its own in LICENSE.\n",
		t.program(), licenses.Program{OS: "js", Arch: "wasm", Package: "./wasm/app", Tags: "page"})
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

// made stands for the time of every file, so that it does not show in the archive.
var made = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func writeTar(w io.Writer, files []file) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	a := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: made, Format: tar.FormatPAX}
		if err := a.WriteHeader(h); err != nil {
			return err
		}
		if _, err := a.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(a.Close(), z.Close())
}

func writeZip(w io.Writer, files []file) error {
	a := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: made}
		h.SetMode(f.mode)
		e, err := a.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := e.Write(f.data); err != nil {
			return err
		}
	}
	return a.Close()
}
