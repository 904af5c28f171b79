package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"baca/web"
)

// A run is one of the command: what it was called with, and what it wrote.
type run struct {
	once         sync.Once
	stdout, said bytes.Buffer
	err          error
}

// runs are those of this process, by input and arguments: several tests compare with
// the same one.
var runs sync.Map

// baca runs the command on an input, and returns what it writes to both outputs.
func baca(t *testing.T, file string, input []byte, args ...string) (out, said string) {
	t.Helper()
	found, _ := runs.LoadOrStore(fmt.Sprintf("%q %q %x", file, args, sha256.Sum256(input)), &run{})
	r := found.(*run)
	r.once.Do(func() {
		var dir string
		if dir, r.err = built(); r.err != nil {
			return
		}
		name := filepath.Join(t.TempDir(), file)
		if r.err = os.WriteFile(name, input, 0o666); r.err != nil {
			return
		}
		c := exec.Command(filepath.Join(filepath.Dir(dir), "baca"), append(args, name)...)
		c.Stdout, c.Stderr = &r.stdout, &r.said
		r.err = c.Run()
	})
	if r.err != nil {
		t.Fatalf("baca %v: %v\n%s", args, r.err, &r.said)
	}
	return r.stdout.String(), r.said.String()
}

// count is the number on a chip, 0 where there is none.
func (b *tab) count(chip string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`Number(document.querySelector(%q)?.textContent.replace(/\D/g, "") ?? 0)`, ".chip."+chip+" .chip-count"))
}

// save chooses an item of the menu.
func (b *tab) save(item string) {
	b.t.Helper()
	b.click("#export summary", fmt.Sprintf(`[data-save=%q]`, item))
}

// With a rate of false discoveries the verdicts, the column and the file are those of
// the command, and nothing is scored again.
func TestFalseDiscoveries(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.upload("#file", "molecules.csv", web.Examples())
	b.phase("done")
	each, took := b.count("is-outside"), b.text("#took")
	b.click("#rule-batch")
	b.wait(`document.querySelector("th.c-q") !== null`)
	// counted is what the command calls outside at a rate.
	counted := func(rate string) (outside int, rows string) {
		t.Helper()
		rows, said := baca(t, "molecules.csv", web.Examples(), "score", "--fdr", rate)
		if _, err := fmt.Sscanf(said[strings.Index(said, "; model drugs; "):], "; model drugs; %d outside", &outside); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return outside, rows
	}
	outside, want := counted("0.1")
	if n := b.count("is-outside"); n != outside {
		t.Errorf("%d outside at a false-discovery rate of 10 %%, the command says %d", n, outside)
	}
	b.save("csv")
	if got := b.saved("molecules-baca.csv"); string(got) != want {
		t.Errorf("the page saved\n%s", unlike(string(got), want))
	}
	if got := eval[string](b, `location.search`); !strings.Contains(got, "fdr=0.1") {
		t.Errorf("the address keeps %q", got)
	}
	// The line stands where the verdicts change, and is nobody's to move.
	if got := eval[bool](b, `document.getElementById("strip").getAttribute("role") === null`); !got {
		t.Error("the line of a batch can be moved")
	}
	b.click(".row")
	b.wait(`/Among all: q/.test(document.querySelector(".verdict-box")?.textContent)`)
	others := 0
	for _, rate := range []string{"0.01", "0.3"} {
		eval[any](b, fmt.Sprintf(`(() => { const s = document.getElementById("fdr"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); return null })()`, rate))
		b.wait(fmt.Sprintf(`location.search.includes("fdr=%s")`, rate))
		n := b.count("is-outside")
		if outside, _ := counted(rate); n != outside {
			t.Errorf("%d outside at a false-discovery rate of %s, the command says %d", n, rate, outside)
		}
		if n != each {
			others++
		}
	}
	if others == 0 {
		t.Errorf("%d outside at every rate", each)
	}
	b.click("#rule-each")
	b.wait(`document.querySelector("th.c-q") === null && !location.search.includes("fdr")`)
	if n := b.count("is-outside"); n != each {
		t.Errorf("%d outside again by α, before %d", n, each)
	}
	if got := b.text("#took"); got != took {
		t.Errorf("the run reads %q, before %q: it was scored again", got, took)
	}
	b.quiet()
}

