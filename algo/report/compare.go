package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"baca/algo/chart"
	"baca/algo/feature/compare"
	"baca/algo/internal/lists"
)

// A Comparison is a report about two lists.
type Comparison struct {
	Document
	*compare.Comparison
	Settings []Pair
}

// maxNamed bounds the names shown for each list.
const maxNamed = 30

// WriteComparison writes a report about two lists, deterministically.
func WriteComparison(w io.Writer, r *Comparison) error {
	p := new(page)
	script := r.Script
	if len(r.Fragments) == 0 {
		script = nil
	}
	p.begin(r.Title, script)
	p.comparison(r, script != nil)
	p.add("<h2>Input and settings</h2>\n")
	p.pairs(r.Input)
	p.pairs(r.Settings)
	if r.Command != "" {
		p.again("With the same program, model file and inputs the same bytes come out.", r.Command)
	}
	p.add("%s", r.Say(`<h2>What not to conclude</h2>
<p>That nothing is found does not make two lists alike: small lists hide differences, and two lists of the same substructures may differ in how these are joined. An odds ratio says what is commoner, not why. Molecules that differ in stereochemistry alone count as the same. A test set as easy as a random split is not wrong; it says how a model does on more of the same.</p>
`))
	p.end(script)
	_, err := io.WriteString(w, p.String())
	return err
}

// HTML is what the page shows of a comparison.
func (r *Comparison) HTML() string {
	p := new(page)
	p.comparison(r, true)
	return p.String()
}

// comparison says what was found.
func (p *page) comparison(r *Comparison, drawn bool) {
	p.add("<p class=\"lead\">%s %s</p>\n<p>%s</p>\n<p>%s</p>\n", escape(r.Names()), words(r.Differs()), words(r.Shares()), words(r.TooEasy()))
	if text := r.Sampled(); text != "" {
		p.add("<p>%s</p>\n", words(text))
	}
	p.warnings(r.Warnings)
	p.sides(r)
	p.add("<h2>What is commoner in one list</h2>\n<p>Of %d named substructures, %d differ at a rate of false discoveries of %s (Fisher's exact test, Benjamini and Hochberg). The odds ratio says by how much the odds of having one are larger in B, with its interval of 95&nbsp;%%.</p>\n",
		r.NamedTested, len(r.Named), pValue(r.FDR))
	p.named("Commoner in B", compare.Commoner(r.Named, true), r)
	p.named("Commoner in A", compare.Commoner(r.Named, false), r)
	if len(r.Fragments) > 0 {
		p.add("<h2>Fragments</h2>\n<p>Surroundings of an atom, up to two bonds wide, of %d that were compared; of several that are mostly in the same molecules the surest one. Each is shown in a molecule that has it, with dashed rings around its atoms; <span class=\"smiles\">*</span> stands for any neighbour.</p>\n", r.FragmentsTested)
		if !drawn {
			p.undrawn(nil, r.Undrawn)
		}
		p.fragments("Commoner in B", compare.Commoner(r.Fragments, true), r, drawn)
		p.fragments("Commoner in A", compare.Commoner(r.Fragments, false), r, drawn)
	}
	p.add("<h2>%s</h2>\n", r.Say("Nearest molecules"))
	p.figure(coverageChart(r.Comparison), r.Say("The share of molecules that have one at least so similar: Tanimoto similarity of the subtrees of up to two bonds, much like ECFP4. A molecule's nearest in its own list is another one."))
	p.add("<h2>Size and rings</h2>\n")
	p.figure(sharesChart(r.Comparison, "Atoms", "atoms but hydrogen", r.A.Atoms, r.B.Atoms), r.Say("Atoms of a molecule: A blue, B vermilion."))
	p.figure(sharesChart(r.Comparison, "Rings", "rings", r.A.Rings, r.B.Rings), r.Say("Rings of a molecule: A blue, B vermilion."))
}

// words escapes text and keeps numbers with their percent signs.
func words(text string) string { return strings.ReplaceAll(escape(text), " %", "&nbsp;%") }

// sides describes both lists in a table.
func (p *page) sides(r *Comparison) {
	p.add("<h2>The lists</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>list</th><th>name</th><th class=\"n\">read</th><th class=\"n\">refused</th><th class=\"n\">copies</th><th class=\"n\">different %s</th><th class=\"n\">%s: middle half</th><th class=\"n\">median</th><th class=\"n\">rings: middle half</th><th class=\"n\">median</th></tr></thead>\n<tbody>\n", r.Say("molecules"), r.Say("atoms"))
	for k, s := range []*compare.Side{&r.A, &r.B} {
		p.add("<tr><td>%c</td><td class=\"t\">%s</td><td class=\"n\">%d</td><td class=\"n\">%d</td><td class=\"n\">%d</td><td class=\"n\">%d</td>", 'A'+k, escape(s.Name), s.Read, s.Refused, s.Copies, s.Molecules)
		for _, d := range []*compare.Distribution{&s.Atoms, &s.Rings} {
			p.add("<td class=\"n\">%.3g–%.3g</td><td class=\"n\">%.3g</td>", d.Quantiles[1], d.Quantiles[3], d.Quantiles[2])
		}
		p.add("</tr>\n")
	}
	p.add("</tbody>\n</table></div>\n")
}

