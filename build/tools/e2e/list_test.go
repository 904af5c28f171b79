package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Table, grid and map show one selection, and a search by structure holds in all.
func TestListGridAndMap(t *testing.T) {
	b := ready(t)
	b.example(1)
	b.Wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	eval[any](b, `(({ options }) => { options[1].selected = true; return null })(document.getElementById("search-by"))`)
	eval[any](b, `(document.getElementById("search-by").dispatchEvent(new Event("change", { bubbles: true })), null)`)
	b.Run("a structure", chromedp.SendKeys("#search", "[N+](=O)[O-]"+kb.Enter))
	b.Wait(`/^\d+ of \d+$/.test(document.getElementById("found").textContent)`)
	found := eval[int](b, `document.querySelectorAll(".row").length`)
	if want := fmt.Sprintf("%d of", found); found < 2 || !strings.HasPrefix(b.text("#found"), want) {
		t.Errorf("%d rows, and the page says %q", found, b.text("#found"))
	}
	b.click("#columns summary", `[data-column="computed_mw"]`, "#columns summary")
	b.Wait(`[...document.querySelectorAll("td.c-extra")].filter((e) => Number(e.textContent) > 10).length === document.querySelectorAll(".row").length`)

	b.click("#shape button:nth-child(2)")
	b.Wait(fmt.Sprintf(`document.querySelectorAll(".mol-card svg:not(.shape)").length === %d`, found))
	if size := eval[[]float64](b, `(({ width, height }) => [width, height])(document.querySelector(".mol-card svg:not(.shape)").getBoundingClientRect())`); size[0] < 180 || size[1] < 130 {
		t.Errorf("a drawing of the grid has %v pixels", size)
	}
	b.click(".mol-card")
	b.Wait(`document.querySelector(".mol-card.selected") !== null`)
	b.look("grid")
	name := b.text(".inspector-name")

	b.click("#shape button:nth-child(3)")
	b.Wait(fmt.Sprintf(`document.getElementById("map-canvas")?.dataset.shown === "%d"`, found))
	b.Wait(`document.getElementById("map-canvas").dataset.chosen !== undefined`)
	b.look("map")
	b.screen("map", 1280, 800)
	b.still()
	at := eval[[]float64](b, `(({ x, y }, place) => [x + Number(place[0]), y + Number(place[1])])(document.getElementById("map-canvas").getBoundingClientRect(), document.getElementById("map-canvas").dataset.chosen.split(" "))`)
	b.Run("Escape", chromedp.SendKeys(".map-box", kb.Escape))
	b.Wait(`document.querySelector(".inspector-name") === null`)
	b.Run("a point under the pointer", chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	b.Wait(`document.querySelector(".map-tip").textContent !== ""`)
	b.Run("a click on the map", chromedp.MouseClickXY(at[0], at[1]))
	b.Wait(`document.querySelector(".inspector-name") !== null`)
	if got, tip := b.text(".inspector-name"), b.text(".map-tip"); got != name || !strings.HasPrefix(tip, name+": outside") {
		t.Errorf("a click where %s lies shows %s, and the pointer %q", name, got, tip)
	}
	b.Quiet()
}
