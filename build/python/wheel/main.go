// Command wheel builds the Python package, with the command inside, for every system. It needs
// no Python. Building the same source with the same Go again gives the same bytes.
//
//	go run ./build/python/wheel   # into out/wheels
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"baca/algo"
	"baca/build/internal/fresh"
	"baca/build/internal/licenses"
)

// A target is a system to build for, with the tags of its wheel: the oldest systems that Go's
// programs run on. The programs need no C library, so any Linux will do.
type target struct{ os, arch, tags string }

var targets = []target{
	{"linux", "amd64", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win_amd64"},
	{"windows", "arm64", "win_arm64"},
}

// name is that of the file.
func (t target) name() string { return fmt.Sprintf("baca-%s-py3-none-%s.whl", algo.Version, t.tags) }

func (t target) program() licenses.Program {
	return licenses.Program{OS: t.os, Arch: t.arch, Package: "./build/baca"}
}

func main() {
	out := flag.String("out", filepath.Join("out", "wheels"), "folder to write, which is emptied first")
	commit := flag.String("commit", "", "that is built, which the program names in its version")
	flag.Parse()
	if err := wheels(*out, *commit, targets); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// wheels writes the wheel of each target.
func wheels(out, commit string, targets []target) error {
	root, err := fresh.Folder(out)
	if err != nil {
		return err
	}
	for _, t := range targets {
		files, err := t.files(root, out, commit)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
		var b bytes.Buffer
		if err := writeWheel(&b, files); err != nil {
			return err
		}
		path := filepath.Join(out, t.name())
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Printf("%s: %.1f MB\n", path, float64(b.Len())/1e6)
	}
	return nil
}

// A file of a wheel.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// info is the folder of a wheel that describes it.
const info = "baca-" + algo.Version + ".dist-info/"

// files are those of the wheel of a target, but for RECORD.
func (t target) files(root, out, commit string) ([]file, error) {
	source := filepath.Join(root, "build", "python")
	files, err := modules(filepath.Join(source, "baca"))
	if err != nil {
		return nil, err
	}
	program, err := t.compile(root, out, commit)
	if err != nil {
		return nil, err
	}
	readme, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	others, err := licenses.Text(root, "The program holds code under the licences below, besides its own in LICENSE.\n", t.program())
	if err != nil {
		return nil, err
	}
	return append(files,
		program,
		file{info + "METADATA", append([]byte(metadata), readme...), 0o644},
		file{info + "WHEEL", t.wheel(), 0o644},
		file{info + "entry_points.txt", []byte("[console_scripts]\nbaca = baca.__main__:main\n"), 0o644},
		file{info + "licenses/LICENSE", licence, 0o644},
		file{info + "licenses/licenses.txt", others.Bytes(), 0o644},
	), nil
}

// modules are the files of the package that are written in Python.
func modules(folder string) ([]file, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".py" && ext != ".typed" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"baca/" + e.Name(), data, 0o644})
	}
	return files, nil
}

// compile builds the command without the page.
func (t target) compile(root, out, commit string) (file, error) {
	name := "baca/bin/baca"
	if t.os == "windows" {
		name += ".exe"
	}
	built := filepath.Join(out, "program")
	defer os.Remove(built)
	absolute, err := filepath.Abs(built)
	if err != nil {
		return file{}, err
	}
	if _, err := t.program().Go(root, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X baca/build/internal/version.commit="+commit, "-o", absolute, "./build/baca"); err != nil {
		return file{}, err
	}
	data, err := os.ReadFile(built)
	return file{name, data, 0o755}, err
}

// metadata is METADATA up to the description, which is README.md.
const metadata = `Metadata-Version: 2.4
Name: baca
Version: ` + algo.Version + `
Summary: Which molecules and graphs lie outside what a model was trained on
License-Expression: MIT
License-File: LICENSE
License-File: licenses.txt
Classifier: Intended Audience :: Science/Research
Classifier: Operating System :: OS Independent
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Chemistry
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: notebook
Requires-Dist: rdkit; extra == "notebook"
Requires-Dist: tqdm>=4.57; extra == "notebook"
Description-Content-Type: text/markdown

`

// wheel is the file WHEEL.
func (t target) wheel() []byte {
	text := "Wheel-Version: 1.0\nGenerator: baca " + algo.Version + "\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(t.tags, ".") {
		text += "Tag: py3-none-" + tag + "\n"
	}
	return []byte(text)
}

// made stands for the time of every file, so that it does not show in the wheel.
var made = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// writeWheel writes files and RECORD, which has the hash and size of each.
func writeWheel(w io.Writer, files []file) error {
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	a := zip.NewWriter(w)
	a.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range append(files[:len(files):len(files)], file{info + "RECORD", []byte(record.String()), 0o644}) {
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
