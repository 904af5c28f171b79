package app

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// resultPane shows the distribution and the table.
type resultPane struct {
	app.Compo
	S     *desk
	Album *picture.Album
	Rev   int
	Drawn int               // drawings available
	Seen  int               // records with coloured atoms
	Note  string            // about saving
	Near  *message.Detailed // names training molecules to draw

	ctx         app.Context
	top, height int // of the scroller's view
	width       int
	sized       bool // they are known
	as          table.Shape
	wanted      string   // last requested drawings
	drawCall    app.Func // takes them
}

func (p *resultPane) OnMount(ctx app.Context) {
	p.ctx = ctx
	p.height, p.as = 3*rowHeight, p.S.View.Shape // few rows, until it is measured
}

func (p *resultPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

func (p *resultPane) OnUpdate(ctx app.Context) {
	if as := p.S.View.Shape; as != p.as {
		p.as = as
		p.measure(ctx)
		ctx.Defer(func(app.Context) { p.reveal() })
	}
	ctx.Defer(p.settle)
}

// measure reads the size and position of the scroller once it is drawn.
func (p *resultPane) measure(ctx app.Context) {
	ctx.Dispatch(func(ctx app.Context) {
		breathe() // the browser lays out what was drawn
		if scroller := app.Window().GetElementByID("scroller"); scroller.Truthy() {
			p.size(scroller)
			p.top = int(scroller.Get("scrollTop").Float())
		}
		ctx.Defer(p.settle)
	})
}

// settle requests drawings of visible rows.
func (p *resultPane) settle(ctx app.Context) {
	t, ok := tools()
	if !ok {
		return
	}
	s := p.S
	// The table has no size before it has rows, and asking costs a layout.
	p.sized = p.sized && s.Rows.Len() > 0
	if !p.sized && s.Rows.Len() > 0 {
		p.sized = true
		p.measure(ctx)
	}
	// Drawing code is loaded after the first verdicts, which it would delay.
	if s.Busy() && s.Rows.Judged() == 0 {
		return
	}
	w := p.window()
	wanted := s.Order[w.from:w.to]
	if s.Inspector.Record >= 0 {
		wanted = slices.Concat([]int32{int32(s.Inspector.Record)}, wanted)
	} else {
		wanted = append(s.Furthest(suggested), wanted...)
	}
	if s.View.Shape == table.Map {
		wanted = append([]int32{int32(s.hover)}, wanted...)
	}
	if s.View.Coloured || s.Rows.Trust != nil {
		s.Glances.Want(wanted)
	}
	list := strings.Join(p.Album.Missing(append(s.Inspector.NearestSMILES(), picture.Drawings(s.Lab.HTML())...), &s.Rows, wanted), "\n")
	if list == p.wanted {
		return
	}
	p.wanted = list
	if p.drawCall == nil {
		p.drawCall = app.FuncOf(func(_ app.Value, args []app.Value) any {
			smiles, text, problem := args[0].String(), args[1].String(), args[2].String()
			p.ctx.Dispatch(func(app.Context) { p.Album.Add(smiles, text, problem) })
			return nil
		})
	}
	t.Call("draw", list, p.drawCall)
}

func (p *resultPane) Render() app.UI {
	breathe()
	s := p.S
	rev := s.Rev.Rows
	if s.Busy() {
		rev = -bits.Len(uint(s.Rows.Judged())) // the strip is drawn again once twice as many are judged
	}
	return app.Section().Class("pane result").Aria("label", "Results").Body(
		p.notice(),
		p.whole(),
		p.foreign(),
		p.predictions(),
		&stripPane{S: s, Rev: rev, Phase: s.Phase},
		p.reading(),
		app.Div().Class("table").Attr("hidden", attribute(s.Rows.Len() == 0)).Body(p.records(), p.hidden(), p.note()),
	)
}

// records are shown as the user likes.
func (p *resultPane) records() app.UI {
	switch p.S.View.Shape {
	case table.Grid:
		return p.grid()
	case table.Map:
		return &mapPane{S: p.S, Album: p.Album, Drawn: p.Drawn, Rev: p.S.Rev, Key: p.key}
	}
	return p.table()
}

// A notice is a headline, details, and an action.
type notice struct {
	bad            bool
	headline, what string
	action         string // of a button, empty for none
	do             func()
}

// notice says what prevents a result.
func (p *resultPane) notice() app.UI {
	n := p.problem()
	if told := p.S.Told; n.headline == "" && told != nil {
		n = notice{false, told.Headline, told.What, "Dismiss", p.S.Dismiss}
	}
	class := "notice"
	if n.bad {
		class += " bad"
	}
	var body []app.UI
	if n.headline != "" {
		body = append(body, app.Strong().Text(n.headline), app.Span().Text(n.what))
	}
	if n.action != "" {
		body = append(body, button(n.action, n.do))
	}
	return app.Div().Class(class).Attr("hidden", attribute(len(body) == 0)).Role("note").Body(body...)
}

// problem says why there are no scores.
func (p *resultPane) problem() notice {
	s := p.S
	models := func() { showDialog("models") }
	switch {
	case s.Phase == run.Broken:
		h, w := words.FailureWords(s.Failure)
		if s.Failure.Code == message.CodeBadModel {
			return notice{true, h, w, "Choose a model", models}
		}
		return notice{true, h, w, "Try again", s.Begin}
	case s.Models.Used.Failure != nil && s.Models.Welcome == nil:
		h, w := words.FailureWords(s.Models.Used.Failure)
		return notice{true, h, w, "Load the page again", func() { callTool("renew") }}
	case s.Models.Used.Failure != nil:
		h, w := words.FailureWords(s.Models.Used.Failure)
		return notice{true, h, w, "Models", models}
	case s.Phase == run.Stopped:
		return notice{false, "Cancelled", "What was there stays. The input is as you left it.", "Score again", s.Begin}
	case s.Phase == run.Done && s.Graphs() == 0:
		return notice{true, "Nothing could be read", nothingRead(s), "", nil}
	case s.Phase == run.Unstarted && s.Input.Library && s.Models.Used.Value != nil && !s.Training.On:
		if kept := keptLine(s); kept != "" {
			return notice{false, "Opened to train on", kept, "Back to the list", s.Input.TakeBack}
		}
		return notice{false, "Not scored", "This input was opened to train on.", "Score it", func() {
			list := s.Input.Given
			list.Library = false
			s.Input.Give(list)
		}}
	}
	return notice{}
}

// reading explains the picture above it.
func (p *resultPane) reading() app.UI {
	about := howToRead(p.S)
	return app.P().Class("reading quiet small").Attr("hidden", attribute(about == "")).Text(about)
}

// whole is the answer about the list.
func (p *resultPane) whole() app.UI {
	said := p.S.Whole()
	if p.S.Phase == run.Calibrating {
		said = "The list as a whole is compared with the training set …"
	}
	return app.P().ID("whole").Class("whole small").Attr("hidden", attribute(said == "")).Text(said)
}

// foreign warns of an unknown kind of list, and offers training.
func (p *resultPane) foreign() app.UI {
	said := foreign(p.S)
	return shown(said != "", app.P().ID("foreign").Class("whole small"), func() []app.UI {
		return []app.UI{
			app.Text(words.Capital(said) + ". Train a model of your own kind of molecule to judge them. "),
			plain("Train your own", func() { showDialog("train") }).ID("foreign-train"),
		}
	})
}

// predictions asks for the column of predictions and shows held-out error rates, for models that have them.
func (p *resultPane) predictions() app.UI {
	return shown(p.S.Trust.Offered() || p.S.Rows.Trust != nil, app.Div().ID("predictions").Class("predictions"), p.judged)
}

// judged is the line on predictions: the choice of their columns, what the judgements rest on, or why there are none.
func (p *resultPane) judged() []app.UI {
	s := p.S
	t := &s.Trust
	var body []app.UI
	if !s.Input.Example && t.Offered() {
		body = []app.UI{app.Label().For("predicted").Text("Predictions"), columnSelect("predicted", s.ValueColumns(), "", t.Predicted, t.Choose)}
	}
	switch judged := s.Rows.Trust; {
	case t.Failure != nil:
		body = append(body, app.Span().ID("trust-failure").Class("small").Role("alert").Text(words.TrustFailure(t.Failure)))
		if t.Failure.Code == message.CodeCancelled {
			body = append(body, button("Start again", t.Again))
		}
	case judged != nil:
		if _, limit, found := strings.Cut(judged.Sentences[0], ": "); found && s.Models.Visit != "" {
			body = append(body, app.Span().ID("limit").Class("small").Text(words.Sentences([]string{limit})))
		}
		body = append(body, app.Span().ID("stated").Class("small").Title(words.Sentences(judged.Sentences)).Text(table.StatedLine(judged)))
		if !judged.Classes {
			body = append(body, app.Label().For("holds").Class("quiet small").Text("with intervals of"),
				shares("holds", t.Holds, t.Hold, run.Shares()).
					Title("Share of observed values that intervals should contain"))
		}
		if n := len(judged.Problems); n > 0 {
			body = append(body, tag("trust-notes", words.Plural(n, "note", "notes"), app.P().Text(words.Sentences(judged.Problems))))
		}
	}
	return body
}

// hidden says which of the input's own columns the list does not show. Those are the ones that were not chosen. If
// the user has made no choice, there are two lines, of which a style sheet shows one: where it finds no room for
// columns, the one that names all.
func (p *resultPane) hidden() app.UI {
	s := p.S
	own, chosen := s.Rows.Own(), s.Chosen()
	line := func(class string, list []string) app.UI {
		said := words.Plural(len(list), "column of your own is", "columns of your own are") + " not shown: " +
			words.Shorten(strings.Join(list, ", "), 80) + ". The menu Columns shows them."
		none := s.View.Shape != table.List || len(list) == 0
		return app.P().Class("hidden-columns small quiet "+class).Attr("hidden", attribute(none)).Text(said)
	}
	rest := slices.DeleteFunc(slices.Clone(own), func(name string) bool { return slices.Contains(chosen, name) })
	if s.View.Columns != nil {
		return app.Div().Body(line("", rest))
	}
	return app.Div().Body(line("with-room", rest), line("without-room", own))
}

// note reports saving.
func (p *resultPane) note() app.UI {
	return app.Div().Class("export-note quiet").Attr("hidden", attribute(p.Note == "")).Body(app.Span().Text(p.Note),
		app.If(p.S.Task != nil, func() app.UI { return endTaskButton(p.S) }))
}

func toTop() {
	if scroller := app.Window().GetElementByID("scroller"); scroller.Truthy() {
		scroller.Set("scrollTop", 0)
	}
}
