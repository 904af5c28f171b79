// Package app is the page: components of go-app that draw a session, and ask a
// worker by package message for all that is to be computed.
//
// A session knows what is there and what happens next, and no browser. Components
// only draw it and hand it what the user does, so that most of the page is tested
// without one.
package app

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// Mount registers the page. The client is nil where there is no browser, for the
// HTML that is sent before the program runs.
func Mount(c *message.Client) {
	app.Route("/", func() app.Composer { return &page{s: newSession(c)} })
}

// The page is one screen: what goes in, what comes out, and one record large.
type page struct {
	app.Compo
	s      *session
	online bool
	stored bool
	update bool // a newer version of the page waits
	drag   bool // a file hovers over the page
}

// OnMount connects the session to the browser and to the worker.
func (p *page) OnMount(ctx app.Context) {
	s := p.s
	s.post = func(f func()) { ctx.Dispatch(func(app.Context) { f() }) }
	s.after = func(d time.Duration, f func()) { ctx.After(d, func(app.Context) { f() }) }
	p.online = true
	p.look(ctx)
	query := ctx.Page().URL().Query()
	if a, err := strconv.ParseFloat(query.Get("alpha"), 64); err == nil && a > 0 && a <= mostAlpha {
		s.alpha = a
	}
	if f, err := strconv.ParseFloat(query.Get("fdr"), 64); err == nil && slices.Contains(rates, f) {
		s.fdr = f
	}
	s.by = deciderOf(query.Get("by"))
	if s.client != nil {
		s.start(query.Get("model"))
		s.recall(store{ctx})
	}
}

// OnAppUpdate offers the newer version.
func (p *page) OnAppUpdate(ctx app.Context) { p.update = ctx.AppUpdateAvailable() }

// OnAppInstallChange draws the button that installs, or takes it away.
func (p *page) OnAppInstallChange(app.Context) {}

// look asks the browser now and then whether it has a network and keeps the page.
func (p *page) look(ctx app.Context) {
	if t, ok := tools(); ok {
		p.online = t.Call("online").Bool()
		p.stored = t.Call("stored").Bool()
	}
	ctx.After(5*time.Second, p.look)
}

// address keeps the settings in the address of the page, and never what is scored.
func (s *session) address() {
	query := "?alpha=" + strconv.FormatFloat(s.alpha, 'g', 3, 64)
	if s.fdr > 0 {
		query += "&fdr=" + strconv.FormatFloat(s.fdr, 'g', 3, 64)
	}
	if s.by != eachAlone {
		query += "&by=" + deciderWords[s.by].key
	}
	if s.model != nil && s.model.BuiltIn {
		query = "?model=" + s.model.Name + "&" + query[1:]
	}
	app.Window().Get("history").Call("replaceState", nil, "", query)
}

// Render implements app.Composer.
func (p *page) Render() app.UI {
	s := p.s
	class := "page"
	if s.selected >= 0 {
		class += " has-selection"
	}
	if p.drag {
		class += " dragging"
	}
	// What drives the page, as tests do, sees by these what it is doing, and of which input.
	return app.Div().ID("page").Class(class).DataSet("phase", s.phase.String()).DataSet("run", s.run).Body(
		p.header(),
		app.Main().Class("desk").Body(
			&inputPane{S: s, Rev: s.rev.input},
			&resultPane{S: s, Rev: s.rev.table},
			&inspectorPane{S: s, Rev: s.rev.inspector, Judged: s.rev.strip},
		),
		&labPane{S: s, Rev: s.rev.lab},
		&modelDialog{S: s, Rev: s.rev.head},
		&trainDialog{S: s, Rev: s.rev.train},
		&drawDialog{S: s},
		&helpDialog{Held: len(s.references[eachAlone]), Guard: s.own(theBatch).guard},
		&privacyDialog{},
		app.Div().Class("drop-veil").Aria("hidden", true).Body(app.Div().Text("Drop the file to score it")),
		app.P().Class("sr-only").Role("status").Aria("live", "polite").Text(announcement(s)),
	).
		// An element that comes to lie below the pointer in the moment of the drop is only
		// entered: if it did not accept the file there, there would be no drop.
		On("dragenter", func(ctx app.Context, e app.Event) { e.PreventDefault(); p.drag = true }).
		On("dragover", func(ctx app.Context, e app.Event) { e.PreventDefault(); p.drag = true }).
		On("dragleave", func(ctx app.Context, e app.Event) {
			if !e.Get("relatedTarget").Truthy() {
				p.drag = false
			}
		}).
		On("drop", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			p.drag = false
			if t, ok := tools(); ok {
				takeFile(ctx, s, t.Call("dropped", e.Value))
			}
		}).
		On("keydown", func(ctx app.Context, e app.Event) {
			if e.Get("key").String() == "Escape" && s.selected >= 0 && !e.Get("defaultPrevented").Bool() {
				s.choose(-1)
			}
		})
}

