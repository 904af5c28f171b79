package command

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/decide"
)

// The figure's holdout must be the one that the p-values of the report are from.
func TestFigureAgreesWithReport(t *testing.T) {
	m := moleculeModel(t)
	o := algo.DefaultOptions()
	o.Alpha = 0.1
	d, err := newDemonstration(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	f := d.figure()
	at, ok := decide.Threshold(f.after.holdout, o.Alpha)
	if !ok {
		t.Fatal("no threshold")
	}
	outside := 0
	for i, p := range decide.PValues(f.after.test, f.after.holdout) {
		e := d.examples[i]
		if p != e.row.P {
			t.Errorf("%s: p-value %g by the figure, %g by the report", e.name, p, e.row.P)
		}
		if f.outside[i] != (e.row.Score >= at) {
			t.Errorf("%s: score %g, threshold %g, outside is %v", e.name, e.row.Score, at, f.outside[i])
		}
		if f.outside[i] {
			outside++
		}
	}
	if outside == 0 || outside == len(d.examples) {
		t.Errorf("%d of %d are outside, so nothing was compared", outside, len(d.examples))
	}
	h := newHistogram(&f.after, f.outside, o.Alpha)
	sum := 0.0
	for i := range h.holdout {
		sum += h.inside[i] + h.outside[i] - h.holdout[i]
		if h.inside[i] > 0 && h.outside[i] > 0 {
			t.Errorf("bar %d has %g inside and %g outside", i, h.inside[i], h.outside[i])
		}
	}
	if math.Abs(sum) > 1e-9 {
		t.Errorf("the bars and the outline differ in size by %g", sum)
	}
}

// Scores at the threshold and next below it are in bars of their own.
func TestBarsBeginAtTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		p := &panel{holdout: make([]float64, 30)}
		for i := range p.holdout {
			p.holdout[i] = rng.NormFloat64()
		}
		at, ok := decide.Threshold(p.holdout, 0.1)
		if !ok {
			t.Fatal("no threshold")
		}
		p.test = []float64{math.Nextafter(at, math.Inf(-1)), at, 4 * rng.NormFloat64()}
		h := newHistogram(p, []bool{false, true, p.test[2] >= at}, 0.1)
		if below, on := h.bin(p.test[0]), h.bin(at); on != below+1 || h.edge(on) != at {
			t.Fatalf("threshold %v: bar %d beginning at %v, next below it bar %d", at, on, h.edge(on), below)
		}
	}
}

func TestFigureIsXML(t *testing.T) {
	for name, f := range map[string]*scoreFigure{
		"ordinary":   {outside: []bool{false, true}, alpha: 0.5, before: panel{"a", "b", []float64{1, 2}, []float64{0, 1, 1.5}}, after: panel{"a", "b", []float64{1, 9}, []float64{0, 1, 1.5}}},
		"equal":      {outside: []bool{false, false}, alpha: 0.05, before: panel{"a", "b", []float64{1, 1}, []float64{1}}, after: panel{"a", "b", []float64{0, 0}, []float64{0}}},
		"no holdout": {outside: []bool{false, false}, alpha: 0.05, before: panel{"a", "b", []float64{1, 1}, nil}, after: panel{"a", "b", []float64{1, 2}, nil}},
	} {
		var b bytes.Buffer
		if err := f.draw(&b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: there are numbers that are none", name)
		}
		for r := xml.NewDecoder(&b); ; {
			if _, err := r.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

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
	f := d.figure()
	if err := f.draw(io.Discard); err != nil {
		t.Error(err)
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
