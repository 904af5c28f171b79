package app

import (
	"path"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/lab"
	"baca/app/words"
	"baca/wasm/message"
)

// toolMenu is the menu of the tools for this input, each with its finding in short. Without tools it is hidden.
func toolMenu(s *desk) app.UI {
	found := s.Lab.Tools()
	items := make([]app.UI, len(found))
	for i, t := range found {
		short := ""
		if f := s.Lab.Found(t.Stage).Value; f != nil {
			short = " · " + words.Shorten(f.Short, 20)
		}
		items[i] = item("stage", t.Stage, t.Name+short, s.Say(t.About))
	}
	return menu("tools", "Tools", "stage", []app.UI{app.Span().Text("Tools"), icon("down")}, s.Lab.Open, items...).
		Attr("hidden", attribute(len(items) == 0))
}

// tool shows a tool's form and its finding.
func (p *labPane) tool(t *lab.Tool) app.UI {
	s := p.S
	var form []app.UI
	switch t.Stage {
	case message.StageLists:
		form = []app.UI{fileButton("compare-file", "Compare with…", "Choose a list to compare with",
			s.Models.Extensions(), func(_ app.Context, v app.Value) {
				if f, ok := browserFile(v); ok {
					s.Lab.CompareWith(f)
				}
			}), quiet("The list that you choose is A, the input is B. Both stay in this tab.")}
	case message.StageChoose:
		form = p.wish()
	case message.StageTrust:
		if s.Input.Example {
			break
		}
		form = []app.UI{app.Label().For("observed").Text("Observed"),
			columnSelect("observed", s.ValueColumns(), s.Trust.Predicted, s.Trust.Observed, s.Trust.Observe)}
		if s.Trust.Observed == "" {
			form = append(form, quiet("Once these molecules are measured, choose the column of results."))
		}
	}
	if t.Button != "" && s.Lab.Found(t.Stage).Value == nil {
		form = []app.UI{button(t.Button, s.Lab.Ask)}
	}
	if s.Task != nil {
		form = []app.UI{quiet(s.Task.Words()), endTaskButton(s)}
	} else if found := s.Lab.Found(t.Stage).Value; found != nil && found.File != nil {
		ending := strings.ToUpper(strings.TrimPrefix(path.Ext(found.File.Name), "."))
		form = append(form, signed("save", "Save as "+ending, func() { s.Lab.SaveFound(keep) }).ID("tool-save"))
	}
	failed := s.Lab.Found(t.Stage).Failure
	if t.Stage == message.StageTrust {
		failed = s.Trust.Failure
	}
	return app.Div().Class("tool").Body(
		app.Div().Class("controls").Body(form...),
		app.If(failed != nil, func() app.UI { return failure(words.FailureText(failed)).ID("tool-failure") }),
		p.found())
}

// found is what the open tool found. A click on a pick shows its record.
func (p *labPane) found() app.UI {
	box := app.Div().ID("found").Class("found").OnClick(onNumber("pick", func(record int) {
		p.S.Lab.Close()
		p.S.Inspector.Show(record)
	}))
	html := p.S.Lab.HTML()
	return shown(html != "", box, func() []app.UI { return []app.UI{app.Raw("<div>" + p.Album.Fill(words.Grouped(html)) + "</div>")} })
}

// wish is the form for what to suggest.
func (p *labPane) wish() []app.UI {
	s := p.S
	w := s.Lab.Wish
	number := func(id, label, value, hint string, to *string) app.UI {
		return app.Label().Class("wish").For(id).Body(app.Text(label),
			app.Input().ID(id).Type("number").Attr("min", 0).Attr("step", "any").Placeholder(hint).Value(value).
				OnInput(func(ctx app.Context, _ app.Event) { *to = valueOf(ctx) }))
	}
	menu := func(id, label string, to *string) app.UI {
		return app.Label().Class("wish").For(id).Body(app.Text(label), columnSelect(id, s.ValueColumns(), "", *to, func(name string) {
			*to = name
			s.Rev.State++
		}))
	}
	form := []app.UI{number("suggest-most", s.Say("Molecules"), w.Most, strconv.Itoa(lab.UsuallySuggested), &w.Most)}
	if len(s.ValueColumns()) > 0 {
		form = append(form, menu("suggest-price", "Price", &w.Price))
		if w.Price != "" {
			form = append(form, number("suggest-budget", "Budget", w.Budget, "none", &w.Budget))
		}
		form = append(form, menu("suggest-exclude", "Leave out", &w.Exclude))
	}
	return append(form, button("Suggest", s.Lab.Suggest).ID("suggest-start").Disabled(s.Task != nil || s.Training.On))
}
