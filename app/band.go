package app

import (
	"cmp"
	"math"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// bandPane is what stands above the panes: headline, notices and counts of verdicts, and below them the input, the
// settings, the search, the views and what can be saved.
type bandPane struct {
	app.Compo
	S    *desk
	Rev  table.Revisions
	Note string // about saving

	ctx  app.Context
	open bool // small screens show tools and chart

	filter string // of the menu of columns
}

func (p *bandPane) OnMount(ctx app.Context) { p.ctx = ctx }

func (p *bandPane) Render() app.UI {
	breathe()
	s := p.S
	class := "band"
	if p.open {
		class += " tools-open"
	}
	band := app.Section().ID("band").Class(class).Aria("label", "In short")
	return band.Attr("hidden", attribute(s.Rows.Len() == 0 && !s.Input.Folded())).Body(
		app.Div().Class("answer").Body(p.headline(), p.tags(), p.chips()),
		app.Div().Class("tools").Body(
			p.card(),
			p.settings(),
			app.Button().ID("more").Class("button").Type("button").Text("More").
				Aria("expanded", p.open).Aria("label", "More: search, views, saving and chart").
				OnClick(func(app.Context, app.Event) { p.open = !p.open }),
			app.Span().Class("stretch"),
			p.search(), p.shapes(), p.columns(), p.saving()))
}

// card replaces the input while nobody edits it.
func (p *bandPane) card() app.UI {
	s := p.S
	class := "card-read"
	if len(s.Rows.Refused) > 0 {
		class += " some-refused"
	}
	return shown(s.Input.Folded(), app.Div().Class("card-slim"), func() []app.UI {
		return []app.UI{
			app.Div().Class("card-words").Title(s.Input.Title()).Body(
				app.Span().Class("file-name").Text(s.Input.Title()),
				app.Span().ID("input-status").Class(class).Text(readLine(s))),
			sheetMenu(s),
			button("Edit", func() { s.Input.Fold(false) }).ID("edit"),
			closer("Clear", func() { s.Input.Give(run.Given{}) }).ID("clear").Title("Clear"),
		}
	})
}

// headline is the result in words, or how far it is.
func (p *bandPane) headline() app.UI {
	said := cmp.Or(headline(p.S), runningLine(p.S))
	return app.Div().ID("headline").Class("headline").Attr("hidden", attribute(said == "")).Body(app.H2().Title(said).Text(said))
}

// tags are expandable notices beside the headline.
func (p *bandPane) tags() app.UI {
	s := p.S
	var tags []app.UI
	if n := p.advice(); n.headline != "" {
		body := []app.UI{app.P().Text(n.what)}
		if n.action != "" {
			body = append(body, button(n.action, n.do))
		}
		tags = append(tags, tag("advice", n.headline, body...))
	}
	if n := len(s.Warnings); n > 0 {
		tags = append(tags, tag("notes", words.Plural(n, "note", "notes"), app.P().Text(words.Sentences(s.Warnings))))
	}
	return app.Div().Class("tags").Body(tags...)
}

func tag(id, text string, body ...app.UI) app.UI {
	return app.Details().ID(id).Class("menu tag").Body(
		app.Summary().Class("small").Body(app.Text(text), icon("down")),
		app.Div().Class("menu-list").Body(body...))
}

// advice says why verdicts are not as requested, or what else the input allows.
func (p *bandPane) advice() notice {
	s := p.S
	rule := s.Rule()
	switch {
	case s.Opened != nil && s.Unfit() == "" && s.UnfitFor(s.By) != "":
		return notice{false, "Each is judged by itself", s.UnfitFor(s.By), "Train for the paper's method", func() { trainForPaper(s) }}
	case s.Opened != nil && s.UnfitFor(s.By) != "":
		return notice{false, "Each is judged by itself", s.UnfitFor(s.By), "", nil}
	case rule.ByRate && math.IsNaN(rule.Cut):
		return notice{false, "None can be called outside at a false-discovery rate of " + words.Percent(s.FDR),
			"So many unusual ones are to be expected by chance alone. No p-value is below " +
				words.Number(s.Models.Used.Value.SmallestP) +
				" with this model, so that a few of many cannot be told from chance.",
			"Judge each at α", func() { setFDR(s, 0) }}
	case !rule.ByRate && len(s.Reference()) > 0 && math.IsNaN(s.Threshold()):
		return notice{false, "Undecided at α = " + words.Percent(s.Alpha),
			tooFewHeld(rule, s.Things()) + " Allow more false alarms, or take a model that was trained on more.", "", nil}
	case s.LikePredictions != "" && !s.Trust.Offered() && s.Phase == run.Done:
		return notice{false, "Predictions in " + s.LikePredictions,
			"A model that is trained on such predictions, made without their molecules, says which of these to trust, to check, and not to use.",
			"Train your own", func() { showDialog("train") }}
	}
	return notice{}
}

// chips count the records of each verdict. A click adds a verdict to those that the table shows, or removes it;
// without any the table shows all. Outside, borderline and inside always have a chip, the others if they have
// records.
func (p *bandPane) chips() app.UI {
	s := p.S
	const always = 3
	var body []app.UI
	for k, v := range []decide.Verdict{decide.Outside, decide.Borderline, decide.Inside, table.InTraining, decide.Undecided, decide.Refused} {
		if n := s.Rows.Count(v); n > 0 || k < always {
			chip := app.Button().Class("chip "+classOf(v)).Type("button").DataSet("verdict", string(v)).
				Aria("pressed", slices.Contains(s.View.Only, v)).
				Body(shape(v), app.Span().Class("chip-count").Text(words.Count(n)), app.Span().Text(wordOf(v)))
			if v == table.InTraining {
				chip = chip.Title(knownAbout(s))
			}
			body = append(body, chip)
		}
	}
	return app.Div().Class("chips").Attr("hidden", onlyWith(s)).Role("group").Aria("label", "Show only").
		OnClick(onData("verdict", func(v string) {
			s.ToggleVerdict(decide.Verdict(v))
			toTop()
		})).Body(body...)
}
