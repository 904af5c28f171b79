package app

import (
	"math"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/lab"
	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
)

// labPane is the strip of scenes: progress during a run, and the story afterwards.
type labPane struct {
	app.Compo
	S     *desk
	Album *picture.Album
	Rev   table.Revisions
	Drawn int // drawings available
	Frame int // of the story

	width float64
	open  bool
}

func (p *labPane) OnMount(ctx app.Context) { ctx.Defer(p.measure) }

// OnUpdate moves the focus into the lab when it opens, and out of it.
func (p *labPane) OnUpdate(ctx app.Context) {
	if open := p.S.Lab.Stage != ""; open != p.open {
		p.open = open
		ctx.Defer(func(app.Context) { callTool("enter", open) })
	}
}

func (p *labPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

func (p *labPane) measure(ctx app.Context) {
	ctx.Dispatch(func(app.Context) { p.width = widthOf("stages", 1200) })
}

func (p *labPane) Render() app.UI {
	breathe()
	s := p.S
	class := "lab"
	if s.Lab.Stage != "" {
		class += " open"
	}
	panel := app.Div().ID("lab-panel").Class("lab-panel").Attr("hidden", attribute(s.Lab.Stage == ""))
	if s.Lab.Stage != "" {
		panel.Class("story").Attr("tabindex", -1)
	}
	if s.Lab.InStory() {
		panel.DataSet("scene", s.Lab.Stage).DataSet("beat", s.Lab.Beat).DataSet("playing", s.Lab.Playing)
	}
	return app.Footer().Class(class).Body(
		panel.Body(p.panel()...),
		app.Div().ID("stages").Class("stages").Body(
			app.Ol().Class("stage-list").Attr("hidden", attribute(!s.Lab.InStory())).OnClick(onData("stage", s.Lab.Open)).Body(p.doors()...),
			app.Div().Class("next").Attr("hidden", attribute(s.Lab.Stage != "")).Body(p.next()...),
			app.Div().Class("run-state").Body(p.state()...),
		),
	)
}

// next is what can be asked of a result.
func (p *labPane) next() []app.UI {
	s := p.S
	if !p.hasStory() {
		return nil
	}
	list := []app.UI{button("How it was decided", func() { s.Lab.Play(stillWanted()) }).ID("watch").
		Title(s.Say("How the method judges one molecule, in six scenes"))}
	if s.Whole() == "" && s.Unfit() == "" {
		list = append(list, button("Compare the whole list", s.Calibrate).ID("compare").Disabled(!s.CanCalibrate()).
			Title(s.Say("Calibrate the batch: does this list as a whole differ from the training set?")))
	}
	if s.By != table.ThePaper && s.UnfitFor(table.ThePaper) == "" {
		list = append(list, button("The paper's method on this list", func() { decideBy(s, table.ThePaper) }).ID("paper").
			Disabled(!s.Calibrated() && !s.CanCalibrate()).
			Title(s.Say("Graphons, mixup, dictionaries and attention on this list: S_Pre, S_Attn and S_BaCa of each molecule")))
	}
	return append(list, toolMenu(s))
}

// doors are the scenes with their progress.
func (p *labPane) doors() []app.UI {
	s := p.S
	var items []app.UI
	for _, c := range lab.Scenes() {
		progress, now, there := s.Lab.ProgressOf(c)
		class, share := "todo", 0.0
		switch {
		case now:
			class = "now"
			if progress.Total > 0 {
				share = float64(progress.Done) / float64(progress.Total)
			}
		case there:
			class, share = "was", 1
		}
		count := ""
		if there {
			count = c.Count(progress, now)
		}
		items = append(items, app.Li().Class("stage "+class).Body(
			p.door(c.Key, c.Name, s.Say(c.About), count, app.Raw(picture.StageBar(share))).Disabled(!there && !p.hasStory())))
	}
	return items
}

// hasStory reports whether there is a story.
func (p *labPane) hasStory() bool { return p.S.Phase == run.Done && p.S.Graphs() > 0 }

func (p *labPane) door(stage, name, about, count string, more ...app.UI) app.HTMLButton {
	return app.Button().Type("button").DataSet("stage", stage).Title(about).Aria("expanded", p.S.Lab.Stage == stage).Body(append([]app.UI{
		app.Span().Class("stage-name").Text(name),
		app.Span().Class("stage-count").Text(count),
	}, more...)...)
}

func endTaskButton(s *desk) app.UI {
	return button("Cancel", s.EndTask).Class("end-task").Disabled(s.Task == nil || s.Task.Ending)
}

// state is the run's progress, with a stop button.
func (p *labPane) state() []app.UI {
	s := p.S
	doing := map[run.Phase]string{run.Reading: "Reading …", run.Scoring: "Scoring …", run.Calibrating: "Calibrating the batch …"}[s.Phase]
	if s.Phase == run.Calibrating && s.By == table.ThePaper {
		doing = "Running the paper's method …"
	}
	switch {
	case doing != "":
		return []app.UI{
			quiet(doing),
			signed("stop", "Cancel", s.Cancel).ID("cancel"),
		}
	case s.Phase == run.Done:
		return []app.UI{app.Span().ID("took").Class("quiet").Title(runLine(s)).Text(runLine(s))}
	case s.Phase == run.Stopped:
		return []app.UI{quiet("cancelled")}
	case s.Models.Welcome != nil:
		return []app.UI{quiet("BaCa " + s.Models.Welcome.Program)}
	case s.Models.Used.Failure == nil:
		return []app.UI{quiet("starting …")}
	}
	return nil
}

// panel is the open scene or tool.
func (p *labPane) panel() []app.UI {
	if p.S.Lab.Stage == "" {
		return nil
	}
	if t := p.S.Lab.Tool(); t != nil {
		return []app.UI{app.Div().Class("pane-head").Body(
			app.H2().Text(t.Name), quiet(p.S.Say(t.About)), closer("Back to the table", p.S.Lab.Close)), p.tool(t)}
	}
	return p.story()
}

// narrow is the width below which pictures stack.
const narrow = 760

// unmeasured is the width of the pane in pixels before it is measured.
const unmeasured = 1200

// Widths in pixels of a picture that is alone in the pane.
const (
	phone        = 700  // widest pane with the narrow margins of a phone
	phoneMargins = 24   // both margins on a phone
	margins      = 64   // elsewhere, with the scroll bar
	leastFull    = 280  // narrowest picture
	mostFull     = 1400 // widest picture
)

// full is the width of a picture that is alone in the pane: that of the pane less margins and scroll bar.
func (p *labPane) full() float64 {
	w := p.width
	if w == 0 {
		w = unmeasured
	}
	if w <= phone {
		return max(w-phoneMargins, leastFull)
	}
	return min(w-margins, mostFull)
}

// half is the width of one of two pictures.
func (p *labPane) half() float64 { return p.share(2) }

// share is the width of each of that many pictures side by side.
func (p *labPane) share(of float64) float64 {
	if w := p.full(); w >= narrow {
		return math.Floor((w - 32*(of-1)) / of)
	}
	return p.full()
}

// A drawable is drawn for the page or a file.
type drawable interface{ SVG(saved bool) string }

// figure is a picture with caption and save buttons.
func (p *labPane) figure(title, caption, file string, d drawable) app.UI {
	drawn := d.SVG(false)
	return app.Figure().Class("figure").Body(
		app.FigCaption().Body(app.Strong().Text(title), quiet(" "+caption), app.Span().Class("stretch"),
			p.saveButtons(title, file, drawn, d)),
		app.Raw(drawn))
}

// tile is a small figure, caption below.
func (p *labPane) tile(caption, file string, g picture.Graphon) app.UI {
	return app.Figure().Class("tile").Body(
		app.FigCaption().Body(app.Strong().Text(g.Title), app.Span().Class("stretch"), p.saveButtons(g.Title, file, g.SVG(false), g)),
		app.Raw(g.SVG(false)),
		small(caption))
}

// saveButtons are two buttons that save a picture, as SVG and as PNG. scope must change with the picture: then go-app
// replaces the buttons' handlers.
func (p *labPane) saveButtons(title, file, scope string, d drawable) app.UI {
	file = "baca-" + file
	one := func(form, ending string, png bool) app.UI {
		return app.Button().Class("plain save-as").Type("button").Aria("label", "Save "+title+" as "+form).
			DataSet("save-as", file+ending).Text(form).
			OnClick(func(ctx app.Context, _ app.Event) { savePicture(ctx, p.S, file, d.SVG(true), png) }, app.EventScope(form, scope))
	}
	return app.Span().Class("save-buttons").Body(one("SVG", ".svg", false), one("PNG", ".png", true))
}
