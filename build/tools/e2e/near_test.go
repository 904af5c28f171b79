package e2e

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"baca/weights"
)

// A nearCard is a training molecule as the inspector shows it.
type nearCard struct {
	SMILES, Name, Value, Known string
	Drawn                      bool
	Bar                        float64
}

// nearCards waits until so many are drawn.
func (b *tab) nearCards(count int) []nearCard {
	b.t.Helper()
	b.wait(fmt.Sprintf(`document.querySelectorAll("#neighbors .near-picture svg").length === %d`, count))
	return eval[[]nearCard](b, `[...document.querySelectorAll("#neighbors .near-card")].map((e) => ({
		SMILES: e.dataset.smiles, Name: e.querySelector(".near-name").textContent, Value: e.querySelector(".near-value").textContent,
		Known: e.querySelector(".near-known").textContent,
		Drawn: e.querySelector(".near-picture svg").getBoundingClientRect().height > 20,
		Bar: Number(e.querySelector(".share-part").getAttribute("width")),
	}))`)
}

// float is a number that the page shows.
func float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// withoutStructures is the file of a built-in model that does not hold its molecules.
func withoutStructures(t *testing.T, name string) []byte {
	t.Helper()
	m, err := weights.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	m.Structures = nil
	var b bytes.Buffer
	if err := weights.Save(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The inspector draws the five training molecules that are most similar, and one line where
// a model does not hold any.
func TestNearestAreMolecules(t *testing.T) {
	b := ready(t)
	b.write("CC(=O)Oc1ccccc1C(=O)O mine\nCCCCN(CC)CC other\n")
	b.phase("done")
	b.click(`[data-row="0"]`)
	cards := b.nearCards(5)
	if c := cards[0]; c.Name != "acetylsalicylate" || c.SMILES != "CC(=O)Oc1ccccc1C(O)=O" || c.Value != "1.00" || c.Known != "" {
		t.Errorf("near aspirin is %+v", c)
	}
	for i, c := range cards {
		if !c.Drawn || c.Name == "" || c.SMILES == "" || math.Abs(c.Bar-100*float(t, c.Value)) > 1 || i > 0 && c.Value > cards[i-1].Value {
			t.Errorf("card %d is %+v, after %+v", i, c, cards[max(i-1, 0)])
		}
	}
	if last := cards[2].Value; len(last) != 4 || !strings.HasPrefix(last, "0.") {
		t.Errorf("the third has similarity %q", last)
	}
	// Another record has others, and on a phone they fit.
	b.click(`[data-row="1"]`)
	b.wait(fmt.Sprintf(`![undefined, %q].includes(document.querySelector("#neighbors .near-card")?.dataset.smiles)`, cards[0].SMILES))
	b.nearCards(5)
	b.run("a phone", chromedp.EmulateViewport(390, 844))
	if wide := eval[bool](b, `(() => { const e = document.querySelector("#neighbors"); return e.scrollWidth > e.clientWidth })()`); wide {
		t.Error("the molecules are wider than the inspector on a phone")
	}
	b.run("a desk", chromedp.EmulateViewport(1280, 800))

	b.anew()
	b.click("#model-button")
	b.upload("#model-file", "closed.msgpack", withoutStructures(t, "bbbp"))
	b.phase("done")
	b.wait(`document.querySelector(".model-name").textContent.includes("bbbp")`)
	b.click(`[data-row="0"]`)
	b.wait(`document.querySelector("#neighbors")?.textContent.includes("This model does not hold its training molecules. Nearest rows of its data set: ")`)
	if n := eval[int](b, `document.querySelectorAll(".near-card").length`); n != 0 {
		t.Errorf("%d molecules of a model that has none", n)
	}
	b.quiet()
}

// A report draws the nearest training molecules with their names and values: that of the example
// of build/baca/TRUST.md, whose picture -screenshots writes.
func TestReportDrawsNeighbors(t *testing.T) {
	b := ready(t)
	b.downloads()
	data, err := os.ReadFile("../../baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	model := filepath.Join(t.TempDir(), "hydration.msgpack")
	baca(t, "train.csv", bytes.Join(lines[:501], nil), "pretrain", "--epochs", "100", "--observed", "observed", "--predicted", "predicted",
		"--residuals", "held-out", "--keep-structures", "--out", model, "--in")
	file, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	b.click("#model-button")
	b.upload("#model-file", "hydration.msgpack", file)
	b.wait(`document.querySelector(".model-name").textContent === "train"`)
	b.drop("new.csv", bytes.Join(append(lines[:1:1], lines[501:]...), nil))
	b.phase("done")
	b.save("report")
	report := b.path("report.html")
	b.quiet()

	offline := browse(t)
	offline.run("opening the report", chromedp.Navigate("file://"+report))
	offline.run("the size", chromedp.EmulateViewport(1000, 900))
	offline.wait(`document.querySelectorAll(".card .near").length > 2 && document.querySelectorAll(".card .near svg").length === document.querySelectorAll(".card .near li").length`)
	const find = `[...document.querySelectorAll(".card")].find((e) => e.innerText.includes("diflunisal"))`
	card := eval[string](offline, find+"?.innerText")
	for _, want := range []string{"diflunisal", "similarity 0.37 · flurbiprofen · row 54 of the set · observed −8.42 · predicted −8.11", "naproxen"} {
		if !strings.Contains(card, want) {
			t.Errorf("the first card says\n%s\nwithout %q", card, want)
		}
	}
	height := eval[int64](offline, "{ const card = "+find+`; document.body.replaceChildren(card); const at = card.getBoundingClientRect(); Math.ceil(at.top + at.bottom) }`)
	offline.run("the size of the card", chromedp.EmulateViewport(1000, height))
	offline.capture("neighbors", chromedp.CaptureScreenshot())
}

// Neighbours have the names and the observed values of the training set.
func TestNearestHaveValues(t *testing.T) {
	page := serve(t, open(t))
	b := browse(t)
	b.visit(page.URL + "/?model=esol")
	b.usable()
	b.write("OCc1ccccc1 mine\n")
	b.phase("done")
	b.click(`[data-row="0"]`)
	for i, want := range []nearCard{{Name: "Phenylmethanol", Value: "1.00", Known: "observed\u00a0−0.4"}, {Name: "Ethylbenzene", Value: "0.60", Known: "observed\u00a0−2.77"}, {Name: "Propylbenzene", Value: "0.55", Known: "observed\u00a0−3.37"}} {
		if got := b.nearCards(5)[i]; got.Name != want.Name || got.Value != want.Value || got.Known != want.Known || !got.Drawn {
			t.Errorf("card %d is %+v, want %+v", i, got, want)
		}
	}
	for _, width := range []int64{1280, 400} {
		b.run("the size", chromedp.EmulateViewport(width, 900))
		eval[any](b, `(document.getElementById("neighbors").scrollIntoView({block: "center"}), null)`)
		b.capture(fmt.Sprintf("near-%d", width), chromedp.CaptureScreenshot())
		if wide := eval[bool](b, `(() => { const e = document.querySelector("#neighbors"); return e.scrollWidth > e.clientWidth })()`); wide {
			t.Errorf("the molecules are wider than the inspector of a screen of %d", width)
		}
	}
	b.quiet()
}

// Who trains a model decides whether it holds the molecules.
func TestTrainingKeepsStructures(t *testing.T) {
	b := ready(t)
	var library bytes.Buffer
	for n := range 24 {
		fmt.Fprintf(&library, "%sO alcohol-%d\n", strings.Repeat("C", n+1), n+1)
	}
	b.click("#model-button", "#train-button")
	b.upload("#library-file", "mine.smi", library.Bytes())
	b.wait(`!document.getElementById("train-start").disabled`)
	b.epochs(1)
	if eval[bool](b, `document.getElementById("train-structures").checked`) {
		t.Error("structures are kept by default")
	}
	b.click("#train-structures", "#train-start")
	b.wait(`document.getElementById("train-use") !== null`)
	b.click("#train-use")
	b.wait(`!document.getElementById("train").open && document.querySelector(".model-name").textContent.includes("mine")`)
	b.empty()
	b.write("CCCCCCCCCCCCCCCCCCCCCCCCCCCCO long\n")
	b.phase("done")
	b.click(`[data-row="0"]`)
	for _, c := range b.nearCards(5) {
		if !strings.HasPrefix(c.Name, "alcohol-") || !c.Drawn {
			t.Errorf("near a long alcohol is %+v", c)
		}
	}
	b.quiet()
}
