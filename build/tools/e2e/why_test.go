package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// known are molecules whose verdict by the model of drugs is known.
const known = `C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX
[O-][N+](=O)C12C3([N+]([O-])=O)C4([N+]([O-])=O)C1([N+]([O-])=O)C5([N+]([O-])=O)C2([N+]([O-])=O)C3([N+]([O-])=O)C45[N+]([O-])=O octanitrocubane
CC[Pb](CC)(CC)CC tetraethyllead
CC(=O)Oc1ccccc1C(=O)O aspirin
Cn1cnc2c1c(=O)n(C)c(=O)n2C caffeine
CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C testosterone
`

// coloured counts the atoms of the large picture that are coloured towards outside or away
// from it.
func (b *tab) coloured(role string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`document.querySelectorAll(".inspector .large svg .%s").length`, role))
}

// What is outside has an orange atom and a reason about atoms, which lights them up; what is
// inside is not all orange.
func TestExplanationAgreesWithVerdict(t *testing.T) {
	b := ready(t)
	b.write(known)
	b.phase("done")
	for row, want := range []struct{ name, verdict, about string }{
		{"RDX", "outside", "its 3 nitramine groups"}, {"octanitrocubane", "outside", "its cubane skeleton"}, {"tetraethyllead", "outside", "the element Pb"},
		{"aspirin", "inside", ""}, {"caffeine", "inside", ""}, {"testosterone", "inside", ""},
	} {
		b.click(fmt.Sprintf(`[data-row="%d"]`, row))
		b.wait(fmt.Sprintf(`document.querySelector(".inspector-name")?.textContent === %q && document.getElementById("reasons") !== null && document.querySelector(".inspector .large svg") !== null`, want.name))
		verdict := strings.ToLower(b.text(".inspector .verdict-line"))
		if !strings.Contains(verdict, want.verdict) {
			t.Errorf("%s is said to be %q, want %s", want.name, verdict, want.verdict)
		}
		towards, away := b.coloured("towards"), b.coloured("away")
		if want.verdict == "outside" && towards == 0 || want.verdict == "inside" && away == 0 {
			t.Errorf("%s is %s: %d atoms are orange, %d blue", want.name, want.verdict, towards, away)
		}
		if text := b.text(".inspector"); want.about != "" && !strings.Contains(text, "What matters most: "+want.about+".") {
			t.Errorf("%s: nothing says that %s matters", want.name, want.about)
		}
		if text := b.text("#reasons"); strings.Contains(text, "0\u00a0% to 0\u00a0%") {
			t.Errorf("%s: %q", want.name, text)
		}
	}
	b.click(`[data-row="0"]`)
	b.wait(`document.querySelector(".inspector-name")?.textContent === "RDX" && document.querySelector("#reasons .reason button") !== null`)
	b.click("#reasons .reason button")
	b.wait(`document.querySelectorAll(".inspector .large .mark-ring").length === 12`)
	b.click("#reasons .reason button")
	b.wait(`document.querySelectorAll(".inspector .large .mark-ring").length === 0`)
	whole := eval[string](b, `document.querySelector(".inspector .large svg").innerHTML`)
	for _, part := range []string{"by-subtrees", "by-embedding"} {
		b.click("#" + part)
		b.wait(fmt.Sprintf(`document.getElementById(%q).getAttribute("aria-pressed") === "true"`, part))
		if got := eval[string](b, `document.querySelector(".inspector .large svg").innerHTML`); got == whole {
			t.Errorf("%s colours as the whole score does", part)
		}
	}
	b.click("#by-score")
	b.wait(fmt.Sprintf(`document.querySelector(".inspector .large svg").innerHTML === %q`, whole))
}
