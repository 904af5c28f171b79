package domain

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"baca/algo/alone"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/explain"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/property"
	"baca/algo/report"
)

// A Substance is one with its results.
type Substance struct {
	report.Entry        // Why is set
	Canonical    string // canonical SMILES of this program
	Formula      string // in Hill order
	Read         string // SMILES that the model read, if different
	Molfile      bool   // SMILES was written from a molfile

	Properties property.Properties // of the structure that the model read

	AsHigh    int     // number of held-out graphs that score as high
	Low, High float64 // interval of their share
	// Unmet is how many of the Surroundings no training molecule has.
	Unmet, Surroundings int
	Nearest             []alone.TrainingGraph
	Command             string // that scores it alone; empty for a molfile
}

// assessments are the choices for field 6.1 a, made automatically, and statements, by verdict.
var assessments = map[decide.Verdict][2]string{
	decide.Inside:     {"Within domain (automatic)", "Within the applicability domain"},
	decide.Borderline: {"Within domain (automatic)", "At the edge of the applicability domain"},
	decide.Outside:    {"Outside domain (automatic)", "Not within the applicability domain"},
	decide.Undecided:  {"Not applicable", "Not decided"},
}

func assessment(v decide.Verdict) string { return assessments[v][0] }

func within(v decide.Verdict) string { return assessments[v][1] }

// A blank is an empty field with its reason.
type blank struct {
	Number string `json:"number"`
	Title  string `json:"title"`
	Why    string `json:"why"`
}

// A page is a form.
type page struct {
	document.Page
	blanks []blank // those to come
}

// Write writes the report as HTML in the fields of the (Q)SAR Prediction Reporting Format 2.0, a
// page or more for each substance, deterministically.
func Write(w io.Writer, d *Domain) error {
	p := new(page)
	p.Begin(d.Title, d.Script)
	p.Add("<style>%s</style>\n", formStyle)
	p.Add("<p>%s</p>\n", say("form"))
	if len(d.Substances) > 1 {
		p.Table("#row", "substance", "applicability domain", "#p", "#its "+document.Percent(d.Confidence, 4)+" interval")
		for i := range d.Substances {
			s := &d.Substances[i]
			p.Add("<tr><td class=\"n\">%d</td><td>%s</td><td>%s</td>", s.Place, document.Escape(s.ID), within(s.Why.Verdict))
			p.Numbers(document.PValue(s.Why.P), s.interval(d))
			p.Add("</tr>\n")
		}
		p.EndTable()
	}
	p.Warnings(d.Warnings)
	p.Undrawn(d.Script, d.Undrawn)
	for i := range d.Substances {
		p.substance(d, &d.Substances[i])
	}
	p.Add("<h2 class=\"sheet\">Method and model</h2>\n")
	p.method(d)
	p.Pairs(d.identity())
	p.Pairs(d.Input)
	p.Add("<h3>References</h3>\n")
	p.references()
	p.Again(cmp.Or(d.Again, document.SameBytes), d.Command)
	p.End(d.Script)
	_, err := io.WriteString(w, p.String())
	return err
}

// interval returns the interval of the p-value, or a dash if there is no p-value.
func (s *Substance) interval(d *Domain) string {
	if d.References == 0 || math.IsNaN(s.Why.P) {
		return "–"
	}
	return document.PValue(s.Low) + "–" + document.PValue(s.High)
}

// open opens a field of a form, across the page or beside its title. Blank fields of lower numbers come before.
func (p *page) open(number, title string, across bool) {
	p.blanksBefore(number)
	class := "field"
	if across {
		class = "field across"
	}
	p.Add("<div class=\"%s\"><h3><span>%s</span> %s</h3><div>", class, number, document.Escape(title))
}

// close closes a field, with a last paragraph unless it is empty.
func (p *page) close(text string) {
	if text != "" {
		p.Add("<p class=\"blank\">%s</p>", text)
	}
	p.Add("</div></div>\n")
}

// field adds a field with its number and title. text is HTML with verbs for args.
func (p *page) field(number, title, text string, args ...any) {
	p.open(number, title, false)
	p.Add(text, args...)
	p.close("")
}

// heading begins a section, by number.
func (p *page) heading(text string) {
	p.blanksBefore(text[:1])
	p.Add("<h2>%s</h2>\n", text)
}

// blanksBefore adds the fields with lower numbers that stay blank, and says why.
func (p *page) blanksBefore(number string) {
	for len(p.blanks) > 0 && p.blanks[0].Number < number {
		b := p.blanks[0]
		p.blanks = p.blanks[1:]
		p.field(b.Number, b.Title, "<p class=\"blank\">left blank: %s</p>", document.Escape(b.Why))
	}
}