// What decides is one choice, whose verdicts, file and address are those of the command. The
// batch is calibrated once.
func TestWhatDecides(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.upload("#file", "molecules.csv", web.Examples())
	b.phase("done")
	alone := b.count("is-outside")
	choose := func(by string) {
		t.Helper()
		b.decideBy(by)
		b.phase("done")
	}
	took := ""
	for _, by := range []string{"batch", "attention"} {
		choose(by)
		b.wait(`document.querySelector(".c-part") !== null`)
		if got := eval[string](b, `location.search`); !strings.Contains(got, "by="+by) {
			t.Errorf("the address keeps %q", got)
		}
		if took == "" {
			took = b.text("#took")
		} else if got := b.text("#took"); got != took {
			t.Errorf("the run reads %q, before %q: the batch was calibrated again", got, took)
		}
		want, _ := baca(t, "molecules.csv", web.Examples(), "score", "--by", by, "--columns", "all")
		b.save("csv")
		got, err := csv.NewReader(bytes.NewReader(b.saved("molecules-baca.csv"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(want)).ReadAll()
		if err != nil || len(got) != len(rows) || strings.Join(got[0], ",") != strings.Join(rows[0], ",") {
			t.Fatalf("%s: %d rows of %v, the command has %d of %v: %v", by, len(got), got[0], len(rows), rows[0], err)
		}
		outside := 0
		for i := range rows {
			for k := range rows[i] {
				if !near(got[i][k], rows[i][k]) {
					t.Errorf("%s: row %d, %s: %q, the command has %q", by, i, rows[0][k], got[i][k], rows[i][k])
				}
			}
			if rows[i][7] == "outside" {
				outside++
			}
		}
		if n := b.count("is-outside"); n != outside {
			t.Errorf("%s: %d outside, the command says %d", by, n, outside)
		}
	}
	if got := b.text("#whole"); !strings.Contains(got, "this list as a whole") && !strings.Contains(got, "As a whole this list") {
		t.Errorf("of the list as a whole the page says %q", got)
	}
	choose("alone")
	if n := b.count("is-outside"); n != alone || strings.Contains(eval[string](b, `location.search`), "by=") {
		t.Errorf("%d outside alone again, before %d", n, alone)
	}
	b.quiet()
}

const strange = "CCCC[Sn](CCCC)(CCCC)O[Sn](CCCC)(CCCC)CCCC tin oxide\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\nCC(=O)Oc1ccccc1C(=O)O aspirin\nCCCCCCCC(=O)O caprylic acid\n"

// Why a molecule is where it is, in the words of the command.
func TestReasons(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.upload("#file", "strange.smi", []byte(strange))
	b.phase("done")
	want, _ := baca(t, "strange.smi", []byte(strange), "score", "--explain")
	rows, err := csv.NewReader(strings.NewReader(want)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	said := func(row int, column string) string { return rows[1+row][slices.Index(rows[0], column)] }
	reasons := func(row int) []string { return strings.Split(said(row, "reasons"), "; ") }
	for row := range 4 {
		b.click(fmt.Sprintf(`[data-row="%d"]`, row))
		b.wait(fmt.Sprintf(`document.querySelector(".inspector-name")?.textContent === %q && document.getElementById("reasons") !== null`, rows[1+row][0]))
		shown := eval[[]string](b, `[...document.querySelectorAll(".reason")].map((e) => e.textContent)`)
		if list := reasons(row); strings.ReplaceAll(strings.Join(shown, "|"), "\u00a0", " ") != strings.Join(list, "|") {
			t.Errorf("%s: the page says %q, the command %q", rows[1+row][0], shown, list)
		}
		if known := eval[bool](b, `document.querySelector(".trained-on") !== null`); known != (said(row, "duplicate") == "true") {
			t.Errorf("%s: trained on is %v, the command says %s", rows[1+row][0], known, said(row, "duplicate"))
		}
		b.nearCards(5)
		near := eval[[]string](b, `[...document.querySelectorAll(".near-card")].map((e) => e.dataset.smiles)`)
		// The command names the first three of the five.
		if got := strings.Join(near[:3], "; "); got != said(row, "nearest_smiles") {
			t.Errorf("%s: the inspector draws %s, the command names %s", rows[1+row][0], got, said(row, "nearest_smiles"))
		}
	}
	// Tin was never seen, and is ringed without being asked for; a reason shows where
	// it is, and lets go.
	b.click(`[data-row="0"]`)
	b.wait(`document.querySelectorAll(".large .mark-ring").length > 1`)
	never := eval[int](b, `document.querySelectorAll(".large .mark-ring").length`)
	b.click(`.reason button`)
	b.wait(`document.querySelector('.reason button[aria-pressed="true"]') !== null`)
	if n := eval[int](b, `document.querySelectorAll(".large .mark-ring").length`); n != 2 {
		t.Errorf("%d atoms of tin are ringed, want 2", n)
	}
	b.click(`.reason button`)
	b.wait(fmt.Sprintf(`document.querySelectorAll(".large .mark-ring").length === %d`, never))
	// The same in a file, to the digits in which programs for different machines agree.
	b.byInput()
	b.save("csv reasons")
	got, err := csv.NewReader(bytes.NewReader(b.saved("reasons.csv"))).ReadAll()
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, want %d: %v", len(got), len(rows), err)
	}
	for i := range rows {
		for k := range rows[i] {
			if !near(got[i][k], rows[i][k]) {
				t.Errorf("row %d, %s: %q, the command has %q", i, rows[0][k], got[i][k], rows[i][k])
			}
		}
	}
	b.quiet()
}

// near tells whether two cells hold the same text, or the same numbers but for
// rounding.
func near(x, y string) bool {
	if x == y {
		return true
	}
	a, b := strings.Fields(x), strings.Fields(y)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		v, err1 := strconv.ParseFloat(a[i], 64)
		w, err2 := strconv.ParseFloat(b[i], 64)
		if err1 != nil || err2 != nil || math.Abs(v-w) > 1e-3*math.Abs(w)+2e-4 {
			return false
		}
	}
	return true
}

// What was likely trained on is marked, counted and can be looked at alone.
func TestKnownMolecules(t *testing.T) {
	b := ready(t)
	b.upload("#file", "molecules.csv", web.Examples())
	b.phase("done")
	out, _ := baca(t, "molecules.csv", web.Examples(), "score", "--explain")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want, known := 0, slices.Index(rows[0], "duplicate")
	for _, row := range rows[1:] {
		if row[known] == "true" {
			want++
		}
	}
	if n := b.count("is-known"); n != want || n == 0 {
		t.Errorf("%d molecules are known, the command says %d", n, want)
	}
	b.click(".chip.is-known")
	b.wait(fmt.Sprintf(`document.querySelector("table.rows").getAttribute("aria-rowcount") === "%d"`, want+1))
	if n := eval[int](b, `[...document.querySelectorAll(".row")].filter((r) => r.querySelector(".known-mark") === null).length`); n > 0 {
		t.Errorf("%d rows are shown without the mark", n)
	}
	b.click(".row")
	b.wait(`/Likely trained on/.test(document.querySelector(".verdict-box")?.textContent)`)
	b.click(".chip.is-known")
	b.wait(`document.querySelector("table.rows").getAttribute("aria-rowcount") === "159"`)
	b.quiet()
}

// turned are medicines, and then what is none.
func turned() []byte {
	var first, then bytes.Buffer
	for _, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n")[1:] {
		cells := strings.Split(strings.TrimSpace(line), ",")
		switch cells[1] {
		case "CNS drug", "other drug":
			fmt.Fprintf(&first, "%s %s\n", cells[2], cells[0])
		case "explosive", "organometallic", "fatty acid", "solvent":
			fmt.Fprintf(&then, "%s %s\n", cells[2], cells[0])
		}
	}
	return append(first.Bytes(), then.Bytes()...)
}

