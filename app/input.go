package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// inputPane is the input: text, files, drawings, examples.
type inputPane struct {
	app.Compo
	S   *desk
	Rev table.Revisions

	shown string // content of the text area, as far as known
	top   int    // its scroll position in pixels
}

func (p *inputPane) OnMount(ctx app.Context) { p.shown = "" }

// OnUpdate writes a text from elsewhere into the text area.
func (p *inputPane) OnUpdate(ctx app.Context) { ctx.Defer(func(app.Context) { p.sync() }) }

// sync sets the text area to the input's text, after something else than typing has changed it.
func (p *inputPane) sync() {
	if p.S.Input.Text == p.shown {
		return
	}
	if area := app.Window().GetElementByID("smiles"); area.Truthy() {
		area.Set("value", p.S.Input.Text)
		area.Set("scrollTop", 0)
		p.shown, p.top = p.S.Input.Text, 0
	}
}

func (p *inputPane) Render() app.UI {
	breathe()
	s := p.S
	pane := app.Section().Class("pane input").Aria("labelledby", "input-title").Attr("hidden", attribute(s.Input.Folded()))
	return pane.Body(
		app.Div().Class("pane-head").Body(
			app.H2().ID("input-title").Text(inputTitle(s)),
			app.Span().Class("stretch"),
			fileButton("file", "File", "Choose a file", s.Models.Extensions(".msgpack"),
				func(ctx app.Context, v app.Value) { takeFile(ctx, s, v) }),
			signed("pen", "Draw", func() { openEditor(s) }).ID("draw-button"),
			closer("Fold the input away", func() { s.Input.Fold(true) }).ID("fold").Attr("hidden", attribute(s.Phase == run.Empty)),
		),
		against(s),
		p.fileCard(),
		app.Div().Class("editor wide-"+strconv.Itoa(picture.WideNumbers(s.Input.Text))).Attr("hidden", attribute(s.Input.File != nil)).Body(
			app.Raw(picture.Gutter(s.Input.Text, &s.Rows, p.top)),
			app.Textarea().ID("smiles").Class("code").
				Aria("label", "SMILES, one a line, each with an optional name").
				Aria("describedby", "input-status").
				Attr("wrap", "off").Attr("spellcheck", "false").Attr("autocapitalize", "off").Attr("autocomplete", "off").
				Placeholder("CC(=O)Oc1ccccc1C(=O)O aspirin").
				OnInput(func(ctx app.Context, e app.Event) {
					p.shown = valueOf(ctx)
					if kind := e.Get("inputType"); s.Input.Text == "" && kind.Truthy() && kind.String() == "insertFromPaste" {
						s.Input.Paste(p.shown)
					} else {
						s.Input.Type(p.shown)
					}
				}).
				OnScroll(func(ctx app.Context, e app.Event) {
					p.top = int(ctx.JSSrc().Get("scrollTop").Float())
				}),
		),
		p.status(),
		app.If(!s.Input.Folded(), func() app.UI { return sheetMenu(s) }),
		p.columnMenu(),
		p.problems(),
	)
}

// status says how much was read, and has the buttons to undo and to clear. It is empty for a folded input, whose card
// shows them.
func (p *inputPane) status() app.UI {
	s := p.S
	line := app.Div().Class("input-status")
	if s.Input.Folded() {
		return line
	}
	return line.Body(
		app.Span().ID("input-status").Text(readLine(s)),
		app.Span().Class("stretch"),
		app.If(s.Input.Undo != nil, func() app.UI {
			what := "the input before"
			if s.Input.Given == (run.Given{}) {
				what = "what was cleared"
			}
			return plain("Undo", s.Input.TakeBack).Title("Bring back " + what)
		}),
		app.If(s.Phase != run.Empty, func() app.UI {
			return plain("Clear", func() { s.Input.Give(run.Given{}) }).ID("clear")
		}),
	)
}

// fileCard names the input's file, with its size and format. It is hidden for an input in the text area.
func (p *inputPane) fileCard() app.UI {
	f := p.S.Input.File
	return shown(f != nil, app.Div().Class("file-card"), func() []app.UI {
		what := words.Size(f.Size)
		if o := p.S.Opened; o != nil {
			what += ", " + words.Format(o.Format)
		}
		return []app.UI{icon("file"), app.Div().Body(app.Div().Class("file-name").Text(f.Name), app.Div().Class("quiet").Text(what))}
	})
}

// mostProblems are listed, more are counted.
const mostProblems = 30

// problems lists refused records. A click goes to the place.
func (p *inputPane) problems() app.UI {
	list := p.S.Rows.Refused
	first := list[:min(len(list), mostProblems)]
	items := make([]app.UI, 0, len(first)+1)
	for _, q := range first {
		where := "Record " + strconv.Itoa(q.Record+1)
		if q.Line > 0 {
			where = "Line " + strconv.Itoa(q.Line)
		}
		item := []app.UI{app.Span().Class("where").Text(where), app.Span().Text(words.ReasonOf(q))}
		if q.Caret != "" {
			item = append(item, app.Pre().Class("caret").TabIndex(0).Text(q.Caret))
		}
		items = append(items, app.Li().
			Body(app.Button().Type("button").Class("problem").DataSet("problem", strconv.Itoa(q.Record)).Body(item...)))
	}
	if more := len(list) - len(first); more > 0 {
		items = append(items, app.Li().Class("quiet").Text("and "+words.Count(more)+" more"))
	}
	return shown(len(list) > 0, app.Div().Class("problems"), func() []app.UI {
		return []app.UI{app.H3().Text(refusedLine(p.S)), app.Ul().OnClick(onNumber("problem", p.show)).Body(items...)}
	})
}

// show selects a problem's text.
func (p *inputPane) show(record int) {
	q := p.S.Rows.Problem(record)
	t, ok := tools()
	if q == nil || !ok || p.S.Input.File != nil {
		return
	}
	if from, to, ok := run.PieceOf(p.S.Input.Text, q); ok {
		t.Call("select", app.Window().GetElementByID("smiles"), from, to)
	}
}

// sheetMenu offers the sheets of a workbook.
func sheetMenu(s *desk) app.UI {
	var list []choice
	for _, name := range s.Input.Sheets() {
		list = append(list, choice{name, "sheet " + words.Shorten(name, 24)})
	}
	return app.If(list != nil, func() app.UI {
		return choices("sheet", s.Input.Sheet, s.Input.ChooseSheet, list...).Aria("label", "Sheet of the workbook")
	})
}

// columnMenu offers a table's columns for the SMILES.
func (p *inputPane) columnMenu() app.UI {
	h := p.S.Header
	return shown(h != nil && len(h.Columns) > 1, app.Div().Class("column-menu"), func() []app.UI {
		var list []choice
		if h.Column == "" {
			list = append(list, choice{"", "choose …"})
		}
		for _, name := range h.Columns {
			list = append(list, choice{name, name})
		}
		return []app.UI{
			app.Label().For("column").Text("SMILES column"),
			choices("column", h.Column, p.S.Input.ChooseColumn, list...),
			app.Span().Class("quiet small").Text(words.ColumnWords(h)),
		}
	})
}
