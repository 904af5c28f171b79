package domain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/report"
)

// identity names model and program.
func (d *Domain) identity() []document.Pair {
	c := &d.Model.Card
	return []document.Pair{
		{"model", c.Name}, {"its sha256", d.SHA256}, {"trained on", c.Dataset}, {"sha256 of that", c.DatasetSHA256},
		{"trained by", "baca " + c.Program}, {"this program", d.Program},
	}
}

// method describes how a substance is judged.
func (d *Domain) method() []string {
	m := d.Model
	list := []string{
		"Each substance is judged by itself: what else is in the input changes nothing.",
		say("distance", m.Known()),
	}
	if h := m.Background; h != nil {
		list = append(list,
			say("ratio", m.Card.BackgroundGraphs, m.Card.Background, h.AUC),
			say("score"))
	} else {
		list = append(list, say("distance alone"))
	}
	if m.Rare != nil {
		list = append(list, say("rare"))
	}
	if d.References == 0 {
		return append(list, "The model holds no molecules kept from training: there are no p-values and no verdicts.")
	}
	return append(list,
		say("p-value", d.References, report.HoldoutOf(m.Card.Holdout)),
		say("decision", document.PValue(d.Alpha)))
}

// references lists the sources.
func (p *page) references() {
	p.Add("<ol class=\"sources\">\n")
	for _, text := range sources {
		p.Add("<li>%s</li>\n", document.Escape(text))
	}
	p.Add("</ol>\n")
}

// method says how the domain is defined and, where it is known, from which score on molecules are not within.
func (p *page) method(d *Domain) {
	for _, text := range d.method() {
		p.Add("<p>%s</p>\n", document.Escape(text))
	}
	if !math.IsNaN(d.Reach) {
		p.Add("<p>At this α scores from %s on are not within.</p>\n", document.Number(d.Reach, 3))
	}
}

// WriteModelPage writes the page of a model as HTML, as in section 5 of the (Q)SAR Model Reporting
// Format, deterministically.
func WriteModelPage(w io.Writer, d *Domain) error {
	m := d.Model
	c := m.Card
	p := new(page)
	p.Begin(d.Title, nil)
	p.Add("<style>%s</style>\n", formStyle)
	p.Add("<p>%s</p>\n", say("model"))
	p.Pairs(append(d.identity(), document.Pair{"bytes", strconv.Itoa(d.Bytes)}))
	p.Add("<h2>5. Defining the applicability domain (OECD Principle 3)</h2>\n")
	p.open("5.1", "Description of the applicability domain", false)
	if c.Description != "" {
		p.Add("<p>%s</p>", document.Escape(c.Description))
	}
	p.Add("<p>%s</p>", say("domain", c.Train, document.Escape(c.Dataset), c.Graphs, len(c.HoldoutRows), document.Escape(readAs(m))))
	if m.Profile != nil {
		p.ranges(m)
	}
	p.propertyRanges(d.Ranges, nil)
	p.close("")
	p.open("5.2", "Method used to assess the applicability domain", false)
	p.method(d)
	p.close("")
	p.field("5.3", "Software name and version for applicability domain assessment", "<p>%s</p>", say("software", document.Escape(d.Program)))
	p.Add("<div class=\"field\"><h3><span>5.4</span> Limits of applicability</h3><div><ul>")
	for _, text := range d.limits() {
		p.Add("<li>%s</li>", document.Escape(text))
	}
	p.Add("</ul></div></div>\n")
	if d.Published != "" {
		p.Add("<h2>Published %s. What the model's file reveals</h2>\n%s\n", document.Escape(d.Published), revealedHTML(m))
	}
	p.Add("<h2>References</h2>\n")
	p.references()
	p.Again(cmp.Or(d.Again, "With the same program and model file the same bytes come out."), d.Command)
	p.End(nil)
	_, err := io.WriteString(w, p.String())
	return err
}

// limits returns the limits of the domain: those of every model and those of this one.
func (d *Domain) limits() []string {
	list := append([]string{}, limits...)
	if d.Model.Card.Schema == model.OGBParent {
		list = append(list, say("parents"))
	}
	if d.References > 0 {
		_, high := decide.Interval(0, d.References, 0.95)
		list = append(list, say("series"),
			say("smallest", d.References+1, d.References, 100*high))
	}
	if d.Model.Shared > 0 {
		list = append(list, say("shared", d.Model.Shared))
	}
	return list
}

// ranges shows the training molecules' ranges.
func (p *page) ranges(m *model.Model) {
	p.Add("<div class=\"wide\"><table><thead><tr><th>of a training molecule</th><th class=\"n\">1&nbsp;%%</th><th class=\"n\">25&nbsp;%%</th><th class=\"n\">median</th><th class=\"n\">75&nbsp;%%</th><th class=\"n\">99&nbsp;%%</th></tr></thead><tbody>")
	for _, r := range m.Profile.Ranges() {
		p.Add("<tr><td>%s</td>", document.Escape(rangeName(r)))
		for _, k := range []int{0, 2, 3, 4, 6} {
			v := r.Values[k]
			if r.Share {
				p.Add("<td class=\"n\">%.0f&nbsp;%%</td>", 100*v)
			} else {
				p.Add("<td class=\"n\">%.3g</td>", v)
			}
		}
		p.Add("</tr>")
	}
	p.Add("</tbody></table></div>")
	list := lists.Map(m.Profile.Elements(), func(e explain.Element) string { return fmt.Sprintf("%s %d", e.Symbol, e.Graphs) })
	if len(list) > 0 {
		p.Add("<p>Elements, and how many training molecules have each: %s. Others are far from all that the model knows.</p>", document.Escape(strings.Join(list, ", ")))
	}
}

// rangeName is a statistic's name.
func rangeName(r explain.Range) string {
	switch {
	case r.Name == "size":
		return "atoms but hydrogen"
	case r.Name == "parts":
		return "separate parts"
	case r.Share:
		return "share of atoms: " + r.Name
	}
	return r.Name
}

// WriteModelPageJSON writes the same for programs.
func WriteModelPageJSON(w io.Writer, d *Domain) error {
	c := &d.Model.Card
	ranges, elements := []document.Object{}, []document.Object{}
	if p := d.Model.Profile; p != nil {
		for _, r := range p.Ranges() { // quantiles at 1, 5, 25, 50, 75, 95 and 99 %
			ranges = append(ranges, document.Object{{"name", r.Name}, {"share_of_atoms", r.Share}, {"quantiles", r.Values}})
		}
		for _, e := range p.Elements() {
			elements = append(elements, document.Object{{"symbol", e.Symbol}, {"molecules", e.Graphs}})
		}
	}
	properties := lists.Map(d.Ranges, PropertyRange.object)
	return document.WriteJSON(w, document.Object{
		{"form", "QMRF 2.1 section 5"}, {"title", d.Title}, {"program", d.Program}, {"model", d.modelObject()},
		{"graphs", c.Graphs}, {"held_out", d.References}, {"ranges", ranges}, {"properties", properties}, {"elements", elements}, {"alpha", d.Alpha},
		{"score_limit", d.Reach}, {"method", d.method()}, {"limits", d.limits()},
		{"references", sources}, {"command", d.Command},
	})
}
