package app

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/table"
	"baca/wasm/message"
)

// legend says what the colours of the atoms are.
func (p *inspectorPane) legend() app.UI {
	text := "orange pushes it outside, blue holds it inside"
	if p.S.Deciding() != table.EachAlone {
		text += ", by its score by itself, which is not what decides now"
	}
	return app.Div().Class("legend small quiet").Body(
		app.Raw(`<svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true"><circle class="away" fill-opacity=".75" cx="8" cy="6" r="5.5"/><circle class="away" fill-opacity=".3" cx="24" cy="6" r="4.5"/><circle class="legend-none" cx="40" cy="6" r="3.5"/><circle class="towards" fill-opacity=".3" cx="56" cy="6" r="4.5"/><circle class="towards" fill-opacity=".75" cx="72" cy="6" r="5.5"/></svg>`),
		app.Span().Text(text),
		app.If(p.S.Inspector.Marked() != nil, func() app.UI {
			return app.Span().Body(app.Raw(`<svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true"><circle class="mark-ring" stroke-width="1.2" stroke-dasharray="2.5 2" cx="8" cy="7" r="6"/></svg>`), app.Text(" ringed: never seen, or of the reason chosen"))
		}),
	)
}

// reasonsShown are shown at once, others under details.
const reasonsShown = 3

// reasons are the most unusual ones.
func (p *inspectorPane) reasons(d *message.Detailed) app.UI {
	head := "What is unusual about it"
	if d.Known {
		head = "What is known of it"
	}
	body := []app.UI{app.H3().Text(head)}
	if len(d.Reasons) == 0 {
		body = append(body, quietLine("Nothing about it stands out."))
	} else {
		body = append(body, p.reasonList(d, 0, min(len(d.Reasons), reasonsShown)))
	}
	return app.Section().ID("reasons").Class("block").Body(body...)
}

func (p *inspectorPane) moreReasons(d *message.Detailed) app.UI {
	more := len(d.Reasons) > reasonsShown
	block := app.Section().Class("block").Attr("hidden", attribute(!more))
	if more {
		block.Body(app.H3().Text("What else is unusual"), p.reasonList(d, reasonsShown, len(d.Reasons)))
	}
	return block
}

// reasonList shows reasons. Those about atoms highlight them.
func (p *inspectorPane) reasonList(d *message.Detailed, from, to int) app.UI {
	var items []app.UI
	for k := from; k < to; k++ {
		r := d.Reasons[k]
		text := strings.ReplaceAll(r.Text, " %", "\u00a0%")
		item := app.Li().Class("reason")
		if len(r.Atoms) == 0 {
			items = append(items, item.Text(text))
			continue
		}
		items = append(items, item.Body(app.Button().Type("button").DataSet("reason", k).Aria("pressed", p.S.Inspector.Reason == k).Title("Show where").Text(text)))
	}
	return app.Ul().Class("reasons").OnClick(onNumber("reason", p.S.Inspector.Mark)).Body(items...)
}
