package command

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/decide"
)

// A model without a holdout has no p-values, and the table says so.
func TestDemoWithoutHoldout(t *testing.T) {
	m := moleculeModel(t)
	m.Holdout, m.HoldoutTraits = &contrast.Representation{Width: m.Bank.Width}, nil
	d, err := newDemonstration(context.Background(), m, algo.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	d.table(&b, painter{})
	d.summary(&b, painter{})
	for _, want := range []string{"  -  undecided ", "  undecided   158   the model holds too few graphs to compare with\n", "Warning: the model holds no graphs kept from training"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
}

func TestPainter(t *testing.T) {
	if got := (painter{}).verdict(decide.Outside, "x"); got != "x" {
		t.Errorf("without colours: %q", got)
	}
	if got := (painter{true}).verdict(decide.Outside, "x"); got != "\x1b[38;5;166mx\x1b[0m" {
		t.Errorf("with colours: %q", got)
	}
	for share, want := range map[float64]string{0: "    ", 1: "████", 0.5: "██  ", 0.37: "█▌  ", math.NaN(): "    ", 2: "████"} {
		if got := bar(share, 4); got != want {
			t.Errorf("bar(%g) = %q, want %q", share, got, want)
		}
	}
	if got := fit("αβγδε", 4) + "|" + fit("αβ", 4); got != "αβγ…|αβ  " {
		t.Errorf("fit: %q", got)
	}
}
