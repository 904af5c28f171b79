package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"baca/web"
)

// pricedExamples are the molecules that come with the page, with prices and with what was measured.
func pricedExamples() []byte {
	var b bytes.Buffer
	for i, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n") {
		more := ",EUR,measured"
		if i > 0 {
			more = fmt.Sprintf(",%d,%s", 5+i%40, map[bool]string{true: "yes", false: ""}[i%5 == 0])
		}
		if i%30 == 29 {
			more = ",,"
		}
		b.WriteString(line + more + "\n")
	}
	b.WriteString("debt,none,CCCCBr,-3,\n")
	return b.Bytes()
}

// rowsOfCSV are those of a file, without the header.
func rowsOfCSV(t *testing.T, file []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows of CSV, error %v:\n%s", len(rows), err, file)
	}
	return rows
}

// The lab says what to measure next, and finds what the command does.
func TestSuggest(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.drop("priced.csv", pricedExamples())
	b.phase("done")
	b.click(`[data-stage="choose"]`)
	b.wait(`document.getElementById("suggest-start") !== null && document.getElementById("suggest-budget") === null`)
	set := func(id, value, event string) {
		eval[any](b, fmt.Sprintf(`{ const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event(%q, {bubbles: true})); null }`, id, value, event))
	}
	menu := func(id, column string) {
		set(id, eval[string](b, fmt.Sprintf(`[...document.querySelectorAll("#%s option")].find(o => o.textContent === %q)?.value ?? "none"`, id, column)), "change")
	}
	// What is no number says so.
	set("suggest-most", "0", "input")
	b.click("#suggest-start")
	b.wait(`document.getElementById("suggest-failure")?.textContent.includes("from 1 to 100 000")`)
	set("suggest-most", "12", "input")
	menu("suggest-price", "EUR")
	b.wait(`document.getElementById("suggest-budget") !== null`)
	set("suggest-budget", "-4", "input")
	b.click("#suggest-start")
	b.wait(`document.getElementById("suggest-failure")?.textContent.includes("a number above 0")`)
	set("suggest-budget", "150", "input")
	menu("suggest-exclude", "measured")
	b.click("#suggest-start")
	b.wait(`document.getElementById("suggested") !== null && !document.getElementById("suggest-failure")`)

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "priced.csv"), pricedExamples(), 0o644); err != nil {
		t.Fatal(err)
	}
	line := b.text("#suggest-command")
	if line != "baca suggest -n 12 --model drugs --price EUR --budget 150 --exclude measured priced.csv" {
		t.Errorf("the command is %q", line)
	}
	words := strings.Fields(line)
	c := exec.Command(filepath.Join(builtIn, words[0]), words[1:]...)
	var said bytes.Buffer
	c.Dir, c.Stderr = dir, &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	b.click("#suggest-save")
	got, want := rowsOfCSV(t, b.saved("priced-suggested.csv")), rowsOfCSV(t, out)
	if len(got) != len(want) {
		t.Fatalf("%d rows, the command has %d", len(got), len(want))
	}
	for i, row := range want {
		for k, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			y, _ := strconv.ParseFloat(got[i][k], 64)
			if same := got[i][k] == cell || err == nil && math.Abs(x-y) <= 2e-5*math.Abs(x); !same {
				t.Errorf("row %d: %s is %q, the command has %q", i, want[0][k], got[i][k], cell)
			}
		}
	}
	text := b.text("#suggested")
	sentences := 0
	for line := range strings.Lines(said.String()) {
		line = strings.TrimSpace(line)
		if _, refusal, ok := strings.Cut(line, "refused: row "); ok {
			line = "ow " + refusal
		} else if line == "" || strings.Contains(line, "read, ") || strings.Contains(line, "scoring: ") || strings.Contains(line, "choosing: ") {
			continue
		}
		if sentences++; !strings.Contains(text, line[1:]) {
			t.Errorf("the page says\n%s\nwithout %q of the command", text, line)
		}
	}
	if sentences < 5 {
		t.Errorf("the command says\n%s", said.String())
	}
	cards := len(want) - 1
	b.wait(fmt.Sprintf(`document.querySelectorAll(".pick .near-picture svg").length === %d`, cards))
	for _, width := range []int64{1280, 768, 390} {
		b.run("the size", chromedp.EmulateViewport(width, 900))
		if over := eval[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("the page is %g px wider than a screen of %d", over, width)
		}
		if *screenshots != "" {
			eval[any](b, `document.getElementById("suggested").scrollIntoView(), null`)
			b.capture(fmt.Sprintf("suggest-%d", width), chromedp.CaptureScreenshot())
			eval[any](b, `document.querySelector(".picks").scrollIntoView(), null`)
			b.capture(fmt.Sprintf("suggest-picks-%d", width), chromedp.CaptureScreenshot())
		}
	}
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.axe()("what to measure next")
	b.click(".pick")
	b.wait(fmt.Sprintf(`document.querySelector(".inspector")?.textContent.includes(%q)`, want[1][1]))
	// Another input has none yet, and no columns of this one.
	b.drop("one.smi", []byte("CCO\n"))
	b.phase("done")
	b.wait(`document.getElementById("suggested") === null && document.getElementById("suggest-price") === null`)
	b.click("#suggest-start")
	b.wait(`document.getElementById("suggested") !== null`)
	b.quiet()
}

// Of many molecules the page stays alive while it chooses, which can be ended; what was scored
// stays.
func TestSuggestIsEnded(t *testing.T) {
	b := ready(t)
	var long strings.Builder
	long.WriteString("smiles\n")
	for i := range 10_000 {
		fmt.Fprintf(&long, "%sO%s%s\n", strings.Repeat("C", 1+i%37), strings.Repeat("C", i%29), strings.Repeat("N", i%3))
	}
	b.drop("long.csv", []byte(long.String()))
	b.phase("done")
	b.click(`[data-stage="choose"]`)
	b.wait(`document.getElementById("suggest-most") !== null`)
	eval[any](b, `{ const e = document.getElementById("suggest-most"); e.value = 5000; e.dispatchEvent(new Event("input", {bubbles: true})); null }`)
	b.click("#suggest-start")
	b.wait(`document.querySelector(".lab-panel")?.textContent.includes("trying each, ")`)
	b.click(".row")
	b.wait(`document.getElementById("neighbors") !== null`)
	b.click(".lab-panel .end-task")
	b.wait(`document.getElementById("suggest-failure")?.textContent === "Cancelled."`)
	if got := eval[int](b, `document.querySelectorAll(".row").length`); got == 0 {
		t.Error("the rows have gone")
	}
	b.quiet()
}
