// Package report gathers the scores of a list (New, Report.Add) and writes one HTML file about them (Write).
package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/graph"
)

// An Entry is a graph with its results.
type Entry struct {
	ID, SMILES string
	SetAside   string // what the model did not read of it
	Place      int    // in the input, from 1
	Graph      *graph.Graph
	Row        batch.Row
	Q          float64            // q-value, NaN without FDR
	Drawing    *Drawing           // nil if it is not drawn
	Why        *alone.Explanation // nil if it is not explained
}

// A Part is a section of a report, by which a feature says something about the list.
type Part interface {
	Take(e *Entry)          // adds the next entry in the order of the input
	Write(p *document.Page) // adds the section, or nothing
}

// A Report is what Write writes.
type Report struct {
	document.About
	Plain         bool // of plain graphs
	Read, Refused int
	decide.Counts
	Alpha float64
	FDR   float64 // false-discovery rate, or 0 if verdicts are by Alpha

	// Scores and P are those of all scored graphs; NaN for none. Holdout has the scores of the held-out graphs, computed
	// in the same way.
	Scores, P, Holdout []float64
	// Alone has batch.Row.GuardP of each graph if the batch decides without FDR. Otherwise it is nil.
	Alone []float64
	Guard float64 // the highest of Alone with which a graph is outside
	// Whole is a sentence on the list, see batch.Whole; empty without a batch.
	Whole       string
	Differences []string

	// Parts are the sections by features, after the distributions.
	Parts []Part

	Top      []Entry // the furthest outside, with drawings and reasons
	Rows     []Entry // the furthest outside, for a table
	Refusals []string

	Model, Settings, Versions []document.Pair

	alone *alone.Scorer // of New
	by    string
}

// Classes are the CSS classes of verdicts.
var Classes = map[decide.Verdict]string{decide.Outside: "out", decide.Borderline: "mid", decide.Inside: "in"}

// A page is a report being written.
type page struct{ document.Page }

// verdict returns HTML with the verdict in its colour.
func verdict(v decide.Verdict) string {
	return fmt.Sprintf(`<span class="v %s">%s</span>`, Classes[v], document.Escape(string(v)))
}

// most returns the highest p-value that is called outside, or NaN if none is, and the condition as a text: "p ≤ 0.05".
func (r *Report) most() (p float64, by string) {
	if r.FDR == 0 {
		return r.Alpha, "p ≤ " + document.PValue(r.Alpha)
	}
	return decide.LevelsOf(r.P).Cut(r.FDR), "q ≤ " + document.PValue(r.FDR)
}

// Write writes the report as HTML. The bytes depend on r only.
func Write(w io.Writer, r *Report) error {
	p := &page{document.Page{Plain: r.Plain}}
	p.Begin(r.Title, r.drawer())
	p.summary(r)
	p.whole(r)
	p.Warnings(r.warnings())
	p.Add("<h2>Scores</h2>\n")
	caption := "Each bar counts molecules of this input."
	if len(finite(r.Holdout)) > 0 {
		caption += " The line is how many were to be expected if all came from where the training set came from, by molecules that were kept from training."
	}
	if r.by != batch.ByAttention { // whose p-values come from fold to fold, each with a scale of its own
		p.Figure(scoreChart(r), caption)
	}
	if len(r.P) > 0 && len(r.Holdout) > 0 {
		p.Figure(pChart(r), "p-values. Molecules like the training set alone would give bars of one height, that of the line; more at the left end are molecules from elsewhere.")
	}
	for _, part := range r.Parts {
		part.Write(&p.Page)
	}
	if len(r.Top) > 0 {
		p.Add("<h2>Furthest outside</h2>\n<p>Atoms are coloured by what they add to the score of the molecule by itself: vermilion pushes it outside, blue holds it inside. In sum they are above zero where it is outside. The strongest colour is that of the largest part in each drawing. A dashed ring marks atoms with features that no molecule of the training set has.</p>\n")
		p.Undrawn(r.Script, r.Undrawn)
		for i := range r.Top {
			p.entry(&r.Top[i], r)
		}
	}
	p.table(r)
	p.Add("<h2>Model card</h2>\n")
	p.Pairs(r.Model)
	p.Add("<h2>Input, settings and versions</h2>\n")
	p.Pairs(r.Input)
	p.Pairs(r.Settings)
	p.Pairs(r.Versions)
	if r.Command != "" {
		p.Again(cmp.Or(r.Again, document.SameBytes), r.Command)
	}
	p.Add(`<h2>What not to conclude</h2>
<p>A molecule that is called outside is unlike the training set in ways that the model can see. That does not make a prediction about it wrong, nor one about a molecule inside right. A p-value is the share of molecules like the training set that score as high; it is not the chance that this molecule is one of them. Among many molecules a share α of those like the training set is called outside by design. A list that differs as a whole may still have each of its molecules inside: a series of one kind does. Two sets that resemble each other may not be told apart at all.</p>
`)
	p.End(r.drawer())
	_, err := io.WriteString(w, p.String())
	return err
}

