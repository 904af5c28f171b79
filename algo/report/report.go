// Package report writes results about a set of graphs as one self-contained HTML file (Write). An
// embedded script draws molecules when it is opened. It imports no plotting and no templates, to
// stay small in the page.
package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/feature/compare"
	"baca/algo/graph"
	"baca/algo/table"
)

type Pair struct{ Name, Value string }

// An Entry is a graph with its results.
type Entry struct {
	ID, SMILES string
	SetAside   string // what the model did not read
	Place      int    // in the input, from 1
	Graph      *graph.Graph
	Row        batch.Row
	Q          float64            // NaN without FDR
	Drawing    *Drawing           // or nil
	Why        *alone.Explanation // or nil
}

// A Document is what all reports have. All texts are escaped except Script.
type Document struct {
	Title    string
	Warnings []string
	Input    []Pair
	Command  string // that repeats the report
	Again    string // a sentence on Command; empty if the bytes are the same

	// Script draws molecules: web/src/draw.js, built. If empty, Undrawn says why.
	Script  []byte
	Undrawn string
}

// A Report is the input of Write.
type Report struct {
	Document
	Plain         bool // of plain graphs
	Read, Refused int
	decide.Counts
	Alpha float64
	FDR   float64 // 0 without

	// Scores and P are of all scored graphs, with NaN for none. Holdout has the scores of
	// in-distribution graphs in the same state.
	Scores, P, Holdout []float64
	// Alone, unless nil, has batch.Row.GuardP of graphs: a batch decides, without FDR.
	Alone []float64
	// Whole is a sentence on the list, see the function Whole; empty without a batch.
	Whole       string
	Differences []string

	// Wealth is the drift test's path in powers of ten, Delta its rate of false alarms; see
	// decide.Drift.
	Wealth []float64
	Delta  float64

	Top      []Entry // the furthest outside, with drawings and reasons
	Rows     []Entry // the furthest outside, for a table
	Refusals []string

	Model, Settings, Versions []Pair
}

// A page is a document of molecules, or of plain graphs.
type page struct {
	strings.Builder
	plain  bool
	blanks []blank // of a form, those to come
}

// add adds a text of the program with values.
func (p *page) add(format string, args ...any) { fmt.Fprintf(p, p.say(format), args...) }

