package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The lab compares the input with another list, and finds what the command does.
func TestCompareLists(t *testing.T) {
	b := ready(t)
	b.downloads()
	var acids, amines strings.Builder
	for i := range 60 {
		chain := strings.Repeat("C", 1+i%30)
		fmt.Fprintf(&acids, "%s%sC(=O)O acid%d\n", chain, strings.Repeat("C(C)", i/30), i)
		fmt.Fprintf(&amines, "%s%sN amine%d\n", chain, strings.Repeat("c1ccccc1", i/30), i)
	}
	b.drop("amines.csv", []byte("smiles,name\n"+strings.ReplaceAll(amines.String(), " ", ",")))
	b.phase("done")
	b.click(`[data-stage="lists"]`)
	b.wait(`document.querySelector(".compare")?.textContent.includes("the input is B")`)
	// What cannot be compared says why.
	b.upload("#compare-file", "words.csv", []byte("key,remark\n1,CX\n"))
	b.wait(`document.getElementById("compare-failure")?.textContent.includes("words.csv: no column holds SMILES")`)
	b.upload("#compare-file", "acids.smi", []byte(acids.String()+"C1CC broken\n"))
	b.wait(`document.getElementById("compared") !== null && !document.getElementById("compare-failure")`)
	dir := t.TempDir()
	for name, text := range map[string]string{"acids.smi": acids.String() + "C1CC broken\n", "amines.smi": amines.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(filepath.Join(builtIn, "baca"), "compare", "acids.smi", "amines.smi")
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	said := strings.SplitN(string(out), "\n", 4)[:3]
	for i, want := range said {
		if got := eval[string](b, fmt.Sprintf(`document.querySelectorAll(".compare-sentence")[%d]?.textContent`, i)); got != want {
			t.Errorf("the page says %q, and the command %q", got, want)
		}
	}
	if got := b.text("#compared"); !strings.Contains(got, "carboxylic acid") || !strings.Contains(got, "Commoner in B") || !strings.Contains(got, "acids.smi:61:2") {
		t.Errorf("the page says %q", got)
	}
	// The fragments are drawn once the drawings are there.
	b.wait(`document.querySelectorAll(".fragments .near-picture svg").length === document.querySelectorAll(".fragments .near-card").length && document.querySelectorAll(".fragments svg").length > 1`)
	for _, width := range []int64{1280, 768, 390} {
		b.run("the size", chromedp.EmulateViewport(width, 900))
		if over := eval[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("the page is %g px wider than a screen of %d", over, width)
		}
	}
	b.click("#compare-save")
	if report := string(b.saved("amines-against-acids.html")); !strings.Contains(report, "How amines.csv differs from acids.smi") || !strings.Contains(report, "baca compare --model drugs") {
		t.Errorf("the report is of %d bytes", len(report))
	}
	// Another input has no comparison yet.
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.drop("one.smi", []byte("CCO\n"))
	b.phase("done")
	b.wait(`document.getElementById("compared") === null`)
	b.quiet()
}

// A comparison can be ended, and what was scored stays.
func TestCompareIsEnded(t *testing.T) {
	b := ready(t)
	b.drop("few.csv", []byte("smiles\nCCO\nCCN\n"))
	b.phase("done")
	b.click(`[data-stage="lists"]`)
	var long strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&long, "%sO%s %d\n", strings.Repeat("C", 1+i%97), strings.Repeat("C", i%89), i)
	}
	b.upload("#compare-file", "long.smi", []byte(long.String()))
	b.wait(`document.querySelector(".compare, .lab-panel")?.textContent.includes("reading the file")`)
	b.click(".lab-panel .end-task")
	b.wait(`document.getElementById("compare-failure")?.textContent === "Cancelled."`)
	if got := b.names(); got != "1|2" {
		t.Errorf("the rows are %q", got)
	}
	b.quiet()
}
