package app

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/session"
	"baca/app/words"
	"baca/wasm/message"
)

// colours say what the atoms are coloured by: the score, or one of the two things that it is
// made of.
func (p *inspectorPane) colours() app.UI {
	i := &p.S.Inspector
	way := func(name, id, title string, by session.Colouring) app.UI {
		return pressed(name, i.Coloured == by, func() { i.SetColouring(by) }).ID(id).Title(title)
	}
	things := p.S.Things()
	return app.Div().Class("colours").Body(
		legend(i.Coloured, things, i.Marked() != nil),
		app.Div().Class("segments").Role("group").Aria("label", "Atoms coloured by").Body(
			way("The score", "by-score", "What each atom adds to the score. The sum over all atoms is above 0 where the score is outside.", session.WholeScore),
			way("Subtrees", "by-subtrees", "Of that, what it adds by its surroundings up to two bonds away, which the most similar training "+things+" lack or which are commoner elsewhere", session.SubtreePart),
			way("Embedding", "by-embedding", "Of that, what it adds by what the encoder makes of it", session.EmbeddingPart)),
	)
}

// legend explains the colours.
func legend(by session.Colouring, things string, marked bool) app.UI {
	text := "orange pushes it outside, blue holds it inside"
	if by != session.WholeScore {
		text = "orange adds more than in training " + things + ", blue less"
	}
	return app.Div().Class("legend small quiet").Body(
		app.Raw(`<svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true"><circle class="away" fill-opacity=".75" cx="8" cy="6" r="5.5"/><circle class="away" fill-opacity=".3" cx="24" cy="6" r="4.5"/><circle class="legend-none" cx="40" cy="6" r="3.5"/><circle class="towards" fill-opacity=".3" cx="56" cy="6" r="4.5"/><circle class="towards" fill-opacity=".75" cx="72" cy="6" r="5.5"/></svg>`),
		app.Span().Text(text),
		app.If(marked, func() app.UI {
			return app.Span().Body(app.Raw(`<svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true"><circle class="mark-ring" stroke-width="1.2" stroke-dasharray="2.5 2" cx="8" cy="7" r="6"/></svg>`), app.Text(" ringed: never seen, or of the reason chosen"))
		}),
	)
}

// reasonsShown are shown at once, the others when they are asked for.
const reasonsShown = 3

// reasons are what is unusual about it, in the words of the command.
func (p *inspectorPane) reasons(d *message.Detailed) app.UI {
	items := make([]app.UI, len(d.Reasons))
	for k, r := range d.Reasons {
		text := strings.ReplaceAll(r.Text, " %", "\u00a0%")
		if len(r.Atoms) == 0 {
			items[k] = app.Li().Class("reason").Text(text)
			continue
		}
		items[k] = app.Li().Class("reason").Body(app.Button().Type("button").DataSet("reason", k).Aria("pressed", p.S.Inspector.Reason == k).Title("Show where").Text(text))
	}
	body := []app.UI{app.H3().Text("What is unusual about it")}
	if len(items) == 0 {
		body = append(body, quietLine("Nothing about it stands out."))
	} else {
		body = append(body, app.Ul().Class("reasons").Body(items[:min(len(items), reasonsShown)]...))
	}
	if more := len(items) - reasonsShown; more > 0 {
		body = append(body, app.Details().Class("more").Body(
			app.Summary().Class("quiet small").Text(words.Plural(more, "more", "more")), app.Ul().Class("reasons").Body(items[reasonsShown:]...)))
	}
	return app.Section().ID("reasons").Class("block").OnClick(onNumber("reason", p.S.Inspector.Mark)).Body(body...)
}
