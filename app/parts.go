package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// button has a text. go-app identifies its handler by the text and of, what f is about.
func button(text string, f func(), of ...any) app.HTMLButton {
	return app.Button().Class("button").Type("button").Text(text).OnClick(func(app.Context, app.Event) { f() }, app.EventScope(append(of, text)...))
}

// opens is a button that opens a dialog.
func opens(dialog string) app.HTMLButton {
	return app.Button().Type("button").Aria("haspopup", "dialog").
		OnClick(func(app.Context, app.Event) { showDialog(dialog) }, app.EventScope(dialog))
}

// closer is a close button.
func closer(label string, f func()) app.HTMLButton { return iconButton(label, "close", f) }

// iconButton has no text.
func iconButton(label, sign string, f func()) app.HTMLButton {
	return app.Button().Class("plain icon-only").Type("button").Aria("label", label).Title(label).Body(icon(sign)).
		OnClick(func(app.Context, app.Event) { f() }, app.EventScope(label))
}

// pressed is a toggle of a group.
func pressed(text string, is bool, f func()) app.HTMLButton {
	return app.Button().Type("button").Aria("pressed", is).Text(text).OnClick(func(app.Context, app.Event) { f() }, app.EventScope(text))
}

// fileButton asks for a file.
func fileButton(id, text, label, accept string, take func(app.Context, app.Value)) app.UI {
	return app.Label().Class("button").Body(icon("file"), app.Text(text),
		app.Input().ID(id).Class("file-input").Type("file").Accept(accept).Aria("label", label).
			OnChange(func(ctx app.Context, e app.Event) {
				input := ctx.JSSrc()
				take(ctx, input.Get("files").Index(0))
				input.Set("value", "")
			}, app.EventScope(id)))
}

func quiet(text string) app.UI { return app.Span().Class("quiet").Text(text) }

func quietLine(text string) app.HTMLP { return app.P().Class("quiet").Text(text) }

// valueOf is the value of an event's input.
func valueOf(ctx app.Context) string { return ctx.JSSrc().Get("value").String() }

// dataAround is a data attribute of an event's target or its ancestors.
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

// onData handles clicks within elements with a data attribute.
func onData(name string, f func(string)) (app.EventHandler, app.EventOption) {
	return func(_ app.Context, e app.Event) {
		if text, ok := dataAround(e, name); ok {
			f(text)
		}
	}, app.EventScope(name)
}

// onNumber is onData for a number.
func onNumber(name string, f func(int)) (app.EventHandler, app.EventOption) {
	return onData(name, func(text string) {
		if n, err := strconv.Atoi(text); err == nil {
			f(n)
		}
	})
}

// widthOf is an element's width in pixels, or assumed.
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

// attribute is a boolean attribute. In prerendered HTML false would count as set.
func attribute(there bool) string {
	if there {
		return "true"
	}
	return ""
}