// takeFile uses a file of the browser. A model becomes the one that is used; text
// that a person can read goes to the text area, where its errors are shown beside
// its lines, and all else is scored where it lies.
func takeFile(ctx app.Context, s *session, v app.Value) {
	f, ok := fileOf(v)
	if !ok {
		return
	}
	switch kindOf(f) {
	case modelFile:
		readFile(ctx, v, func(name string, data []byte, problem string) {
			if problem != "" {
				s.unreadable(name, problem)
				return
			}
			s.loadModel(stem(name), data)
		})
	case shortText:
		readFile(ctx, v, func(name string, data []byte, problem string) {
			if problem != "" {
				s.unreadable(name, problem)
				return
			}
			s.give(string(data), nil, "the input before")
		})
	default:
		s.give("", f, "the input before")
	}
}

// unreadable says that the browser does not hand over a file.
func (s *session) unreadable(name, problem string) {
	s.fail(&message.Failed{Code: message.CodeBadInput, Text: name + ": " + problem})
}

// What a file is by its name and size.
type fileKind uint8

const (
	inputFile fileKind = iota
	shortText          // SMILES that fit into the text area
	modelFile
)

// mostText is the longest text that goes to the text area, mostModel the largest
// file that is taken for a model.
const (
	mostText  = 200_000
	mostModel = 64 << 20
)

func kindOf(f *file) fileKind {
	lower := strings.ToLower(f.name)
	switch {
	case strings.HasSuffix(lower, ".msgpack") && f.size <= mostModel:
		return modelFile
	case f.size <= mostText && (strings.HasSuffix(lower, ".smi") || strings.HasSuffix(lower, ".smiles") || strings.HasSuffix(lower, ".txt")):
		return shortText
	}
	return inputFile
}

// announcement is what a screen reader is told of.
func announcement(s *session) string {
	if i := s.selected; i >= 0 && i < s.rows.len() {
		return s.rows.name(i) + ": " + s.rows.verdict[i].word()
	}
	switch s.phase {
	case done:
		return summary(s)
	case stopped:
		return "Cancelled"
	case broken:
		h, w := explain(s.failure)
		return h + ". " + w
	case scoring:
		return "Scoring"
	case reading:
		return "Reading"
	}
	return ""
}

func (p phase) String() string {
	return [...]string{"empty", "waiting", "reading", "scoring", "calibrating", "done", "stopped", "broken", "unstarted"}[p]
}

