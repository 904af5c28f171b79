// Package ship has what the builders of packages have in common: folders, programs, archives and licences.
package ship

import (
	"archive/zip"
	"baca/build/internal/try"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Folder creates an empty folder, and returns the root of the repository.
func Folder(out string) (root string, err error) {
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), os.MkdirAll(out, 0o777)
}

// A Program is a package main with the system and the tags that it is compiled for.
type Program struct{ OS, Arch, Package, Tags string }

// Go runs the go command for the program's system in root, and returns what it prints.
func (p Program) Go(root string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = root
	c.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0")
	out, err := c.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("go %s for %s/%s: %w\n%s", args[0], p.OS, p.Arch, err, exit.Stderr)
	}
	return out, err
}

// Compile compiles the program without symbols and names of folders. It is called name in the archive. Its version names
// the commit.
func (p Program) Compile(root, name, commit string) (f File, err error) {
	defer try.Catch(&err)
	dir := try.To(os.MkdirTemp("", "baca"))
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "program")
	flags := "-ldflags=-s -w -X baca/build/internal/version.commit=" + commit
	try.To(p.Go(root, "build", "-trimpath", "-buildvcs=false", flags, "-tags="+p.Tags, "-o", built, p.Package))
	if p.OS == "windows" {
		name += ".exe"
	}
	return Read(name, built, 0o755)
}

// A File is a file in an archive.
type File struct {
	Name string
	Data []byte
	Mode fs.FileMode
}

// Read reads the file at path. It is called name in the archive.
func Read(name, path string, mode fs.FileMode) (File, error) {
	data, err := os.ReadFile(path)
	return File{name, data, mode}, err
}

// Made is the time of every file in an archive, so that archives do not depend on when they are made.
var Made = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip writes files as a zip archive.
func Zip(w io.Writer, files []File) (err error) {
	defer try.Catch(&err)
	a := zip.NewWriter(w)
	a.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: Made}
		h.SetMode(f.Mode)
		try.To(try.To(a.CreateHeader(h)).Write(f.Data))
	}
	return a.Close()
}
