package app

import (
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
	sized       bool     // they are known
	wanted      string   // last requested drawings
	drawCall    app.Func // takes them
}

func (p *resultPane) OnMount(ctx app.Context) {
	p.ctx = ctx
	p.height = 600
}

func (p *resultPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

func (p *resultPane) OnUpdate(ctx app.Context) { ctx.Defer(p.settle) }

func (p *resultPane) measure(ctx app.Context) {
	ctx.Dispatch(func(ctx app.Context) {
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
	if p.sized = p.sized && s.Rows.Len() > 0; !p.sized && s.Rows.Len() > 0 {
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
	if s.View.Coloured {
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
	s := p.S
	return app.Section().Class("pane result").Aria("label", "Results").Body(
		p.notice(),
		p.reading(),
		p.whole(),
		p.foreign(),
		p.predictions(),
		&stripPane{S: s, Rev: s.Rev.Rows, Phase: s.Phase},
		app.Div().Class("table").Attr("hidden", attribute(s.Rows.Len() == 0)).Body(p.tools(), p.records(), p.note()),
	)
}

// records are shown as the user likes.
func (p *resultPane) records() app.UI {
	switch p.S.View.Shape {
	case table.Grid:
		return p.grid()
	case table.Map:
		return &mapPane{S: p.S, Rev: p.S.Rev, Key: p.key}
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

// reading explains the picture below.
func (p *resultPane) reading() app.UI {
	about := howToRead(p.S)
	return app.Div().Class("reading").Attr("hidden", attribute(about == "")).Body(
		p.rule(), app.P().Class("quiet small").Text(about), p.compare(), p.paper(), toolMenu(p.S))
}

func (p *resultPane) compare() app.UI {
	s := p.S
	ask := s.Whole() == "" && s.Unfit() == "" && s.Phase == run.Done && s.Graphs() > 0
	return app.If(ask, func() app.UI {
		return button("Compare the whole list", s.Calibrate).ID("compare").Disabled(!s.CanCalibrate()).
			Title(s.Say("Calibrate the batch: does this list differ from the training set, whatever each molecule is?"))
	})
}

// paper has the paper's method decide, which runs on the list unless it has.
func (p *resultPane) paper() app.UI {
	s := p.S
	ask := s.By != table.ThePaper && s.UnfitFor(table.ThePaper) == "" && s.Phase == run.Done && s.Graphs() > 0
	return app.If(ask, func() app.UI {
		return button("Run the paper's method", func() { decideBy(s, table.ThePaper) }).ID("paper").
			Disabled(!s.Calibrated() && !s.CanCalibrate()).
			Title(s.Say("Graphons, mixup, dictionaries and attention on this list: S_Pre, S_Attn and S_BaCa of each molecule"))
	})
}

// whole is the answer about the list.
func (p *resultPane) whole() app.UI {
	said := p.S.Whole()
	if p.S.Phase == run.Calibrating {
		said = "The list as a whole is being looked at …"
	}
	return app.P().ID("whole").Class("whole small").Attr("hidden", attribute(said == "")).Text(said)
}

// foreign warns of an unknown kind of list, and offers training.
func (p *resultPane) foreign() app.UI {
	said := foreign(p.S)
	return shown(said != "", app.P().ID("foreign").Class("whole small"), func() []app.UI {
		return []app.UI{
			app.Text(words.Capital(said) + ". A model of your own may. "),
			plain("Train your own", func() { showDialog("train") }).ID("foreign-train"),
		}
	})
}

// predictions asks for the column of predictions and shows held-out error rates, for models that have them.
func (p *resultPane) predictions() app.UI {
	return shown(p.S.Trust.Offered(), app.Div().ID("predictions").Class("predictions"), p.judged)
}

func (p *resultPane) judged() []app.UI {
	s := p.S
	t := &s.Trust
	body := []app.UI{
		app.Label().For("predicted").Text("Predictions"),
		columnSelect("predicted", s.ValueColumns(), "", t.Predicted, t.Choose),
	}
	switch judged := s.Rows.Trust; {
	case t.Failure != nil:
		body = append(body, app.Span().ID("trust-failure").Class("small").Role("alert").Text(words.TrustFailure(t.Failure)))
		if t.Failure.Code == message.CodeCancelled {
			body = append(body, button("Start again", t.Again))
		}
	case judged != nil:
		if !judged.Classes {
			body = append(body, app.Label().For("holds").Class("quiet small").Text("with intervals of"),
				shares("holds", t.Holds, t.Hold, run.Shares()).
					Title("Share of observed values that intervals shall hold"))
		}
		body = append(body, app.Span().ID("stated").Class("quiet small").Title(words.Sentences(judged.Sentences)).
			Text(table.StatedLine(judged)))
		if n := len(judged.Problems); n > 0 {
			body = append(body, tag("trust-notes", words.Plural(n, "note", "notes"), app.P().Text(words.Sentences(judged.Problems))))
		}
	}
	return body
}

// rule is the choice between α and a false-discovery rate.
func (p *resultPane) rule() app.UI {
	s := p.S
	return app.Div().Class("rule").Attr("hidden", attribute(s.Rows.Judged() < 2)).Body(
		app.Div().Class("segments").Role("group").Aria("label", "Where the line is").Body(
			pressed("Each at α", s.FDR == 0, func() { setFDR(s, 0) }).ID("rule-each").
				Title(s.Say("Outside where p is at most α: a share α of ordinary molecules is called outside by mistake")),
			pressed("False-discovery rate", s.FDR > 0, func() {
				if s.FDR == 0 {
					setFDR(s, table.UsualRate)
				}
			}).ID("rule-batch").Title("Outside so that, of all called that, only a small share is ordinary (Benjamini and Hochberg)")),
		app.Label().Class("rule-rate quiet small").Attr("hidden", attribute(s.FDR == 0)).Body(
			app.Text("at most "),
			shares("fdr", s.FDR, func(rate float64) { setFDR(s, rate) }, table.Rates()).Aria("label", "Rate of false discoveries"),
			app.Text(" mistakes")))
}

func (p *resultPane) tools() app.UI {
	items := []app.UI{item("save", "report", "Report as HTML", "one file, opens offline")}
	if p.S.HasDomain() {
		items = append(items, item("save", "domain", "Domain report …", "for a regulator: QPRF, QMRF"))
	}
	items = append(items,
		item("save", "csv", "All rows as CSV", "safe in spreadsheets: ' before =, +, -, @"),
		item("save", "csv shown", "Rows shown as CSV", "in this order"),
		item("save", "csv reasons", "Rows shown, with reasons", "CSV, takes a while"),
		item("save", "copy", "Copy the rows shown", "for a spreadsheet"),
		item("save", "json", "All rows as JSON", ""),
		item("save", "svg", "Distribution as SVG", ""),
		item("save", "png", "Distribution as PNG", ""),
		item("save", "link", "Copy link", "with the rows shown, up to 8 000 characters"))
	return app.Div().Class("tools").Body(
		p.search(),
		app.Div().ID("shape").Class("segments").Role("group").Aria("label", "Shown as").
			Body(p.shape(table.List), p.shape(table.Grid), p.shape(table.Map)),
		p.columns(),
		menu("export", "Save", "save", []app.UI{icon("save"), app.Span().Class("menu-name").Text("Save")}, p.save, items...),
	)
}

func (p *resultPane) shape(as table.Shape) app.UI {
	return pressed(string(as), p.S.View.Shape == as, func() {
		p.S.ShowAs(as)
		p.ctx.Defer(func(ctx app.Context) {
			p.measure(ctx)
			p.reveal()
		})
	})
}

// search is the search for texts and structures, with how many it has found.
func (p *resultPane) search() app.UI {
	s := p.S
	find := func(search string, structure bool) {
		s.Find(search, structure)
		toTop()
	}
	about, by := s.Say("name or SMILES"), "text"
	if s.View.Structure {
		about, by = "SMARTS, as c1ccncc1", "structure"
	}
	input := app.Input().ID("search").Type("search").Placeholder(about).Aria("label", "Search: "+about).Value(s.View.Search).
		OnInput(func(ctx app.Context, e app.Event) {
			if text := valueOf(ctx); !s.View.Structure || text == "" { // a structure is searched for once it is written
				find(text, s.View.Structure)
			} else {
				ctx.PreventUpdate()
			}
		}).
		OnChange(func(ctx app.Context, e app.Event) {
			if s.View.Structure {
				find(valueOf(ctx), true)
			}
		})
	said, class := p.found()
	return app.Div().Class("finding").Body(
		app.Div().Class("search").Body(icon("search"), input,
			app.If(s.Things() == "molecules", func() app.UI {
				return choices("search-by", by, func(by string) { find(s.View.Search, by == "structure") },
					choice{"text", "text"}, choice{"structure", "structure"}).
					Aria("label", "What to search for")
			})),
		app.Span().ID("found").Class("small "+class).Role("status").Title(said).Text(said))
}

// found says how many records are shown, or why a structure is not searched for.
func (p *resultPane) found() (said, class string) {
	s := p.S
	searched := s.View.Structure && strings.TrimSpace(s.View.Search) != ""
	switch answer, known := s.Rows.Computed[message.OfStructure]; {
	case searched && known && answer.Failure != nil:
		return words.FailureText(answer.Failure), "bad-text"
	case searched && !known:
		return "searching …", "quiet"
	case len(s.Order) < s.Rows.Len():
		return words.Count(len(s.Order)) + " of " + words.Count(s.Rows.Len()), "number"
	}
	return "", "quiet"
}

// note reports saving.
func (p *resultPane) note() app.UI {
	return app.Div().Class("export-note quiet").Attr("hidden", attribute(p.Note == "")).Body(app.Span().Text(p.Note),
		app.If(p.S.Task != nil, func() app.UI { return endTaskButton(p.S) }))
}

func (p *resultPane) save(what string) {
	s := p.S
	switch what {
	case "svg", "png":
		s.SetNote("")
		savePicture(p.ctx, s, "baca-distribution", picture.StripOf(s.Session, 960, 300).SVG(true), what == "png")
		return
	case "copy":
		what := words.Plural(len(s.Order), "row", "rows")
		s.Write("tsv", s.Order, func(e *message.Exported) { tell(p.ctx, s, notCopied, what+" copied", "copy", string(e.Data)) })
		return
	case "domain":
		showDialog(domainID)
		return
	case "link":
		copyLink(p.ctx, s)
		return
	}
	switch format, which, _ := strings.Cut(what, " "); {
	case format == "report":
		s.Report(keep)
	case which == "reasons":
		s.ExplainRows(format, keep)
	default:
		s.Export(format, which != "shown", keep)
	}
}

func keep(e *message.Exported) { save(e.Name, e.Type, e.Data) }

const notCopied = "Not copied: "

func toTop() {
	if scroller := app.Window().GetElementByID("scroller"); scroller.Truthy() {
		scroller.Set("scrollTop", 0)
	}
}
