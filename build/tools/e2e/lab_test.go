package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"baca/algo/attention"
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
	b.wait(fmt.Sprintf(`document.querySelector('[data-scene=%q] %s') !== null`, name, strings.ReplaceAll(there, ", ", fmt.Sprintf(`, [data-scene="%s"] `, name))))
}

// drawn is the picture of the open scene.
func (b *tab) drawn() string {
	return eval[string](b, `[...document.querySelectorAll(".scene svg:not(.icon)")].map((e) => e.outerHTML).join("")`)
}

// set moves a slider.
func (b *tab) slide(id string, value int) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %d; e.dispatchEvent(new Event("input", {bubbles: true})); return null })()`, id, value))
}

// The six scenes tell of the record that is chosen, each with another picture.
func TestStoryOfTheLab(t *testing.T) {
	b := ready(t)
	b.example(1)
	b.click(`[data-row="3"]`)
	b.click(`[data-stage="graph"]`)
	b.wait(`document.getElementById("scene-name") !== null`)
	name := b.text("#scene-name")
	if !strings.Contains(b.text(`[data-row="3"] .row-name`), name) {
		t.Fatalf("the story is of %q, not of the row that was chosen", name)
	}
	b.click(`[data-stage="graph"]`)
	pictures := map[string]string{}
	for _, scene := range scenes {
		b.scene(scene)
		if line := b.text("#scene-line"); !strings.Contains(line, name) {
			t.Errorf("%s says %q, and nothing of %s", scene, line, name)
		}
		picture := b.drawn()
		for other, drawn := range pictures {
			if drawn == picture {
				t.Errorf("%s shows what %s shows", scene, other)
			}
		}
		if scene != "mixup" && scene != "dictionaries" && !strings.Contains(picture, name) {
			t.Errorf("no picture of %s has the name of %s", scene, name)
		}
		pictures[scene] = picture
	}
	// Shares of the attention descend and make the whole.
	b.scene("dictionaries")
	shares := eval[[]int](b, `[...document.querySelectorAll(".dictionary.is-inside .keys .key > .number:not(.quiet)")].map((e) => parseInt(e.textContent))`)
	sum := 0
	for i, s := range shares {
		if sum += s; i > 0 && s > shares[i-1] {
			t.Errorf("shares %v do not descend", shares)
		}
	}
	if len(shares) != attention.DefaultOptions().TopK || sum < 97 || sum > 103 {
		t.Errorf("shares %v make %d %%", shares, sum)
	}
	// The next record passes through at once.
	b.click(`.who button[aria-label="The one below it in the table"]`)
	b.wait(fmt.Sprintf(`document.getElementById("scene-name").textContent !== %q`, name))
	b.wait(`document.getElementById("scene-line").textContent.includes(document.getElementById("scene-name").textContent)`)
	b.run("Escape", chromedp.SendKeys("#scrub", kb.Escape))
	b.wait(`!document.querySelector(".in-story") && document.querySelector(".row.selected") !== null`)
	b.quiet()
}

// The story plays through its beats to the end of the last scene, can be paused and scrubbed,
// and does nothing by itself for those who want no motion.
func TestPlayTheStory(t *testing.T) {
	b := ready(t)
	b.motion()
	b.example(1)
	b.click("#watch")
	// It has moved on, however far until somebody looks.
	b.wait(`(({ scene, beat }) => scene !== undefined && (scene !== "graph" || Number(beat) > 1))(document.getElementById("lab-panel").dataset)`)
	b.click("#play") // to pause, or, where it has ended meanwhile, once more
	b.wait(`document.getElementById("lab-panel").dataset.playing === "false"`)
	b.wait(`document.getElementById("took")?.textContent.includes("the batch in")`)
	// The timeline is as long as it gets once all scenes are there.
	b.scene("dictionaries")
	b.wait(`document.querySelector(".dictionary .keys .key") !== null`)
	b.scene("decision")
	b.wait(`document.querySelector('[data-scene="decision"] .scene .figures ~ .figures') !== null`)
	// From the last beat of the scene before it goes on by itself, and stops at the end.
	end := eval[int](b, `Number(document.getElementById("scrub").max)`)
	b.slide("scrub", end)
	b.wait(`document.getElementById("scrub").value === document.getElementById("scrub").max`)
	b.slide("scrub", end-eval[int](b, `Number(document.getElementById("lab-panel").dataset.beat)`)-1)
	b.wait(`document.getElementById("lab-panel").dataset.scene === "dictionaries"`)
	b.click(`.player button[aria-label="Next scene"]`)
	b.slide("scrub", end-3)
	b.click("#play")
	b.wait(`document.querySelector('[data-scene="decision"][data-playing="false"]') !== null && document.getElementById("scrub").value === document.getElementById("scrub").max`)
	b.quiet()
}

// motion has things move, as they do for most.
func (b *tab) motion() {
	b.t.Helper()
	b.run("motion", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "no-preference"}}})
		return err
	}))
}
