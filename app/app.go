// Package app is the page (Mount): go-app components that draw a session and pass user actions to it.
package app

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/lab"
	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A desk is the session and the lab that the page shows.
type desk struct {
	*run.Session
	Lab   *lab.Lab
	hover int // record under the pointer on the map
}

func newDesk(c *message.Client) *desk {
	s := run.New(c)
	return &desk{Session: s, Lab: lab.New(s)}
}

// Mount registers the page.
func Mount(c *message.Client) {
	app.Route("/", func() app.Composer { return &page{s: newDesk(c)} })
}

// HTML is the page before its program runs.
func HTML() (string, error) { return (&page{s: newDesk(nil)}).html() }

func (p *page) html() (string, error) {
	err := app.NewTestEngine().Load(p)
	return app.HTMLString(p), err
}

// page is the whole screen: input, result, and the inspector of one record.
type page struct {
	app.Compo
	s       *desk
	album   picture.Album
	offline bool
	stored  bool
	update  bool          // a newer version waits
	drag    bool          // a file hovers over the page
	news    []func()      // of the worker, not yet heard of, in order
	drawing time.Duration // of the latest news
}

// OnMount connects session, browser and worker.
func (p *page) OnMount(ctx app.Context) {
	s := p.s
	s.Post = func(f func()) {
		p.news = append(p.news, f)
		ctx.Dispatch(p.hear)
	}
	s.PostEvent = func(f func()) {
		p.news = append(p.news, f)
		if len(p.news) == 1 {
			ctx.After(p.pause(), p.hear)
		}
	}
	s.Pause = breathe
	s.After = func(d time.Duration, f func()) { ctx.After(d, func(app.Context) { f() }) }
	picture.Pen = paint
	p.checkNetwork(ctx)
	p.connect(ctx)
}

// hear takes the worker's news. The rows are judged and the page is drawn once for all of them.
func (p *page) hear(ctx app.Context) {
	if len(p.news) == 0 {
		ctx.PreventUpdate() // a reply came before
		return
	}
	begun, news := time.Now(), p.news
	p.news, task = nil, begun
	for _, f := range news {
		f()
		breathe()
	}
	p.s.JudgeNew()
	breathe()
	if !p.s.Busy() {
		task = time.Time{} // what is done is drawn as one
	}
	ctx.Defer(func(app.Context) { p.drawing = time.Since(begun) })
}

// pause is how long events are gathered: drawing them takes at most a twentieth of the time, on a busy machine too.
func (p *page) pause() time.Duration {
	return min(max(20*p.drawing, 100*time.Millisecond), 2*time.Second)
}

// task is when the page's goroutine last left the browser time for something else, zero while nothing is read or scored.
var task time.Time

// breathe lets the browser do what waits, such as painting and keys, if the page's goroutine has been at work for long.
// A task in the tab so stays short, though drawing the whole page takes long. While the user types there is no pause:
// a drawing would write an earlier text over what was typed in between.
func breathe() {
	if task.IsZero() || time.Since(task) < 8*time.Millisecond || typing() {
		return
	}
	time.Sleep(time.Millisecond)
	task = time.Now()
}

// typing tells whether a text field has the focus.
func typing() bool {
	focus := app.Window().Get("document").Get("activeElement")
	return focus.Truthy() && focus.Call("matches", "input, textarea").Bool()
}

func (p *page) OnAppUpdate(ctx app.Context) { p.update = ctx.AppUpdateAvailable() }

// checkNetwork checks regularly for a network and for offline storage.
func (p *page) checkNetwork(ctx app.Context) {
	if t, ok := tools(); ok {
		p.offline = !t.Call("online").Bool()
		p.stored = t.Call("stored").Bool()
	}
	ctx.After(5*time.Second, p.checkNetwork)
}

