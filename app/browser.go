package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/session"
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

// toJS copies bytes to the browser.
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

// once is a browser callback for one call.
func once(f func(args []app.Value)) app.Func {
	var fn app.Func
	fn = app.FuncOf(func(_ app.Value, args []app.Value) any {
		fn.Release()
		f(args)
		return nil
	})
	return fn
}

// ignore ignores a browser's answer.
func ignore([]app.Value) {}

// browserFile describes a browser's file, which stays there.
func browserFile(f app.Value) (*session.File, bool) {
	t, ok := tools()
	if !ok || !f.Truthy() {
		return nil, false
	}
	return &session.File{Name: f.Get("name").String(), Size: int(f.Get("size").Float()), Number: t.Call("hold", f).Int()}, true
}

// readFile reads a browser's file and calls take on the page's goroutine. The session reports
// errors.
func readFile(ctx app.Context, s *session.Session, f app.Value, take func(name string, data []byte)) {
	if !f.Truthy() {
		return
	}
	name := f.Get("name").String()
	callTool("read", f, once(func(args []app.Value) {
		ctx.Dispatch(func(app.Context) {
			if args[1].Truthy() {
				s.Unreadable(name, args[1].String())
				return
			}
			take(name, fromJS(args[0]))
		})
	}))
}

// save offers a file to the user.
func save(name, mediaType string, data []byte) { callTool("save", name, mediaType, toJS(data)) }

// savePicture saves a picture, optionally as PNG.
func savePicture(name, drawn string, png bool) {
	if png {
		callTool("savePNG", name+".png", drawn, once(ignore))
		return
	}
	save(name+".svg", "image/svg+xml", []byte(drawn))
}

// A store is the browser's store of models and checkpoints.
type store struct{ ctx app.Context }

func (s store) Put(name string, value []byte, then func(problem string)) {
	callTool("keep", name, toJS(value), once(func(args []app.Value) {
		s.ctx.Dispatch(func(app.Context) { then(problemOf(args)) })
	}))
}

// problemOf returns an error's text, or nothing.
func problemOf(args []app.Value) string {
	if args[1].Truthy() {
		return args[1].String()
	}
	return ""
}

func (s store) Drop(name string, then func()) {
	callTool("forget", name, once(func([]app.Value) { s.ctx.Dispatch(func(app.Context) { then() }) }))
}

func (s store) Last() { callTool("lasting") }

func (s store) Claim(patient bool, then func(bool)) {
	callTool("claim", patient, once(func(args []app.Value) { s.ctx.Dispatch(func(app.Context) { then(args[0].Truthy()) }) }))
}

func (s store) Release() { callTool("release") }

func (s store) Get(name string, then func([]byte)) {
	s.fetch(name, func(v app.Value) {
		var data []byte
		if v.Truthy() {
			data = fromJS(v)
		}
		then(data)
	})
}

func (s store) All(prefix string, then func(map[string][]byte, string)) {
	callTool("keptAll", prefix, once(func(args []app.Value) {
		s.ctx.Dispatch(func(app.Context) {
			values := map[string][]byte{}
			if list := args[0]; list.Truthy() {
				for i := range list.Length() {
					e := list.Index(i)
					values[e.Get("name").String()] = fromJS(e.Get("value"))
				}
			}
			then(values, problemOf(args))
		})
	}))
}

// fetch passes a stored value to take on the page's goroutine.
func (s store) fetch(name string, take func(app.Value)) {
	callTool("kept", name, once(func(args []app.Value) {
		s.ctx.Dispatch(func(app.Context) { take(args[0]) })
	}))
}

// PutFile stores a file. The browser copies its own outside of the page's memory.
func (s store) PutFile(name string, f *session.File) {
	if f.Number == 0 {
		s.Put(name, f.Data, func(string) {})
		return
	}
	callTool("keepFile", name, f.Number, once(ignore))
}

func (s store) GetFile(name string, then func(*session.File)) {
	s.fetch(name, func(v app.Value) {
		var f *session.File
		switch {
		case !v.Truthy():
		case v.Get("byteLength").Truthy():
			f = session.NewFile(name, fromJS(v))
		default:
			f, _ = browserFile(v)
		}
		then(f)
	})
}

// showDialog opens a dialog, hideDialog closes it.
func showDialog(id string) { dialog("show", id) }
func hideDialog(id string) { dialog("hide", id) }

func dialog(what, id string) {
	if d := app.Window().GetElementByID(id); d.Truthy() {
		callTool(what, d)
	}
}
