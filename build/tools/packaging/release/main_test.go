package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"baca/algo"
	"baca/build/internal/ship"
)

// unpack reads an archive.
func unpack(t *testing.T, data []byte) fs.FS {
	t.Helper()
	if bytes.HasPrefix(data, []byte("PK")) {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	a := tar.NewReader(z)
	for h, err := a.Next(); err == nil; h, err = a.Next() {
		var b bytes.Buffer
		if _, err := b.ReadFrom(a); err != nil {
			t.Fatal(err)
		}
		files[h.Name] = &fstest.MapFile{Data: b.Bytes(), Mode: h.FileInfo().Mode()}
	}
	return files
}

// Archives hold their files and modes, and have the same bytes again.
func TestArchives(t *testing.T) {
	files := []ship.File{{Name: "baca-1/baca", Data: bytes.Repeat([]byte("program"), 1000), Mode: 0o755}, {Name: "baca-1/LICENSE", Data: []byte("MIT"), Mode: 0o644}}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return writeTar(b, files) }, func(b *bytes.Buffer) error { return ship.Zip(b, files) },
	} {
		var first, second bytes.Buffer
		if err1, err2 := write(&first), write(&second); err1 != nil || err2 != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("other bytes for the same files, %v, %v", err1, err2)
		}
		got := unpack(t, first.Bytes())
		for _, want := range files {
			data, err := fs.ReadFile(got, want.Name)
			info, serr := fs.Stat(got, want.Name)
			if err != nil || serr != nil || !bytes.Equal(data, want.Data) || info.Mode() != want.Mode {
				t.Errorf("%s: %v, %v, mode %v", want.Name, err, serr, info.Mode())
			}
		}
	}
}

// The archive of this system has a program that runs, and serves the page.
func TestRelease(t *testing.T) {
	if _, err := os.Stat("../../../../web/site"); err != nil {
		t.Skip("the page is not built: `make page` does it")
	}
	out := filepath.Join(t.TempDir(), "release")
	if err := release(out, "0123456789ab", []ship.Program{{OS: runtime.GOOS, Arch: runtime.GOARCH}}); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Fields(string(sums))[1]
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name); string(sums) != want {
		t.Errorf("sums %q, want %q", sums, want)
	}
	files, err := fs.Sub(unpack(t, data), fmt.Sprintf("baca-%s-%s-%s", algo.Version, runtime.GOOS, runtime.GOARCH))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"licenses.txt": "== Scripts of the page ==", "README.md": "BaCa", "LICENSE": "MIT", "man/man1/baca-score.1": `.TH "BACA-SCORE" "1" "Jan 2000"`,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if runtime.GOOS == "windows" && strings.HasPrefix(name, "man") {
			continue
		}
		if err != nil || !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s does not have %q: %v", name, want, err)
		}
	}
	program := filepath.Join(dir, "baca")
	if text, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(text), "baca "+algo.Version+"+0123456789ab\n") {
		t.Errorf("version: %q, %v", text, err)
	}
	site := filepath.Join(dir, "site")
	if text, err := exec.Command(program, "serve", "--write", site).CombinedOutput(); err != nil {
		t.Fatalf("site: %v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(site, "index.html")); err != nil {
		t.Error(err)
	}
}