// substance adds the section of a substance, under the headings of a QPRF.
func (p *page) substance(d *Domain, s *Substance) {
	x := s.Why
	class := "sheet"
	if len(d.Substances) == 1 {
		class = "" // continues the title
	}
	p.blanks = d.blanks()
	p.Add("<section class=\"%s\">\n<h2>%s</h2>\n", class, document.Escape(s.ID))
	p.Add("<p class=\"lead\"><span class=\"v %s\">%s</span>", report.Classes[x.Verdict], within(x.Verdict))
	p.Add(" of model %s%s</p>\n", document.Escape(d.Model.Card.Name), s.decision(d))
	p.heading("1. General information")
	p.heading("2. Substance")
	p.field("2.4", "Chemical name", "<p>%s</p><p class=\"blank\">as the input names it, in row %d; not checked</p>", document.Escape(s.ID), s.Place)
	p.field("2.5", "Molecular formula", "<p>%s</p>", document.Escape(s.Formula))
	given := "SMILES as given"
	if s.Molfile {
		given = "SMILES, written from the molfile"
	}
	codes := []document.Pair{{given, s.SMILES}, {"canonical SMILES", s.Canonical}}
	if s.Read != "" {
		codes = append(codes, document.Pair{"parent compound, which the model read", s.Read}, document.Pair{"set aside", cmp.Or(s.SetAside, "nothing")})
	}
	p.open("2.6 a", "SMILES", false)
	p.Pairs(codes)
	p.close("Canonical as this program writes it: other programs write others.")
	p.open("2.6 c", "Structural formula", false)
	if d.Script != nil {
		s.Draw(&p.Page)
	} else {
		p.Add("<p class=\"blank\">not drawn</p>")
	}
	p.close(say("colours"))
	p.field("2.6 d", "Stereochemistry", "<p>as in the SMILES</p>")
	p.heading("3. Model and software")
	p.field("3.1 c", "Reference to QMRF", "<p>Section 5 for this domain: <code>baca report --qmrf</code>, model %s, sha256 %s</p>", document.Escape(d.Model.Card.Name), document.Escape(d.SHA256))
	p.heading("4. Prediction")
	p.heading("5. Input")
	p.field("5.1 a", "Structure", "<p>the SMILES of 2.6 a, read as %s</p>", document.Escape(readAs(d.Model)))
	stereo, tautomers := say("stereo"), say("tautomers")
	if d.Model.Card.Schema == model.OGBParent {
		stereo = "Not read: all stereoisomers have one result."
		tautomers = say("parent tautomers")
	}
	p.field("5.1 b", "Stereochemistry", "<p>%s</p>", stereo)
	p.field("5.1 c", "Tautomers", "<p>%s</p>", tautomers)
	p.field("5.3", "Settings", "<p>α = %s; intervals of %s</p>", document.PValue(d.Alpha), document.Percent(d.Confidence, 4))
	p.heading("6. Applicability domain and limitations")
	p.field("6.1", "Definition", "<p>%s, on the last page. How a substance is judged is said there.</p>", document.Escape(d.Program))
	p.field("6.1 a", "Assessment", "<p><strong>%s</strong></p>", assessment(x.Verdict))
	p.field("6.1 b", "Justification", "%s<p>%s</p>", s.justification(d), s.uncertainty(d))
	if text := expertReview(x.Verdict); text != "" {
		p.field("", "Expert review", "<p>%s</p>", document.Escape(text))
	}
	p.heading("7. Reliability")
	p.open("7.3 a", "Descriptor space", true)
	p.Add("%s", s.descriptors())
	p.propertyRanges(d.Ranges, s)
	p.close("")
	p.field("7.3 b", "Structural space", "%s", s.fragments(d))
	if hasResponses(d.Model) {
		p.field("7.3 c", "Response space", "<p>%s</p>", document.Escape(s.response(d.Model)))
	}
	p.open("7.4", "Structural analogues", true)
	if d.Model.Shared > 0 {
		p.Add("<p class=\"blank\">left blank: the model was made for sharing, and holds no single molecules</p>")
	} else {
		report.Neighbors(&p.Page, s.Nearest, d.Script != nil)
		if d.Model.Structures == nil {
			p.Add("<p class=\"blank\">structures left blank: the model holds row numbers alone</p>")
		}
		if slices.ContainsFunc(s.Nearest, func(n alone.TrainingGraph) bool { return n.Values != nil }) {
			p.Add("<p class=\"blank\">%s</p>", say("values"))
		}
	}
	p.close("")
	p.field("", "Considerations on these", "<p>%s</p><p class=\"blank\">How well the (Q)SAR model does on them is not assessed.</p>", document.Escape(s.analogues(d.Model)))
	p.heading("8. Purpose")
	p.blanksBefore("9")
	if s.Command != "" {
		p.Add("<p>The score, the p-value, the distances, reasons and analogues again:</p>\n<pre>%s</pre>\n", document.Escape(s.Command))
	}
	p.Add("</section>\n")
}