// Render draws the page. Classes of its root tell style sheets what is shown. It implements app.Composer.
func (p *page) Render() app.UI {
	s := p.s
	class := "page"
	if s.Inspector.Record >= 0 {
		class += " has-selection"
	}
	if s.Input.Folded() {
		class += " folded"
	}
	if s.Lab.Stage != "" {
		class += " in-story"
	}
	if s.Models.Visit != "" {
		class += " visiting"
	}
	if p.drag {
		class += " dragging"
	}
	// Tests read the state and the input from these.
	return app.Div().ID("page").Class(class).DataSet("phase", string(s.Phase)).DataSet("run", s.Run).Body(
		p.header(),
		app.Main().Class("desk").Body(
			&bandPane{S: s, Rev: s.Rev, Note: s.Note()},
			question(s),
			visited(s),
			visitedMap(s, &p.album),
			&inputPane{S: s, Rev: s.Rev},
			trainingDoor(s),
			exampleList(s),
			&resultPane{S: s, Album: &p.album, Rev: s.Rev.Rows, Drawn: p.album.Count, Seen: s.Glances.Count,
				Note: s.Note(), Near: s.Inspector.Detail.Value},
			&inspectorPane{S: s, Album: &p.album, Rev: s.Rev, Drawn: p.album.Count, Seen: s.Glances.Count},
		),
		&labPane{S: s, Album: &p.album, Rev: s.Rev, Drawn: p.album.Count, Frame: s.Lab.Frame},
		&dialogPane{S: s, ID: "train", Of: s.Rev.State},
		&dialogPane{S: s, ID: "models", Of: s.Rev.State},
		&dialogPane{S: s, ID: "draw", Of: s.Graphs() == 0},
		&dialogPane{S: s, ID: domainID, Of: s.Rev},
		&dialogPane{S: s, ID: "publish", Of: s.Rev.State},
		&dialogPane{S: s, ID: "help", Of: len(s.References[table.EachAlone])},
		&dialogPane{S: s, ID: "privacy"},
		app.Div().Class("drop-veil").Aria("hidden", true).Body(app.Div().Text(dropLine(s))),
		app.P().Class("sr-only").Role("status").Aria("live", "polite").Text(announcement(s)),
	).
		// An element that comes under the pointer during a drop is only entered: it must accept the
		// file, or there is no drop.
		On("dragenter", p.acceptDrag).
		On("dragover", p.acceptDrag).
		On("dragleave", func(ctx app.Context, e app.Event) {
			if !e.Get("relatedTarget").Truthy() {
				p.drag = false
			}
		}).
		On("drop", p.drop)
}

func (p *page) acceptDrag(_ app.Context, e app.Event) {
	e.PreventDefault()
	p.drag = true
}

// drop opens a dropped file: as a library to train on if it is dropped on the door of training, or else as the input.
func (p *page) drop(ctx app.Context, e app.Event) {
	e.PreventDefault()
	p.drag = false
	t, ok := tools()
	if !ok {
		return
	}
	file := t.Call("dropped", e.Value)
	if _, trains := dataAround(e, "door"); trains {
		openLibrary(p.s, file)
	} else {
		takeFile(ctx, p.s, file)
	}
}

// takeFile uses a browser's file: a model is selected, readable text goes to the text area, which
// shows errors by line, and all else is scored in place.
func takeFile(ctx app.Context, s *desk, v app.Value) {
	f, ok := browserFile(v)
	if !ok {
		return
	}
	switch {
	case f.IsModel():
		loadModelFile(ctx, s, v)
	case f.IsShort():
		readFile(ctx, s, v, func(name string, data []byte) { s.Input.GiveShort(name, f, data) })
	default:
		s.Input.Give(run.Given{File: f})
	}
}

// loadModelFile loads a model file and selects it.
func loadModelFile(ctx app.Context, s *desk, v app.Value) {
	readFile(ctx, s, v, func(name string, data []byte) { s.Models.Load(words.Stem(name), data) })
}

// header is the bar with the model, the state of the page, and its help.
func (p *page) header() app.UI {
	return app.Header().Class("bar").Body(
		app.H1().Class("mark").Body(app.Raw(markSVG), app.Span().Text("BaCa")),
		opens("models").ID("model-button").Class("model-button").Body(
			app.Span().Class("quiet").Text("Model"),
			app.Span().Class("model-name").Text(modelLine(&p.s.Models)),
			icon("down"),
		),
		app.Span().Class("stretch"),
		p.state(),
		opens("help").Class("plain help-button").Aria("label", "How to read this").
			Body(icon("help"), app.Span().Text("How to read this")),
		opens("privacy").ID("private").Class("plain private-button").Aria("label", "Nothing leaves this tab").
			Body(icon("lock"), app.Span().Text("Nothing leaves this tab")),
	)
}

// state says that there is a new version, or else that the page works offline, and how far a training is whose model is
// not made yet.
func (p *page) state() app.UI {
	var body []app.UI
	switch {
	case p.update:
		body = append(body, plain("New version: reload", func() { callTool("renew") }))
	case p.offline:
		body = append(body, quiet("offline, and working"))
	case p.stored:
		body = append(body, app.Span().Class("quiet wide-only").Text("works offline"))
	}
	if t := &p.s.Training; t.Library != nil && t.Made.Value == nil {
		body = append(body, plain(shortLine(t), func() { showDialog("train") }))
	}
	return app.Div().Class("state").Body(body...)
}
