package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/store"
)

// tools are the page's scripts, see web/src/tools.js. Without a browser this file does nothing.
func tools() (app.Value, bool) {
	t := app.Window().Get("bacaTools")
	return t, t.Truthy()
}

func callTool(name string, args ...any) {
	if t, ok := tools(); ok {
		t.Call(name, args...)
	}
}

func toJS(data []byte) app.Value {
	array := app.Window().Get("Uint8Array").New(len(data))
	app.CopyBytesToJS(array, data)
	return array
}

func fromJS(v app.Value) []byte {
	data := make([]byte, v.Get("byteLength").Int())
	app.CopyBytesToGo(data, v)
	return data
}

// once is a browser callback for one call, after which its memory is released.
func once(f func(args []app.Value)) app.Func {
	var fn app.Func
	fn = app.FuncOf(func(_ app.Value, args []app.Value) any {
		fn.Release()
		f(args)
		return nil
	})
	return fn
}

// browserFile describes a browser's file, which stays there.
func browserFile(f app.Value) (*store.File, bool) {
	t, ok := tools()
	if !ok || !f.Truthy() {
		return nil, false
	}
	return &store.File{Name: f.Get("name").String(), Size: int(f.Get("size").Float()), Number: t.Call("hold", f).Int()}, true
}

// await calls a script's function, and passes its answer on the page's goroutine.
func await(ctx app.Context, then func(answer []app.Value), name string, args ...any) {
	callTool(name, append(args, once(func(answer []app.Value) {
		ctx.Dispatch(func(app.Context) { then(answer) })
	}))...)
}

// readFile reads a browser's file and calls take. The session reports errors.
func readFile(ctx app.Context, s *desk, f app.Value, take func(name string, data []byte)) {
	if !f.Truthy() {
		return
	}
	name := f.Get("name").String()
	await(ctx, func(answer []app.Value) {
		if problem := problemOf(answer); problem != "" {
			s.Unreadable(name, problem)
			return
		}
		take(name, fromJS(answer[0]))
	}, "read", f)
}

// save offers a file to the user.
func save(name, mediaType string, data []byte) { callTool("save", name, mediaType, toJS(data)) }

// savePicture saves a picture, optionally as PNG.
func savePicture(ctx app.Context, s *desk, name, drawn string, png bool) {
	if png {
		tell(ctx, s, "Saved as SVG: ", "", "savePNG", name, drawn)
		return
	}
	save(name+".svg", "image/svg+xml", []byte(drawn))
}

// tell calls the script's function name. Then it shows a note: done, or if the function failed, failed and the problem.
func tell(ctx app.Context, s *desk, failed, done, name string, args ...any) {
	await(ctx, func(answer []app.Value) {
		note := done
		if problem := problemOf(answer); problem != "" {
			note = failed + problem
		}
		s.SetNote(note)
	}, name, args...)
}

// problemOf returns the error's text in a script's answer, which is its second value, or "" for none.
func problemOf(answer []app.Value) string {
	if answer[1].Truthy() {
		return answer[1].String()
	}
	return ""
}

// kept is the browser's store of models and checkpoints.
type kept struct{ ctx app.Context }

// Put stores a file. The browser copies its own outside of the page's memory.
func (k kept) Put(name string, f *store.File, then func(problem string)) {
	call, value := "keepFile", any(f.Number)
	if f.Number == 0 {
		call, value = "keep", toJS(f.Data)
	}
	await(k.ctx, func(answer []app.Value) { then(problemOf(answer)) }, call, name, value)
}

func (k kept) Drop(name string, then func()) {
	await(k.ctx, func([]app.Value) { then() }, "forget", name)
}

func (k kept) Last() { callTool("lasting") }

func (k kept) Claim(patient bool, then func(bool)) {
	await(k.ctx, func(answer []app.Value) { then(answer[0].Truthy()) }, "claim", patient)
}

func (k kept) Release() { callTool("release") }

// Get passes what is stored under a name to then, nil for nothing: bytes as a file in memory, and a browser's file as
// it is.
func (k kept) Get(name string, then func(*store.File)) {
	await(k.ctx, func(answer []app.Value) {
		var f *store.File
		switch v := answer[0]; {
		case !v.Truthy():
		case v.Get("byteLength").Truthy():
			f = store.NewFile(name, fromJS(v))
		default:
			f, _ = browserFile(v)
		}
		then(f)
	}, "kept", name)
}

// All passes all values whose names begin with prefix to then, and the problem if the store cannot be read.
func (k kept) All(prefix string, then func(map[string][]byte, string)) {
	await(k.ctx, func(answer []app.Value) {
		values := map[string][]byte{}
		if list := answer[0]; list.Truthy() {
			for i := range list.Length() {
				e := list.Index(i)
				values[e.Get("name").String()] = fromJS(e.Get("value"))
			}
		}
		then(values, problemOf(answer))
	}, "keptAll", prefix)
}

// showDialog opens a dialog, hideDialog closes it.
func showDialog(id string) { dialog("show", id) }
func hideDialog(id string) { dialog("hide", id) }

func dialog(what, id string) {
	if d := app.Window().GetElementByID(id); d.Truthy() {
		callTool(what, d)
	}
}

// paint returns a drawing as SVG, which the page's script makes (web/src/svg.js). It is empty without a browser.
func paint(d picture.Drawing) string {
	t, ok := tools()
	if !ok {
		return ""
	}
	return t.Call("paint", map[string]any{
		"layout": d.Layout, "nodes": d.Nodes, "edges": values(d.Edges),
		"width": d.Width, "height": d.Height, "bond": d.Bond,
		"names": values(d.Names), "lit": d.Lit, "share": values(d.Share), "marked": values(d.Marked), "title": d.Title, "saved": d.Saved,
	}).String()
}

// values converts a list for the browser.
func values[T any](list []T) []any {
	v := make([]any, len(list))
	for i := range list {
		v[i] = list[i]
	}
	return v
}

func notDrawn(problem string) app.UI {
	return app.Span().Class("not-drawn").Title(problem).Text("not drawn")
}
