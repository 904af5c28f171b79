package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo"
)

// unpack reads an archive.
func unpack(t *testing.T, name string, data []byte) []file {
	t.Helper()
	var files []file
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file{f.Name, text, f.Mode()})
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{h.Name, text, h.FileInfo().Mode()})
	}
}

func TestArchives(t *testing.T) {
	files := []file{{"baca-1/baca", bytes.Repeat([]byte("program"), 1000), 0o755}, {"baca-1/LICENSE", []byte("MIT"), 0o644}}
	for name, write := range map[string]func(io.Writer, []file) error{"a.tar.gz": writeTar, "a.zip": writeZip} {
		var first, second bytes.Buffer
		if err := errors.Join(write(&first, files), write(&second, files)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: other bytes for the same files", name)
		}
		got := unpack(t, name, first.Bytes())
		if len(got) != len(files) {
			t.Fatalf("%s: %d files, want %d", name, len(got), len(files))
		}
		for i, f := range got {
			if want := files[i]; f.name != want.name || f.mode != want.mode || !bytes.Equal(f.data, want.data) {
				t.Errorf("%s: file %s with mode %v, want %s with %v", name, f.name, f.mode, want.name, want.mode)
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
	if err := release(out, "0123456789ab", []target{{runtime.GOOS, runtime.GOARCH}}); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%v, %v; want an archive and the sums", entries, err)
	}
	name := strings.Fields(string(sums))[1]
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name); string(sums) != want {
		t.Errorf("sums %q, want %q", sums, want)
	}
	files := unpack(t, name, data)
	if len(files) < 4 {
		t.Fatalf("%d files, want 4 or more", len(files))
	}
	folder := fmt.Sprintf("baca-%s-%s-%s/", algo.Version, runtime.GOOS, runtime.GOARCH)
	for _, f := range files {
		if !strings.HasPrefix(f.name, folder) || len(f.data) == 0 {
			t.Errorf("file %s of %d bytes, want it in %s", f.name, len(f.data), folder)
		}
	}
	page := func(f file) bool {
		return f.name == folder+"man/man1/baca-score.1" && bytes.Contains(f.data, []byte(`.TH "BACA-SCORE" "1" "Jan 2000"`))
	}
	if there := slices.ContainsFunc(files, page); there != (runtime.GOOS != "windows") {
		t.Errorf("manual pages: %v", there)
	}
	for _, want := range []string{"== Go itself ", "== gonum.org/v1/gonum ", "== Scripts of the page ==", "MIT"} {
		if !bytes.Contains(files[3].data, []byte(want)) {
			t.Errorf("%s does not have %q", files[3].name, want)
		}
	}
	program := filepath.Join(t.TempDir(), filepath.Base(files[0].name))
	if err := os.WriteFile(program, files[0].data, files[0].mode); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(program, "version").Output()
	if err != nil || !strings.HasPrefix(string(text), "baca "+algo.Version+"+0123456789ab\n") {
		t.Errorf("version: %q, %v", text, err)
	}
	site := t.TempDir()
	if text, err := exec.Command(program, "serve", "--write", site).CombinedOutput(); err != nil {
		t.Fatalf("site: %v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(site, "index.html")); err != nil {
		t.Error(err)
	}
}