// named is a table of one side's differences.
func (p *page) named(title string, list []compare.Difference, r *Comparison) {
	if len(list) == 0 {
		return
	}
	p.add("<h3>%s</h3>\n<div class=\"wide\"><table>\n<thead><tr><th>what</th><th>kind</th><th class=\"n\">of A</th><th class=\"n\">of B</th><th class=\"n\">odds ratio</th><th class=\"n\">95 %% interval</th><th class=\"n\">q</th></tr></thead>\n<tbody>\n", title)
	for _, d := range list[:min(len(list), maxNamed)] {
		p.add("<tr><td class=\"t\">%s</td><td class=\"w\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s–%s</td><td class=\"n\">%s</td></tr>\n", escape(d.Name), escape(d.Kind),
			words(compare.Share(d.InA, r.A.Molecules)), words(compare.Share(d.InB, r.B.Molecules)), pValue(d.Odds), pValue(d.Low), pValue(d.High), pValue(d.Q))
	}
	p.add("</tbody>\n</table></div>\n")
	if more := len(list) - maxNamed; more > 0 {
		p.add("<p>… and %d more, which <code>--json</code> has.</p>\n", more)
	}
}

// fragments draws one side's fragments.
func (p *page) fragments(title string, list []compare.Difference, r *Comparison, drawn bool) {
	if len(list) == 0 {
		return
	}
	p.add("<h3>%s</h3>\n<ol class=\"near\">\n", title)
	for _, d := range list {
		p.add("<li>")
		if drawn {
			p.add("<div class=\"mol\" data-drawing=\"\" data-title=\"a molecule with the fragment %s\" data-smiles=\"%s\" data-marked=\"%s\"></div>", escape(d.Name), escape(d.Example), strings.Trim(fmt.Sprint(d.Atoms), "[]"))
		}
		p.add("<p class=\"smiles\">%s</p><p>%s of A, %s of B · odds ratio %s (%s–%s) · q %s</p></li>\n", escape(d.Name),
			words(compare.Share(d.InA, r.A.Molecules)), words(compare.Share(d.InB, r.B.Molecules)), pValue(d.Odds), pValue(d.Low), pValue(d.High), pValue(d.Q))
	}
	p.add("</ol>\n")
}

// CoverageSVG draws which share of a list has a molecule of the other list, or its own, that is at
// least so similar.
func CoverageSVG(x *compare.Comparison) string { return standalone(coverageChart(x)) }

func coverageChart(x *compare.Comparison) string {
	c := &chart.Chart{Title: "Coverage", XAxis: x.Say("similarity of the nearest molecule, at least"), YAxis: x.Say("molecules, %"), High: 1, Top: 105}
	steps := compare.Steps()
	percent := func(of *compare.Nearest) []float64 {
		return lists.Map(of.Coverage[:], func(share float64) float64 { return 100 * share })
	}
	curves(c, right(c), 24, []curve{
		{steps, percent(&x.BtoA), chart.Outside, false, "B: nearest of A"},
		{steps, percent(&x.AtoA), chart.Inside, true, "A: nearest other of A"},
		{steps, percent(&x.AtoB), chart.Inside, false, "A: nearest of B"},
		{steps, percent(&x.BtoB), chart.Outside, true, "B: nearest other of B"},
	})
	return c.SVG()
}

// A curve of a chart, with its label.
type curve struct {
	x, y   []float64
	colour string
	dashed bool
	label  string
}

// curves draws curves with a legend from a place on.
func curves(c *chart.Chart, x, y float64, list []curve) {
	for k, line := range list {
		line.draw(c)
		line.legend(c, x, y+16*float64(k))
	}
}

// right is where a legend at the right begins.
func right(c *chart.Chart) float64 { return c.X(c.Low + 0.76*(c.High-c.Low)) }

// legend writes the label at a place.
func (l curve) legend(c *chart.Chart, x, y float64) {
	c.Add(`<path d="M%.1f %.1fh22" stroke="%s" stroke-width="1.6"%s/><text x="%.1f" y="%.1f">%s</text>`, x, y, l.colour, l.dashes(), x+28, y+4, escape(l.label))
}

func (l curve) dashes() string {
	if l.dashed {
		return ` stroke-dasharray="5 3"`
	}
	return ""
}

// draw draws the line through the points.
func (l curve) draw(c *chart.Chart) {
	c.Add(`<path d="`)
	for i := range l.y {
		c.Add("%c%.1f %.1f", "ML"[min(i, 1)], c.X(l.x[i]), c.Y(l.y[i]))
	}
	c.Add(`" fill="none" stroke="%s" stroke-width="1.6"%s/>`, l.colour, l.dashes())
}

// sharesChart draws both lists' distributions of a count.
func sharesChart(x *compare.Comparison, title, axis string, a, b compare.Distribution) string {
	c := &chart.Chart{Title: x.Say(title), XAxis: x.Say(axis), YAxis: x.Say("molecules, %"), Low: -0.5, Top: 1}
	high := 1.0
	for _, d := range []compare.Distribution{a, b} {
		// Few molecules beyond that would stretch the axis.
		high = max(high, min(float64(len(d.Counts)), 2*d.Quantiles[4]+2))
	}
	c.High = math.Ceil(high) - 0.5
	list := []curve{{colour: chart.Inside, label: "A"}, {colour: chart.Outside, label: "B"}}
	for k, d := range []compare.Distribution{a, b} {
		all := 0
		for _, n := range d.Counts {
			all += n
		}
		l := &list[k]
		for i := range int(math.Ceil(high)) {
			n := 0
			if i < len(d.Counts) {
				n = d.Counts[i]
			}
			v := 100 * float64(n) / float64(all)
			l.x, l.y = append(l.x, float64(i)-0.5, float64(i)+0.5), append(l.y, v, v)
			c.Top = max(c.Top, 1.08*v)
		}
	}
	curves(c, right(c), 24, list)
	return c.SVG()
}
