package columnar

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo/xlsx"

	"baca/build/internal/try"
)

// TestWorkbooks has five programs write a table in their ways (workbooks.json), LibreOffice from the file of
// another one, and compares what is read with its CSV.
func TestWorkbooks(t *testing.T) {
	dir, testdata := t.TempDir(), "../../algo/xlsx/testdata"
	run := func(stdin io.Reader, name string, args ...string) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Stdin = stdin
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, text)
		}
	}
	for _, name := range []string{"python3", "npm", "node"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs %s", name)
		}
	}
	table := try.To(os.ReadFile("workbooks.json"))
	run(nil, "python3", "-m", "venv", filepath.Join(dir, "python"))
	python := filepath.Join(dir, "python", "bin", "python")
	run(nil, python, "-m", "pip", "install", "--quiet", "openpyxl==3.1.5", "pandas==2.3.3", "xlsxwriter==3.2.9")
	run(bytes.NewReader(table), python, "workbooks.py", dir)
	run(nil, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--silent", "exceljs@4.4.0", "xlsx@0.18.5")
	run(bytes.NewReader(table), "node", "workbooks.mjs", dir)
	if _, err := exec.LookPath("soffice"); err == nil {
		home := "-env:UserInstallation=file://" + filepath.Join(dir, "home")
		run(nil, "soffice", "--headless", home, "--convert-to", "xlsx", "--outdir", filepath.Join(dir, "office"), filepath.Join(dir, "xlsxwriter.xlsx"))
		try.Check(os.Rename(filepath.Join(dir, "office", "xlsxwriter.xlsx"), filepath.Join(dir, "libreoffice.xlsx")))
	}
	want := string(try.To(os.ReadFile(filepath.Join(testdata, "table.csv"))))
	for _, path := range try.To(filepath.Glob(filepath.Join(dir, "*.xlsx"))) {
		name, data, want := filepath.Base(path), try.To(os.ReadFile(path)), want
		if !strings.Contains(name, "xlsxwriter") && name != "libreoffice.xlsx" {
			want = strings.Replace(want, "_x000D_", `" "`, 1) // others write this text as the escape that it is
		}
		book := try.To(xlsx.Open(try.To(zip.NewReader(bytes.NewReader(data), int64(len(data)))), 1<<20, func(int) error { return nil }))
		i := slices.IndexFunc(book.Sheets, func(s xlsx.Sheet) bool { return s.Name == "Data" })
		if got := string(try.To(io.ReadAll(try.To(book.CSV(book.Sheets[i]))))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		if kept := filepath.Join(testdata, "table-"+name); *update && try.To(filepath.Glob(kept)) != nil {
			try.Check(os.WriteFile(kept, data, 0o666))
		}
	}
}
