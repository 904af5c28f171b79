package app

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/session"
	"baca/app/words"
	"baca/wasm/message"
)

const suggestAbout = "Which molecules of the input, measured and added to the training set, would bring the others nearest to it?"

// suggestStage opens the suggestions.
func (p *labPane) suggestStage() app.UI {
	count := ""
	if m := p.S.Lab.Suggested.Value; m != nil {
		count = words.Count(m.Total)
	}
	return app.Li().Class("stage was").Body(p.door(message.StageChoose, "suggest", p.S.Say(suggestAbout), count))
}

// suggest asks how many to measure, or shows them.
func (p *labPane) suggest() app.UI {
	s := p.S
	if s.Suggesting() {
		return controls(s.Task.Words(), endTaskButton(s))
	}
	body := []app.UI{p.wish()}
	body = append(body, failureLine("suggest-failure", s.Lab.Suggested.Failure))
	if m := s.Lab.Suggested.Value; m != nil {
		body = append(body, p.suggested(m))
	} else {
		body = append(body, quietLine("Each pick is the best one given those before, so they are unlike each other. What is measured already can be left out by a column that says so; it still counts as to be covered."))
	}
	return app.Div().Class("compare").Body(body...)
}

func (p *labPane) wish() app.UI {
	s := p.S
	w := &s.Lab.Wish
	number := func(id, label, value, hint string, to *string) app.UI {
		return app.Label().Class("wish").For(id).Body(app.Text(label),
			app.Input().ID(id).Type("number").Attr("min", 0).Attr("step", "any").Placeholder(hint).Value(value).
				OnInput(func(ctx app.Context, _ app.Event) { *to = valueOf(ctx) }))
	}
	columns := s.SuggestColumns()
	menu := func(id, label string, to *string) app.UI {
		options := []app.UI{app.Option().Value("").Text("—").Selected(*to == "")}
		for i, name := range columns {
			options = append(options, app.Option().Value(strconv.Itoa(i)).Text(words.Shorten(name, 40)).Selected(name == *to))
		}
		return app.Label().Class("wish").For(id).Body(app.Text(label),
			app.Select().ID(id).Class("select").OnChange(func(ctx app.Context, _ app.Event) {
				if *to = ""; valueOf(ctx) != "" {
					if i, err := strconv.Atoi(valueOf(ctx)); err == nil && i < len(columns) {
						*to = columns[i]
					}
				}
				s.Rev.State++
			}, app.EventScope(strings.Join(columns, "\t"))).Body(options...))
	}
	fields := []app.UI{number("suggest-most", s.Say("Molecules"), w.Most, strconv.Itoa(session.UsuallySuggested), &w.Most)}
	if len(columns) > 0 {
		fields = append(fields, menu("suggest-price", "Price", &w.Price))
		if w.Price != "" {
			fields = append(fields, number("suggest-budget", "Budget", w.Budget, "none", &w.Budget))
		}
		fields = append(fields, menu("suggest-exclude", "Leave out", &w.Exclude))
	}
	fields = append(fields, button("Suggest", s.Lab.Suggest).ID("suggest-start").Disabled(s.Task != nil || s.Phase != session.Done || s.Training.On))
	if m := s.Lab.Suggested.Value; m != nil && m.Total > 0 {
		fields = append(fields, app.Button().ID("suggest-save").Class("button").Type("button").Body(icon("save"), app.Text("Save as CSV")).
			OnClick(func(app.Context, app.Event) {
				e := s.SuggestedFile()
				save(e.Name, e.Type, e.Data)
			}))
	}
	return app.Div().Class("controls").Body(fields...)
}

// suggested describes the picks.
func (p *labPane) suggested(m *message.Suggested) app.UI {
	gains, notes := session.SuggestedWords(m)
	said := make([]app.UI, len(gains))
	for i, text := range gains {
		said[i] = app.P().Class("compare-sentence").Text(text)
	}
	head := app.Div().Class("suggested-said").Body(append(said, app.If(notes != "", func() app.UI { return quietLine(notes) }))...)
	body := []app.UI{head}
	if m.Total > 0 {
		body = []app.UI{app.Div().Class("suggested-head").Body(head, p.gain(m)), p.picks(m)}
	}
	return app.Div().ID("suggested").Class("compared").Body(append(body,
		app.P().Class("quiet small").Text("The same by the command:"),
		app.Pre().ID("suggest-command").Class("command").Text(m.Command))...)
}

// gain shows the distance after each pick.
func (p *labPane) gain(m *message.Suggested) app.UI {
	x := make([]float64, len(m.Far))
	for i := range x {
		x[i] = float64(i)
	}
	return figure("What picks gain", "deviations away, on average", "suggested", picture.Plot{
		Width: min(p.full(), 480), Height: 190, Title: "What picks gain", XLabel: p.S.Say("molecules measured"), X: x, High: 1.08 * max(m.Far[0], 1e-9),
		Curves: []picture.Curve{
			{Name: "suggested", Role: "line-out", Y: m.Far}, {Name: "random", Role: "line-in", Y: m.FarRandom}, {Name: "highest scores", Role: "line", Y: m.FarTop, Dashed: true},
		},
	})
}

// picks are drawn; a click inspects one.
func (p *labPane) picks(m *message.Suggested) app.UI {
	s := p.S
	items := make([]app.UI, len(m.Picks))
	for k := range m.Picks {
		pick := &m.Picks[k]
		smiles := s.Rows.Picture(pick.Record - 1)
		drawn := app.UI(app.Code().Class("near-smiles").Text(words.Shorten(smiles, 60)))
		if small := p.Album.Small(smiles); small != "" {
			drawn = app.Raw(small)
		}
		adds, about := session.AboutPick(pick)
		items[k] = app.Li().Body(app.Button().Type("button").Class("near-card pick").DataSet("pick", pick.Record-1).Title(smiles).Body(
			app.Span().Class("near-picture").Body(drawn),
			app.Span().Class("near-name").Text(strconv.Itoa(k+1)+". "+s.Rows.ShortName(pick.Record-1)+", "+pick.Verdict),
			app.Span().Class("near-value number").Text(adds),
			app.Span().Class("quiet small number").Text(about)))
	}
	more := ""
	if m.Total > len(m.Picks) {
		more = " These are the first " + words.Count(len(m.Picks)) + " of " + words.Count(m.Total) + "; the file has all."
	}
	return app.Div().Body(app.H3().Text("The picks, the best first"),
		quietLine(s.Say("Nearer: by half a deviation or more. Inside: were outside, and no longer are. Gain: by how much the average falls. Similarity: of the nearest training molecule.")+more),
		app.Ol().Class("near picks").OnClick(onNumber("pick", s.Inspector.Show)).Body(items...))
}
