package app

import (
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/table"
	"baca/app/picture"
	"baca/app/session"
	"baca/app/words"
)

// Rows have equal heights, see the style sheet, so positions are known without drawing.
const (
	rowHeight = 52
	rowsMore  = 4  // extra rows drawn above and below
	headInset = 36 // height of the head
)

var heads = []struct {
	by          session.Column
	class, name string
	about       string
}{
	{session.ByInput, "c-draw", "#", "Order of the input"},
	{session.ByName, "c-name", "Name", ""},
	{session.ByP, "c-p", "p-value", "How often a graph like the training set would score at least this high"},
	{session.ByQ, "c-q", "q-value", "The lowest rate of false discoveries at which this one is called outside"},
	{session.ByScore, "c-score", "Score", "Higher is further outside"},
	{session.ByVerdict, "c-verdict", "Verdict", ""},
	{session.ByPrediction, "c-prediction", "Prediction", "From your column, with an interval of the observed value"},
	{session.ByExpected, "c-error", "Error", "The mean error of held-out molecules so far outside"},
	{session.ByTrust, "c-trust", "Trust", "By how many held-out molecules so far outside have a large error"},
	{session.ByPre, "c-part", "S_Pre", "By the frozen network alone"},
	{session.ByAttn, "c-part", "S_Attn", "By attention to the two dictionaries"},
	{session.ByBaCa, "c-part", "S_BaCa", "The sum of both, equation 9 of the paper"},
}

// table draws the visible rows between two spacers.
func (p *resultPane) table() app.UI {
	s := p.S
	w := p.window()
	byRate := s.Rule().ByRate
	// Bars use the scale of the picture above.
	bars := barScale{threshold: s.Threshold()}
	bars.low, bars.high = picture.Spread(s.Reference, []float64{s.Rows.Low, s.Rows.High})
	extra := shownExtra(&s.Rows)
	body := []app.UI{spacer(w.before)}
	for at := w.from; at < w.to; at++ {
		body = append(body, p.row(at, int(s.Order[at]), bars, byRate, extra))
	}
	body = append(body, spacer(w.after))
	class := "scroller"
	if byRate {
		class += " by-rate"
	}
	if s.Rows.Trust != nil {
		class += " with-predictions"
	}
	return app.Div().ID("scroller").Class(class).Attr("tabindex", 0).Role("region").Aria("label", "Table of records").
		OnScroll(p.scroll).
		OnKeyDown(p.key).
		Body(
			app.Table().Class("rows").Aria("rowcount", len(s.Order)+1).Body(
				app.THead().OnClick(onNumber("by", func(c int) {
					s.SortBy(session.Column(c))
					toTop()
				})).Body(app.Tr().Body(p.head(byRate, extra)...)),
				app.TBody().OnClick(onNumber("row", s.Inspector.Show)).Body(body...),
			),
			app.If(len(s.Order) == 0 && s.Rows.Len() > 0, func() app.UI {
				return app.P().Class("no-rows quiet").Text("No record matches.")
			}),
		)
}

// head has the sortable column names.
func (p *resultPane) head(byRate bool, extra []table.Column) []app.UI {
	view := p.S.View
	var list []app.UI
	for _, h := range heads {
		switch h.by {
		case session.ByQ:
			if !byRate {
				continue
			}
		case session.ByPrediction, session.ByExpected, session.ByTrust:
			if p.S.Rows.Trust == nil {
				continue
			}
		case session.ByPre, session.ByAttn, session.ByBaCa:
			if !p.S.Calibrated() {
				continue
			}
		}
		list = append(list, headCell(view, h.by, h.class, h.name, h.about))
	}
	for k, c := range extra {
		list = append(list, headCell(view, session.ByExtra+session.Column(k), "c-extra", words.Shorten(c.Name, 30), c.Name))
	}
	return list
}

// headCell is the name of a column, which sorts.
func headCell(view session.View, by session.Column, class, name, about string) app.UI {
	sorted, arrow := "none", app.Span().Class("arrow")
	switch {
	case view.By != by:
	case view.Descending:
		sorted, arrow = "descending", arrow.Body(icon("down"))
	default:
		sorted, arrow = "ascending", arrow.Body(icon("up"))
	}
	return app.Th().Class(class).Scope("col").Aria("sort", sorted).Body(
		app.Button().Type("button").DataSet("by", int(by)).Title(about).Body(app.Span().Text(name), arrow))
}

// mostExtra columns that the page has never heard of are shown. Files have all.
const mostExtra = 3

func shownExtra(r *session.Rows) []table.Column {
	extra := r.Extra()
	return extra[:min(len(extra), mostExtra)]
}

// scroll draws newly visible rows.
func (p *resultPane) scroll(ctx app.Context, _ app.Event) {
	before := p.window()
	p.top = int(ctx.JSSrc().Get("scrollTop").Float())
	p.height = max(int(ctx.JSSrc().Get("clientHeight").Float()), rowHeight)
	if p.window() == before {
		ctx.PreventUpdate()
		return
	}
	ctx.Defer(p.settle)
}

// key moves through the rows.
func (p *resultPane) key(_ app.Context, e app.Event) {
	by := map[string]int{"ArrowDown": 1, "ArrowUp": -1, "PageDown": 8, "PageUp": -8, "Home": -1 << 30, "End": 1 << 30}[e.Get("key").String()]
	if by != 0 && len(p.S.Order) > 0 {
		e.PreventDefault()
		p.S.Inspector.Step(by)
		p.reveal()
	}
}

