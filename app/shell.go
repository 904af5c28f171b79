package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/frame"
	"baca/app/store"
)

// connect joins the session to what outlasts the page: address, links, stored input, an outer page, and the system.
func (p *page) connect(ctx app.Context) {
	s := p.s
	t, ok := tools()
	if !ok {
		return
	}
	on := func(f func(args []app.Value)) app.Func {
		return app.FuncOf(func(_ app.Value, args []app.Value) any {
			f(args)
			return nil
		})
	}
	t.Call("escaped", on(func([]app.Value) {
		ctx.Dispatch(func(app.Context) {
			if s.Lab.Stage != "" {
				s.Lab.Close()
			} else {
				s.Inspector.Show(-1)
			}
		})
	}))
	query := ctx.Page().URL().Query()
	s.Settings.Read(query.Get)
	s.Moved = func() { keepAddress(s) }
	if query.Has("embed") {
		outer := frame.Serve(s.Session, func(json string) { t.Call("reply", json) })
		t.Call("served", on(func(args []app.Value) {
			text := args[0].String()
			ctx.Dispatch(func(app.Context) { outer.Ask(text) })
		}))
		s.Models.Start(query.Get("model"), kept{ctx})
		return
	}
	s.Restore(t.Call("keptInput").String())
	s.KeepInput = func(draft string) { t.Call("keepInput", draft) }
	t.Call("guard", app.FuncOf(func(app.Value, []app.Value) any { return s.AtRisk() }))
	linked := false // immediate results come with the page
	t.Call("linked", on(func(args []app.Value) {
		text := args[0].String()
		if !linked {
			s.OpenLink(text)
			return
		}
		ctx.Dispatch(func(app.Context) { s.OpenLink(text) })
	}))
	linked = true
	t.Call("launched", on(func(args []app.Value) {
		ctx.Dispatch(func(ctx app.Context) { takeFile(ctx, s, args[0]) })
	}))
	s.Models.Start(query.Get("model"), kept{ctx})
	s.Training.Recall(kept{ctx})
}

// keepAddress stores settings in the address, never the input.
func keepAddress(s *desk) {
	query := s.Query()
	if app.Window().URL().Query().Has("embed") {
		query += "&embed"
	}
	app.Window().Get("history").Call("replaceState", nil, "", query)
}

// copyLink copies a link to the shown rows.
func copyLink(ctx app.Context, s *desk) {
	text, note := s.Link()
	if text == "" {
		s.SetNote(note)
		return
	}
	location := app.Window().Get("location")
	link := location.Get("origin").String() + location.Get("pathname").String() + "#" + text
	tell(ctx, s, notCopied, note, "copy", link)
}

// ownState says where such a model is.
func ownState(m *store.OwnModel) app.UI {
	switch {
	case m.Problem != "":
		return app.P().Class("bad-text small own-state").Text(m.Problem)
	case m.Kept:
		return app.P().Class("quiet small own-state").Text("Kept in this browser until you delete it.")
	}
	return app.P().Class("quiet small own-state").Text("Here until the tab closes.")
}

// goneLine offers to undo the last deletion.
func goneLine(s *desk) app.UI {
	gone := s.Models.Gone
	return app.Div().ID("model-gone").Class("model-gone").Role("status").Body(app.If(gone != nil, func() app.UI {
		return app.P().Body(
			app.Text(gone.Card.Name+" is deleted. "),
			plain("Undo", s.Models.Undelete).ID("model-undo"))
	}))
}
