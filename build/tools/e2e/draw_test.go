package e2e

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// drawn are molecules that were drawn wrong once; the letters of their drawings are tested in web.
var drawn = []string{
	"[C@@H]1(C2=C(CC1)C=CC=C2)NCC#C",
	"[Fe+2]",
	"O=C=[Ni](=C=O)(=C=O)=C=O",
	"C1CC2CCC1C2",
	"CN1CC[C@]23[C@H]4Oc5c(O)ccc(C[C@@H]1[C@]2(O)CCC4=O)c35",
	"[2H]C([2H])([2H])O",
	"[H]OC([H])([H])c1ccc(Cl)cc1",
	"CC(C)(C)c1ccc(cc1)C#CC#Cc1ccc(cc1)C(C)(C)C",
	"CN[C@H](CC(C)C)C(=O)N[C@H]1[C@H](O)c2ccc(Oc3cc4cc(Oc5ccc(cc5Cl)[C@@H](O)[C@@H]6NC(=O)[C@H](NC(=O)[C@@H]4NC(=O)[C@H](CC(N)=O)NC1=O)c7ccc(O)c(c7)c8c(O)cc(O)cc8[C@@H](NC6=O)C(O)=O)c3O[C@@H]9O[C@H](CO)[C@@H](O)[C@H](O)[C@H]9O[C@H]%10C[C@](C)(N)[C@H](O)[C@H](C)O%10)c(Cl)c2",
	"*c1ccccc1",
}

// bent is a molecule whose double bonds OpenChemLib lays out the other way round.
const bent = `CO[C@H]1/C=C/O[C@@]2(C)Oc3c(C)c(O)c4c(O)c(NC(=O)C(=C\C=C\[C@H](C)[C@H](O)[C@@H](C)[C@@H](O)[C@@H](C)[C@H](OC(C)=O)[C@@H]1C)/C)cc(O)c4c3C2=O`

// watchDrawer remembers how many verdicts were shown when what draws was loaded.
//
//go:embed testdata/drawer.js
var watchDrawer string

// strays is how far anything of a drawing lies outside of its frame.
const strays = `Math.max(...[...document.querySelectorAll(".row .c-draw svg")].map((svg) => {
	const box = svg.getBBox(), frame = svg.viewBox.baseVal;
	return Math.max(-box.x, -box.y, box.x + box.width - frame.width, box.y + box.height - frame.height);
}))`

// Molecules are drawn after the first verdicts, in their frames. What would read differently is not drawn: its SMILES is
// shown, and why.
func TestDrawings(t *testing.T) {
	b := ready(t, watchDrawer)
	b.write(strings.Join(append(drawn, bent), "\n"))
	b.phase("done")
	b.Run("a tall screen", chromedp.EmulateViewport(1280, 1600))
	b.Wait(fmt.Sprintf(`document.querySelectorAll(".row .c-draw svg").length === %d`, len(drawn)))
	if n := eval[int](b, `verdictsAtDrawing`); n <= 0 {
		t.Errorf("what draws is loaded when there are %d verdicts", n)
	}
	if far := eval[float64](b, strays); far > 2 {
		t.Errorf("a drawing leaves its frame by %g pixels", far)
	}
	b.Wait(`document.querySelector(".row .not-drawn") !== null`)
	b.click(fmt.Sprintf(`[data-row="%d"]`, len(drawn)))
	b.Wait(`document.querySelector(".inspector .not-drawn-smiles") !== null`)
	b.says(".inspector", bent, "Not drawn: its stereochemistry would read differently")
	b.look("drawings")
	// Hydrogens that are written and not drawn keep no colours from the others.
	b.click(`[data-row="6"]`)
	b.Wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.Quiet()
}
