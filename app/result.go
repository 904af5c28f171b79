package app

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// The rows of the table, see the style sheet. They are equally high, so that the
// place of each is known without drawing those above it.
const (
	rowHeight   = 60
	rowsMore    = 4 // that are drawn above and below the view
	thumbWidth  = 92
	thumbHeight = 54
)

// resultPane shows the distribution and the table.
type resultPane struct {
	app.Compo
	S   *session
	Rev int

	ctx         app.Context
	top, height int      // of the table's view
	sized       bool     // they are known
	wanted      string   // drawings that were asked for last
	drawCall    app.Func // takes them
}

// OnMount implements app.Mounter.
func (p *resultPane) OnMount(ctx app.Context) {
	p.ctx = ctx
	p.height = 600
}

// OnResize implements app.Resizer.
func (p *resultPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

// OnUpdate implements app.Updater.
func (p *resultPane) OnUpdate(ctx app.Context) { ctx.Defer(p.settle) }

// measure takes the sizes of what is drawn.
func (p *resultPane) measure(ctx app.Context) {
	ctx.Dispatch(func(ctx app.Context) {
		if scroller := app.Window().GetElementByID("scroller"); scroller.Truthy() {
			p.height = max(int(scroller.Get("clientHeight").Float()), rowHeight)
			p.top = int(scroller.Get("scrollTop").Float())
		}
		ctx.Defer(p.settle)
	})
}

// settle asks for the drawings of the rows in view.
func (p *resultPane) settle(ctx app.Context) {
	t, ok := tools()
	if !ok {
		return
	}
	s := p.S
	// The table has no size before it has rows. To ask for it costs a layout, so
	// that it is not asked for again before something changes it.
	if p.sized = p.sized && s.rows.len() > 0; !p.sized && s.rows.len() > 0 {
		p.sized = true
		p.measure(ctx)
	}
	w := p.window()
	wanted := s.order[w.from:w.to]
	if s.selected >= 0 {
		wanted = append([]int32{int32(s.selected)}, wanted...)
	} else {
		wanted = append(s.furthest(suggested), wanted...)
	}
	list := strings.Join(s.undrawn(wanted), "\n")
	if list == p.wanted {
		return
	}
	p.wanted = list
	if p.drawCall == nil {
		p.drawCall = app.FuncOf(func(_ app.Value, args []app.Value) any {
			smiles, text, problem := args[0].String(), args[1].String(), args[2].String()
			p.ctx.Dispatch(func(app.Context) { s.drawn(smiles, text, problem) })
			return nil
		})
	}
	t.Call("draw", list, p.drawCall)
}

func (p *resultPane) window() window {
	return windowOf(len(p.S.order), rowHeight, p.top, p.height, rowsMore)
}

// Render implements app.Composer.
func (p *resultPane) Render() app.UI {
	s := p.S
	return app.Section().Class("pane result").Aria("label", "Results").Body(
		p.notice(),
		p.welcome(),
		p.headline(),
		&stripPane{S: s, Rev: s.rev.strip, Phase: s.phase},
		p.tools(),
		p.table(),
	)
}

// notice says what stands in the way, or what is to be known before the numbers.
func (p *resultPane) notice() app.UI {
	s := p.S
	var body []app.UI
	class := "notice"
	button := func(text string, f func()) app.UI {
		return app.Button().Class("button").Type("button").Text(text).OnClick(func(app.Context, app.Event) { f() }, app.EventScope(text))
	}
	switch {
	case s.phase == broken:
		h, w := explain(s.failure)
		class += " bad"
		body = append(body, app.Strong().Text(h), app.Span().Text(w))
		switch s.failure.Code {
		case message.CodeBadModel:
			body = append(body, button("Choose a model", func() { showDialog("models") }))
		default:
			body = append(body, button("Try again", func() { s.begin(0) }))
		}
	case s.modelFailure != nil:
		h, w := explain(s.modelFailure)
		class += " bad"
		body = append(body, app.Strong().Text(h), app.Span().Text(w), button("Models", func() { showDialog("models") }))
	case s.phase == stopped:
		body = append(body, app.Strong().Text("Cancelled"), app.Span().Text("What was there stays. The input is as you left it."), button("Score again", func() { s.begin(0) }))
	case s.phase == done && s.opened != nil && s.opened.Refused == s.opened.Records:
		class += " bad"
		body = append(body, app.Strong().Text("Nothing could be read"), app.Span().Text("Every record was refused. The reasons are beside the input."))
	case s.phase == unstarted && s.unscored && s.model != nil && !s.train.on:
		body = append(body, app.Strong().Text("Not scored"), app.Span().Text("This input was opened to train on."), button("Score it", s.scoreNow))
	case s.by != eachAlone && s.opened != nil && s.unfit() != "":
		body = append(body, app.Strong().Text("Each is judged by itself"), app.Span().Text(s.unfit()))
	case s.rule().fdr && math.IsNaN(s.rule().cut):
		body = append(body, app.Strong().Text("None can be called outside at a false-discovery rate of "+percent(s.fdr)),
			app.Span().Text("So many unusual ones are to be expected by chance alone. No p-value is below "+number(s.model.SmallestP)+" with this model, so that a few of many cannot be told from chance."),
			button("Judge each at α", func() { s.setFDR(0); s.address() }))
	case !s.rule().fdr && len(s.reference) > 0 && math.IsNaN(s.threshold()):
		body = append(body, app.Strong().Text("Undecided at α = "+percent(s.alpha)),
			app.Span().Text(tooFewHeld(len(s.reference), s.alpha, s.things())+" Allow more false alarms, or take a model that was trained on more."))
	}
	return app.Div().Class(class).Attr("hidden", flag(len(body) == 0)).Role("note").Body(body...)
}

// sentences makes a text of warnings, which begin small and have no full stop.
func sentences(warnings []string) string {
	var b strings.Builder
	for _, w := range warnings {
		r, n := utf8.DecodeRuneInString(w)
		if n < len(w) && unicode.IsLower(r) && w[n] != '_' {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		b.WriteString(w[n:] + ". ")
	}
	return strings.TrimSpace(b.String())
}

// headline is the result in words, and what the picture below it shows.
func (p *resultPane) headline() app.UI {
	what, about := headline(p.S)
	return app.Div().ID("headline").Class("headline").Attr("hidden", flag(what == "")).Body(
		app.Div().Class("headline-words").Body(app.H2().Text(what), app.P().Class("quiet small").Text(about), p.whole()),
		p.rule(),
		app.Details().ID("notes").Class("notes").Attr("hidden", flag(len(p.S.warnings) == 0)).Body(
			app.Summary().Class("quiet small").Text(things(len(p.S.warnings), "note", "notes")),
			app.P().Class("small").Text(sentences(p.S.warnings))))
}

// whole is the second answer: whether the list as a whole is unlike the training set. It
// says nothing about any record.
func (p *resultPane) whole() app.UI {
	s := p.S
	said := s.whole()
	ask := said == "" && s.unfit() == "" && s.phase == done && s.graphs() > 0
	if s.phase == calibrating {
		said = "The list as a whole is being looked at …"
	}
	class := "whole"
	if said == "" {
		class += " ask" // stands beside the rule
	}
	return app.Div().ID("whole").Class(class).Attr("hidden", flag(said == "" && !ask)).Body(
		app.If(said != "", func() app.UI { return app.Span().Text(said) }),
		app.If(ask, func() app.UI {
			return app.Button().ID("compare").Class("button").Type("button").Disabled(s.task != nil || s.train.on).Title("Calibrate the batch: does this list differ from the training set, whatever each molecule is?").Text("Compare the list as a whole").
				OnClick(func(app.Context, app.Event) { s.calibrate() })
		}))
}

// rule is the choice of where the line is: at α for each record, or by the rate of false
// ones among all that are called outside.
func (p *resultPane) rule() app.UI {
	s := p.S
	n := s.rows.counts
	options := make([]app.UI, len(rates))
	for i, rate := range rates {
		options[i] = app.Option().Value(strconv.FormatFloat(rate, 'g', -1, 64)).Selected(rate == s.fdr).Text(percent(rate))
	}
	return app.Div().Class("rule").Attr("hidden", flag(n[inside]+n[borderline]+n[outside] < 2)).Body(
		app.Div().Class("segments").Role("group").Aria("label", "Where the line is").Body(
			app.Button().ID("rule-each").Type("button").Aria("pressed", s.fdr == 0).Title("Outside where p is at most α: a share α of ordinary molecules is called outside by mistake").Text("Each at α").
				OnClick(func(app.Context, app.Event) { s.setFDR(0); s.address() }),
			app.Button().ID("rule-batch").Type("button").Aria("pressed", s.fdr > 0).Title("Outside so that, of all called that, only a small share is ordinary (Benjamini and Hochberg)").Text("False-discovery rate").
				OnClick(func(app.Context, app.Event) {
					if s.fdr == 0 {
						s.setFDR(usualRate)
						s.address()
					}
				})),
		app.Label().Class("rule-rate quiet small").Attr("hidden", flag(s.fdr == 0)).Body(
			app.Text("at most "),
			app.Select().ID("fdr").Class("select").Aria("label", "Rate of false discoveries").
				OnChange(func(ctx app.Context, e app.Event) {
					if rate, err := strconv.ParseFloat(ctx.JSSrc().Get("value").String(), 64); err == nil && slices.Contains(rates, rate) {
						s.setFDR(rate)
						s.address()
					}
				}).Body(options...),
			app.Text(" mistakes")))
}

// headline says in one sentence what was found, and in another how to read the
// picture.
func headline(s *session) (what, about string) {
	n := s.rows.counts
	judged := n[inside] + n[borderline] + n[outside]
	switch {
	case judged == 0 && n[undecided] == 1:
		return "It is undecided", ""
	case judged == 0 && n[undecided] > 1:
		return "All " + count(n[undecided]) + " are undecided", ""
	case judged == 0:
		return "", ""
	}
	switch {
	case judged == 1 && s.rows.len() == 1:
		what = s.rows.name(0) + " is " + s.rows.verdict[0].word()
		if n[outside] == 1 {
			what += " what the model knows"
		}
	case n[outside] == 0:
		what = "None of " + count(judged) + " lies outside what the model knows"
	case n[outside] == judged:
		what = "All " + count(judged) + " lie outside what the model knows"
	default:
		what = count(n[outside]) + " of " + count(judged) + " lie outside what the model knows"
		if n[outside] == 1 {
			what = "1 of " + count(judged) + " lies outside what the model knows"
		}
	}
	if n[borderline] > 0 && judged > 1 {
		what += ", " + count(n[borderline]) + " borderline"
	}
	if len(s.reference) > 0 {
		about = "Grey: " + count(len(s.reference)) + " " + s.things() + " of the known kind. " + percent(s.alpha) + " of such lie right of the line. Drag it."
	}
	switch {
	case s.rule().fdr:
		about = "Of those called outside, at most " + percent(s.fdr) + " are expected to be ordinary, on average. Borderline are those with p of at most " + percent(s.alpha) + " by themselves."
	case s.fdr > 0:
		about = "Judged by α alone: the rate of false discoveries needs the p-values of all."
	}
	switch by := s.deciding(); {
	case by == theBatch:
		about += " The batch decides; outside also needs p of at most " + number(s.rule().guard) + " by itself, which bounds false alarms in the worst company."
	case by == thePaper:
		about += " S_BaCa decides, which learns from the list as a whole."
	case s.by != eachAlone && s.phase == calibrating:
		about = "Each by itself, until the batch is calibrated."
	}
	return what, about
}

// welcome is what there is to see before there is an input.
func (p *resultPane) welcome() app.UI {
	s := p.S
	return app.Div().Class("welcome").Attr("hidden", flag(s.phase != empty)).Body(
		app.Raw(sketchSVG),
		app.H2().Text("Which of your molecules has the model never met?"),
		app.P().Text("Give it molecules, and see at once which are unlike everything it was trained on, how sure that is, and which atoms make them so. All of it happens in this tab."),
		app.H3().ID("try").Text("Press one to try it, or paste your own"),
		app.Div().Class("examples").Role("group").Aria("labelledby", "try").
			OnClick(func(ctx app.Context, e app.Event) {
				if text, ok := around(e, "example"); ok {
					if i, err := strconv.Atoi(text); err == nil && i < len(examples) {
						s.useExample(examples[i])
					}
				}
			}).
			Body(app.Range(examples).Slice(func(i int) app.UI {
				class := "example"
				if i == 0 {
					class += " first"
				}
				return app.Button().Class(class).Type("button").DataSet("example", strconv.Itoa(i)).
					Disabled(s.welcome == nil).
					Body(app.Strong().Text(examples[i].name), app.Span().Text(examples[i].about), icon("right"))
			})),
	)
}

// sketchSVG is what the strip will look like.
const sketchSVG = `<svg class="sketch" viewBox="0 0 360 84" width="360" height="84" aria-hidden="true"><path class="known" d="M20 70C60 70 70 14 112 14S164 66 222 70Z"/><path class="axis" d="M10 70.5H350"/><circle class="inside" cx="92" cy="64" r="4"/><circle class="inside" cx="118" cy="64" r="4"/><circle class="inside" cx="136" cy="64" r="4"/><path class="threshold" d="M228 8V74"/><circle class="grip" cx="228" cy="10" r="4.5"/><path class="outside" d="M281 64l5-5 5 5-5 5z"/><path class="outside" d="M316 64l5-5 5 5-5 5z"/></svg>`

// chips are the verdicts, with how many there are. They filter.
var chips = []verdict{outside, borderline, inside, undecided, refused}

// tools are the chips, the search and the downloads.
func (p *resultPane) tools() app.UI {
	s := p.S
	var body []app.UI
	for _, v := range chips {
		n := s.rows.counts[v]
		if n == 0 && (v == undecided || v == refused) {
			continue
		}
		body = append(body, app.Button().Class("chip "+v.class()).Type("button").DataSet("verdict", int(v)).
			Aria("pressed", s.view.only[v]).
			Body(shape(v), app.Span().Class("chip-count").Text(count(n)), app.Span().Text(v.word())))
	}
	if s.rows.knows > 0 {
		body = append(body, app.Button().Class("chip is-known").Type("button").DataSet("known", "known").Title(knownAbout(s.model)).
			Aria("pressed", s.view.known).
			Body(knownSign(), app.Span().Class("chip-count").Text(count(s.rows.knows)), app.Span().Text("likely trained on")))
	}
	return app.Div().Class("tools").Attr("hidden", flag(s.rows.len() == 0)).Body(
		app.Div().Class("chips").Role("group").Aria("label", "Show only").
			OnClick(func(ctx app.Context, e app.Event) {
				if text, ok := around(e, "verdict"); ok {
					if v, err := strconv.Atoi(text); err == nil && v < int(verdicts) {
						s.toggle(verdict(v))
						p.toTop()
					}
				} else if _, ok := around(e, "known"); ok {
					s.toggleKnown()
					p.toTop()
				}
			}).Body(body...),
		app.Span().Class("stretch"),
		app.Div().Class("search").Body(
			icon("search"),
			app.Input().ID("search").Type("search").Placeholder("name or SMILES").Aria("label", "Search names and SMILES").
				OnInput(func(ctx app.Context, e app.Event) {
					s.filter(ctx.JSSrc().Get("value").String())
					p.toTop()
				}),
		),
		app.Details().Class("menu").ID("export").Body(
			app.Summary().Class("button").Aria("label", "Save").Body(icon("save"), app.Span().Text("Save")),
			app.Div().Class("menu-list").OnClick(func(ctx app.Context, e app.Event) {
				if what, ok := around(e, "save"); ok {
					p.save(what)
					app.Window().GetElementByID("export").Set("open", false)
				}
			}).Body(
				saveItem("report", "Report as HTML", "one file, opens offline"),
				saveItem("csv", "All rows as CSV", "safe in spreadsheets: ' before =, +, -, @"),
				saveItem("csv shown", "Rows shown as CSV", "in this order"),
				saveItem("csv reasons", "Rows shown, with reasons", "CSV, takes a while"),
				saveItem("json", "All rows as JSON", ""),
				saveItem("svg", "Distribution as SVG", ""),
				saveItem("png", "Distribution as PNG", ""),
			),
		),
		p.note(),
	)
}

// note says what is being saved, or was.
func (p *resultPane) note() app.UI {
	s := p.S
	if s.task == nil {
		return app.Div().Class("export-note quiet").Attr("hidden", flag(s.exported == "")).Body(app.Span().Text(s.exported))
	}
	return app.Div().Class("export-note quiet").Body(app.Span().Text(s.task.words()), endTaskButton(s))
}

// knownAbout says what the mark of a record that was likely trained on means.
func knownAbout(m *message.Model) string {
	if m == nil || !m.Knows {
		return ""
	}
	return "Its salted hash is that of a molecule the model was trained on, stereochemistry and the way of writing aside; about " + percent(m.FalseMatches) + " of other molecules match, too"
}

func saveItem(what, name, about string) app.UI {
	return app.Button().Type("button").Class("menu-item").DataSet("save", what).Body(
		app.Span().Text(name), app.Span().Class("quiet").Text(about))
}

func (p *resultPane) save(what string) {
	s := p.S
	switch what {
	case "svg", "png":
		savePicture("baca-distribution", s.picture(960, 300).svg(true), what == "png")
		return
	}
	keep := func(e *message.Exported) { save(e.Name, e.Type, e.Data) }
	switch format, which, _ := strings.Cut(what, " "); {
	case format == "report":
		s.report(keep)
	case which == "reasons":
		s.explainRows(format, keep)
	default:
		s.export(format, which != "shown", keep)
	}
}

// toTop shows the first rows: others than before are there.
func (p *resultPane) toTop() {
	p.top = 0
	if scroller := app.Window().GetElementByID("scroller"); scroller.Truthy() {
		scroller.Set("scrollTop", 0)
	}
}

// heads are the columns of the table.
var heads = []struct {
	by          column
	class, name string
	about       string
}{
	{byInput, "c-draw", "#", "Order of the input"},
	{byName, "c-name", "Name", ""},
	{byP, "c-p", "p-value", "The chance that an in-distribution graph scores at least this high"},
	{byQ, "c-q", "q-value", "The lowest rate of false discoveries at which this one is called outside"},
	{byScore, "c-score", "Score", "Higher is further outside"},
	{byVerdict, "c-verdict", "Verdict", ""},
	{byPre, "c-part", "S_Pre", "By the frozen network alone"},
	{byAttn, "c-part", "S_Attn", "By attention to the two dictionaries"},
	{byBaCa, "c-part", "S_BaCa", "The sum of both, equation 9 of the paper"},
}

// table is the rows in view, between two that are as high as all others.
func (p *resultPane) table() app.UI {
	s := p.S
	w := p.window()
	head := make([]app.UI, 0, len(heads))
	rate := s.rule().fdr
	for _, h := range heads {
		if h.by == byQ && !rate || h.class == "c-part" && s.rows.batch == nil {
			continue
		}
		sorted, arrow := "none", app.UI(app.Span().Class("arrow"))
		if s.view.by == h.by {
			sorted, arrow = "ascending", icon("up")
			if s.view.descending {
				sorted, arrow = "descending", icon("down")
			}
			arrow = app.Span().Class("arrow").Body(arrow)
		}
		head = append(head, app.Th().Class(h.class).Scope("col").Aria("sort", sorted).Body(
			app.Button().Type("button").DataSet("by", int(h.by)).Title(h.about).Body(app.Span().Text(h.name), arrow)))
	}
	// Bars have the scale of the picture above.
	low, high := spread(s.reference, []float64{s.rows.low, s.rows.hi})
	body := make([]app.UI, 0, w.to-w.from+2)
	body = append(body, spacer(w.before))
	for at := w.from; at < w.to; at++ {
		body = append(body, p.row(at, int(s.order[at]), low, high))
	}
	body = append(body, spacer(w.after))
	class := "scroller"
	if rate {
		class += " by-rate"
	}
	return app.Div().ID("scroller").Class(class).Attr("tabindex", 0).Role("region").Aria("label", "Table of records").
		Attr("hidden", flag(s.rows.len() == 0)).
		OnScroll(func(ctx app.Context, e app.Event) {
			before := p.window()
			p.top = int(ctx.JSSrc().Get("scrollTop").Float())
			p.height = max(int(ctx.JSSrc().Get("clientHeight").Float()), rowHeight)
			if p.window() == before {
				ctx.PreventUpdate()
				return
			}
			ctx.Defer(p.settle)
		}).
		OnKeyDown(func(ctx app.Context, e app.Event) {
			by := map[string]int{"ArrowDown": 1, "ArrowUp": -1, "PageDown": 8, "PageUp": -8, "Home": -1 << 30, "End": 1 << 30}[e.Get("key").String()]
			if by != 0 && len(s.order) > 0 {
				e.PreventDefault()
				s.step(by)
				p.reveal()
			}
		}).
		Body(
			app.Table().Class("rows").Aria("rowcount", len(s.order)+1).Body(
				app.THead().OnClick(func(ctx app.Context, e app.Event) {
					if text, ok := around(e, "by"); ok {
						if c, err := strconv.Atoi(text); err == nil {
							s.sortBy(column(c))
							p.toTop()
						}
					}
				}).Body(app.Tr().Body(head...)),
				app.TBody().OnClick(func(ctx app.Context, e app.Event) {
					if text, ok := around(e, "row"); ok {
						if r, err := strconv.Atoi(text); err == nil && r < s.rows.len() {
							s.choose(r)
						}
					}
				}).Body(body...),
			),
			app.If(len(s.order) == 0 && s.rows.len() > 0, func() app.UI {
				return app.P().Class("no-rows quiet").Text("No record matches.")
			}),
		)
}

// reveal scrolls the selected row into view.
func (p *resultPane) reveal() {
	for at, r := range p.S.order {
		if int(r) != p.S.selected {
			continue
		}
		scroller := app.Window().GetElementByID("scroller")
		if !scroller.Truthy() {
			return
		}
		const head = 36
		top, bottom := at*rowHeight, (at+1)*rowHeight
		if top < p.top {
			scroller.Set("scrollTop", top)
		} else if bottom > p.top+p.height-head {
			scroller.Set("scrollTop", bottom-p.height+head)
		}
		return
	}
}

// spacer is as high as the rows that are not drawn.
func spacer(height int) app.UI {
	return app.Tr().Class("spacer").Aria("hidden", true).Body(
		app.Td().Attr("height", height))
}

// row draws a record.
func (p *resultPane) row(at, i int, low, high float64) app.UI {
	s := p.S
	v := s.rows.verdict[i]
	class := "row " + v.class()
	if i == s.selected {
		class += " selected"
	}
	name, below := s.rows.name(i), s.rows.smiles[i]
	if below == name {
		below = ""
	}
	problem := s.rows.problem[i]
	if problem != nil {
		below = reasonOf(problem)
	}
	picture := app.UI(app.Span().Class("no-picture"))
	if t := s.drawings[s.rows.picture(i)]; t != nil && t.small != "" {
		picture = app.Raw(t.small)
	}
	cells := []app.UI{
		app.Td().Class("c-draw").Body(picture),
		app.Td().Class("c-name").Body(
			app.Div().Class("row-name").Body(
				app.If(s.rows.known[i], func() app.UI {
					return app.Span().Class("known-mark").Title("Likely trained on: "+knownAbout(s.model)).Body(knownSign(), app.Span().Class("sr-only").Text("likely trained on"))
				}),
				app.Text(name)),
			app.Div().Class("row-smiles").Text(shorten(below, 120)),
		),
		app.Td().Class("c-p number").Text(pCell(s.rows.p[i], v)),
	}
	if s.rule().fdr {
		cells = append(cells, app.Td().Class("c-q number").Text(pCell(s.levels.of(s.rows.p[i]), v)))
	}
	cells = append(cells,
		app.Td().Class("c-score").Body(
			app.Raw(bar(s.rows.score[i], low, high, s.threshold(), v)),
			app.Span().Class("number").Text(scoreCell(s.rows.score[i], v)),
		),
		app.Td().Class("c-verdict").Body(shape(v), app.Span().Text(verdictCell(v, s.busy()))))
	if b := s.rows.batch; b != nil {
		for _, column := range [][]float64{b.pre, b.attn, b.baca} {
			cells = append(cells, app.Td().Class("c-part number").Text(scoreCell(column[i], v)))
		}
	}
	return app.Tr().ID("row-"+strconv.Itoa(i)).Class(class).DataSet("row", i).
		Aria("rowindex", at+2).Aria("selected", i == s.selected).Body(cells...)
}

func verdictCell(v verdict, busy bool) string {
	if v == unscored && !busy {
		return ""
	}
	return v.word()
}

func pCell(p float64, v verdict) string {
	if v == refused || v == unscored {
		return ""
	}
	if math.IsNaN(p) {
		return none
	}
	return pText(p)
}

func scoreCell(x float64, v verdict) string {
	if v == refused || v == unscored {
		return ""
	}
	return number(x)
}

const barWidth = 72

// bar shows where a score lies between the lowest and the highest, and the
// threshold as a line.
func bar(x, low, high, threshold float64, v verdict) string {
	if math.IsNaN(x) || v == refused {
		return `<svg class="bar-picture" width="72" height="10" aria-hidden="true"></svg>`
	}
	at := func(x float64) float64 {
		if !(high > low) {
			return barWidth / 2
		}
		return min(max((x-low)/(high-low)*barWidth, 0), barWidth)
	}
	mark := ""
	if !math.IsNaN(threshold) && threshold > low && threshold < high {
		mark = fmt.Sprintf(`<path class="bar-mark" d="M%s 0V10"/>`, num(at(threshold)))
	}
	return fmt.Sprintf(`<svg class="bar-picture" width="72" height="10" aria-hidden="true"><rect class="bar-back" y="3" width="72" height="4"/><rect class="%s" y="2" width="%s" height="6"/>%s</svg>`,
		v.role(), num(max(at(x), 2)), mark)
}

// shorten keeps a text within so many letters.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// scoreNow scores an input that was opened to train on.
func (s *session) scoreNow() {
	if s.phase == unstarted && s.model != nil {
		s.run++
		s.unscored = false
		s.score()
	}
}
