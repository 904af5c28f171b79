package app

import (
	"html"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/words"
	"baca/wasm/message"
)

// button has a text. go-app identifies its handler by the text and of, what f is about.
func button(text string, f func(), of ...any) app.HTMLButton {
	return app.Button().Class("button").Type("button").Text(text).
		OnClick(func(app.Context, app.Event) { f() }, app.EventScope(append(of, text)...))
}

// plain is a button that looks like text.
func plain(text string, f func(), of ...any) app.HTMLButton {
	return app.Button().Class("plain").Type("button").Text(text).
		OnClick(func(app.Context, app.Event) { f() }, app.EventScope(append(of, text)...))
}

// signed is a button with a sign before the text.
func signed(sign, text string, f func(), of ...any) app.HTMLButton {
	return button("", f, append(of, text)...).Body(icon(sign), app.Text(text))
}

// opens is a button that opens a dialog.
func opens(dialog string) app.HTMLButton {
	return app.Button().Type("button").Aria("haspopup", "dialog").
		OnClick(func(app.Context, app.Event) { showDialog(dialog) }, app.EventScope(dialog))
}

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

// fileButton is a button that lets the user choose a file, and passes it to take.
func fileButton(id, text, label, accept string, take func(app.Context, app.Value)) app.UI {
	return app.Label().Class("button").Body(icon("file"), app.Text(text),
		app.Input().ID(id).Class("file-input").Type("file").Accept(accept).Aria("label", label).
			OnChange(func(ctx app.Context, e app.Event) {
				input := ctx.JSSrc()
				take(ctx, input.Get("files").Index(0))
				input.Set("value", "")
			}, app.EventScope(id)))
}

// shown hides an element without content. The element stays in its place, where go-app finds it again.
func shown[E interface {
	Attr(string, any) E
	Body(...app.UI) E
}](there bool, element E, body func() []app.UI) E {
	element = element.Attr("hidden", attribute(!there))
	if !there {
		return element
	}
	return element.Body(body()...)
}

func quiet(text string) app.UI { return app.Span().Class("quiet").Text(text) }

// failure says what went wrong, if anything did.
func failure(text string) app.HTMLP {
	return app.P().Class("bad-text").Role("alert").Attr("hidden", attribute(text == "")).Text(text)
}

// answered draws an answer. If the request failed, it says why. Before the answer it shows the text waiting.
func answered[T any](a message.Answer[T], waiting string, draw func(*T) app.UI) app.UI {
	switch {
	case a.Failure != nil:
		return quietLine(words.FailureText(a.Failure))
	case a.Value == nil:
		return quietLine(waiting)
	}
	return draw(a.Value)
}

// small explains.
func small(text string) app.HTMLP { return app.P().Class("quiet small").Text(text) }

func quietLine(text string) app.HTMLP { return app.P().Class("quiet").Text(text) }

// valueOf is the value of an event's input.
func valueOf(ctx app.Context) string { return ctx.JSSrc().Get("value").String() }

// dataAround returns the data attribute name of the event's target, or of its nearest ancestor that has it, and whether
// one has.
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

// onNumber is onData for attributes that are whole numbers. It ignores others.
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

// attribute is the value of a boolean attribute: "" leaves the attribute out. In prerendered HTML even "false" would
// set it.
func attribute(there bool) string {
	if there {
		return "true"
	}
	return ""
}

// A choice is an option of a select.
type choice struct{ value, text string }

// manyChoices are drawn as one piece: a table may have hundreds of columns.
const manyChoices = 40

// choices is a select that passes the value of the option chosen to choose. Many options are one piece of HTML.
func choices(id, chosen string, choose func(string), list ...choice) app.HTMLSelect {
	options := make([]app.UI, 0, min(len(list), manyChoices))
	if len(list) > manyChoices {
		options = append(options, optionGroup(chosen, list))
		list = nil
	}
	for _, c := range list {
		options = append(options, app.Option().Value(c.value).Text(c.text).Selected(c.value == chosen))
	}
	return app.Select().ID(id).Class("select").Body(options...).
		OnChange(func(ctx app.Context, _ app.Event) { choose(valueOf(ctx)) }, app.EventScope(id))
}

// optionGroup is a group of options.
func optionGroup(chosen string, list []choice) app.UI {
	var b strings.Builder
	b.WriteString(`<optgroup label="` + words.Plural(len(list), "choice", "choices") + `">`)
	for _, c := range list {
		selected := ""
		if c.value == chosen {
			selected = " selected"
		}
		b.WriteString(`<option value="` + html.EscapeString(c.value) + `"` + selected + `>` + html.EscapeString(c.text) + `</option>`)
	}
	b.WriteString(`</optgroup>`)
	return app.Raw(b.String())
}

// shares is a select of shares in percent.
func shares(id string, chosen float64, choose func(float64), list []float64) app.HTMLSelect {
	value := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	var options []choice
	for _, x := range list {
		options = append(options, choice{value(x), words.Percent(x)})
	}
	return choices(id, value(chosen), func(text string) {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			choose(x)
		}
	}, options...)
}

// columnSelect is a select of columns, except but, and of none.
func columnSelect(id string, columns []string, but, chosen string, choose func(string)) app.UI {
	list := []choice{{"", "none"}}
	for _, name := range columns {
		if name != but {
			list = append(list, choice{name, name})
		}
	}
	return choices(id, chosen, choose, list...)
}

// menu is a button with a list of items, of which a click chooses one by its data attribute.
// web/src/menu.js closes it and moves between items.
func menu(id, label, data string, button []app.UI, choose func(string), items ...app.UI) app.HTMLDetails {
	return app.Details().Class("menu").ID(id).Body(
		app.Summary().Class("button").Aria("haspopup", "menu").Body(button...),
		app.Div().Class("menu-list").Role("menu").Aria("label", label).OnClick(onData(data, choose)).Body(items...))
}

// item is an item of a menu.
func item(data, value, text, about string) app.HTMLButton {
	return app.Button().Type("button").Class("menu-item").Role("menuitem").DataSet(data, value).Body(
		app.Span().Text(text), app.Span().Class("quiet").Text(about))
}

// checked is a menu item with a mark if it is chosen. The role says whether others can be chosen, too.
func checked(role, data, value, text string, is bool, more ...app.UI) app.HTMLButton {
	return app.Button().Type("button").Class("menu-item choice").Role(role).Aria("checked", is).DataSet(data, value).Body(append([]app.UI{
		app.Span().Class("choice-mark").Aria("hidden", true), app.Span().Class("choice-name").Text(text)}, more...)...)
}
