package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
)

// paint draws by the page's script, nothing without a browser.
func paint(d picture.Drawing) string {
	t, ok := tools()
	if !ok {
		return ""
	}
	return t.Call("paint", map[string]any{
		"layout": d.Layout, "nodes": d.Nodes, "edges": values(d.Edges),
		"width": d.Width, "height": d.Height, "bond": d.Bond,
		"share": values(d.Share), "marked": values(d.Marked), "title": d.Title, "saved": d.Saved,
	}).String()
}

// lay lays out a plain graph by the page's script.
func lay(d picture.Drawing) string {
	t, ok := tools()
	if !ok {
		return ""
	}
	return t.Call("lay", d.Nodes, values(d.Edges)).String()
}

// values converts a list for the browser.
func values[T any](list []T) []any {
	v := make([]any, len(list))
	for i := range list {
		v[i] = list[i]
	}
	return v
}

// notDrawn replaces a missing drawing.
func notDrawn(problem string) app.UI {
	return app.Span().Class("not-drawn").Title(problem).Text("not drawn")
}
