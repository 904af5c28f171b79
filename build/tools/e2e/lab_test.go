package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// scenes are those of the lab's story.
var scenes = []string{"graph", "views", "graphons", "mixup", "dictionaries", "decision"}

// scene opens a scene and waits for all of its pictures.
func (b *tab) scene(name string) {
	b.t.Helper()
	b.click(fmt.Sprintf(`[data-stage=%q]`, name))
	there := map[string]string{
		"graph":        `.scene [data-atom] ~ text, .scene circle[data-atom]`,
		"views":        `.figure:nth-child(2) .map-known`,
		"graphons":     `.tile:nth-child(2) svg`,
		"mixup":        `#samples .sample:nth-child(6) svg`,
		"dictionaries": `.dictionary.is-outside .key:last-child .number`,
		"decision":     `.scene .figures ~ .figures .figure:nth-child(3) svg`,
	}[name]
	b.Wait(fmt.Sprintf(`document.querySelector('[data-scene=%q] %s') !== null`, name, strings.ReplaceAll(there, ", ", fmt.Sprintf(`, [data-scene="%s"] `, name))))
}

// The story plays through its beats to the end of the last scene, and can be paused and scrubbed. The
// record next to its own passes through at once, and Escape leads back to the table.
func TestPlayTheStory(t *testing.T) {
	b := ready(t)
	b.media(emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "no-preference"})
	b.example(1)
	b.click("#watch")
	// It has moved on, however far until somebody looks.
	b.Wait(`(({ scene, beat }) => scene !== undefined && (scene !== "graph" || Number(beat) > 1))(document.getElementById("lab-panel").dataset)`)
	b.click("#play") // to pause, or, where it has ended meanwhile, once more
	b.Wait(`document.getElementById("lab-panel").dataset.playing === "false"`)
	b.Wait(`document.getElementById("took")?.textContent.includes("the batch in")`)
	// The timeline is as long as it gets once all scenes are there.
	for _, scene := range []string{"dictionaries", "decision"} {
		b.scene(scene)
	}
	// From three beats before its end it goes on by itself, and stops there.
	b.set("#scrub", "input", eval[int](b, `Number(document.getElementById("scrub").max)`)-3)
	b.click("#play")
	b.Wait(`document.querySelector('[data-scene="decision"][data-playing="false"]') !== null && document.getElementById("scrub").value === document.getElementById("scrub").max`)
	name := b.text("#scene-name")
	b.click(`.who button[aria-label="The one below it in the table"]`)
	b.Wait(fmt.Sprintf(`((name) => name !== %q && document.getElementById("scene-line").textContent.includes(name))(document.getElementById("scene-name").textContent)`, name))
	b.Run("Escape", chromedp.SendKeys("#scrub", kb.Escape))
	b.Wait(`!document.querySelector(".in-story") && document.querySelector(".row.selected") !== null`)
	b.Quiet()
}
