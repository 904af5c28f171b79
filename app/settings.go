package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// settings is what the verdicts follow from: α or a rate of false discoveries, and what decides.
func (p *bandPane) settings() app.UI {
	s := p.S
	return app.Details().ID("settings").Class("menu").Attr("hidden", onlyWith(s)).Body(
		app.Summary().Class("button").Title(decidedBy(s)).Body(
			app.Text("Settings"), app.Span().Class("quiet settings-now").Text(decidedBy(s)), icon("down")),
		app.Div().Class("menu-list settings").Body(
			app.H3().Text("What is called outside"), rule(s), alpha(s),
			app.H3().Text("What decides"), decider(s)))
}

func alpha(s *desk) app.UI {
	return app.Div().Class("alpha").Body(
		app.Label().For("alpha").Title(s.Say("The share of ordinary molecules that may be called outside by mistake")).Text("False alarms α"),
		app.Input().ID("alpha").Type("range").Value(table.StepOf(s.Alpha)).
			Aria("valuetext", words.Percent(s.Alpha)).
			OnInput(func(ctx app.Context, e app.Event) {
				if step, err := strconv.Atoi(valueOf(ctx)); err == nil {
					s.SetAlpha(table.AlphaOf(step))
				}
			}).
			OnChange(func(app.Context, app.Event) { keepAddress(s) }),
		app.Output().For("alpha").Text(words.Percent(s.Alpha)),
	)
}

// rule is the choice between α and a false-discovery rate.
func rule(s *desk) app.UI {
	return app.Div().Class("rule").Body(
		app.Div().Class("segments").Role("group").Aria("label", "Where the line is").Body(
			pressed("Each at α", s.FDR == 0, func() { setFDR(s, 0) }).ID("rule-each").
				Title(s.Say("Outside where p is at most α: a share α of ordinary molecules is called outside by mistake")),
			pressed("False-discovery rate", s.FDR > 0, func() {
				if s.FDR == 0 {
					setFDR(s, table.UsualRate)
				}
			}).ID("rule-batch").Title(s.Say("Of all molecules called outside, only a small share is expected to be ordinary (Benjamini and Hochberg)"))),
		app.Label().Class("rule-rate quiet small").Attr("hidden", attribute(s.FDR == 0)).Body(
			app.Text("at most "),
			shares("fdr", s.FDR, func(rate float64) { setFDR(s, rate) }, table.Rates()).Aria("label", "Rate of false discoveries"),
			app.Text(" mistakes")))
}

// decider is the choice of what decides, with a sentence for each.
func decider(s *desk) app.UI {
	var items []app.UI
	for d, w := range table.DeciderWords() {
		if why := s.UnfitFor(table.Decider(d)); s.Opened != nil && why != "" {
			w.About = why + " Each is judged by itself."
		}
		items = append(items, checked("radio", "decider", w.Key, s.Say(w.Name), table.Decider(d) == s.By,
			app.Span().Class("quiet choice-about").Text(s.Say(w.About))))
	}
	return app.Div().ID("by").Role("radiogroup").Aria("label", "What decides").
		OnClick(onData("decider", func(key string) { decideBy(s, table.DeciderOf(key)) })).Body(items...)
}

// decideBy changes what decides.
func decideBy(s *desk, by table.Decider) {
	s.DecideBy(by)
	keepAddress(s)
}

// setFDR sets the false-discovery rate, 0 for α.
func setFDR(s *desk, rate float64) {
	s.SetFDR(rate)
	keepAddress(s)
}

// onlyWith hides what needs an input that is scored. It stays in its place, where go-app finds it again.
func onlyWith(s *desk) string { return attribute(s.Phase == run.Empty || s.Input.Library) }

// onlyWithout hides what is for the time before an input.
func onlyWithout(s *desk) string { return attribute(s.Phase != run.Empty) }
