package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screens are the sizes of screens that the page is made for.
var screens = []struct{ width, height int64 }{{360, 740}, {390, 844}, {768, 1024}, {1024, 768}, {1280, 800}, {1440, 900}, {1920, 1080}}

// screen sets the size of the screen and waits until the page is drawn for it.
func (b *tab) screen(width, height int64) {
	b.t.Helper()
	b.run("the size", chromedp.EmulateViewport(width, height))
	b.still()
}

// high is how many pixels an element has from top to bottom.
func (b *tab) high(selector string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`Math.ceil(document.querySelector(%q).getBoundingClientRect().height)`, selector))
}

// The inspector reads verdict, picture, three reasons, neighbours; numbers are behind
// Details, which stay open from one record to the next.
func TestInspectorReadsInOrder(t *testing.T) {
	b := ready(t)
	b.screen(1280, 800)
	b.example(1)
	b.click(".row")
	b.wait(`document.getElementById("details") !== null`)
	order := []string{".verdict-box", ".large", "#reasons", "#neighbors", "#details"}
	for i := range order[1:] {
		if !eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).compareDocumentPosition(document.querySelector(%q)) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0`, order[i], order[i+1])) {
			t.Errorf("%s does not come before %s", order[i], order[i+1])
		}
	}
	if got := b.text(".verdict-line"); !strings.HasPrefix(got, "Outside: only 1 of 277 molecules like those the model was trained on, this one counted in, scores this high (p") {
		t.Errorf("the verdict reads %q", got)
	}
	if n := eval[int](b, `document.querySelectorAll("#reasons .reason").length`); n < 1 || n > 3 {
		t.Errorf("%d reasons are shown at once", n)
	}
	shown := func() bool { return eval[bool](b, `document.getElementById("own-score").checkVisibility()`) }
	if shown() {
		t.Error("the parts of the score are shown before anybody asked")
	}
	b.click("#details summary")
	b.wait(`document.getElementById("own-score").checkVisibility()`)
	name := b.text(".inspector-name")
	b.click(`.row:not(.selected):not(.spacer)`)
	b.wait(fmt.Sprintf(`document.querySelector(".inspector-name").textContent !== %q && document.getElementById("own-score") !== null`, name))
	b.quiet()
}

// Nothing lies beside the screen at any size, and the header has one row, or two on
// narrow screens.
func TestSizesOfScreens(t *testing.T) {
	axe, err := os.ReadFile("../../../web/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("axe-core is not installed: npm ci in web")
	}
	b := ready(t)
	eval[any](b, string(axe)+";null")
	check := func(state string) {
		t.Helper()
		for _, s := range screens {
			b.screen(s.width, s.height)
			if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > int(s.width) {
				t.Errorf("%s: the page is %d pixels wide on a screen of %d", state, wide, s.width)
			}
			most := 56
			if s.width < 960 {
				most = 104
			}
			if n := b.high(".bar"); n > most {
				t.Errorf("%s: the header is %d pixels high on a screen of %d, want %d at most", state, n, s.width, most)
			}
			if cut := eval[string](b, `[...document.querySelectorAll(".bar > *")].filter((e) => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.left < 0 || r.right > innerWidth) }).map((e) => e.className).join(" ")`); cut != "" {
				t.Errorf("%s: on a screen of %d the header is cut at %s", state, s.width, cut)
			}
			if !eval[bool](b, `(() => { const e = document.querySelector(".alpha output"), r = e.getBoundingClientRect(); const f = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2); return f === e || f.closest(".inspector") !== null })()`) {
				t.Errorf("%s: on a screen of %d something lies over the number of α", state, s.width)
			}
			found := eval[string](b, `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 160)).join("; ")).join("\n"))`)
			if found != "" {
				t.Errorf("%s at %d: %s", state, s.width, found)
			}
		}
		b.screen(1280, 800)
	}
	check("empty")
	b.example(1)
	check("a result")
	b.edit()
	check("editing")
	b.click("#fold", ".row")
	b.wait(`document.getElementById("details") !== null`)
	b.click("#details summary")
	check("a record")
	b.screen(390, 844)
	if n := b.high(".card-slim"); n > 44 {
		t.Errorf("on a phone the card is %d pixels high, want one line", n)
	}
	b.quiet()
}
