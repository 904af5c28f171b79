package app

import (
	"math"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// stripPane is the distribution of the scores, with a threshold that can be moved.
type stripPane struct {
	app.Compo
	S     *session
	Rev   int
	Phase phase

	width    float64
	dragging bool // the threshold
}

const stripHeight = 132

// OnMount implements app.Mounter.
func (p *stripPane) OnMount(ctx app.Context) { ctx.Defer(p.measure) }

// OnResize implements app.Resizer.
func (p *stripPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

// OnUpdate implements app.Updater.
func (p *stripPane) OnUpdate(ctx app.Context) {
	if p.width == 0 {
		ctx.Defer(p.measure)
	}
}

// measure takes the width, which there is none of before there is an input.
func (p *stripPane) measure(ctx app.Context) {
	ctx.Dispatch(func(app.Context) { p.width = widthOf("strip", 0) })
}

// picture is the strip of what decides.
func (s *session) picture(width, height float64) strip {
	c := s.distribution(s.deciding(), width, height)
	c.title, c.verdict, c.threshold, c.fixed = "Scores", s.rows.verdict, s.threshold(), s.rule().fdr
	return c
}

// distribution is the strip of a decider, each record judged at α. All but eachAlone
// need a calibrated batch.
func (s *session) distribution(by decider, width, height float64) strip {
	r := s.references[by]
	c := strip{width: width, height: height, title: deciderWords[by].name, reference: r, threshold: r.threshold(s.alpha), fixed: true, selected: s.selected}
	var p []float64
	switch by {
	case theBatch:
		c.score, p, c.xlabel = s.rows.batch.score, s.rows.batch.scoreP, "score in the batch"
	case thePaper:
		c.score, p, c.xlabel = s.rows.batch.baca, s.rows.batch.bacaP, "S_BaCa"
	default:
		c.score, p, c.xlabel = s.rows.alone, s.rows.aloneP, "score"
	}
	if by == s.deciding() && !s.rule().fdr {
		c.verdict = s.rows.verdict
		return c
	}
	own := s.own(by)
	c.verdict = make([]verdict, len(p))
	for i, v := range p {
		c.verdict[i] = own.judge(v, s.rows.aloneP[i])
	}
	return c
}

// Render implements app.Composer.
func (p *stripPane) Render() app.UI {
	s := p.S
	width := p.width
	if width == 0 {
		width = 720
	}
	blank := len(s.reference) == 0
	box := app.Div().ID("strip").Class("strip").
		On("pointerdown", func(ctx app.Context, e app.Event) {
			if len(s.reference) == 0 || s.rule().fdr {
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
		On("keydown", func(ctx app.Context, e app.Event) {
			by := map[string]int{"ArrowLeft": 1, "ArrowDown": -1, "ArrowRight": -1, "ArrowUp": 1, "PageUp": 8, "PageDown": -8}[e.Get("key").String()]
			if by != 0 && !s.rule().fdr {
				e.PreventDefault()
				s.setAlpha(alphaOf(min(max(stepOf(s.alpha)+by, 0), alphaSteps)))
			}
		})
	if blank {
		return box.Attr("hidden", flag(waitingFor(s) == "")).Body(app.Div().Class("strip-wait quiet").Text(waitingFor(s)))
	}
	if s.rule().fdr { // the line follows from all p-values and cannot be moved
		return box.Body(app.Raw(s.picture(width, stripHeight).svg(false)))
	}
	t := s.threshold()
	words := "no score is that unusual: the model's reference is too small"
	if !math.IsNaN(t) {
		words = number(t) + ", " + percent(s.alpha) + " false alarms"
	}
	return box.
		Attr("tabindex", 0).Role("slider").Aria("label", "Threshold").
		Aria("valuemin", 0).Aria("valuemax", alphaSteps).Aria("valuenow", alphaSteps-stepOf(s.alpha)).Aria("valuetext", words).
		Body(app.Raw(s.picture(width, stripHeight).svg(false)))
}

// waitingFor is what stands where the distribution will be.
func waitingFor(s *session) string {
	switch {
	case s.phase == unstarted && s.model == nil:
		return "Waiting for the model …"
	case s.busy() || s.phase == waiting:
		return "The distribution appears with the first scores …"
	}
	return ""
}

// drag puts the threshold where the pointer is.
func (p *stripPane) drag(ctx app.Context, e app.Event) {
	box := ctx.JSSrc().Call("getBoundingClientRect")
	c := p.S.picture(p.width, stripHeight)
	p.S.moveThreshold(c.axis().value(e.Get("clientX").Float() - box.Get("left").Float()))
}

// moveThreshold judges so that a score from there on is outside.
func (s *session) moveThreshold(score float64) {
	if a := s.reference.p(score); !math.IsNaN(a) {
		s.setAlpha(min(a, mostAlpha))
	}
}
