package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// tools are the page's own scripts, see web/src/tools.js. Nothing of this file does
// anything where there is no browser.
func tools() (app.Value, bool) {
	t := app.Window().Get("bacaTools")
	return t, t.Truthy()
}

// toJS copies bytes into the browser's memory.
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

// once is a function for the browser that is called one time.
func once(f func(args []app.Value)) app.Func {
	var fn app.Func
	fn = app.FuncOf(func(_ app.Value, args []app.Value) any {
		fn.Release()
		f(args)
		return nil
	})
	return fn
}

// fileOf describes a file of the browser, which stays where it is.
func fileOf(f app.Value) (*file, bool) {
	t, ok := tools()
	if !ok || !f.Truthy() {
		return nil, false
	}
	return &file{name: f.Get("name").String(), size: int(f.Get("size").Float()), number: t.Call("hold", f).Int()}, true
}

// readFile gives the bytes of a file of the browser, and calls back on the page's
// goroutine.
func readFile(ctx app.Context, f app.Value, then func(name string, data []byte, problem string)) {
	t, ok := tools()
	if !ok || !f.Truthy() {
		return
	}
	name := f.Get("name").String()
	t.Call("read", f, once(func(args []app.Value) {
		var data []byte
		problem := ""
		if args[1].Truthy() {
			problem = args[1].String()
		} else {
			data = fromJS(args[0])
		}
		ctx.Dispatch(func(app.Context) { then(name, data, problem) })
	}))
}

// save hands a file to the user.
func save(name, mediaType string, data []byte) {
	if t, ok := tools(); ok {
		t.Call("save", name, mediaType, toJS(data))
	}
}

// savePicture saves a picture as it is, or drawn as PNG.
func savePicture(name, picture string, png bool) {
	if !png {
		save(name+".svg", "image/svg+xml", []byte(picture))
		return
	}
	if t, ok := tools(); ok {
		t.Call("savePNG", name+".png", picture, once(func([]app.Value) {}))
	}
}

// A store is the browser's, for training that goes on after a reload.
type store struct{ ctx app.Context }

func (s store) put(name string, value []byte) {
	if t, ok := tools(); ok {
		t.Call("keep", name, toJS(value), once(func([]app.Value) {}))
	}
}

func (s store) get(name string, then func([]byte)) {
	s.kept(name, func(v app.Value) func() {
		var data []byte
		if v.Truthy() {
			data = fromJS(v)
		}
		return func() { then(data) }
	})
}

// kept takes a value of the store, and then calls back on the page's goroutine.
func (s store) kept(name string, take func(app.Value) func()) {
	t, ok := tools()
	if !ok {
		return
	}
	t.Call("kept", name, once(func(args []app.Value) {
		then := take(args[0])
		s.ctx.Dispatch(func(app.Context) { then() })
	}))
}

// putFile keeps a file. One of the browser is copied by it, outside of the memory
// of the page.
func (s store) putFile(name string, f *file) {
	if f.number == 0 {
		s.put(name, f.data)
		return
	}
	if t, ok := tools(); ok {
		t.Call("keepFile", name, f.number, once(func([]app.Value) {}))
	}
}

func (s store) getFile(name string, then func(*file)) {
	s.kept(name, func(v app.Value) func() {
		var f *file
		switch {
		case !v.Truthy():
		case v.Get("byteLength").Truthy():
			f = held(name, fromJS(v))
		default:
			f, _ = fileOf(v)
		}
		return func() { then(f) }
	})
}

func (s store) drop(name string) {
	if t, ok := tools(); ok {
		t.Call("forget", name, once(func([]app.Value) {}))
	}
}

// showDialog opens a dialog by its id, hideDialog closes it.
func showDialog(id string) { dialog("show", id) }
func hideDialog(id string) { dialog("hide", id) }

func dialog(what, id string) {
	t, ok := tools()
	if d := app.Window().GetElementByID(id); ok && d.Truthy() {
		t.Call(what, d)
	}
}

// around is the value of a data attribute of what an event happened on, or of what
// is around that.
func around(e app.Event, name string) (string, bool) {
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

// flag is the value of an attribute that is there or not. An attribute that says
// false would count as there in the HTML that is sent first.
func flag(there bool) string {
	if there {
		return "true"
	}
	return ""
}