// say is a text about molecules in the page's words.
func (p *page) say(text string) string { return compare.Say(p.plain, text) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escape makes text safe in HTML, between tags and in quoted attributes.
func escape(text string) string {
	return escaper.Replace(table.Visible(strings.ToValidUTF8(text, "\uFFFD")))
}

// number formats a value.
func number(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

// pValue formats a p-value, q-value or rate: α may equal a p-value with sixteen digits.
func pValue(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// classes are the CSS classes of verdicts.
var classes = map[decide.Verdict]string{decide.Outside: "out", decide.Borderline: "mid", decide.Inside: "in"}

func verdict(v decide.Verdict) string {
	return fmt.Sprintf(`<span class="v %s">%s</span>`, classes[v], escape(string(v)))
}

// most is the highest p-value outside, NaN for none, and its name.
func (r *Report) most() (p float64, by string) {
	if r.FDR == 0 {
		return r.Alpha, "p ≤ " + pValue(r.Alpha)
	}
	return decide.LevelsOf(r.P).Cut(r.FDR), "q ≤ " + pValue(r.FDR)
}

// Write writes the report, deterministically.
func Write(w io.Writer, r *Report) error {
	p := &page{plain: r.Plain}
	p.begin(r.Title, r.drawer())
	p.summary(r)
	p.whole(r)
	p.warnings(r.warnings())
	p.add("<h2>Scores</h2>\n")
	caption := "Each bar counts molecules of this input."
	if len(finite(r.Holdout)) > 0 {
		caption += " The line is how many were to be expected if all came from where the training set came from, by molecules that were kept from training."
	}
	p.figure(scoreChart(r), caption)
	if len(r.P) > 0 && len(r.Holdout) > 0 {
		p.figure(pChart(r), "p-values. Molecules like the training set alone would give bars of one height, that of the line; more at the left end are molecules from elsewhere.")
	}
	if len(r.Wealth) > 1 {
		p.add("<h2>Does the input drift?</h2>\n")
		p.drift(r.Wealth, r.Delta, nil)
	}
	if len(r.Top) > 0 {
		p.add("<h2>Furthest outside</h2>\n<p>Atoms are coloured by what they add to the score of the molecule by itself: vermilion pushes it outside, blue holds it inside. In sum they are above zero where it is outside. The strongest colour is that of the largest part in each drawing. A dashed ring marks atoms with features that no molecule of the training set has.</p>\n")
		p.undrawn(r.Script, r.Undrawn)
		for i := range r.Top {
			p.entry(&r.Top[i], r)
		}
	}
	p.table(r)
	p.add("<h2>Model card</h2>\n")
	p.pairs(r.Model)
	p.add("<h2>Input, settings and versions</h2>\n")
	p.pairs(r.Input)
	p.pairs(r.Settings)
	p.pairs(r.Versions)
	if r.Command != "" {
		p.again(cmp.Or(r.Again, sameBytes), r.Command)
	}
	p.add(`<h2>What not to conclude</h2>
<p>A molecule that is called outside is unlike the training set in ways that the model can see. That does not make a prediction about it wrong, nor one about a molecule inside right. A p-value is the share of molecules like the training set that score as high; it is not the chance that this molecule is one of them. Among many molecules a share α of those like the training set is called outside by design. A list that differs as a whole may still have each of its molecules inside: a series of one kind does. Two sets that resemble each other may not be told apart at all.</p>
`)
	p.end(r.drawer())
	_, err := io.WriteString(w, p.String())
	return err
}

// begin opens a document. script draws; nil for none.
func (p *page) begin(title string, script []byte) {
	p.add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main>
<h1>%s</h1>
`, scriptPolicy(script), escape(title), style, escape(title))
}

// end closes a document.
func (p *page) end(script []byte) {
	p.add("</main>\n")
	p.script(script)
	p.add("</body>\n</html>\n")
}

func (p *page) summary(r *Report) {
	scored := r.Outside + r.Borderline + r.Inside
	p.add(`<p class="lead">%d read, %d refused. `, r.Read, r.Refused)
	if scored > 0 {
		p.add("Of %d judged, %s %d, %s %d and %s %d", scored, verdict(decide.Outside), r.Outside, verdict(decide.Borderline), r.Borderline, verdict(decide.Inside), r.Inside)
		if r.FDR > 0 {
			p.add(": those called outside are chosen so that a share of at most %s of them is expected to be inside (Benjamini and Hochberg); borderline have a p-value of at most %s by themselves.", pValue(r.FDR), pValue(r.Alpha))
		} else {
			p.add(": outside where at most a share of %s of molecules like the training set scores as high, borderline up to %s. About %s of these molecules would be called outside if all were like the training set.", pValue(r.Alpha), pValue(2*r.Alpha), number(r.Alpha*float64(scored), 1))
		}
		if r.Alone != nil {
			p.add(" The batch decides: outside also needs a p-value of at most %g by itself, or that no training graph is as much like this list.", batch.Guard)
		}
	}
	if r.Undecided > 0 {
		p.add(" %s %d: the model holds %d molecules to compare with, which is too few for verdicts at %s.", verdict(decide.Undecided), r.Undecided, len(r.Holdout), pValue(r.Alpha))
	} else if scored == 0 {
		p.add("There are no verdicts.")
	}
	p.add("</p>\n")
}

func (p *page) whole(r *Report) {
	if r.Whole != "" {
		p.add("<p>%s%s.", strings.ToUpper(r.Whole[:1]), escape(r.Whole[1:]))
		if len(r.Differences) > 0 {
			p.add(" %s.", strings.ReplaceAll(escape(MakesTheDifference(r.Differences)), " %", "&nbsp;%"))
		}
		p.add("</p>\n")
	}
}

func (p *page) warnings(texts []string) {
	if len(texts) == 0 {
		return
	}
	p.add("<h2>Warnings</h2>\n<ul class=\"warn\">\n")
	for _, text := range texts {
		p.add("<li>%s</li>\n", escape(text))
	}
	p.add("</ul>\n")
}

// warnings are the run's, and the refused records.
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

func (p *page) figure(svg, caption string) {
	p.add("<figure>%s<figcaption>%s</figcaption></figure>\n", p.say(svg), escape(p.say(caption)))
}

// undrawn says why there are no drawings, if known.
func (p *page) undrawn(script []byte, why string) {
	if script == nil && why != "" {
		p.add("<p>There are no drawings: %s.</p>\n", escape(why))
	}
}

const sameBytes = "With the same program, model file and input the same bytes come out."

// again shows the command that repeats a document.
func (p *page) again(why, command string) {
	p.add("<h2>How to make this again</h2>\n<p>%s</p>\n<pre>%s</pre>\n", escape(why), escape(command))
}

func (p *page) entry(e *Entry, r *Report) {
	p.add("<section class=\"card\">\n<h3>%s</h3>\n", escape(e.ID))
	if r.Script == nil {
		p.add("<div><div>")
	} else {
		p.add("<div class=\"cols\">")
		p.drawing(e)
		p.add("<div>")
	}
	p.add("<p>%s · score %s · p %s", verdict(e.Row.Verdict), number(e.Row.Score, 2), pValue(e.Row.P))
	if n := len(r.Holdout); n > 0 && !math.IsNaN(e.Row.P) {
		p.add(" (%s)", decide.CountedIn(e.Row.P, n, ""))
	}
	if r.FDR > 0 {
		p.add(" · q %s", pValue(e.Q))
	}
	p.add(" · row %d</p>\n", e.Place)
	if e.SMILES != "" {
		p.add("<p class=\"smiles\">%s</p>\n", escape(e.SMILES))
	}
	if e.SetAside != "" {
		p.add("<p>Set aside: %s. The model reads what is left.</p>\n", escape(e.SetAside))
	}
	if x := e.Why; x != nil {
		p.add("<p>By itself: score %s, p %s.", number(x.Score, 2), pValue(x.P))
		for _, text := range parts(x) {
			p.add(" %s.", escape(p.say(strings.ToUpper(text[:1])+text[1:])))
		}
		p.add(" The distance, in the same deviations, is %s by embedding, %s by subtrees, %s by subtrees with counts",
			number(x.Embedding, 1), number(x.Subtrees, 1), number(x.Counts, 1))
		if !math.IsNaN(x.Nodes) {
			p.add("; ℓ_n %s", number(x.Nodes, 1))
		}
		p.add(".</p>\n")
		if len(x.Reasons) > 0 {
			p.add("<ul>\n")
			for _, reason := range x.Reasons[:min(len(x.Reasons), 5)] {
				p.add("<li>%s</li>\n", strings.ReplaceAll(escape(reason.Text), " %", "&nbsp;%"))
			}
			p.add("</ul>\n")
		} else {
			p.add("<p>Nothing about it stands out.</p>\n")
		}
		p.neighbors(x.Nearest, r.Script != nil)
	}
	p.add("</div></div>\n</section>\n")
}

func (p *page) table(r *Report) {
	if len(r.Rows) == 0 {
		return
	}
	p.add("<h2>Table</h2>\n")
	if n := r.Read - r.Refused; n > len(r.Rows) {
		p.add("<p>The %d of %d furthest outside.</p>\n", len(r.Rows), n)
	}
	p.add("<div class=\"wide\"><table>\n<thead><tr><th class=\"n\">row</th><th>id</th><th>structure</th><th class=\"n\">score</th><th class=\"n\">p</th>")
	if r.FDR > 0 {
		p.add("<th class=\"n\">q</th>")
	}
	p.add("<th class=\"w\">verdict</th>")
	if r.Whole != "" {
		p.add("<th class=\"n\">p alone</th><th class=\"n\">p in the list</th><th class=\"w\">verdict in the list</th>")
	}
	p.add("</tr></thead>\n<tbody>\n")
	for _, e := range r.Rows {
		aside := ""
		if e.SetAside != "" {
			aside = "<br>set aside: " + escape(e.SetAside)
		}
		p.add("<tr><td class=\"n\">%d</td><td class=\"t\">%s</td><td class=\"t smiles\">%s%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
			e.Place, escape(e.ID), escape(e.SMILES), aside, number(e.Row.Score, 2), pValue(e.Row.P))
		if r.FDR > 0 {
			p.add("<td class=\"n\">%s</td>", pValue(e.Q))
		}
		p.add("<td>%s</td>", verdict(e.Row.Verdict))
		if r.Whole != "" {
			p.add("<td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td>", pValue(e.Row.AloneP), pValue(e.Row.BatchP), verdict(e.Row.BatchVerdict))
		}
		p.add("</tr>\n")
	}
	p.add("</tbody>\n</table></div>\n")
}

func (p *page) pairs(list []Pair) {
	if len(list) == 0 {
		return
	}
	p.add("<dl>\n")
	for _, l := range list {
		p.add("<dt>%s</dt><dd>%s</dd>\n", escape(l.Name), escape(l.Value))
	}
	p.add("</dl>\n")
}

const style = `
:root{color-scheme:light}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;color:#1b1d1f;background:#fff;margin:0}
main{max-width:62rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.6rem;margin:0 0 .5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid #dfe2e5}h3{font-size:1rem;margin:0 0 .4rem;overflow-wrap:anywhere}
.lead{font-size:1.05rem}
.v{font-weight:600;white-space:nowrap}.out{color:#b04700}.mid{color:#5b6168}.in{color:#00639b}
figure{margin:1rem 0}figure svg{max-width:100%;height:auto}figcaption{color:#565d65;font-size:.9rem;max-width:46rem}
figure svg text{font:11px system-ui,"Liberation Sans",Arial,sans-serif}figure svg text:not([fill]){fill:#222}
.card{border:1px solid #dfe2e5;border-radius:6px;padding:.8rem 1rem;margin:.8rem 0;break-inside:avoid}
.cols{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:1rem}.cols p{margin:.2rem 0 .5rem}.cols ul{margin:.2rem 0 .5rem;padding-left:1.2rem}
.pic svg{max-width:100%;height:auto}.none{color:#565d65}
.smiles{font:12px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.near{list-style:none;padding:0;margin:.2rem 0 .5rem;display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.8rem;font-size:.9rem}.near p{margin:.1rem 0;overflow-wrap:anywhere}.near .mol svg{display:block;width:100%;height:auto}
.warn li{color:#7a3200}
table{border-collapse:collapse;width:100%;font-size:.85rem}th,td{text-align:left;padding:.2rem .5rem;border-bottom:1px solid #e6e6e6;vertical-align:top;overflow-wrap:anywhere}th{position:sticky;top:0;background:#fff;overflow-wrap:normal}td.t{min-width:7em}.wide+h3,.near+h3{margin-top:1.2rem}
.w,td.n{white-space:nowrap}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0 1rem}dt{color:#565d65}dd{margin:0;overflow-wrap:anywhere}
pre{background:#f0f2f3;padding:.6rem .8rem;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:4px}
@media (max-width:40rem){.cols{grid-template-columns:1fr}.wide{overflow-x:auto}.wide table{min-width:38rem}}
@media print{html,body{font-size:11px}main{max-width:none;padding:0}.smiles{font-size:9px}h2{break-after:avoid}th{position:static}thead{display:table-header-group}tr,figure{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