// reveal scrolls to the selected row.
func (p *resultPane) reveal() {
	at := slices.Index(p.S.Order, int32(p.S.Inspector.Record))
	scroller := app.Window().GetElementByID("scroller")
	if at < 0 || !scroller.Truthy() {
		return
	}
	top, bottom := at*rowHeight, (at+1)*rowHeight
	if top < p.top {
		scroller.Set("scrollTop", top)
	} else if bottom > p.top+p.height-headInset {
		scroller.Set("scrollTop", bottom-p.height+headInset)
	}
}

func spacer(height int) app.UI {
	return app.Tr().Class("spacer").Aria("hidden", true).Body(
		app.Td().Attr("height", height))
}

// A barScale is the range of score bars, with the threshold.
type barScale struct{ low, high, threshold float64 }

// row draws a record.
func (p *resultPane) row(at, i int, bars barScale, byRate bool, extra []table.Column) app.UI {
	s, r := p.S, &p.S.Rows
	v := r.Verdict[i]
	class := "row " + v.Class()
	if i == s.Inspector.Record {
		class += " selected"
	}
	below := r.SMILES[i]
	if below == r.Name(i) {
		below = ""
	}
	if problem := r.Problem(i); problem != nil {
		below = session.ReasonOf(problem)
	}
	cells := []app.UI{
		app.Td().Class("c-draw").Body(thumbnail(p.Album, s, i)),
		app.Td().Class("c-name").Body(
			app.Div().Class("row-name").Body(
				app.If(r.Known[i], func() app.UI {
					return app.Span().Class("known-mark").Title("Likely trained on: "+s.KnownAbout()).Body(knownSign(), app.Span().Class("sr-only").Text("likely trained on"))
				}),
				app.Text(r.Name(i))),
			app.Div().Class("row-smiles").Text(words.Shorten(below, 120)),
		),
		app.Td().Class("c-p number").Text(pCell(r.P[i], v)),
	}
	if byRate {
		cells = append(cells, app.Td().Class("c-q number").Text(pCell(s.Levels.Of(r.P[i]), v)))
	}
	word := v.Word()
	if v == session.Unscored && !s.Busy() {
		word = ""
	}
	cells = append(cells,
		app.Td().Class("c-score").Body(
			app.Raw(picture.Bar(r.Score[i], bars.low, bars.high, bars.threshold, v)),
			app.Span().Class("number").Text(scoreCell(r.Score[i], v)),
		),
		app.Td().Class("c-verdict").Body(shape(v), app.Span().Text(word)))
	if r.Trust != nil {
		cells = append(cells, predictionCells(r, i)...)
	}
	if b := r.Batch; b != nil {
		for _, column := range [][]float64{b.Pre, b.Attn, b.BaCa} {
			cells = append(cells, app.Td().Class("c-part number").Text(scoreCell(column[i], v)))
		}
	}
	for _, c := range extra {
		cells = append(cells, app.Td().Class("c-extra").Text(words.Shorten(session.Cell(&c, i), 40)))
	}
	return app.Tr().ID("row-"+strconv.Itoa(i)).Class(class).DataSet("row", i).
		Aria("rowindex", at+2).Aria("selected", i == s.Inspector.Record).Body(cells...)
}

// predictionCells are a record's prediction and judgement.
func predictionCells(r *session.Rows, i int) []app.UI {
	t, verdict := r.Trust.Rows, r.TrustOf(i)
	if verdict == session.NoPrediction {
		return []app.UI{app.Td().Class("c-prediction"), app.Td().Class("c-error"), app.Td().Class("c-trust")}
	}
	return []app.UI{
		app.Td().Class("c-prediction number").Body(app.Div().Text(words.Number(t.Numbers("predicted")[i])), app.Div().Class("quiet small").Text(r.Interval(i))),
		app.Td().Class("c-error number").Text(words.Number(t.Numbers("expected_error")[i])),
		app.Td().Class("c-trust").Body(trustMark(verdict, verdict.Word())),
	}
}

// trustMark marks a verdict on a prediction.
func trustMark(v session.TrustVerdict, word string) app.UI {
	return app.Span().Class("trust-mark "+v.Like().Class()).Body(shape(v.Like()), app.Text(word))
}

// Cells without a score are empty.
func pCell(p float64, v session.Verdict) string {
	if v < session.Undecided {
		return ""
	}
	return words.P(p)
}

func scoreCell(x float64, v session.Verdict) string {
	if v < session.Undecided {
		return ""
	}
	return words.Number(x)
}

// A window is the drawn part of the table.
type window struct {
	from, to      int // rows
	before, after int // pixels above and below
}

func (p *resultPane) window() window { return windowOf(len(p.S.Order), p.top, p.height) }

// windowOf returns the rows to draw of n, for a view scrolled by top with that height, and some
// more on both sides.
func windowOf(n, top, height int) window {
	from := min(max(top/rowHeight-rowsMore, 0), n)
	to := min(max((top+height+rowHeight-1)/rowHeight+rowsMore, from), n)
	return window{from, to, from * rowHeight, (n - to) * rowHeight}
}