// summary writes the counts of verdicts and what they mean.
func (p *page) summary(r *Report) {
	scored := r.Outside + r.Borderline + r.Inside
	p.Add(`<p class="lead">%d read, %d refused. `, r.Read, r.Refused)
	if scored > 0 {
		p.Add("Of %d judged, %s %d, %s %d and %s %d", scored, verdict(decide.Outside), r.Outside, verdict(decide.Borderline), r.Borderline, verdict(decide.Inside), r.Inside)
		if r.FDR > 0 {
			p.Add(": those called outside are chosen so that a share of at most %s of them is expected to be inside (Benjamini and Hochberg); borderline have a p-value of at most %s by themselves.", document.PValue(r.FDR), document.PValue(r.Alpha))
		} else {
			p.Add(": outside where at most a share of %s of molecules like the training set scores as high, borderline up to %s. About %s of these molecules would be called outside if all were like the training set.", document.PValue(r.Alpha), document.PValue(2*r.Alpha), document.Number(r.Alpha*float64(scored), 1))
		}
		if r.Alone != nil {
			p.Add(" The list decides: outside also needs a p-value of at most %g by itself, or that hardly any training graph is as much like this list.", r.Guard)
		}
	}
	if r.Undecided > 0 {
		p.Add(" %s %d: the model holds %d molecules to compare with, which is too few for verdicts at %s.", verdict(decide.Undecided), r.Undecided, len(r.Holdout), document.PValue(r.Alpha))
	} else if scored == 0 {
		p.Add("There are no verdicts.")
	}
	p.Add("</p>\n")
}

// whole writes what the list as a whole differs in.
func (p *page) whole(r *Report) {
	if r.Whole != "" {
		p.Add("<p>%s%s.", strings.ToUpper(r.Whole[:1]), document.Escape(r.Whole[1:]))
		if len(r.Differences) > 0 {
			p.Add(" %s.", strings.ReplaceAll(document.Escape(batch.MakesTheDifference(r.Differences)), " %", "&nbsp;%"))
		}
		p.Add("</p>\n")
	}
}

// warnings returns the warnings of the run, and then the refused records.
func (r *Report) warnings() []string {
	list := slices.Clone(r.Warnings)
	for _, w := range r.Refusals {
		list = append(list, "refused: "+w)
	}
	if n := r.Refused - len(r.Refusals); n > 0 && len(r.Refusals) > 0 {
		list = append(list, fmt.Sprintf("… and %d more", n))
	}
	return list
}

