package app

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/picture"
	"baca/app/table"
	"baca/app/words"
)

// Rows have equal heights, see the style sheet, so positions are known without drawing.
const (
	rowHeight = 52
	rowsMore  = 4  // extra rows drawn above and below
	headInset = 36 // height of the head
)

// table draws the visible rows between two spacers.
func (p *resultPane) table() app.UI {
	s := p.S
	w := p.window()
	byRate := s.Rule().ByRate
	// Bars use the scale of the picture above.
	bars := barScale{threshold: s.Threshold()}
	bars.low, bars.high = picture.Spread(s.Reference(), []float64{s.Rows.Low, s.Rows.High})
	heads := s.Heads()
	body := []app.UI{spacer(w.before)}
	for at := w.from; at < w.to; at++ {
		body = append(body, p.row(at, int(s.Order[at]), bars, heads))
	}
	body = append(body, spacer(w.after))
	class := "scroller"
	if byRate {
		class += " by-rate"
	}
	if s.Rows.Trust != nil {
		class += " with-predictions"
	}
	if s.Deciding() == table.ThePaper {
		class += " by-paper"
	}
	if s.View.Columns != nil {
		class += " with-columns"
	}
	return app.Div().ID("scroller").Class(class).Attr("tabindex", 0).Role("region").Aria("label", "Table of records").
		OnScroll(p.scroll).
		OnKeyDown(p.key).
		Body(
			app.Table().Class("rows").Aria("rowcount", len(s.Order)+1).Body(
				app.THead().OnClick(onData("by", func(name string) {
					s.SortBy(name)
					toTop()
				})).Body(app.Tr().Body(headCells(s.View, heads)...)),
				app.TBody().OnClick(onNumber("row", s.Inspector.Show)).Body(body...),
			),
			app.If(len(s.Order) == 0 && s.Rows.Len() > 0, func() app.UI {
				return app.P().Class("no-rows quiet").Text("No record matches.")
			}),
		)
}

// headCells are the names of columns, which sort.
func headCells(view table.View, heads []table.Head) []app.UI {
	list := make([]app.UI, len(heads))
	for k, h := range heads {
		sorted, arrow := "none", app.Span().Class("arrow")
		switch {
		case view.By != h.By:
		case view.Descending:
			sorted, arrow = "descending", arrow.Body(icon("down"))
		default:
			sorted, arrow = "ascending", arrow.Body(icon("up"))
		}
		list[k] = app.Th().Class(h.Class).Scope("col").Aria("sort", sorted).Body(
			app.Button().Type("button").DataSet("by", h.By).Title(h.About).Body(app.Span().Text(h.Name), arrow))
	}
	return list
}

// columns is the menu of columns that the page does not know.
func (p *resultPane) columns() app.UI {
	chosen := p.S.Chosen()
	var items []app.UI
	for _, c := range p.S.Rows.Extra() {
		items = append(items, checked("menuitemcheckbox", "column", c.Name, words.Shorten(c.Name, 30), slices.Contains(chosen, c.Name)).Title(c.Name))
	}
	return app.If(len(items) > 0, func() app.UI {
		return menu("columns", "Columns of the table", "column", []app.UI{app.Span().Class("menu-name").Text("Columns"), icon("down")}, p.S.Choose, items...)
	})
}

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

func (p *resultPane) key(_ app.Context, e app.Event) {
	by := map[string]int{"ArrowDown": 1, "ArrowUp": -1, "PageDown": 8, "PageUp": -8, "Home": -1 << 30, "End": 1 << 30}[e.Get("key").String()]
	if by != 0 && len(p.S.Order) > 0 {
		e.PreventDefault()
		p.S.Inspector.Step(by)
		p.reveal()
	}
}

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

func (p *resultPane) row(at, i int, bars barScale, heads []table.Head) app.UI {
	class := "row " + classOf(p.S.Rows.Verdict[i])
	if i == p.S.Inspector.Record {
		class += " selected"
	}
	cells := make([]app.UI, len(heads))
	for k, h := range heads {
		cells[k] = app.Td().Class(h.Class).Body(p.cell(i, h, bars)...)
	}
	return app.Tr().ID("row-"+strconv.Itoa(i)).Class(class).DataSet("row", i).
		Aria("rowindex", at+2).Aria("selected", i == p.S.Inspector.Record).Body(cells...)
}

// cell draws a record's value of a column.
func (p *resultPane) cell(i int, h table.Head, bars barScale) []app.UI {
	s, r := p.S, &p.S.Rows
	v := r.Verdict[i]
	text := ""
	switch h.By {
	case "":
		return []app.UI{thumbnail(p.Album, s, i)}
	case "id":
		return p.name(i)
	case "p_value":
		text = scored(words.P(r.P[i]), v)
	case "q_value":
		text = scored(words.P(s.Levels.Of(r.P[i])), v)
	case "score":
		return []app.UI{app.Raw(picture.Bar(r.Score[i], bars.low, bars.high, bars.threshold, v)), app.Span().Class("number").Text(scored(words.Number(r.Score[i]), v))}
	case "verdict":
		if text = wordOf(v); v == table.Unscored && !s.Busy() {
			text = ""
		}
		return []app.UI{shape(v), app.Span().Text(text)}
	case "predicted":
		return []app.UI{app.Div().Text(table.Cell(r.Column(h.By), i)), app.Div().Class("quiet small").Text(r.Interval(i))}
	case "trust":
		if trust := r.TrustOf(i); trust != "" {
			return []app.UI{trustMark(trust, trustWord(trust))}
		}
	default:
		text = words.Shorten(table.Cell(r.Column(h.By), i), 40)
	}
	return []app.UI{app.Text(text)}
}

// name is a record's name, and below it its SMILES or why it was refused.
func (p *resultPane) name(i int) []app.UI {
	s, r := p.S, &p.S.Rows
	below := r.SMILES[i]
	if below == r.Name(i) {
		below = ""
	}
	if problem := r.Problem(i); problem != nil {
		below = words.ReasonOf(problem)
	}
	return []app.UI{
		app.Div().Class("row-name").Body(
			app.If(r.Known[i], func() app.UI {
				return app.Span().Class("known-mark").Title("Likely trained on: "+knownAbout(s)).Body(knownSign(), app.Span().Class("sr-only").Text("likely trained on"))
			}),
			app.Text(r.Name(i))),
		app.Div().Class("row-smiles").Text(words.Shorten(below, 120)),
	}
}

// trustMark marks a verdict on a prediction as one on a record.
func trustMark(trust, word string) app.UI {
	like := map[string]decide.Verdict{"trust": decide.Inside, "check": decide.Borderline, "do-not-use": decide.Outside}[trust]
	return app.Span().Class("trust-mark "+classOf(like)).Body(shape(like), app.Text(word))
}

func trustWord(trust string) string { return strings.ReplaceAll(trust, "-", " ") }

// scored is a cell's text, empty for records without a score.
func scored(text string, v decide.Verdict) string {
	if v == table.Unscored || v == decide.Refused {
		return ""
	}
	return text
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
