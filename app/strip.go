package app

import (
	"math"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// stripPane is the distribution with a movable threshold.
type stripPane struct {
	app.Compo
	S     *desk
	Rev   int
	Phase run.Phase

	width    float64
	dragging bool // the threshold
	folded   bool // the input was, which leaves more room
}

const stripHeight = 96

func (p *stripPane) OnMount(ctx app.Context) { ctx.Defer(p.measure) }

func (p *stripPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

func (p *stripPane) OnUpdate(ctx app.Context) {
	if folded := p.S.Input.Folded(); p.width == 0 || folded != p.folded {
		p.folded = folded
		ctx.Defer(p.measure)
	}
}

// measure reads the width, which exists only with an input.
func (p *stripPane) measure(ctx app.Context) {
	ctx.Dispatch(func(app.Context) { p.width = widthOf("strip", 0) })
}

func (p *stripPane) Render() app.UI {
	breathe()
	s := p.S
	box := app.Div().ID("strip").Class("strip").
		On("pointerdown", func(ctx app.Context, e app.Event) {
			if !p.movable() || e.Get("button").Int() != 0 {
				return
			}
			p.dragging = true
			ctx.JSSrc().Call("setPointerCapture", e.Get("pointerId"))
			p.drag(ctx, e)
		}).
		On("pointermove", func(ctx app.Context, e app.Event) {
			if p.dragging {
				p.drag(ctx, e)
			} else {
				ctx.PreventUpdate()
			}
		}).
		On("pointerup", func(app.Context, app.Event) { p.dragging = false }).
		On("pointercancel", func(app.Context, app.Event) { p.dragging = false }).
		On("keydown", p.key)
	if len(s.Reference()) == 0 {
		waits := waitingFor(s)
		return box.Attr("hidden", attribute(waits == "")).Body(app.Div().Class("strip-wait quiet").Text(waits))
	}
	strip := p.picture()
	breathe()
	box.Body(app.Raw(strip.SVG(false)))
	if !p.movable() {
		return box
	}
	said := "no score is that unusual: the model's reference is too small"
	if t := s.Threshold(); !math.IsNaN(t) {
		said = words.Number(t) + ", " + words.Percent(s.Alpha) + " false alarms"
	}
	return box.
		Attr("tabindex", 0).Role("slider").Aria("label", "Threshold").
		Aria("valuemin", 0).Aria("valuemax", table.AlphaSteps).
		Aria("valuenow", table.AlphaSteps-table.StepOf(s.Alpha)).Aria("valuetext", said)
}

// movable reports whether the threshold can move: one by rate cannot.
func (p *stripPane) movable() bool { return len(p.S.Reference()) > 0 && !p.S.Rule().ByRate }

// picture is the strip of the deciding score, in the width of the pane.
func (p *stripPane) picture() picture.Strip {
	width := p.width
	if width == 0 {
		width = 720
	}
	return picture.StripOf(p.S.Session, width, stripHeight)
}

// pageSteps is how many steps of α the page keys move by.
const pageSteps = 8

// key moves the threshold by steps of α when a key is pressed. The arrow left moves it to the left, which is a larger
// α.
func (p *stripPane) key(_ app.Context, e app.Event) {
	by := map[string]int{"ArrowLeft": 1, "ArrowDown": -1, "ArrowRight": -1, "ArrowUp": 1, "PageUp": pageSteps,
		"PageDown": -pageSteps}[e.Get("key").String()]
	if by != 0 && p.movable() {
		e.PreventDefault()
		p.S.SetAlpha(table.AlphaOf(min(max(table.StepOf(p.S.Alpha)+by, 0), table.AlphaSteps)))
	}
}

// drag moves the threshold to the pointer.
func (p *stripPane) drag(ctx app.Context, e app.Event) {
	box := ctx.JSSrc().Call("getBoundingClientRect")
	p.S.MoveThreshold(p.picture().ScoreAt(e.Get("clientX").Float() - box.Get("left").Float()))
}