// entry writes a molecule's drawing, reasons and nearest training molecules.
func (p *page) entry(e *Entry, r *Report) {
	p.Add("<section class=\"card\">\n<h3>%s</h3>\n", document.Escape(e.ID))
	if r.Script == nil {
		p.Add("<div><div>")
	} else {
		p.Add("<div class=\"cols\">")
		e.Draw(&p.Page)
		p.Add("<div>")
	}
	p.Add("<p>%s · score %s · p %s", verdict(e.Row.Verdict), document.Number(e.Row.Score, 2), document.PValue(e.Row.P))
	if n := len(r.Holdout); n > 0 && !math.IsNaN(e.Row.P) {
		p.Add(" (%s)", decide.CountedIn(e.Row.P, n, ""))
	}
	if r.FDR > 0 {
		p.Add(" · q %s", document.PValue(e.Q))
	}
	p.Add(" · row %d</p>\n", e.Place)
	if e.SMILES != "" {
		p.Add("<p class=\"smiles\">%s</p>\n", document.Escape(e.SMILES))
	}
	if e.SetAside != "" {
		p.Add("<p>Set aside: %s. The model reads what is left.</p>\n", document.Escape(e.SetAside))
	}
	if x := e.Why; x != nil {
		p.Add("<p>By itself: score %s, p %s.", document.Number(x.Score, 2), document.PValue(x.P))
		for _, text := range Parts(x) {
			p.Add(" %s.", document.Escape(p.Say(strings.ToUpper(text[:1])+text[1:])))
		}
		p.Add(" The distance, in the same deviations, is %s by embedding, %s by subtrees, %s by subtrees with counts",
			document.Number(x.Embedding, 1), document.Number(x.Subtrees, 1), document.Number(x.Counts, 1))
		if !math.IsNaN(x.Nodes) {
			p.Add("; ℓ_n %s", document.Number(x.Nodes, 1))
		}
		p.Add(".</p>\n")
		if len(x.Reasons) > 0 {
			p.Add("<ul>\n")
			for _, reason := range x.Reasons[:min(len(x.Reasons), 5)] {
				p.Add("<li>%s</li>\n", strings.ReplaceAll(document.Escape(reason.Text), " %", "&nbsp;%"))
			}
			p.Add("</ul>\n")
		} else {
			p.Add("<p>Nothing about it stands out.</p>\n")
		}
		Neighbors(&p.Page, x.Nearest, r.Script != nil)
	}
	p.Add("</div></div>\n</section>\n")
}

// table writes the rows furthest outside.
func (p *page) table(r *Report) {
	if len(r.Rows) == 0 {
		return
	}
	p.Add("<h2>Table</h2>\n")
	if n := r.Read - r.Refused; n > len(r.Rows) {
		p.Add("<p>The %d of %d furthest outside.</p>\n", len(r.Rows), n)
	}
	p.Add("<div class=\"wide\"><table>\n<thead><tr><th class=\"n\">row</th><th>id</th><th>structure</th>")
	p.Add("<th class=\"n\">score</th><th class=\"n\">p</th>")
	if r.FDR > 0 {
		p.Add("<th class=\"n\">q</th>")
	}
	p.Add("<th class=\"w\">verdict</th>")
	if r.Whole != "" {
		p.Add("<th class=\"n\">p alone</th><th class=\"n\">p in the list</th><th>batch_foreign</th><th class=\"w\">verdict in the list</th>")
	}
	p.Add("</tr></thead>\n<tbody>\n")
	for _, e := range r.Rows {
		aside := ""
		if e.SetAside != "" {
			aside = "<br>set aside: " + document.Escape(e.SetAside)
		}
		p.Add("<tr><td class=\"n\">%d</td><td class=\"t\">%s</td><td class=\"t smiles\">%s%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
			e.Place, document.Escape(e.ID), document.Escape(e.SMILES), aside, document.Number(e.Row.Score, 2), document.PValue(e.Row.P))
		if r.FDR > 0 {
			p.Add("<td class=\"n\">%s</td>", document.PValue(e.Q))
		}
		p.Add("<td>%s</td>", verdict(e.Row.Verdict))
		if r.Whole != "" {
			foreign := map[bool]string{true: "yes", false: "no"}[e.Row.Foreign]
			p.Numbers(document.PValue(e.Row.AloneP), document.PValue(e.Row.BatchP))
			p.Add("<td>%s</td><td>%s</td>", foreign, verdict(e.Row.BatchVerdict))
		}
		p.Add("</tr>\n")
	}
	p.Add("</tbody>\n</table></div>\n")
}