// decision explains the verdict.
func (s *Substance) decision(d *Domain) string {
	switch {
	case math.IsNaN(s.Why.P):
		return ": there is no p-value."
	case s.Why.Verdict == decide.Undecided:
		return fmt.Sprintf(": %d held-out molecules are too few for a rate of %s.", d.References, document.PValue(d.Alpha))
	}
	relations := map[decide.Verdict]string{
		decide.Inside: "above 2α", decide.Borderline: "above α and up to 2α", decide.Outside: "at most α",
	}
	return fmt.Sprintf(", as section 5 of its QMRF page defines it: p = %s is %s, with α = %s.",
		document.PValue(s.Why.P), relations[s.Why.Verdict], document.PValue(d.Alpha))
}

// justification returns HTML with the score, the p-value and its interval. If there is no p-value it says why.
func (s *Substance) justification(d *Domain) string {
	x := s.Why
	switch {
	case d.References == 0:
		return fmt.Sprintf("<p>Score %s. There is no p-value: the model holds no molecules kept from training.</p>", document.Number(x.Score, 3))
	case math.IsNaN(x.P):
		return fmt.Sprintf("<p>Score %s. There is no p-value.</p>", document.Number(x.Score, 3))
	}
	text := fmt.Sprintf("<p>Score %s", document.Number(x.Score, 3))
	if !math.IsNaN(d.Reach) {
		text += fmt.Sprintf("; not within from %s on", document.Number(d.Reach, 3))
	}
	text += fmt.Sprintf(". p = (1 + %d)/(1 + %d) = %s, ", s.AsHigh, d.References, document.PValue(x.P))
	text += fmt.Sprintf("%s; interval of %s: %s.</p>", decide.CountedIn(x.P, d.References, ""), document.Percent(d.Confidence, 4), s.interval(d))
	return text
}

// descriptors returns HTML with the parts of the score and the distances to the training set.
func (s *Substance) descriptors() string {
	x := s.Why
	text := "<p>"
	for _, part := range report.Parts(x) {
		text += document.Escape(strings.ToUpper(part[:1])+part[1:]) + ". "
	}
	return text + say("distances",
		document.Number(x.Embedding, 2), document.Number(x.Subtrees, 2), document.Number(x.Counts, 2))
}

// fragments returns HTML with how many surroundings of atoms no training molecule has, and the reasons.
func (s *Substance) fragments(d *Domain) string {
	text := say("surroundings", s.Surroundings, s.Unmet, d.Model.Known())
	if d.Model.Shared > 0 {
		text = say("shared surroundings", s.Surroundings, s.Unmet, d.Model.Shared)
	}
	if s.Why.Duplicate {
		text += " The substance, as the model reads it, was a training molecule, stereochemistry aside."
	}
	text += "</p>"
	if len(s.Why.Reasons) == 0 {
		return text + "<p>Nothing about it stands out.</p>"
	}
	text += "<ul>"
	for _, r := range s.Why.Reasons {
		text += "<li>" + document.Prose(r.Text) + "</li>"
	}
	return text + "</ul>"
}

// alike is the least similarity of a near training molecule.
const alike = 0.5

// analogues says how similar the nearest training molecules are, and how many are alike.
func (s *Substance) analogues(m *model.Model) string {
	if m.Shared > 0 || len(s.Nearest) == 0 {
		return "There are none to consider."
	}
	near := 0
	for _, n := range s.Nearest {
		if n.Similarity >= alike {
			near++
		}
	}
	return say("similarity",
		document.Similarity(s.Nearest[0].Similarity), len(s.Nearest), near, alike)
}

// uncertainty says in which interval the p-value lies, and whether the verdict could be another.
func (s *Substance) uncertainty(d *Domain) string {
	if d.References == 0 || math.IsNaN(s.Why.P) {
		return "There is no p-value, and no interval."
	}
	text := say("held out",
		s.AsHigh, d.References, document.Percent(d.Confidence, 4), document.Percent(s.Low, 3), document.Percent(s.High, 3))
	switch {
	case s.High <= d.Alpha:
		text += " All of that is at most α."
	case s.Low > 2*d.Alpha:
		text += " All of that is above 2α."
	default:
		text += " With other molecules kept from training the verdict might be another."
	}
	return text + fmt.Sprintf(" By design a share α = %s of molecules like the training set is called not within.", document.PValue(d.Alpha))
}

