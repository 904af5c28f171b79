package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/session"
)

// columnMenu offers the columns of a table, with the one that the SMILES are taken from.
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
		app.Span().Class("quiet small").Text(session.ColumnWords(h)),
	)
}
