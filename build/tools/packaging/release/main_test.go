package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"

	"baca/algo"
	"baca/build/internal/ship"
	"baca/build/internal/try"
)

// unpack reads an archive.
func unpack(t *testing.T, data []byte) fs.FS {
	t.Helper()
	if bytes.HasPrefix(data, []byte("PK")) {
		return try.To(zip.NewReader(bytes.NewReader(data), int64(len(data))))
	}
	z := try.To(gzip.NewReader(bytes.NewReader(data)))
	files := fstest.MapFS{}
	a := tar.NewReader(z)
	for h, err := a.Next(); err == nil; h, err = a.Next() {
		files[h.Name] = &fstest.MapFile{Data: try.To(io.ReadAll(a)), Mode: h.FileInfo().Mode()}
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

// A release has the archive of this system, with a program that runs and serves the page, the page as a site, what both are
// made of, and files that were named, all in SHA256SUMS.
func TestRelease(t *testing.T) {
	if _, err := os.Stat("../../../../web/site"); err != nil {
		t.Skip("the page is not built: `make page` does it")
	}
	dir := t.TempDir()
	out, wheel := filepath.Join(dir, "release"), filepath.Join(dir, "baca.whl")
	try.Check(os.WriteFile(wheel, []byte("a wheel"), 0o666))
	try.Check(release(out, "0123456789ab", []ship.Program{{OS: runtime.GOOS, Arch: runtime.GOARCH}}, []string{wheel}))
	folder := fmt.Sprintf("baca-%s-%s-%s", algo.Version, runtime.GOOS, runtime.GOARCH)
	archive, site, bom := folder+".tar.gz", "baca-"+algo.Version+"-site.tar.gz", "baca-"+algo.Version+".cdx.json"
	if runtime.GOOS == "windows" {
		archive = folder + ".zip"
	}
	read := func(name string) []byte { return try.To(os.ReadFile(filepath.Join(out, name))) }
	sums := ""
	for _, name := range []string{archive, site, bom, "baca.whl"} {
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(read(name)), name)
	}
	if got := string(read("SHA256SUMS")); got != sums {
		t.Errorf("sums %q, want %q", got, sums)
	}
	try.Check(os.CopyFS(dir, unpack(t, read(archive))))
	try.Check(os.CopyFS(dir, unpack(t, read(site))))
	for name, want := range map[string]string{
		folder + "/licenses.txt": "== Scripts of the page ==", folder + "/README.md": "BaCa", folder + "/LICENSE": "MIT",
		folder + "/weights/DATA-LICENSES.txt": "name: ChEMBL\n", "baca-" + algo.Version + "-site/DATA-LICENSES.txt": "name: ChEMBL\n",
		folder + "/man/man1/baca-score.1": `.TH "BACA-SCORE" "1" "Jan 2000"`, folder + "/completions/baca.bash": "bash completion", folder + "/completions/_baca": "#compdef baca",
		"baca-" + algo.Version + "-site/index.html": "<title>", "baca-" + algo.Version + "-site/schema.json": `"p_value"`,
	} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s does not have %q: %v", name, want, err)
		}
	}
	checkReadme(t, out)
	checkLinks(t, filepath.Join(dir, folder))
	if text, err := exec.Command(filepath.Join(dir, folder, "baca"), "version").Output(); err != nil || !strings.HasPrefix(string(text), "baca "+algo.Version+"+0123456789ab\n") {
		t.Errorf("version: %q, %v", text, err)
	}
	for _, want := range []string{"pkg:golang/gonum.org/v1/gonum@", "pkg:golang/github.com/maxence-charriere/go-app/v10@", "pkg:npm/openchemlib@", "pkg:golang/std@", `"name": "ChEMBL"`, `"expression": "CC-BY-SA-3.0"`, `"name": "TUDataset ENZYMES"`} {
		if !bytes.Contains(read(bom), []byte(want)) {
			t.Errorf("the list of materials lacks %s", want)
		}
	}
	checkBOM(t, read(bom))
}

// checkReadme follows the first block of README.md from an archive to verdicts, on a machine with tar and gzip alone.
func checkReadme(t *testing.T, out string) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return // whose archive the page names
	}
	_, block, _ := strings.Cut(string(try.To(os.ReadFile("../../../../README.md"))), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	dir := t.TempDir()
	for _, name := range []string{"tar", "gzip"} {
		try.Check(os.Symlink(try.To(exec.LookPath(name)), filepath.Join(dir, name)))
	}
	molecules := []byte("compound,structure\naspirin,CC(=O)Oc1ccccc1C(=O)O\nRDX,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\n")
	try.Check(os.WriteFile(filepath.Join(dir, "my.csv"), molecules, 0o666))
	lines := strings.NewReplacer("baca-0.1.0-linux-amd64.tar.gz", filepath.Join(out, "baca-"+algo.Version+"-linux-amd64.tar.gz"), "my.csv", "../my.csv").Replace(block)
	c := exec.Command(try.To(exec.LookPath("sh")), "-ec", lines)
	c.Dir, c.Env = dir, []string{"PATH=" + dir}
	text, err := c.CombinedOutput()
	if n := strings.Count(block, "\n"); n > 3 || err != nil || !strings.Contains(string(text), ",inside,") || !strings.Contains(string(text), ",outside,") {
		t.Errorf("%d commands: %v\n%s", n, err, text)
	}
}

// checkLinks looks for the files that pages of an archive link to.
func checkLinks(t *testing.T, folder string) {
	t.Helper()
	link, links := regexp.MustCompile(`\]\(([\w./-]+\.[a-z]{2,5}|[\w./-]+/[\w./-]*)(#[^)]*)?\)`), map[string]int{}
	try.Check(filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if filepath.Ext(name) != ".md" {
			return err
		}
		for _, m := range link.FindAllSubmatch(try.To(os.ReadFile(name)), -1) {
			links[filepath.Base(name)]++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), string(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
		return err
	}))
	for _, name := range []string{"READING.md", "TRUST.md", "SETS.md", "DOMAIN.md", "RECIPES.md", "README.md"} {
		if links[name] == 0 {
			t.Errorf("%s is not there, or links to nothing", name)
		}
	}
}

// checkBOM compares a document with the published schema, which a module of CycloneDX holds.
func checkBOM(t *testing.T, text []byte) {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", "github.com/CycloneDX/cyclonedx-go@v0.12.0")
	c.Dir = t.TempDir()
	data, err := c.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(data, &module) != nil {
		t.Logf("not compared with the schema, which cannot be had: %v", err)
		return
	}
	open := func(name string) *jsonschema.Schema {
		s := &jsonschema.Schema{}
		try.Check(json.Unmarshal(try.To(os.ReadFile(filepath.Join(module.Dir, "schema", name))), s))
		return s
	}
	names := map[string]string{"spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json"} // as they are misspelt there
	load := func(u *url.URL) (*jsonschema.Schema, error) { return open(names[path.Base(u.Path)]), nil }
	schema := try.To(open("bom-1.6.schema.json").Resolve(&jsonschema.ResolveOptions{Loader: load}))
	var bom map[string]any
	try.Check(json.Unmarshal(text, &bom))
	if err := schema.Validate(bom); err != nil {
		t.Error(err)
	}
	bom["components"].([]any)[0].(map[string]any)["type"] = "a part"
	if schema.Validate(bom) == nil {
		t.Error("the schema takes anything")
	}
}
