package app

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/picture"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// Lines have equal heights, see the style sheet, so positions are known without drawing.
const (
	rowHeight  = 52
	linesMore  = 4   // extra lines drawn above and below
	headInset  = 36  // height of the head
	cardWidth  = 204 // at least
	cardHeight = 204
	cardGap    = 8 // also around all cards
)

// scroller holds the records that are drawn, which are those in sight, or says that none matches.
func (p *resultPane) scroller(class string, body ...app.UI) app.UI {
	return app.Div().ID("scroller").Class("scroller"+class).Attr("tabindex", 0).Role("region").Aria("label", "Records").
		OnScroll(p.scroll).
		OnKeyDown(p.key).
		Body(append(body, app.If(len(p.S.Order) == 0 && p.S.Rows.Len() > 0, func() app.UI {
			return app.P().Class("no-rows quiet").Text("No record matches.")
		}))...)
}

// table draws the visible rows between two spacers.
func (p *resultPane) table() app.UI {
	s := p.S
	w := p.window()
	// Bars use the scale of the picture above.
	bars := barScale{threshold: s.Threshold()}
	bars.low, bars.high = picture.Spread(s.Reference(), []float64{s.Rows.Low, s.Rows.High})
	if t := s.Rows.Trust; t != nil {
		bars.least, bars.most = picture.Spread(t.Rows.Numbers("predicted"), t.Rows.Numbers("interval_low"), t.Rows.Numbers("interval_high"))
	}
	heads := s.Heads()
	body := []app.UI{spacer(w.before)}
	for at := w.from; at < w.to; at++ {
		body = append(body, p.row(at, int(s.Order[at]), bars, heads))
	}
	body = append(body, spacer(w.after))
	class := ""
	if s.Rule().ByRate {
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
	} else if len(s.Chosen()) > 0 {
		class += " with-own"
	}
	return p.scroller(class, app.Table().Class("rows").Aria("rowcount", len(s.Order)+1).Body(
		app.THead().OnClick(onData("by", func(name string) {
			s.SortBy(name)
			toTop()
		})).Body(app.Tr().Body(headCells(s.View, heads)...)),
		app.TBody().OnClick(onNumber("row", s.Inspector.Show)).Body(body...),
	))
}

// grid draws the visible cards between two spacers.
func (p *resultPane) grid() app.UI {
	s, w := p.S, p.window()
	cards := make([]app.UI, 0, w.to-w.from)
	for _, i := range s.Order[w.from:w.to] {
		cards = append(cards, p.card(int(i)))
	}
	space := func(height int) app.UI {
		return app.Raw(`<svg class="space" width="1" height="` + strconv.Itoa(height) + `"></svg>`)
	}
	return p.scroller("", space(w.before), app.Div().Class("grid-cards").OnClick(onNumber("row", s.Inspector.Show)).
		Body(cards...), space(w.after))
}

// card shows record i with its drawing, name and verdict. A click inspects it.
func (p *resultPane) card(i int) app.UI {
	r := &p.S.Rows
	v, chosen := r.Class(i), i == p.S.Inspector.Record
	class := "mol-card " + classOf(v)
	if chosen {
		class += " selected"
	}
	return app.Button().ID("row-"+strconv.Itoa(i)).Type("button").Class(class).DataSet("row", i).Aria("pressed", chosen).Title(r.Name(i)).Body(
		app.Span().Class("mol-picture").Body(thumbnail(p.Album, p.S, i, picture.Card)),
		app.Span().Class("row-name").Text(r.Name(i)),
		app.Span().Class("small").Body(shape(v), app.Text(verdictWithP(r, i))))
}

// headCells are the headings of columns. A click on one sorts.
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

// scroll notes how far the user has scrolled, and draws again if other records come into sight.
func (p *resultPane) scroll(ctx app.Context, _ app.Event) {
	before := p.window()
	p.top = int(ctx.JSSrc().Get("scrollTop").Float())
	p.size(ctx.JSSrc())
	if p.window() == before {
		ctx.PreventUpdate()
		return
	}
	ctx.Defer(p.settle)
}