// The test for drift is the command's, and the order is what counts.
func TestDriftOfTheInput(t *testing.T) {
	b := ready(t)
	input := turned()
	b.upload("#file", "turned.smi", input)
	b.phase("done")
	out, said := baca(t, "turned.smi", input, "drift")
	b.click(`[data-stage="drift"]`)
	b.wait(`document.getElementById("drift-sentence") !== null`)
	sentence := b.text("#drift-sentence")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i, row := range rows[1:] {
		if row[4] == "true" {
			moved = i + 1
			break
		}
	}
	t.Logf("%s; %s", strings.TrimSpace(said), sentence)
	if moved == 0 {
		if !strings.Contains(sentence, "Nothing says") {
			t.Errorf("the page says %q, the command %q", sentence, said)
		}
	} else if !strings.Contains(sentence, fmt.Sprintf("by number %d of %d, %s,", moved, len(rows)-1, rows[moved][0])) {
		t.Errorf("the page says %q, the command that it moved at %d, %s", sentence, moved, rows[moved][0])
	}
	if n := eval[int](b, `document.querySelectorAll(".drift svg .line").length`); n == 0 {
		t.Error("there is no curve")
	}
	b.quiet()
}

// hostile are names that would do something if they were anything but text.
var hostile = []string{`<img src=x onerror=alert(1)>`, `"><script>alert(2)</script>`, `</title><svg onload=alert(3)>`, `' onmouseover='alert(4)`, "javascript:alert(5)", `<style>*{display:none}</style>`}

