package compare

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"baca/algo/chart"
	"baca/algo/document"
	"baca/algo/internal/lists"
)

// A Report is a document about two lists.
type Report struct {
	document.About
	*Comparison
	Settings []document.Pair
}

// A page is a report, or the part of one that the page in the browser shows.
type page struct{ document.Page }

// maxNamed bounds the names shown for each list.
const maxNamed = 30

// Write writes the report as HTML. The bytes depend on r only.
func Write(w io.Writer, r *Report) error {
	p := new(page)
	script := r.Script
	if len(r.Fragments) == 0 {
		script = nil
	}
	p.Begin(r.Title, script)
	p.comparison(r, script != nil)
	p.Add("<h2>Input and settings</h2>\n")
	p.Pairs(r.Input)
	p.Pairs(r.Settings)
	if r.Command != "" {
		p.Again("With the same program, model file and inputs the same bytes come out.", r.Command)
	}
	p.Add("%s", r.Say(`<h2>What not to conclude</h2>
<p>That nothing is found does not make two lists alike: small lists hide differences, and two lists of the same substructures may differ in how these are joined. An odds ratio says what is commoner, not why. Molecules that differ in stereochemistry alone count as the same. A test set as easy as a random split is not wrong; it says how a model does on more of the same.</p>
`))
	p.End(script)
	_, err := io.WriteString(w, p.String())
	return err
}

// HTML returns the part of a report that the page in the browser shows.
func (r *Report) HTML() string {
	p := new(page)
	p.comparison(r, true)
	return p.String()
}

// comparison adds what was found. drawn tells whether a script draws molecules.
func (p *page) comparison(r *Report, drawn bool) {
	p.Add("<p class=\"lead\">%s %s</p>\n", document.Escape(r.Names()), document.Prose(r.Differs()))
	p.Add("<p>%s</p>\n<p>%s</p>\n", document.Prose(r.Shares()), document.Prose(r.TooEasy()))
	if text := r.Sampled(); text != "" {
		p.Add("<p>%s</p>\n", document.Prose(text))
	}
	p.Warnings(r.Warnings)
	p.sides(r)
	p.Add("<h2>What is commoner in one list</h2>\n<p>Of %d named substructures, %d differ at a rate of false discoveries of %s "+
		"(Fisher's exact test, Benjamini and Hochberg). The odds ratio says by how much the odds of having one are larger in B, with its interval of 95&nbsp;%%.</p>\n",
		r.NamedTested, len(r.Named), document.PValue(r.FDR))
	p.named("Commoner in B", Commoner(r.Named, true), r)
	p.named("Commoner in A", Commoner(r.Named, false), r)
	if len(r.Fragments) > 0 {
		p.Add("<h2>Fragments</h2>\n<p>Surroundings of an atom, up to two bonds wide, of %d that were compared; of several that are mostly in the same "+
			"molecules the surest one. Each is shown in a molecule that has it, with dashed rings around its atoms; "+
			"<span class=\"smiles\">*</span> stands for any neighbour.</p>\n", r.FragmentsTested)
		if !drawn {
			p.Undrawn(nil, r.Undrawn)
		}
		p.fragments("Commoner in B", Commoner(r.Fragments, true), r, drawn)
		p.fragments("Commoner in A", Commoner(r.Fragments, false), r, drawn)
	}
	p.Add("<h2>%s</h2>\n", r.Say("Nearest molecules"))
	p.Figure(r.coverage().SVG(), r.Say("The share of molecules that have one at least so similar: Tanimoto similarity of the "+
		"subtrees of up to two bonds, much like ECFP4. A molecule's nearest in its own list is another one."))
	p.Add("<h2>Size and rings</h2>\n")
	p.Figure(r.shares("Atoms", "atoms but hydrogen", r.A.Atoms, r.B.Atoms), r.Say("Atoms of a molecule: A blue, B vermilion."))
	p.Figure(r.shares("Rings", "rings", r.A.Rings, r.B.Rings), r.Say("Rings of a molecule: A blue, B vermilion."))
}

// sides describes both lists in a table.
func (p *page) sides(r *Report) {
	p.Add("<h2>The lists</h2>\n")
	p.Table("list", "name", "#read", "#refused", "#copies", r.Say("#different molecules"),
		r.Say("#atoms: middle half"), "#median", "#rings: middle half", "#median")
	for k, s := range []*Side{&r.A, &r.B} {
		p.Add("<tr><td>%c</td><td class=\"t\">%s</td>", 'A'+k, document.Escape(s.Name))
		p.Numbers(strconv.Itoa(s.Read), strconv.Itoa(s.Refused), strconv.Itoa(s.Copies), strconv.Itoa(s.Molecules))
		for _, d := range []*Distribution{&s.Atoms, &s.Rings} {
			p.Add("<td class=\"n\">%.3g–%.3g</td><td class=\"n\">%.3g</td>", d.Quantiles[1], d.Quantiles[3], d.Quantiles[2])
		}
		p.Add("</tr>\n")
	}
	p.EndTable()
}