// size notes the size of the scroller in pixels.
func (p *resultPane) size(scroller app.Value) {
	p.height = max(int(scroller.Get("clientHeight").Float()), rowHeight)
	p.width = int(scroller.Get("clientWidth").Float())
}

const (
	pageLines = 8       // lines that the page keys move by
	allRows   = 1 << 30 // more than there are
)

// key inspects another record when a key is pressed: up or down by a line or a page, the first or last one and, in the
// grid, the one beside it.
func (p *resultPane) key(_ app.Context, e app.Event) {
	line, _ := p.lines()
	steps := map[string]int{
		"ArrowDown": line, "ArrowUp": -line, "PageDown": pageLines * line, "PageUp": -pageLines * line,
		"Home": -allRows, "End": allRows,
	}
	if p.S.View.Shape == table.Grid {
		steps["ArrowRight"], steps["ArrowLeft"] = 1, -1
	}
	by := steps[e.Get("key").String()]
	if by != 0 && len(p.S.Order) > 0 {
		e.PreventDefault()
		p.S.Inspector.Step(by)
		p.reveal()
	}
}

// reveal scrolls just as far as the inspected record needs to be in sight.
func (p *resultPane) reveal() {
	at := slices.Index(p.S.Order, int32(p.S.Inspector.Record))
	scroller := app.Window().GetElementByID("scroller")
	if at < 0 || !scroller.Truthy() {
		return
	}
	line, height := p.lines()
	inset := headInset
	if p.S.View.Shape == table.Grid {
		inset = 0
	}
	top, bottom := at/line*height, (at/line+1)*height
	if top < p.top {
		scroller.Set("scrollTop", top)
	} else if bottom > p.top+p.height-inset {
		scroller.Set("scrollTop", bottom-p.height+inset)
	}
}

func spacer(height int) app.UI {
	return app.Tr().Class("spacer").Aria("hidden", true).Body(
		app.Td().Attr("height", height))
}

// A barScale is the range of score bars, with the threshold, and that of predictions.
type barScale struct{ low, high, threshold, least, most float64 }

// row draws record i, which is number at in the table's order.
func (p *resultPane) row(at, i int, bars barScale, heads []table.Head) app.UI {
	class := "row " + classOf(p.S.Rows.Class(i))
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
	v := r.Class(i)
	text := ""
	switch h.By {
	case "":
		return []app.UI{thumbnail(p.Album, s, i, picture.Thumb)}
	case "id":
		return p.name(i)
	case "p_value":
		text = scored(words.P(r.P[i]), v)
	case "q_value":
		text = scored(words.P(s.Levels.Of(r.P[i])), v)
	case "score":
		if v == table.InTraining {
			break
		}
		return []app.UI{app.Raw(picture.Bar(r.At[i], bars.low, bars.high, bars.threshold, v)),
			app.Span().Class("number").Text(scored(words.Number(r.Score[i]), v))}
	case "verdict":
		text = wordOf(v)
		if v == table.Unscored && !s.Busy() {
			text = ""
		}
		return []app.UI{shape(v), app.Span().Text(text)}
	case "alone_p":
		text = scored(words.P(r.AloneP[i]), v)
		if text != "" {
			own := s.JudgeBy(table.EachAlone, i)
			return []app.UI{app.Span().Class(classOf(own)).Body(shape(own), app.Span().Class("sr-only").Text(wordOf(own))), app.Text(text)}
		}
	case "predicted":
		x := r.Trust.Rows
		drawn := picture.Interval(x.Numbers("predicted")[i], x.Numbers("interval_low")[i], x.Numbers("interval_high")[i],
			bars.least, bars.most, trustLike[r.TrustOf(i)])
		return []app.UI{app.Div().Body(app.Raw(drawn), app.Text(r.Text(h.By, i))), small(r.Interval(i))}
	case "nearest":
		if d := s.Glances.Of(i); d != nil {
			return measured(d)
		}
	case "trust":
		if trust := r.TrustOf(i); trust != "" {
			return []app.UI{trustMark(trust, trustWord(trust))}
		}
	default:
		text = words.Shorten(r.Text(h.By, i), 40) // empty until it comes
	}
	return []app.UI{app.Text(text)}
}