// WriteJSON writes the same for programs, with all digits. Unknown values are null.
func WriteJSON(w io.Writer, d *Domain) error {
	input := map[string]string{}
	for _, l := range d.Input {
		input[l.Name] = l.Value
	}
	substances := lists.Map(d.Substances, func(s Substance) document.Object { return s.object(d) })
	return document.WriteJSON(w, document.Object{
		{"form", "QPRF 2.0"}, {"title", d.Title}, {"program", d.Program}, {"model", d.modelObject()},
		{"alpha", d.Alpha}, {"confidence", d.Confidence}, {"held_out", d.References}, {"score_limit", d.Reach},
		{"method", d.method()}, {"references", sources}, {"substances", substances}, {"left_blank", d.blanks()},
		{"warnings", append([]string{}, d.Warnings...)}, {"input", input}, {"command", d.Command},
	})
}

// blanks are the fields that are empty.
func (d *Domain) blanks() []blank {
	return slices.DeleteFunc(slices.Clone(blanks), func(b blank) bool { return b.Number == "7.3 c" && hasResponses(d.Model) })
}

// modelObject returns the model as JSON.
func (d *Domain) modelObject() document.Object {
	c := &d.Model.Card
	return document.Object{
		{"name", c.Name}, {"sha256", d.SHA256}, {"dataset", c.Dataset}, {"dataset_sha256", c.DatasetSHA256},
		{"train", c.Train}, {"reads", c.Schema}, {"trained_by", c.Program},
	}
}

// object returns the substance as JSON. What is not known is null.
func (s *Substance) object(d *Domain) document.Object {
	x := s.Why
	low, high := s.Low, s.High
	if d.References == 0 || math.IsNaN(x.P) {
		low, high = math.NaN(), math.NaN()
	}
	reasons := lists.Map(x.Reasons, func(r explain.Reason) string { return r.Text })
	analogues, properties := []document.Object{}, []document.Object{}
	for _, n := range s.Nearest {
		if d.Model.Shared == 0 {
			analogues = append(analogues, analogueObject(&n))
		}
	}
	for i := range d.Ranges {
		r := &d.Ranges[i]
		properties = append(properties, append(r.object(), document.Object{{"value", r.Of(&s.Properties)}, {"outside_range", r.beyond(r.Of(&s.Properties))}}...))
	}
	_, lowest, highest := responseRange(s.observed())
	return document.Object{
		{"row", s.Place}, {"name", s.ID}, {"smiles", s.SMILES}, {"canonical_smiles", s.Canonical}, {"formula", s.Formula},
		{"read_smiles", filled(s.Read)}, {"set_aside", filled(s.SetAside)}, {"inchi", nil}, {"inchikey", nil}, {"cas", nil}, {"ec", nil},
		{"statement", within(x.Verdict)}, {"domain_assessment", assessment(x.Verdict)}, {"verdict", x.Verdict},
		{"score", x.Score}, {"p_value", x.P}, {"held_out_as_high", s.AsHigh}, {"p_low", low}, {"p_high", high},
		{"distance", x.Distance}, {"ratio", x.Ratio}, {"rare", x.Rare},
		{"distances", []any{document.Known(x.Embedding), document.Known(x.Subtrees), document.Known(x.Counts)}}, // by embedding, subtrees, and counted subtrees
		{"surroundings", s.Surroundings}, {"surroundings_unmet", s.Unmet}, {"reasons", reasons}, {"in_training_set", x.Duplicate},
		{"properties", properties}, {"analogues", analogues}, {"analogues_observed", []any{document.Known(lowest), document.Known(highest)}},
		{"expert_review", filled(expertReview(x.Verdict))}, {"mechanism_domain", nil}, {"metabolic_domain", nil}, {"endpoint", nil}, {"prediction", nil},
		{"command", filled(s.Command)},
	}
}

// analogueObject has the row in the training set, from 1.
func analogueObject(n *alone.TrainingGraph) document.Object {
	var row, observed, predicted any
	if n.Row >= 0 {
		row = n.Row + 1
	}
	if v := n.Values; v != nil {
		observed, predicted = v.Observed, v.Predicted
	}
	return document.Object{
		{"row", row}, {"similarity", n.Similarity}, {"name", filled(n.Name)}, {"smiles", filled(n.SMILES)},
		{"observed", observed}, {"predicted", predicted},
	}
}

// readAs names the form in which the model reads molecules.
func readAs(m *model.Model) string {
	switch m.Card.Schema {
	case model.OGBCanonical:
		return "it is written, with its stereo marks, charges and counter-ions, in whatever order of atoms"
	case model.OGBParent:
		return say("parent")
	}
	return "it is written: other ways of writing it may have slightly other results, through the order of neighbours at stereocentres"
}

// filled is a text, or nil if empty.
func filled(text string) any {
	if text == "" {
		return nil
	}
	return text
}
