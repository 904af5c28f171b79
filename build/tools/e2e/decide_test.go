package e2e

import (
	"baca/build/internal/try"
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"baca/web"
)

// baca runs the command on an input, and returns its output.
func baca(t *testing.T, file string, input []byte, args ...string) string {
	t.Helper()
	dir := try.To(built())
	name := filepath.Join(t.TempDir(), file)
	try.Check(os.WriteFile(name, input, 0o666))
	var said bytes.Buffer
	c := exec.Command(filepath.Join(filepath.Dir(dir), "baca"), append(args, name)...)
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("baca %v: %v\n%s", args, err, &said)
	}
	return string(out)
}

// save chooses an item of the menu.
func (b *tab) save(item string) {
	b.t.Helper()
	b.click("#export summary", fmt.Sprintf(`[data-save=%q]`, item))
}

// hostile are names that would do something if they were anything but text.
var hostile = []string{`<img src=x onerror=alert(1)>`, `"><script>alert(2)</script>`, `</title><svg onload=alert(3)>`, `' onmouseover='alert(4)`, "javascript:alert(5)", `<style>*{display:none}</style>`}

// A report needs no network, draws its molecules, shows what is hostile as text, and fits screens and paper. That its
// numbers are the command's is tested in wasm/worker/engine.
func TestReport(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.upload("#file", `molecules <b>x.csv`, hostileList())
	b.phase("done")
	b.click("#compare")
	b.Wait(`/this list/.test(document.getElementById("whole").textContent)`)
	b.setting("#rule-batch")
	b.save("report")
	b.Wait(`/Report saved as/.test(document.querySelector(".export-note")?.textContent)`)
	path := b.path("report.html") // the browser has its own mind on the other letters
	b.Quiet()

	offline := browse(t)
	address := "file://" + path
	offline.Run("opening the report", chromedp.Navigate(strings.ReplaceAll(strings.ReplaceAll(address, " ", "%20"), "<", "%3C")))
	offline.Wait(`document.readyState === "complete" && document.querySelector("h1") !== null`)
	for what, want := range map[string]int{
		".pic svg": 10,
		"script":   3, // what is packed, what unpacks it, and that unpacked
		"img, iframe, object, embed, link, [onerror], [onload], [onmouseover], a[href]": 0,
		"svg.chart": 3, // scores, p-values and drift
	} {
		offline.Wait(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, what, want))
	}
	text := eval[string](offline, `document.body.innerText`)
	holds(t, text, hostile[0], "159 read, 1 refused", "drugs", "sha256", "the page", "Furthest outside", "What not to conclude")
	holds(t, text, "baca report --model drugs --fdr 0.1 --seed 1 --out report.html 'molecules")
	for _, width := range []int64{1280, 390} {
		offline.screen("the report", width, 900)
		// Columns of numbers, which do not break, must not leave those of text with a letter to a line.
		if narrow := eval[float64](offline, `Math.min(...[...document.querySelectorAll("td.t")].map(e => e.offsetWidth))`); narrow < 80 {
			t.Errorf("on a screen of %d pixels a column of names or structures is %g wide, want 80", width, narrow)
		}
		offline.capture(fmt.Sprintf("report-%d", width), chromedp.FullScreenshot(100))
	}
	if r := ask(offline, page.PrintToPDF, page.PrintToPDFParams{}); !bytes.HasPrefix(r.Data, []byte("%PDF-")) {
		t.Errorf("printed, it is %.20q", r.Data)
	}
	offline.Quiet()
	// Without scripts there are SMILES, and a sentence that says why.
	ask(offline, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	offline.Run("opening it again", chromedp.Reload())
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
