package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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

// save chooses an item of the menu.
func (b *tab) save(item string) {
	b.t.Helper()
	b.click("#export summary", fmt.Sprintf(`[data-save=%q]`, item))
}

// hostile are names that would do something if they were anything but text.
var hostile = []string{`<img src=x onerror=alert(1)>`, `"><script>alert(2)</script>`, `</title><svg onload=alert(3)>`, `' onmouseover='alert(4)`, "javascript:alert(5)", `<style>*{display:none}</style>`}

func TestReport(t *testing.T) {
	b := ready(t)
	b.downloads()
	input := hostileList()
	b.upload("#file", `molecules <b>x.csv`, input)
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

	// The numbers are those of the command's report of the same file, which was built without what draws.
	out := filepath.Join(t.TempDir(), "command.html")
	baca(t, `molecules <b>x.csv`, input, "report", "--fdr", "0.1", "--out", out)
	command, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	command = regexp.MustCompile(`/\S+/molecules`).ReplaceAll(command, []byte("molecules"))
	html = regexp.MustCompile(`<div class="mol".*?</div>`).ReplaceAll(html, nil)
	for _, part := range []string{`class="lead">.*?</(p|ul)>`, `class="warn">.*?</(p|ul)>`, `<table>.*</table>`, `<li>.*?</li>`} {
		find := regexp.MustCompile(`(?s)` + part)
		got, want := bytes.Join(find.FindAll(html, -1), nil), bytes.Join(find.FindAll(command, -1), nil)
		if len(got) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: the page has\n%s\nthe command has\n%s", part, got, want)
		}
	}

	offline := browse(t)
	address := "file://" + path
	offline.run("opening the report", chromedp.Navigate(strings.ReplaceAll(strings.ReplaceAll(address, " ", "%20"), "<", "%3C")))
	offline.wait(`document.readyState === "complete" && document.querySelector("h1") !== null`)
	for what, want := range map[string]int{
		".pic svg": 10,
		"script":   3, // what is packed, what unpacks it, and that unpacked
		"img, iframe, object, embed, link, [onerror], [onload], [onmouseover], a[href]": 0,
		"svg.chart": 3, // scores, p-values and drift
	} {
		offline.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, what, want))
	}
	text := eval[string](offline, `document.body.innerText`)
	for _, want := range []string{hostile[0], "159 read, 1 refused", "drugs", "sha256", "baca report --model drugs --fdr 0.1 --seed 1 --out report.html 'molecules", "the page", "Furthest outside", "What not to conclude"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	for _, width := range []int64{1280, 390} {
		offline.screen("the report", width, 900)
		// Columns of numbers, which do not break, must not leave those of text with a letter to a line.
		if narrow := eval[float64](offline, `Math.min(...[...document.querySelectorAll("td.t")].map(e => e.offsetWidth))`); narrow < 80 {
			t.Errorf("on a screen of %d pixels a column of names or structures is %g wide, want 80", width, narrow)
		}
		offline.capture(fmt.Sprintf("report-%d", width), chromedp.FullScreenshot(100))
	}
	offline.act("printing", func(ctx context.Context) error {
		r, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{})
		if err == nil && !bytes.HasPrefix(r.Data, []byte("%PDF-")) {
			return errors.New("not a PDF file")
		}
		return err
	})
	offline.quiet()
	// Without scripts there are SMILES, and a sentence that says why.
	offline.act("no scripts", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	offline.run("opening it again", chromedp.Reload())
	text = eval[string](offline, `document.body.innerText`)
	if n := eval[int](offline, `document.querySelectorAll(".pic svg").length`); n != 0 || strings.Count(text, "The drawing needs scripts.") != 10 || !strings.Contains(text, "[N+](=O)[O-]") {
		t.Errorf("without scripts there are %d drawings, and the text %q", n, text)
	}
}

// hostileList has the examples, some of them under hostile names.
func hostileList() []byte {
	var list bytes.Buffer
	w := csv.NewWriter(&list)
	w.Write([]string{"name", "smiles"})
	for i, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n")[1:] {
		cells := strings.Split(strings.TrimSpace(line), ",")
		// Explosives and organometallics come to be on top.
		if i < len(hostile) || cells[1] == "explosive" || cells[1] == "organometallic" {
			cells[0] = hostile[i%len(hostile)]
		}
		w.Write([]string{cells[0], cells[2]})
	}
	w.Write([]string{`<b>refused</b>`, `C1CC<script>alert(6)</script>`})
	w.Flush()
	return list.Bytes()
}
