package app

import (
	"baca/app/table"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// decider is the menu of what decides, with a sentence for each choice.
func decider(s *desk) app.UI {
	var items []app.UI
	for d, w := range table.DeciderWords() {
		if table.Decider(d) != table.EachAlone && s.Opened != nil && s.Unfit() != "" {
			w.About = s.Unfit() + " Each is judged by itself."
		}
		items = append(items, app.Button().Type("button").Class("menu-item choice").Role("menuitemradio").
			Aria("checked", table.Decider(d) == s.By).DataSet("decider", w.Key).Body(
			app.Span().Class("choice-mark").Aria("hidden", true),
			app.Span().Class("choice-name").Text(s.Say(w.Name)),
			app.Span().Class("quiet choice-about").Text(s.Say(w.About))))
	}
	return menu("by", "What decides", []app.UI{
		app.Span().Class("quiet by-label").Text("Decided by "),
		app.Span().Class("by-name").Text(s.Say(table.DeciderWords()[s.By].Name)),
		icon("down"),
	}, func(e app.Event) {
		if key, ok := dataAround(e, "decider"); ok {
			s.DecideBy(table.DeciderOf(key))
			keepAddress(s)
		}
	}, items...)
}

// menu is a button with a list of items; choose handles clicks. web/src/menu.js closes it and moves
// between items.
func menu(id, label string, button []app.UI, choose func(app.Event), items ...app.UI) app.HTMLDetails {
	return app.Details().Class("menu").ID(id).Body(
		app.Summary().Class("button").Aria("haspopup", "menu").Body(button...),
		app.Div().Class("menu-list").Role("menu").Aria("label", label).
			OnClick(func(_ app.Context, e app.Event) { choose(e) }, app.EventScope(id)).Body(items...))
}
