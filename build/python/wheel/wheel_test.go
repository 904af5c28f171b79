package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo"
)

// needed is what the tests in Python import, beside what Python has.
const needed = "venv, pytest, numpy, pandas, sklearn, rdkit, networkx, tqdm"

// python returns an interpreter that has what is needed, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+needed).Run() == nil {
			return name
		}
	}
	t.Skipf("no python3 has %s: apt-get install python3-venv python3-pytest python3-pandas python3-sklearn python3-rdkit python3-networkx python3-tqdm", needed)
	return ""
}

// What users do: the wheel of this system is installed into a fresh environment, and the tests
// in Python work on it.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	interpreter := python(t)
	i := slices.IndexFunc(targets, func(t target) bool { return t.os == runtime.GOOS && t.arch == runtime.GOARCH })
	if i < 0 {
		t.Skipf("no wheel for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	dir := t.TempDir()
	out, venv := filepath.Join(dir, "wheels"), filepath.Join(dir, "venv")
	if err := wheels(out, "", targets[i:i+1]); err != nil {
		t.Fatal(err)
	}
	wheel := filepath.Join(out, targets[i].name())
	if info, err := os.Stat(wheel); err != nil || info.Size() > 16e6 {
		t.Errorf("%s: %d bytes, want at most 16 MB, of which the model bioactive is 3; %v", wheel, info.Size(), err)
	}
	run := func(name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, text)
		}
	}
	run(interpreter, "-m", "venv", "--system-site-packages", venv)
	installed := filepath.Join(venv, "bin", "python")
	run(installed, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
	tests, err := filepath.Abs("../tests")
	if err != nil {
		t.Fatal(err)
	}
	run(installed, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::pytest.PytestUnraisableExceptionWarning", tests)
}

// RECORD has the hash and size of each file but itself, and what is a program can be run.
func TestRecord(t *testing.T) {
	files := []file{{"baca/bin/baca", bytes.Repeat([]byte("program"), 1000), 0o755}, {"baca/__init__.py", []byte("x = 1\n"), 0o644}}
	var first, second bytes.Buffer
	if err := writeWheel(&first, files); err != nil {
		t.Fatal(err)
	}
	if err := writeWheel(&second, files); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("other bytes for the same files, %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if data[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if program := strings.HasPrefix(f.Name, "baca/bin/"); program != (f.Mode()&0o111 != 0) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(data[info+"RECORD"])).ReadAll()
	if err != nil || len(rows) != len(data) || len(data) != 3 {
		t.Fatalf("%d rows for %d files, %v", len(rows), len(data), err)
	}
	for _, row := range rows[:2] {
		sum := sha256.Sum256(data[row[0]])
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); row[1] != want || row[2] != strconv.Itoa(len(data[row[0]])) {
			t.Errorf("%v, want %s and %d", row, want, len(data[row[0]]))
		}
	}
}

// Each wheel is named as pip wants, and its file WHEEL has every tag of the name.
func TestTags(t *testing.T) {
	for _, target := range targets {
		parts := strings.Split(strings.TrimSuffix(target.name(), ".whl"), "-")
		if len(parts) != 5 || parts[1] != algo.Version || parts[3] != "none" {
			t.Errorf("name %s", target.name())
		}
		for tag := range strings.SplitSeq(parts[4], ".") {
			if want := fmt.Sprintf("\nTag: py3-none-%s\n", tag); !strings.Contains(string(target.wheel()), want) {
				t.Errorf("%s: WHEEL does not have %q", target.name(), want)
			}
		}
	}
}