// named adds a table of the differences of one side.
func (p *page) named(title string, list []Difference, r *Report) {
	if len(list) == 0 {
		return
	}
	p.Add("<h3>%s</h3>\n", title)
	p.Table("what", "kind", "#of A", "#of B", "#odds ratio", "#95 % interval", "#q")
	for _, d := range list[:min(len(list), maxNamed)] {
		p.Add("<tr><td class=\"t\">%s</td><td class=\"w\">%s</td>", document.Escape(d.Name), document.Escape(d.Kind))
		p.Numbers(r.numbers(d)...)
		p.Add("</tr>\n")
	}
	p.EndTable()
	if more := len(list) - maxNamed; more > 0 {
		p.Add("<p>… and %d more, which <code>--json</code> has.</p>\n", more)
	}
}

// numbers returns the cells of a difference: its shares of both lists, the odds ratio, its interval, and q.
func (r *Report) numbers(d Difference) []string {
	return []string{
		document.Prose(Share(d.InA, r.A.Molecules)), document.Prose(Share(d.InB, r.B.Molecules)),
		document.PValue(d.Odds), document.PValue(d.Low) + "–" + document.PValue(d.High), document.PValue(d.Q),
	}
}

// fragments adds the fragments of one side, with drawings.
func (p *page) fragments(title string, list []Difference, r *Report, drawn bool) {
	if len(list) == 0 {
		return
	}
	p.Add("<h3>%s</h3>\n<ol class=\"near\">\n", title)
	for _, d := range list {
		p.Add("<li>")
		if drawn {
			p.Add("<div class=\"mol\" data-drawing=\"\" data-title=\"a molecule with the fragment %s\" ", document.Escape(d.Name))
			p.Add("data-smiles=\"%s\" data-marked=\"%s\"></div>", document.Escape(d.Example), strings.Trim(fmt.Sprint(d.Atoms), "[]"))
		}
		n := r.numbers(d)
		p.Add("<p class=\"smiles\">%s</p>", document.Escape(d.Name))
		p.Add("<p>%s of A, %s of B · odds ratio %s (%s) · q %s</p></li>\n", n[0], n[1], n[2], n[3], n[4])
	}
	p.Add("</ol>\n")
}

// CoverageSVG draws, for each similarity, the share of a list whose nearest molecule in the other list, or in its own, is
// at least so similar.
func (x *Comparison) CoverageSVG() string { return x.coverage().File() }

// coverage draws, for each list, how many molecules have a neighbour in either list, by the least similarity.
func (x *Comparison) coverage() *chart.Chart {
	c := &chart.Chart{Title: "Coverage", XAxis: x.Say("similarity of the nearest molecule, at least"), YAxis: x.Say("molecules, %"), High: 1, Top: 105}
	steps := Steps()
	percent := func(of *Nearest) []float64 {
		return lists.Map(of.Coverage[:], func(share float64) float64 { return 100 * share })
	}
	c.Curves(c.Right(), 24, []chart.Curve{
		{X: steps, Y: percent(&x.BtoA), Colour: chart.Outside, Label: "B: nearest of A"},
		{X: steps, Y: percent(&x.AtoA), Colour: chart.Inside, Dashed: true, Label: "A: nearest other of A"},
		{X: steps, Y: percent(&x.AtoB), Colour: chart.Inside, Label: "A: nearest of B"},
		{X: steps, Y: percent(&x.BtoB), Colour: chart.Outside, Dashed: true, Label: "B: nearest other of B"},
	})
	return c
}

// shares draws the distribution of a count over both lists as steps, one for each count.
func (x *Comparison) shares(title, axis string, a, b Distribution) string {
	c := &chart.Chart{Title: x.Say(title), XAxis: x.Say(axis), YAxis: x.Say("molecules, %"), Low: -0.5, Top: 1}
	high := 1.0
	for _, d := range []Distribution{a, b} {
		// Few molecules beyond that would stretch the axis.
		high = max(high, min(float64(len(d.Counts)), 2*d.Quantiles[4]+2))
	}
	c.High = math.Ceil(high) - 0.5
	list := []chart.Curve{{Colour: chart.Inside, Label: "A"}, {Colour: chart.Outside, Label: "B"}}
	for k, d := range []Distribution{a, b} {
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
			l.X, l.Y = append(l.X, float64(i)-0.5, float64(i)+0.5), append(l.Y, v, v)
			c.Top = max(c.Top, 1.08*v)
		}
	}
	c.Curves(c.Right(), 24, list)
	return c.SVG()
}