// The report stands alone: in a browser without a network it shows everything, runs
// nothing but what draws and asks for nothing, whatever the molecules are called.
func TestReport(t *testing.T) {
	b := ready(t)
	b.downloads()
	var input bytes.Buffer
	input.WriteString("name,smiles\n")
	w := csv.NewWriter(&input)
	for i, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n")[1:] {
		cells := strings.Split(strings.TrimSpace(line), ",")
		name := cells[0]
		if i < len(hostile) {
			name = hostile[i]
		}
		if cells[1] == "explosive" || cells[1] == "organometallic" {
			name = hostile[i%len(hostile)] // these come to be on top
		}
		w.Write([]string{name, cells[2]})
	}
	w.Write([]string{`<b>refused</b>`, `C1CC<script>alert(6)</script>`})
	w.Flush()
	b.upload("#file", `molecules <b>x.csv`, input.Bytes())
	b.phase("done")
	b.click("#compare")
	b.wait(`/this list/.test(document.getElementById("whole").textContent)`)
	b.click("#rule-batch")
	b.save("report")
	b.wait(`/Report saved as/.test(document.querySelector(".export-note")?.textContent)`)
	path := b.path("report.html") // the browser has its own mind on the other letters
	html, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b.quiet()

	// The numbers are those of the command's report of the same file.
	out := filepath.Join(t.TempDir(), "command.html")
	baca(t, `molecules <b>x.csv`, input.Bytes(), "report", "--fdr", "0.1", "--out", out)
	command, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	command = regexp.MustCompile(`/\S+/molecules`).ReplaceAll(command, []byte("molecules"))
	for _, section := range []string{"lead", "warn"} {
		part := regexp.MustCompile(`(?s)class="` + section + `">.*?</(p|ul)>`)
		if got, want := part.Find(html), part.Find(command); !bytes.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: the page has\n%s\nthe command has\n%s", section, got, want)
		}
	}
	tables := regexp.MustCompile(`(?s)<table>.*</table>`)
	if got, want := tables.Find(html), tables.Find(command); !bytes.Equal(got, want) || len(got) < 1000 {
		t.Errorf("the tables of %d and %d bytes are not the same", len(got), len(want))
	}
	reasons := regexp.MustCompile(`(?s)<li>.*?</li>`)
	html = regexp.MustCompile(`<div class="mol".*?</div>`).ReplaceAll(html, nil) // the command was built without what draws
	if got, want := reasons.FindAll(html, -1), reasons.FindAll(command, -1); fmt.Sprintf("%s", got) != fmt.Sprintf("%s", want) {
		t.Errorf("the reasons are\n%s\nthe command's\n%s", got, want)
	}

	offline := browse(t)
	var mu sync.Mutex
	var asked []string
	if err := chromedp.Listen(offline.ctx, func(ev any) {
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			mu.Lock()
			asked = append(asked, e.Request.URL)
			mu.Unlock()
		case *page.EventJavascriptDialogOpening:
			t.Errorf("a dialog says %q", e.Message)
		}
	}); err != nil {
		t.Fatal(err)
	}
	address := "file://" + path
	offline.run("opening the report", chromedp.Navigate(strings.ReplaceAll(strings.ReplaceAll(address, " ", "%20"), "<", "%3C")))
	offline.wait(`document.readyState === "complete" && document.querySelector("h1") !== null`)
	if n := eval[int](offline, `document.querySelectorAll("img, iframe, object, embed, link, [onerror], [onload], [onmouseover], a[href]").length`); n > 0 {
		t.Errorf("%d elements that do or load something", n)
	}
	// Its scripts are its own: what is packed, what unpacks it, and that unpacked.
	offline.wait(`document.querySelectorAll(".pic svg").length === 10`)
	if n := eval[int](offline, `document.querySelectorAll("script").length`); n != 3 {
		t.Errorf("%d scripts, want 3", n)
	}
	if n := eval[int](offline, `document.querySelectorAll("svg.chart").length`); n != 3 {
		t.Errorf("%d charts, want 3: scores, p-values and drift", n)
	}
	text := eval[string](offline, `document.body.innerText`)
	for _, want := range []string{hostile[0], "159 read, 1 refused", "drugs", "sha256", "baca report --model drugs --fdr 0.1 --seed 1 --out report.html 'molecules", "the page", "Furthest outside", "What not to conclude"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	for _, width := range []int64{1280, 390} {
		offline.run("the size", chromedp.EmulateViewport(width, 900))
		if wide := eval[int](offline, `document.documentElement.scrollWidth`); wide > int(width) {
			t.Errorf("the report is %d pixels wide on a screen of %d", wide, width)
		}
		// Columns of numbers, which do not break, must not leave those of text with a letter to a line.
		if narrow := eval[float64](offline, `Math.min(...[...document.querySelectorAll("td.t")].map(e => e.offsetWidth))`); narrow < 80 {
			t.Errorf("on a screen of %d pixels a column of names or structures is %g wide, want 80", width, narrow)
		}
		offline.capture(fmt.Sprintf("report-%d", width), chromedp.FullScreenshot(100))
	}
	offline.act("printing", func(ctx context.Context) error {
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
			return err
		}
		r, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{})
		if err == nil && !bytes.HasPrefix(r.Data, []byte("%PDF-")) {
			return errors.New("not a PDF file")
		}
		if err != nil || *screenshots == "" {
			return err
		}
		return os.WriteFile(filepath.Join(*screenshots, "report.pdf"), r.Data, 0o644)
	})
	mu.Lock()
	defer mu.Unlock()
	for _, url := range asked {
		if !strings.HasPrefix(url, "file://") {
			t.Errorf("the report asks for %s", url)
		}
	}
	offline.mu.Lock()
	defer offline.mu.Unlock()
	for _, line := range offline.console {
		t.Errorf("console: %s", line)
	}
}

