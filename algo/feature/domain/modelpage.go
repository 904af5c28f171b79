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
		fmt.Sprintf("Distance. The substance is compared with %d training molecules in three ways: by the embedding of a graph network that was trained on them without labels, and by the surroundings of its atoms, up to two bonds wide, as a set and by how often each occurs. Each is the distance to the nearest training molecule, in standard deviations of what training molecules have.", m.Known()),
	}
	if h := m.Background; h != nil {
		list = append(list,
			fmt.Sprintf("Ratio. A logistic model on the same surroundings says how much more the substance is like background molecules (%d of %s) than like the training set (cross-validated AUC %.2f), in standard deviations of training molecules.", m.Card.BackgroundGraphs, m.Card.Background, h.AUC),
			"Score. Distance and ratio are joined so that neither hides what the other is sure of, and compared with training molecules of the same size. A substance that equals a training molecule is never given a score above 0.5.")
	} else {
		list = append(list, "Score. The score is the distance. A substance that equals a training molecule is never given a score above 0.5.")
	}
	if m.Rare != nil {
		list = append(list, "Rare parts. Bonds, atoms with their neighbours and runs of like atoms that hardly a training molecule has add to the score, so that one strange group on a familiar body counts.")
	}
	if d.References == 0 {
		return append(list, "The model holds no molecules kept from training: there are no p-values and no verdicts.")
	}
	return append(list,
		fmt.Sprintf("p-value. p = (1 + k)/(1 + n), where k of the n = %d molecules %s score at least as high: how often a molecule from inside would. It is no probability that the substance is inside.", d.References, report.HoldoutOf(m.Card.Holdout)),
		fmt.Sprintf("Decision. Not within where p ≤ α = %s; at the edge where p ≤ 2α; within where p is above. α is the share of molecules like the training set that are called not within, by design.", document.PValue(d.Alpha)))
}

// sources of method and form.
var sources = []string{
	"OECD, Guidance Document on the Validation of (Quantitative) Structure-Activity Relationship Models, Series on Testing and Assessment 69, 2007: Principle 3, a defined domain of applicability.",
	"OECD, (Q)SAR Assessment Framework, Series on Testing and Assessment 386, ENV/CBC/MONO(2023)32, 2023: the substance should be within the applicability domain; with the reporting formats of models (QMRF 2.1) and of predictions (QPRF 2.0).",
	"Netzeva and others, ATLA 33, 155–173, 2005: methods for defining the applicability domain.",
	"Hou, Liu, Su, Wu and Xu, Graph Out-of-Distribution Detection via Test-Time Calibration with Dual Dynamic Dictionaries: the pre-trained network with two views.",
	"Rogers and Hahn, Journal of Chemical Information and Modeling 50, 742–754, 2010: circular fingerprints, which surroundings of atoms resemble.",
	"Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005: conformal p-values.",
	"Clopper and Pearson, Biometrika 26, 404–413, 1934: the interval of a share.",
	"Wildman and Crippen, Journal of Chemical Information and Computer Sciences 39, 868–873, 1999: cLogP. Ertl, Rohde and Selzer, Journal of Medicinal Chemistry 43, 3714–3717, 2000: TPSA.",
	"ICH M7(R2) Questions and Answers, 6.2, and Amberg and others, Regulatory Toxicology and Pharmacology 102, 53–64, 2019: out-of-domain results.",
}

func (p *page) references() {
	p.Add("<ol class=\"sources\">\n")
	for _, text := range sources {
		p.Add("<li>%s</li>\n", document.Escape(text))
	}
	p.Add("</ol>\n")
}

func (p *page) method(d *Domain) {
	for _, text := range d.method() {
		p.Add("<p>%s</p>\n", document.Escape(text))
	}
	if !math.IsNaN(d.Reach) {
		p.Add("<p>At this α scores from %s on are not within.</p>\n", document.Number(d.Reach, 3))
	}
}

// limits of the domain.
var limits = []string{
	"Only structure is compared. The domain of mechanisms and the metabolic domain are not assessed; ranges of properties and of the response are shown and decide nothing.",
	"What is within resembles the training set; a prediction for it may still be wrong. What is not within is unlike it in ways that the model sees; a prediction for it may still be right.",
	"Training labels took no part: the domain is that of the training set, for whatever endpoint a (Q)SAR model was trained on it.",
	"Bond orders count only as far as atoms show them, and stereochemistry only as tags of atoms, if at all. Conformers, tautomers as such, purity and mixtures are not told apart.",
}

// WriteModelPage writes the page of a model as HTML, as in section 5 of the (Q)SAR Model Reporting
// Format, deterministically.
func WriteModelPage(w io.Writer, d *Domain) error {
	m := d.Model
	c := m.Card
	p := new(page)
	p.Begin(d.Title, nil)
	p.Add("<style>%s</style>\n", formStyle)
	p.Add("<p>The applicability domain that this model defines, in the fields of section 5 of the (Q)SAR Model Reporting Format (QMRF 2.1), OECD Principle 3. All other sections are of the (Q)SAR model, which this program does not know, and are left to its author. The page makes no statement on any endpoint.</p>\n")
	p.Pairs(append(d.identity(), document.Pair{"bytes", strconv.Itoa(d.Bytes)}))
	p.Add("<h2>5. Defining the applicability domain (OECD Principle 3)</h2>\n")
	p.open("5.1", "Description of the applicability domain", false)
	if c.Description != "" {
		p.Add("<p>%s</p>", document.Escape(c.Description))
	}
	p.Add("<p>The domain is what resembles the training set: %d molecules of %s, of %d that were read; %d were kept from training. It reads a molecule as %s.</p>", c.Train, document.Escape(c.Dataset), c.Graphs, len(c.HoldoutRows), document.Escape(readAs(m)))
	if m.Profile != nil {
		p.ranges(m)
	}
	p.propertyRanges(d.Ranges, nil)
	p.close("")
	p.open("5.2", "Method used to assess the applicability domain", false)
	p.method(d)
	p.close("")
	p.field("5.3", "Software name and version for applicability domain assessment", "<p>%s, open source, MIT licence. It runs without a network, and every number of a report comes again from the command that the report prints.</p>", document.Escape(d.Program))
	p.Add("<div class=\"field\"><h3><span>5.4</span> Limits of applicability</h3><div><ul>")
	for _, text := range d.limits() {
		p.Add("<li>%s</li>", document.Escape(text))
	}
	p.Add("</ul></div></div>\n<h2>References</h2>\n")
	p.references()
	p.Again(cmp.Or(d.Again, "With the same program and model file the same bytes come out."), d.Command)
	p.End(nil)
	_, err := io.WriteString(w, p.String())
	return err
}

func (d *Domain) limits() []string {
	list := append([]string{}, limits...)
	if d.Model.Card.Schema == model.OGBParent {
		list = append(list, "Salts, isotopes, stereoisomers and charged forms of a compound have one result: where one of them is the point, the domain cannot tell it from the others.")
	}
	if d.References > 0 {
		_, high := decide.Interval(0, d.References, 0.95)
		list = append(list, "p-values hold for molecules like those kept from training. A new series of the same project may be unlike these.",
			fmt.Sprintf("The smallest p-value is 1/%d. Where none of the %d molecules kept from training scores as high, up to %.2g %% of all such molecules might (confidence of 95 %%).", d.References+1, d.References, 100*high))
	}
	if d.Model.Shared > 0 {
		list = append(list, fmt.Sprintf("The model was made for sharing: it holds groups of %d training molecules and more, and does not know what fewer have. Structural analogues cannot be named.", d.Model.Shared))
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