// name is a record's name, and below it its SMILES or why it was refused.
func (p *resultPane) name(i int) []app.UI {
	s, r := p.S, &p.S.Rows
	below := r.SMILES(i)
	if below == r.Name(i) {
		below = ""
	}
	if problem := r.Problem(i); problem != nil {
		below = words.ReasonOf(problem)
	}
	return []app.UI{
		app.Div().Class("row-name").Body(
			app.If(r.Known[i] && r.Class(i) != table.InTraining, func() app.UI {
				return app.Span().Class("known-mark").Title(knownAbout(s)).Body(
					shape(table.InTraining), app.Span().Class("sr-only").Text("in the training set"))
			}),
			app.Text(r.Name(i))),
		app.Div().Class("row-smiles").Text(words.Shorten(below, 120)),
	}
}

// measured are the nearest training molecules whose values are known.
func measured(d *message.Detailed) (list []app.UI) {
	for _, n := range d.Nearest {
		if n.Values != nil && !math.IsNaN(n.Values.Observed) && len(list) < 2 {
			list = append(list, app.Div().Class("near-line small").Title(n.Name).Body(
				app.Span().Text(n.Name), app.Span().Class("number").Text(words.Number(n.Values.Observed))))
		}
	}
	return list
}

// trustLike are the verdicts on molecules that look like those on predictions.
var trustLike = map[string]decide.Verdict{"trust": decide.Inside, "check": decide.Borderline, "do-not-use": decide.Outside}

// trustMark marks a verdict on a prediction as one on a record.
func trustMark(trust, word string) app.UI {
	like := trustLike[trust]
	return app.Span().Class("trust-mark "+classOf(like)).Body(shape(like), app.Text(word))
}

func trustWord(trust string) string { return strings.ReplaceAll(trust, "-", " ") }

// scored is a cell's text, empty for records without a score and for those of the training set.
func scored(text string, v decide.Verdict) string {
	if v == table.Unscored || v == decide.Refused || v == table.InTraining {
		return ""
	}
	return text
}

// verdictWithP is what small places say of a record.
func verdictWithP(r *table.Rows, i int) string {
	v := r.Class(i)
	if number := scored(words.PEquals(r.P[i]), v); number != "" {
		return wordOf(v) + ", p\u00a0" + number
	}
	return wordOf(v)
}

// A window is the drawn part of the records.
type window struct {
	from, to      int // records
	before, after int // pixels above and below
}

// lines are how many records a line has, and its height.
func (p *resultPane) lines() (records, height int) {
	if p.S.View.Shape == table.Grid {
		return max((p.width-cardGap)/(cardWidth+cardGap), 1), cardHeight + cardGap
	}
	return 1, rowHeight
}

// window returns the part of the records to draw.
func (p *resultPane) window() window {
	records, height := p.lines()
	return windowOf(len(p.S.Order), records, height, p.top, p.height)
}

// windowOf returns which of n records to draw: those in sight, and linesMore lines above and below. A line has perLine
// records and is height pixels high. In sight are viewHeight pixels from pixel top on.
func windowOf(n, perLine, height, top, viewHeight int) window {
	lines := (n + perLine - 1) / perLine
	from := min(max(top/height-linesMore, 0), lines)
	to := min(max((top+viewHeight+height-1)/height+linesMore, from), lines)
	return window{from * perLine, min(to*perLine, n), from * height, (lines - to) * height}
}