// What takes long can be ended, and what was scored stays.
func TestReportOfManyIsCancelled(t *testing.T) {
	b := ready(t)
	b.upload("#file", "many.csv", manyRows(5000))
	b.phase("done")
	outside := b.count("is-outside")
	b.save("report")
	b.wait(`/one after the other, [1-9]/.test(document.querySelector(".export-note")?.textContent)`)
	b.click(`.row:not(.selected)`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.click(`.export-note .end-task`)
	b.wait(`document.querySelector(".export-note")?.textContent === "Cancelled"`)
	if n := b.count("is-outside"); n != outside {
		t.Errorf("%d outside after cancelling, before %d", n, outside)
	}
	b.downloads()
	b.save("report")
	b.wait(`/Report saved as/.test(document.querySelector(".export-note")?.textContent)`)
	if html := b.saved("many-report.html"); !bytes.Contains(html, []byte("each graph by itself")) || !bytes.Contains(html, []byte("The 500 of 4950 furthest outside.")) {
		t.Error("the report does not say what it rests on")
	}
	b.quiet()
}

// TestScreenshotsOfDecisions writes pictures of all that is said about decisions.
func TestScreenshotsOfDecisions(t *testing.T) {
	b := ready(t)
	b.upload("#file", "molecules.csv", web.Examples())
	b.phase("done")
	b.click("#rule-batch")
	b.wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.picture("batch")
	b.decideBy("batch")
	b.wait(`/this list/.test(document.getElementById("whole").textContent)`)
	b.phase("done")
	b.click(`.row`)
	b.wait(`document.getElementById("own-score") !== null`)
	eval[any](b, `(document.getElementById("own-score").scrollIntoView(), null)`)
	b.picture("batch-decides")
	eval[any](b, `(document.getElementById("inspector-close").click(), null)`)
	b.decideBy("alone")
	b.click(`[data-by="3"]`)
	b.click(`.row`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.picture("reasons")
	eval[any](b, `(document.querySelector(".inspector").scrollTop = 420, null)`)
	b.picture("reasons-below")
	eval[any](b, `(document.getElementById("inspector-close").click(), null)`)
	b.click(".chip.is-known")
	b.click(`.row`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.picture("known")
	eval[any](b, `(document.getElementById("inspector-close").click(), null)`)
	b.click(`[data-stage="drift"]`)
	b.wait(`document.getElementById("drift-sentence") !== null`)
	b.picture("drift")
	b.run("the size", chromedp.EmulateViewport(390, 844))
	eval[any](b, `(document.getElementById("lab-panel").scrollIntoView(), null)`)
	b.capture("drift-below-390", chromedp.CaptureScreenshot())
	b.run("the size", chromedp.EmulateViewport(1280, 800))
	b.click(`[data-stage="drift"]`)
	b.click("#export summary")
	b.picture("menu")
	b.click("#export summary", ".help-button")
	eval[any](b, `(document.getElementById("not").scrollIntoView(), null)`)
	b.picture("not")
	eval[any](b, `(document.getElementById("help").close(), null)`)
	b.empty()
	b.example(2)
	b.picture("handful")
	b.empty()
	b.upload("#file", "strange.smi", []byte(strange))
	b.phase("done")
	b.click(`[data-row="0"]`)
	b.wait(`document.querySelectorAll(".large .mark-ring").length > 1`)
	b.picture("unseen")
	b.quiet()
}

// unlike shows the lines in which two texts differ.
func unlike(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(a) != len(b) {
		return fmt.Sprintf("%d lines, want %d", len(a), len(b))
	}
	var text strings.Builder
	for i := range a {
		if a[i] != b[i] {
			fmt.Fprintf(&text, "%s, where the command wrote\n%s\n", a[i], b[i])
		}
	}
	return text.String()
}
