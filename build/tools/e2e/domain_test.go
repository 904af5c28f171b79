package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// substances are molecules within the domain of the model of BBBP, at its edge and out of it.
const substances = "name,smiles\naspirin,CC(=O)Oc1ccccc1C(=O)O\n<b>RDX</b>,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\nopen,C1CC\n\"it's \"\"caffeine\"\"\",Cn1cnc2c1c(=O)n(C)c(=O)n2C\n"

// saveDomain saves the report on a subject from the dialog, and returns where it is.
func (b *tab) saveDomain(subject, format, end string) string {
	b.t.Helper()
	b.click(fmt.Sprintf(`[data-domain="%s %s"]`, subject, format))
	path := b.path(end)
	b.wait(`/ saved as /.test(document.querySelector(".export-note")?.textContent) && !document.getElementById("domain").open`)
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ownWords are what page and command may say each in its own way: which program it is, how to
// have the report again, and drawings, as the tests' command is built without what draws.
var ownWords = regexp.MustCompile(`(?s)<div class="(pic|mol)".*?</div>|<p class="blank">not drawn</p>|<p>There are no drawings: .*?</p>\n|<meta http-equiv.*?>|<script.*?</script>\n*|, the page|<h2>How to make this again</h2>.*`)

func sameHTML(t *testing.T, got, want []byte) {
	t.Helper()
	strip := func(b []byte) []string {
		b = regexp.MustCompile(`/[^\s<>]+/substances`).ReplaceAll(ownWords.ReplaceAll(b, nil), []byte("substances"))
		return strings.Split(string(b), "\n")
	}
	a, b := strip(got), strip(want)
	if len(a) != len(b) || len(a) < 20 {
		t.Errorf("the page's report has %d lines, the command's %d", len(a), len(b))
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("line %d of the page's report is\n%.1500s\nof the command's\n%.1500s", i+1, a[i], b[i])
		}
	}
}

// sameValues compares values of JSON. Scores have a deviation of about 1, and the processors
// of both multiply in another order.
func sameValues(t *testing.T, at string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for k := range w {
			sameValues(t, at+"."+k, g[k], w[k])
		}
		if len(g) != len(w) {
			t.Errorf("%s has %d fields, want %d", at, len(g), len(w))
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s has %d values, want %d", at, len(g), len(w))
			return
		}
		for i := range w {
			sameValues(t, fmt.Sprintf("%s[%d]", at, i), g[i], w[i])
		}
	case float64:
		if g, ok := got.(float64); !ok || !(math.Abs(g-w) <= 1e-5*math.Abs(w)+1e-6) {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

// The report on the applicability domain is the command's, and the command that it prints finds
// the same.
func TestDomainReport(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.upload("#file", "substances.csv", []byte(substances))
	b.phase("done")
	b.save("domain")
	if !eval[bool](b, `document.querySelector('[data-domain="chosen html"]').disabled`) {
		t.Error("there is a report on no row")
	}
	for _, width := range []int64{400, 1280} {
		b.run("the size", chromedp.EmulateViewport(width, 900))
		b.capture(fmt.Sprintf("domain-dialog-%d", width), chromedp.CaptureScreenshot())
	}
	b.axe()("the dialog")
	b.click(`#domain [data-close]`)

	b.save("domain")
	path := b.saveDomain("shown", "html", "substances-qprf.html")
	html := read(t, path)
	out := filepath.Join(t.TempDir(), "command.html")
	baca(t, "substances.csv", []byte(substances), "report", "--qprf", "--out", out)
	sameHTML(t, html, read(t, out))
	if !bytes.Contains(html, []byte("<pre>baca report --qprf --model drugs --out qprf.html substances.csv</pre>")) {
		t.Error("the report does not say how it comes again")
	}

	// Of one row the command is given the molecule itself.
	b.click(`.row[data-row="1"]`)
	b.wait(`document.querySelector('[data-domain="chosen html"]').disabled === false`)
	b.run("a phone", chromedp.EmulateViewport(400, 900))
	b.click("#details summary", "#details .row-buttons [aria-haspopup]")
	saved := b.saveDomain("chosen", "json", "-qprf.json")
	var got, want map[string]any
	if err := json.Unmarshal(read(t, saved), &got); err != nil {
		t.Fatal(err)
	}
	site, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	shell := exec.Command("sh", "-c", got["command"].(string))
	shell.Dir, shell.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(site)+":"+os.Getenv("PATH"))
	if said, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", got["command"], err, said)
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "qprf.json")), &want); err != nil {
		t.Fatal(err)
	}
	for _, s := range []map[string]any{got, want} {
		for _, own := range []string{"program", "input", "command"} {
			delete(s, own)
		}
		delete(s["substances"].([]any)[0].(map[string]any), "row")
	}
	sameValues(t, "the report", got, want)

	// The page of the model.
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.save("domain")
	model := read(t, b.saveDomain("model", "html", "drugs-qmrf.html"))
	out = filepath.Join(dir, "qmrf.html")
	if said, err := exec.Command(filepath.Join(filepath.Dir(site), "baca"), "report", "--qmrf", "--out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	sameHTML(t, model, read(t, out))
	b.quiet()

	// It needs nothing else, draws all and prints.
	offline := browse(t)
	offline.run("opening the report", chromedp.Navigate("file://"+path))
	offline.wait(`document.querySelectorAll(".pic svg").length === 3 && document.querySelectorAll(".mol svg").length === 15`)
	for _, width := range []int64{1280, 400} {
		offline.run("the size", chromedp.EmulateViewport(width, 900))
		if wide := eval[int](offline, `document.documentElement.scrollWidth`); wide > int(width) {
			t.Errorf("the report is %d pixels wide on a screen of %d", wide, width)
		}
		offline.capture(fmt.Sprintf("domain-%d", width), chromedp.FullScreenshot(100))
	}
	offline.act("printing", func(ctx context.Context) error {
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
			return err
		}
		prefer := true
		r, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &prefer})
		if err == nil && *screenshots != "" {
			err = os.WriteFile(filepath.Join(*screenshots, "domain.pdf"), r.Data, 0o644)
		}
		return err
	})
	offline.mu.Lock()
	defer offline.mu.Unlock()
	for _, line := range offline.console {
		t.Errorf("console: %s", line)
	}
}
