package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// button is one with a text. go-app tells handlers apart by where they are written and
// by their scope, which is the text here.
func button(text string, f func()) app.HTMLButton {
	return app.Button().Class("button").Type("button").Text(text).OnClick(func(app.Context, app.Event) { f() }, app.EventScope(text))
}

// opens is a button without a text that opens a dialog.
func opens(dialog string) app.HTMLButton {
	return app.Button().Type("button").Aria("haspopup", "dialog").
		OnClick(func(app.Context, app.Event) { showDialog(dialog) }, app.EventScope(dialog))
}

// closer is a button with a cross.
func closer(label string, f func()) app.HTMLButton { return iconButton(label, "close", f) }

// iconButton is one without a text.
func iconButton(label, sign string, f func()) app.HTMLButton {
	return app.Button().Class("plain icon-only").Type("button").Aria("label", label).Title(label).Body(icon(sign)).
		OnClick(func(app.Context, app.Event) { f() }, app.EventScope(label))
}

// pressed is a button of several, one of which is pressed.
func pressed(text string, is bool, f func()) app.HTMLButton {
	return app.Button().Type("button").Aria("pressed", is).Text(text).OnClick(func(app.Context, app.Event) { f() }, app.EventScope(text))
}

// fileButton is a button that asks for a file, and hands over the one that is chosen.
func fileButton(id, text, label, accept string, take func(app.Context, app.Value)) app.UI {
	return app.Label().Class("button").Body(icon("file"), app.Text(text),
		app.Input().ID(id).Class("file-input").Type("file").Accept(accept).Aria("label", label).
			OnChange(func(ctx app.Context, e app.Event) {
				input := ctx.JSSrc()
				take(ctx, input.Get("files").Index(0))
				input.Set("value", "")
			}, app.EventScope(id)))
}

// quiet is a text in grey.
func quiet(text string) app.UI { return app.Span().Class("quiet").Text(text) }

// quietLine is a line of text in grey.
func quietLine(text string) app.HTMLP { return app.P().Class("quiet").Text(text) }

// valueOf is the value of the input that an event is about.
func valueOf(ctx app.Context) string { return ctx.JSSrc().Get("value").String() }

// dataAround is the value of a data attribute of what an event happened on, or of what
// is around that.
func dataAround(e app.Event, name string) (string, bool) {
	target := e.Get("target")
	if !target.Truthy() || !target.Get("closest").Truthy() {
		return "", false
	}
	element := target.Call("closest", "[data-"+name+"]")
	if !element.Truthy() {
		return "", false
	}
	return element.Get("dataset").Get(name).String(), true
}

// onNumber handles a click on, or within, what has a number as a data attribute.
func onNumber(name string, f func(int)) (app.EventHandler, app.EventOption) {
	return func(_ app.Context, e app.Event) {
		if text, ok := dataAround(e, name); ok {
			if n, err := strconv.Atoi(text); err == nil {
				f(n)
			}
		}
	}, app.EventScope(name)
}

// widthOf is the width of an element in pixels, or the one that is assumed.
func widthOf(id string, assumed float64) float64 {
	element := app.Window().GetElementByID(id)
	if app.IsServer || !element.Truthy() {
		return assumed
	}
	if w := element.Get("clientWidth").Float(); w > 0 {
		return w
	}
	return assumed
}

// attribute is the value of one that is there or not. An attribute that says
// false would count as there in the HTML that is sent first.
func attribute(there bool) string {
	if there {
		return "true"
	}
	return ""
}
