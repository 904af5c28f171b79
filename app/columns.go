package app

import (
	"baca/app/words"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// columnSelect is a menu of columns, except but, and of none.
func columnSelect(id string, columns []string, but, chosen string, choose func(string)) app.UI {
	options := []app.UI{app.Option().Value("").Text("none").Selected(chosen == "")}
	for _, name := range columns {
		if name != but {
			options = append(options, app.Option().Value(name).Text(name).Selected(name == chosen))
		}
	}
	return app.Select().ID(id).Class("select").OnChange(func(ctx app.Context, _ app.Event) { choose(valueOf(ctx)) }, app.EventScope(id)).Body(options...)
}

// columnMenu offers a table's columns for the SMILES.
func (p *inputPane) columnMenu() app.UI {
	h := p.S.Header
	if h == nil || len(h.Columns) < 2 {
		return app.Div().Class("column-menu").Hidden(true)
	}
	var options []app.UI
	if h.Column == "" {
		options = append(options, app.Option().Value("").Text("choose …").Selected(true))
	}
	for _, name := range h.Columns {
		options = append(options, app.Option().Value(name).Text(name).Selected(name == h.Column))
	}
	return app.Div().Class("column-menu").Body(
		app.Label().For("column").Text("SMILES column"),
		app.Select().ID("column").Class("select").
			OnChange(func(ctx app.Context, e app.Event) { p.S.Input.ChooseColumn(valueOf(ctx)) }).
			Body(options...),
		app.Span().Class("quiet small").Text(words.ColumnWords(h)),
	)
}
