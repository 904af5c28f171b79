// Command wheel builds the Python package, with the command inside, for this machine or for every system. It needs
// no Python. Building the same source with the same Go again gives the same bytes.
//
//	go run ./build/python/wheel        # into out/wheels
//	go run ./build/python/wheel -all
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"baca/algo"
	"baca/build/internal/ship"
	"baca/build/internal/try"
)

// distribution is the name in a package index, where baca is another program, an e-book reader. The import is baca.
const distribution = "baca-ood"

// stem begins names of files, in which a dash separates parts.
var stem = strings.ReplaceAll(distribution, "-", "_") + "-" + algo.Version

// A target is a system to build for, with the tags of its wheel: the oldest systems that Go's
// programs run on. The programs need no C library, so any Linux will do.
type target struct{ os, arch, tags string }

var targets = []target{
	{"linux", "amd64", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.musllinux_1_2_x86_64"},
	{"linux", "arm64", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64.musllinux_1_2_aarch64"},
	{"darwin", "amd64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win_amd64"},
	{"windows", "arm64", "win_arm64"},
}

// name returns the name of the wheel.
func (t target) name() string { return fmt.Sprintf("%s-py3-none-%s.whl", stem, t.tags) }

func (t target) program() ship.Program {
	return ship.Program{OS: t.os, Arch: t.arch, Package: "./build/baca"}
}

// main writes the wheel for this machine, or with -all those for every target.
func main() {
	out := flag.String("out", filepath.Join("out", "wheels"), "folder to write, which is emptied first")
	commit := flag.String("commit", "", "that is built, which the program names in its version")
	all := flag.Bool("all", false, "build for every system")
	flag.Parse()
	list := targets
	if !*all {
		list = own()
	}
	if err := wheels(*out, *commit, list); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// own returns the target of this machine, or nothing if there are no wheels for it.
func own() []target {
	return slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.os != runtime.GOOS || t.arch != runtime.GOARCH })
}

// wheels writes the wheel of each target.
func wheels(out, commit string, targets []target) (err error) {
	defer try.Catch(&err)
	if len(targets) == 0 {
		return fmt.Errorf("there are no wheels for %s/%s; -all builds those that there are", runtime.GOOS, runtime.GOARCH)
	}
	root := try.To(ship.Folder(out))
	for _, t := range targets {
		var b bytes.Buffer
		try.Check(writeWheel(&b, t.files(root, commit)))
		path := filepath.Join(out, t.name())
		try.Check(os.WriteFile(path, b.Bytes(), 0o666))
		fmt.Printf("%s: %.1f MB\n", path, float64(b.Len())/1e6)
	}
	return nil
}

// info is the folder of a wheel that describes it.
var info = stem + ".dist-info/"

// files returns the files of the wheel of a target, without RECORD.
func (t target) files(root, commit string) []ship.File {
	source := filepath.Join(root, "build", "python")
	readme := ship.Unlink(root, "build/python/README.md", try.To(os.ReadFile(filepath.Join(source, "README.md"))), func(string) bool { return false })
	others := try.To(ship.Licenses(root, "The program holds code under the licences below, besides its own in LICENSE.\n", t.program()))
	text := func(name string, data []byte) ship.File { return ship.File{Name: name, Data: data, Mode: 0o644} }
	return append(modules(filepath.Join(source, "baca")),
		try.To(t.program().Compile(root, "baca/bin/baca", commit)),
		try.To(ship.Read(info+"licenses/LICENSE", filepath.Join(root, "LICENSE"), 0o644)),
		text(info+"METADATA", append([]byte(metadata), readme...)),
		text(info+"WHEEL", t.wheel()),
		text(info+"entry_points.txt", []byte("[console_scripts]\nbaca = baca.__main__:main\n")),
		text(info+"licenses/licenses.txt", others.Bytes()),
		try.To(ship.Read(info+"licenses/DATA-LICENSES.txt", filepath.Join(root, "weights", "DATA-LICENSES.txt"), 0o644)),
	)
}

// modules returns the files of the package that are written in Python.
func modules(folder string) (files []ship.File) {
	for _, e := range try.To(os.ReadDir(folder)) {
		if ext := filepath.Ext(e.Name()); ext == ".py" || ext == ".typed" {
			files = append(files, try.To(ship.Read("baca/"+e.Name(), filepath.Join(folder, e.Name()), 0o644)))
		}
	}
	return files
}

// metadata is METADATA up to the description, which is README.md.
const metadata = `Metadata-Version: 2.4
Name: ` + distribution + `
Version: ` + algo.Version + `
Summary: Which molecules and graphs lie outside what a model was trained on
License-Expression: MIT AND CC-BY-SA-3.0
License-File: LICENSE
License-File: licenses.txt
License-File: DATA-LICENSES.txt
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

// wheel returns the content of the file WHEEL.
func (t target) wheel() []byte {
	text := "Wheel-Version: 1.0\nGenerator: baca " + algo.Version + "\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(t.tags, ".") {
		text += "Tag: py3-none-" + tag + "\n"
	}
	return []byte(text)
}

// writeWheel writes files and RECORD, which has the hash and size of each.
func writeWheel(w io.Writer, files []ship.File) error {
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.Data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	return ship.Zip(w, append(files[:len(files):len(files)], ship.File{Name: info + "RECORD", Data: []byte(record.String()), Mode: 0o644}))
}