// header is the bar on top.
func (p *page) header() app.UI {
	s := p.s
	return app.Header().Class("bar").Body(
		app.H1().Class("mark").Body(app.Raw(markSVG), app.Span().Text("BaCa")),
		app.Button().ID("model-button").Class("model-button").Type("button").Aria("haspopup", "dialog").
			OnClick(func(app.Context, app.Event) { showDialog("models") }).
			Body(
				app.Span().Class("quiet").Text("Model"),
				app.Span().Class("model-name").Text(modelLine(s)),
				icon("down"),
			),
		p.alpha(),
		p.by(),
		app.Span().Class("stretch"),
		p.state(),
		app.Button().Class("plain help-button").Type("button").Aria("haspopup", "dialog").Aria("label", "How to read this").
			OnClick(func(app.Context, app.Event) { showDialog("help") }).
			Body(icon("help"), app.Span().Text("How to read this")),
		app.Button().ID("private").Class("plain private-button").Type("button").Aria("haspopup", "dialog").
			OnClick(func(app.Context, app.Event) { showDialog("privacy") }).
			Body(icon("lock"), app.Span().Text("Nothing leaves this tab")),
	)
}

// modelLine is what the header says of the model.
func modelLine(s *session) string {
	switch {
	case s.loading != "" && s.toLoad > 0:
		return "loading " + s.loading + ", " + percent(float64(s.loaded)/float64(s.toLoad))
	case s.loading != "" || s.model == nil && s.modelFailure == nil:
		return "loading …"
	case s.model == nil:
		return "none could be loaded"
	}
	return title(s.model)
}

// alpha is the share of false alarms that the user accepts.
func (p *page) alpha() app.UI {
	s := p.s
	return app.Div().Class("alpha").Title("The share of ordinary molecules that may be called outside by mistake").Body(
		app.Label().For("alpha").Body(app.Span().Class("wide-only").Text("False alarms "), app.Text("α")),
		app.Input().ID("alpha").Type("range").Value(stepOf(s.alpha)).
			Aria("valuetext", percent(s.alpha)).
			OnInput(func(ctx app.Context, e app.Event) {
				step, err := strconv.Atoi(ctx.JSSrc().Get("value").String())
				if err == nil {
					s.setAlpha(alphaOf(step))
				}
			}).
			OnChange(func(app.Context, app.Event) { s.address() }),
		app.Output().For("alpha").Text(percent(s.alpha)),
	)
}

// by is the choice of what decides.
func (p *page) by() app.UI {
	s := p.s
	options := make([]app.UI, deciders)
	for d, w := range deciderWords {
		options[d] = app.Option().Value(w.key).Selected(decider(d) == s.by).Title(w.about).Text(w.name)
	}
	return app.Div().Class("by").Title(deciderWords[s.by].about).Body(
		app.Label().For("by").Text("Decided by"),
		app.Select().ID("by").Class("select").Aria("label", "What decides").
			OnChange(func(ctx app.Context, e app.Event) {
				s.decideBy(deciderOf(ctx.JSSrc().Get("value").String()))
				s.address()
			}).Body(options...))
}

// state says discreetly whether the page works without a network.
func (p *page) state() app.UI {
	var body []app.UI
	switch {
	case p.update:
		body = append(body, app.Button().Class("plain").Type("button").Text("New version: reload").
			OnClick(func(ctx app.Context, e app.Event) { ctx.Reload() }))
	case !p.online:
		body = append(body, app.Span().Class("quiet").Text("offline, and working"))
	case p.stored:
		body = append(body, app.Span().Class("quiet wide-only").Text("works offline"))
	}
	if t := p.s.train; t.library != nil && t.made == nil {
		text := "Training paused at " + strconv.Itoa(t.at) + " of " + strconv.Itoa(t.epochs)
		if t.on {
			text = "Training: epoch " + strconv.Itoa(t.latest.Epoch) + " of " + strconv.Itoa(t.epochs)
		}
		body = append(body, app.Button().Class("plain").Type("button").Text(text).
			OnClick(func(app.Context, app.Event) { showDialog("train") }))
	}
	return app.Div().Class("state").Body(body...)
}

// summary is a run in one sentence.
func summary(s *session) string {
	n := s.rows.counts
	judged := n[inside] + n[borderline] + n[outside]
	if judged == 0 {
		return ""
	}
	return things(n[outside], "record", "records") + " of " + count(judged) + " outside, " + count(n[borderline]) + " borderline"
}
