package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"baca/algo"
	"baca/build/internal/ship"
	"baca/build/internal/try"
)

// needed is what the tests in Python import, beside what Python has.
const needed = "venv, pytest, numpy, pandas, sklearn, rdkit, networkx, tqdm, matplotlib"

// python returns an interpreter that has what is needed, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+needed).Run() == nil {
			return name
		}
	}
	t.Skipf("no python3 has %s: apt-get install python3-venv python3-pytest python3-pandas python3-sklearn python3-rdkit python3-networkx python3-tqdm python3-matplotlib", needed)
	return ""
}

// What users do: the wheel of this system is installed into a fresh environment, and the tests
// in Python work on it.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	interpreter := python(t)
	mine := own()
	if len(mine) == 0 {
		t.Skipf("no wheel for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	dir := t.TempDir()
	out, venv := filepath.Join(dir, "wheels"), filepath.Join(dir, "venv")
	try.Check(wheels(out, "", mine))
	wheel := filepath.Join(out, mine[0].name())
	if info, err := os.Stat(wheel); err != nil || info.Size() > 16e6 {
		t.Errorf("%s: %d bytes, want at most 16 MB, of which the model bioactive is 4; %v", wheel, info.Size(), err)
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
	tests := try.To(filepath.Abs("../tests"))
	run(installed, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::pytest.PytestUnraisableExceptionWarning", tests)
}

// RECORD has the hash and size of each file but itself. That archives are right is checked by package release.
func TestRecord(t *testing.T) {
	var b bytes.Buffer
	try.Check(writeWheel(&b, []ship.File{{Name: "baca/x.py", Data: []byte("x = 1\n"), Mode: 0o644}}))
	z := try.To(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))
	// The hash is that of: printf 'x = 1\n' | openssl dgst -sha256 -binary | basenc --base64url
	want := "baca/x.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n" + info + "RECORD,,\n"
	if got, err := fs.ReadFile(z, info+"RECORD"); err != nil || string(got) != want {
		t.Errorf("%v\n%s, want\n%s", err, got, want)
	}
}

// The package asks for its version by the name of the distribution.
func TestDistribution(t *testing.T) {
	if text := try.To(os.ReadFile("../baca/__init__.py")); !strings.Contains(string(text), `_metadata.version("`+distribution+`")`) {
		t.Errorf("__init__.py does not name %s", distribution)
	}
}

// From a folder of all wheels pip takes the one of a platform, by the name of the distribution.
func TestFindLinks(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil || exec.Command(interpreter, "-m", "pip", "--version").Run() != nil {
		t.Skip("needs pip")
	}
	dir := t.TempDir()
	for _, target := range targets {
		var b bytes.Buffer
		metadata := ship.File{Name: info + "METADATA", Data: fmt.Appendf(nil, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", distribution, algo.Version), Mode: 0o644}
		try.Check(writeWheel(&b, []ship.File{metadata, {Name: info + "WHEEL", Data: target.wheel(), Mode: 0o644}}))
		try.Check(os.WriteFile(filepath.Join(dir, target.name()), b.Bytes(), 0o666))
	}
	for platform, want := range map[string]string{"manylinux2014_x86_64": "x86_64", "musllinux_1_2_aarch64": "aarch64", "win_amd64": "win_amd64"} {
		got := t.TempDir()
		download := []string{"-m", "pip", "download", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--only-binary=:all:"}
		out, err := exec.Command(interpreter, append(download, "--find-links", dir, "--platform", platform, "--dest", got, distribution)...).CombinedOutput()
		if names := try.To(filepath.Glob(filepath.Join(got, stem+"-*"+want+".whl"))); err != nil || len(names) != 1 {
			t.Errorf("%s: %v, %v\n%s", platform, names, err, out)
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
