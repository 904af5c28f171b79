package app

import (
	"encoding/binary"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// mapPane shows the training set and the records in two dimensions. web/src/map.js draws.
type mapPane struct {
	app.Compo
	S     *desk
	Album *picture.Album
	Drawn int // drawings available
	Rev   table.Revisions
	Key   app.EventHandler
	Visit bool // of a published domain, which needs no records

	ctx        app.Context
	tell, pick app.Func
	drawn      drawnMap
	records    []int32 // on the map, see table.Mapped
}

// drawnMap is what the script has drawn last.
type drawnMap struct {
	of                     *message.Computed
	rows, chosen, pictures int
}

func (p *mapPane) OnMount(ctx app.Context) {
	p.ctx = ctx
	ctx.Defer(p.draw)
}

func (p *mapPane) OnDismount() {
	if p.tell != nil {
		p.tell.Release()
		p.pick.Release()
	}
}

func (p *mapPane) OnUpdate(ctx app.Context) { ctx.Defer(p.draw) }

func (p *mapPane) Render() app.UI {
	breathe()
	s := p.S
	pane := app.Div().ID("map").Class("map")
	switch found := p.found(); {
	case found.None():
		doing := "The molecules are being placed …"
		if !p.Visit && (s.Phase == run.Broken || s.Phase == run.Stopped) {
			doing = "The list was not scored to its end, so none of it is placed."
		} else if p.Visit {
			doing = "The map is laid out: similar molecules lie together …"
		} else if s.Task != nil {
			doing = "The map is laid out, once for this model: similar molecules lie together. " + s.Task.Words()
		}
		return pane.Body(app.P().Class("map-none quiet").Role("status").Text(s.Say(doing)))
	case found.Failure != nil:
		return pane.Body(app.Div().Class("map-none").
			Body(failure(words.FailureText(found.Failure)),
				button("Start again", func() { s.ComputeAgain(message.OfPlaces) }).Attr("hidden", attribute(p.Visit))))
	default:
		return pane.Body(
			app.Div().Class("map-box").Attr("tabindex", 0).Role("region").Aria("label", "Map of records").OnKeyDown(p.Key).Body(
				app.Canvas().ID("map-canvas").Role("img").Aria("label", "The training set in grey, and the records by verdict"),
				app.Div().Class("map-tip small").Attr("hidden", "true"),
				app.Div().Class("map-zoom").Body(zooms("+", "Closer", 1.6), zooms("−", "Further away", 1/1.6),
					zooms("all", "All of it", 0))),
			small(s.Say("Grey dots are training molecules, similar ones beside each other. Each of yours lies near the most similar one, "+
				"farther away the less similar it is.")+" "+p.sample()))
	}
}

// sample says of a long list how many rows the map shows, and which.
func (p *mapPane) sample() string {
	list, of := p.S.Mapped(p.S.Inspector.Record)
	if len(list) == of {
		return ""
	}
	return words.Count(len(list)) + " of " + words.Count(of) +
		" rows are shown, evenly over the list. Search or filter to see others; a row that you select is always shown."
}

// found is the map to draw, if it is there: with the input's records or, of a visited domain, else without.
func (p *mapPane) found() message.Answer[message.Computed] {
	placed := p.S.Rows.Computed[message.OfPlaces]
	if p.Visit && placed.Value == nil && p.S.Models.Map.Value != nil {
		return p.S.Models.Map
	}
	return placed
}

func zooms(text, about string, factor float64) app.UI {
	return app.Button().Type("button").Class("button").Title(about).Aria("label", about).Text(text).
		OnClick(func(app.Context, app.Event) {
			callTool("zoomMap", app.Window().GetElementByID("map-canvas"), factor)
		}, app.EventScope(text))
}

// draw gives the script places, verdicts and the choice.
func (p *mapPane) draw(app.Context) {
	s, canvas := p.S, app.Window().GetElementByID("map-canvas")
	s.Compute() // others may be shown now
	found := p.found().Value
	next := drawnMap{found, s.Rev.Rows, s.Inspector.Record, p.Drawn}
	if found == nil || !canvas.Truthy() || next == p.drawn {
		return
	}
	p.drawn = next
	if p.tell == nil {
		p.tell = app.FuncOf(func(_ app.Value, args []app.Value) any { return p.beside(int(p.records[args[0].Int()])) })
		p.pick = app.FuncOf(func(_ app.Value, args []app.Value) any {
			record := p.records[args[0].Int()]
			p.ctx.Dispatch(func(app.Context) { s.Inspector.Show(int(record)) })
			return nil
		})
	}
	p.records, _ = s.Mapped(s.Inspector.Record)
	p.records = slices.DeleteFunc(p.records, s.Rows.Unplaced)
	var places []float32
	for _, i := range p.records {
		places = append(places, s.Rows.Places[2*i:2*i+2]...)
	}
	callTool("showMap", canvas, map[string]any{
		"training": toJS(singles(found.Training)), "places": toJS(singles(places)), "kind": toJS(p.kinds()),
		"chosen": slices.Index(p.records, int32(s.Inspector.Record)), "tell": p.tell, "pick": p.pick,
	})
}

func singles(list []float32) []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, list) // a slice of numbers cannot fail
	return data
}

// kinds are the kinds of points of the records, see web/src/map.js.
func (p *mapPane) kinds() []byte {
	kinds := make([]byte, len(p.records))
	for k, i := range p.records {
		kinds[k] = byte(slices.Index(kindsOnMap, p.S.Rows.Verdict[i]) + 1)
	}
	return kinds
}

// kindsOnMap are the verdicts with a kind of point of their own, from 1; others have 0.
var kindsOnMap = []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside}

// beside is what stands beside a record under the pointer. Its structure comes when it is drawn.
func (p *mapPane) beside(record int) any {
	r := &p.S.Rows
	drawn := p.Album.Small(r.Picture(record))
	if p.S.hover != record && drawn == "" {
		p.S.hover = record
		p.ctx.Dispatch(func(app.Context) {
			p.S.Rev.Rows++
			p.drawn.rows++ // the map is as it was
		})
	}
	return map[string]any{"text": words.Shorten(r.Name(record), 60) + ": " + verdictWithP(r, record), "picture": drawn}
}
