package app

import (
	"math"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// bandPane is the line above the panes: the input, the result, and counts of verdicts.
type bandPane struct {
	app.Compo
	S   *desk
	Rev table.Revisions
}

func (p *bandPane) Render() app.UI {
	s := p.S
	return app.Section().ID("band").Class("band").Aria("label", "In short").
		Attr("hidden", attribute(s.Rows.Len() == 0 && !s.Input.Folded())).Body(
		p.card(), p.headline(), p.tags(), p.chips())
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
			button("Edit", func() { s.Input.Fold(false) }).ID("edit"),
			closer("Clear", func() { s.Input.Give(run.Given{}) }).ID("clear").Title("Clear"),
		}
	})
}

// headline is the result in words, with its basis.
func (p *bandPane) headline() app.UI {
	said := headline(p.S)
	short, rest := said, ""
	if cut := strings.TrimSuffix(said, knows); cut != said {
		short, rest = cut, knows // dropped on narrow screens
	}
	return app.Div().ID("headline").Class("headline").Attr("hidden", attribute(said == "")).Body(
		app.H2().Title(said).Body(app.Text(short), app.Span().Class("tail").Text(rest)), app.P().Class("quiet small").Text(decidedBy(p.S)))
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
	case s.LikePredictions() != "" && !s.Trust.Offered() && s.Phase == run.Done:
		return notice{false, "Predictions in " + s.LikePredictions(),
			"A model that is trained on such predictions, made without their molecules, says which of these to trust, to check, and not to use.",
			"Train your own", func() { showDialog("train") }}
	}
	return notice{}
}

// setFDR sets the false-discovery rate, 0 for α.
func setFDR(s *desk, rate float64) {
	s.SetFDR(rate)
	keepAddress(s)
}

// chips count the verdicts and filter by them.
func (p *bandPane) chips() app.UI {
	s := p.S
	chip := func(class string, is bool, sign app.UI, n int, name ...app.UI) app.HTMLButton {
		return app.Button().Class("chip "+class).Type("button").Aria("pressed", is).
			Body(sign, app.Span().Class("chip-count").Text(words.Count(n)), app.Span().Body(name...))
	}
	var body []app.UI
	c := s.Rows.Counts
	counts := map[decide.Verdict]int{decide.Outside: c.Outside, decide.Borderline: c.Borderline,
		decide.Inside: c.Inside, decide.Undecided: c.Undecided, decide.Refused: len(s.Rows.Refused)}
	for _, v := range []decide.Verdict{decide.Outside, decide.Borderline, decide.Inside, decide.Undecided, decide.Refused} {
		if n := counts[v]; n > 0 || v != decide.Undecided && v != decide.Refused {
			body = append(body, chip(classOf(v), slices.Contains(s.View.Only, v), shape(v), n, app.Text(v)).DataSet("verdict", string(v)))
		}
	}
	if n := s.Rows.Knows; n > 0 {
		body = append(body, chip("is-known", s.View.Known, knownSign(), n, app.Text("trained on")).
			DataSet("known", "known").Title(knownAbout(s)))
	}
	return app.Div().Class("chips").Attr("hidden", onlyWith(s)).Role("group").Aria("label", "Show only").
		OnClick(func(ctx app.Context, e app.Event) {
			if v, ok := dataAround(e, "verdict"); ok {
				s.ToggleVerdict(decide.Verdict(v))
				toTop()
			} else if _, ok := dataAround(e, "known"); ok {
				s.ToggleKnown()
				toTop()
			}
		}).Body(body...)
}
