// Package document writes what all reports and features share: pages of HTML that stand alone (Page, Begin, End), their
// numbers and texts, the commands that repeat them, and JSON. An embedded script draws molecules when a page is opened.
// To stay small in the browser, the package imports no plotting and no templates.
package document

import (
	"fmt"
	"strings"
)

// A Pair is a name with its value, see Page.Pairs.
type Pair = struct{ Name, Value string }

// An About holds what all documents have. All texts are escaped except Script.
type About struct {
	Title    string
	Warnings []string
	Input    []Pair
	Command  string // the command that makes the document again
	Again    string // a sentence on Command; empty if it makes the same bytes

	// Script draws molecules: web/src/draw.js, built. If it is empty, Undrawn says why there are no drawings.
	Script  []byte
	Undrawn string
}

// A Page is a document of molecules or, if Plain is set, of plain graphs, or a part of one.
type Page struct {
	strings.Builder
	Plain bool
}

// Add adds a format of the program, in the page's words, with its values.
func (p *Page) Add(format string, args ...any) { fmt.Fprintf(p, p.Say(format), args...) }

// Say returns a text about molecules in the page's words: about graphs if the page is Plain.
func (p *Page) Say(text string) string { return Say(p.Plain, text) }

// Begin opens a document with its title. script draws molecules; without one, which is nil, the page runs no scripts.
func (p *Page) Begin(title string, script []byte) {
	p.Add(`<!doctype html>
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
`, scriptPolicy(script), Escape(title), style, Escape(title))
}

// End closes a document.
func (p *Page) End(script []byte) {
	p.Add("</main>\n")
	p.script(script)
	p.Add("</body>\n</html>\n")
}

// Table begins a table with these heads. A head that begins with #, which is left out, is of a column of numbers.
func (p *Page) Table(heads ...string) {
	p.Add("<div class=\"wide\"><table>\n<thead><tr>")
	for _, head := range heads {
		name, number := strings.CutPrefix(head, "#")
		if number {
			p.Add("<th class=\"n\">%s</th>", p.Say(name))
		} else {
			p.Add("<th>%s</th>", p.Say(name))
		}
	}
	p.Add("</tr></thead>\n<tbody>\n")
}

// Numbers adds cells of numbers to a row.
func (p *Page) Numbers(cells ...string) {
	for _, cell := range cells {
		p.Add("<td class=\"n\">%s</td>", cell)
	}
}

// EndTable closes a table.
func (p *Page) EndTable() { p.Add("</tbody>\n</table></div>\n") }

// Warnings lists warnings, if any.
func (p *Page) Warnings(texts []string) {
	if len(texts) == 0 {
		return
	}
	p.Add("<h2>Warnings</h2>\n<ul class=\"warn\">\n")
	for _, text := range texts {
		p.Add("<li>%s</li>\n", Escape(text))
	}
	p.Add("</ul>\n")
}

// Figure shows a picture with its caption.
func (p *Page) Figure(svg, caption string) {
	p.Add("<figure>%s<figcaption>%s</figcaption></figure>\n", p.Say(svg), Escape(p.Say(caption)))
}

// Undrawn says why there are no drawings, if there is no script and the reason is known.
func (p *Page) Undrawn(script []byte, why string) {
	if script == nil && why != "" {
		p.Add("<p>There are no drawings: %s.</p>\n", Escape(why))
	}
}

// SameBytes is the usual sentence of Page.Again.
const SameBytes = "With the same program, model file and input the same bytes come out."

// Again shows the command that makes a document again, after the sentence why.
func (p *Page) Again(why, command string) {
	p.Add("<h2>How to make this again</h2>\n<p>%s</p>\n<pre>%s</pre>\n", Escape(why), Escape(command))
}

// Pairs shows names with their values, and nothing for an empty list.
func (p *Page) Pairs(list []Pair) {
	if len(list) == 0 {
		return
	}
	p.Add("<dl>\n")
	for _, l := range list {
		p.Add("<dt>%s</dt><dd>%s</dd>\n", Escape(l.Name), Escape(l.Value))
	}
	p.Add("</dl>\n")
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
