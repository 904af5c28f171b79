package app

import (
	"fmt"
	"math"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// labPane is the strip of stages: progress while it runs, and the door to their
// pictures afterwards.
type labPane struct {
	app.Compo
	S   *session
	Rev int

	width float64
}

// OnMount implements app.Mounter.
func (p *labPane) OnMount(ctx app.Context) { ctx.Defer(p.measure) }

// OnResize implements app.Resizer.
func (p *labPane) OnResize(ctx app.Context) { ctx.Defer(p.measure) }

func (p *labPane) measure(ctx app.Context) {
	ctx.Dispatch(func(app.Context) { p.width = widthOf("stages", 1200) })
}

// Render implements app.Composer.
func (p *labPane) Render() app.UI {
	s := p.S
	class := "lab"
	if s.lab.open != "" {
		class += " open"
	}
	return app.Footer().Class(class).Body(
		app.Div().ID("lab-panel").Class("lab-panel").Attr("hidden", flag(s.lab.open == "")).Body(p.panel()...),
		app.Div().ID("stages").Class("stages").Body(
			app.Ol().Class("stage-list").OnClick(func(ctx app.Context, e app.Event) {
				if stage, ok := around(e, "stage"); ok {
					s.openLab(stage)
					if s.lab.open != "" {
						ctx.ScrollTo("lab-panel") // on a narrow screen it is far from here
					}
				}
			}).Body(p.stages()...),
			app.Div().Class("run-state").Body(p.state()...),
		),
	)
}

// stages are the steps of a run, each with how far it is.
func (p *labPane) stages() []app.UI {
	s := p.S
	var items []app.UI
	for _, w := range stageWords {
		progress, there := s.progress[w.stage]
		if !there && (w.stage == message.StageSample || w.stage == message.StageCompare) {
			continue // short inputs do without
		}
		if ofBatch(w.stage) && s.opened != nil && s.unfit() != "" {
			continue // there is no batch
		}
		class, share := "stage todo", 0.0
		switch {
		case s.stage == w.stage && s.busy():
			class = "stage now"
			if progress.Total > 0 {
				share = float64(progress.Done) / float64(progress.Total)
			}
		case there || s.phase == done && w.stage == message.StageParse:
			class, share = "stage was", 1
		}
		items = append(items, app.Li().Class(class).Body(
			app.Button().Type("button").DataSet("stage", w.stage).Title(w.about).
				Disabled(!there && !(ofBatch(w.stage) && s.phase == done && s.graphs() > 0)).Aria("expanded", s.lab.open == w.stage).
				Body(
					app.Span().Class("stage-name").Text(w.name),
					app.Span().Class("stage-count").Text(stageCount(w.stage, progress, there, s.stage == w.stage && s.busy())),
					app.Raw(fmt.Sprintf(`<svg class="stage-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true"><rect class="stage-done" width="%s" height="3"/></svg>`, num(100*share))),
				)))
	}
	if s.phase == done && s.rows.len() > s.rows.counts[refused] {
		items = append(items, p.driftStage())
	}
	return items
}

// driftStage is the door to the test for drift. It is no stage of a run: nothing is
// done before somebody asks.
func (p *labPane) driftStage() app.UI {
	s := p.S
	what := ""
	if d := s.lab.drift; d != nil {
		what = "none seen"
		if d.Moved > 0 {
			what = "moved"
		}
	}
	return app.Li().Class("stage was apart").Body(
		app.Button().Type("button").DataSet("stage", message.StageDrift).Title(driftAbout).Aria("expanded", s.lab.open == message.StageDrift).Body(
			app.Span().Class("stage-name").Text("drift"),
			app.Span().Class("stage-count").Text(what)))
}

const driftAbout = "Does the input, in its order, come from where the training set came from?"

// drift is the way of the bets against that.
func (p *labPane) drift() app.UI {
	s := p.S
	switch d := s.lab.drift; {
	case d != nil:
		name := ""
		if d.Moved > 0 {
			name = s.recordName(d.Record)
		}
		x := make([]float64, len(d.X))
		for i, v := range d.X {
			x[i] = float64(v)
		}
		low, high := spread(d.Path)
		level := -math.Log10(d.Delta)
		w := p.half()
		if p.width >= 760 {
			w = min(1.4*w, 960)
		}
		return app.Div().Class("drift").Body(
			app.P().ID("drift-sentence").Text(driftSentence(d, name)),
			figure("Evidence", "in powers of ten, after each record; the dashed line is where it becomes an alarm", "drift", plot{
				width: w, height: 210, title: "Evidence of drift", xlabel: "records so far", x: x, curves: []curve{{"evidence", "line", d.Path}},
				low: min(low, -1), high: max(high, 1.2*level), level: level,
			}),
			app.P().Class("quiet small").Text("Each record is scored by itself, so the batch plays no part. The order matters: a file that is sorted drifts. The test says that something has moved, and neither what nor that it matters. No alarm means no evidence so far."))
	case s.lab.driftTrouble != nil && s.lab.driftTrouble.Code == message.CodeCancelled:
		return app.Div().Class("controls").Body(app.P().Class("quiet").Text("Cancelled."), app.Button().Class("button").Type("button").Text("Start again").OnClick(func(app.Context, app.Event) { s.watchDrift() }))
	case s.lab.driftTrouble != nil:
		_, what := explain(s.lab.driftTrouble)
		return app.P().Class("quiet").Text(what)
	case s.task != nil:
		return app.Div().Class("controls").Body(app.P().Class("quiet").Text(s.task.words()), endTaskButton(s))
	}
	return app.Div().Class("controls").Body(app.Button().Class("button").Type("button").Text("Look at them in their order").Disabled(s.phase != done || s.train.on).OnClick(func(app.Context, app.Event) { s.watchDrift() }))
}

// endTaskButton ends what the worker does beside.
func endTaskButton(s *session) app.UI {
	return app.Button().Class("button end-task").Type("button").Disabled(s.task == nil || s.task.ending).Text("Cancel").OnClick(func(app.Context, app.Event) { s.endTask() })
}

// stageCount is the number beside a stage: how far it is, or what it came to.
func stageCount(stage string, p message.Progress, there, now bool) string {
	switch {
	case !there:
		return ""
	case stage == message.StageParse:
		return count(p.Records)
	case p.Total <= 1:
		return ""
	case stage == message.StageAttention && now:
		return "t = " + count(p.Done) + " / " + count(p.Total)
	case stage == message.StageAttention:
		return "T = " + count(p.Total)
	case now && p.Done < p.Total:
		return count(p.Done) + " / " + count(p.Total)
	}
	return count(p.Total)
}

// state is what the run is doing, with the button that ends it.
func (p *labPane) state() []app.UI {
	s := p.S
	switch s.phase {
	case reading, scoring, calibrating:
		text := "Reading …"
		if s.phase == scoring {
			text = "Scoring …"
		}
		if s.phase == calibrating {
			text = "Calibrating the batch …"
		}
		return []app.UI{
			app.Span().Class("quiet").Text(text),
			app.Button().ID("cancel").Class("button").Type("button").Body(icon("stop"), app.Text("Cancel")).
				OnClick(func(app.Context, app.Event) { s.cancel() }),
		}
	case done:
		text := count(s.rows.len()) + " in " + duration(s.took)
		if s.scored != nil && s.scored.Workers > 1 {
			text += " by " + count(s.scored.Workers) + " workers"
		}
		if s.scored != nil && s.scored.Device != "" {
			text += " on the " + s.scored.Device
		}
		if s.calibrated() {
			text += ", the batch in " + duration(s.batchTook)
		}
		if auc := s.auc(); auc > 0 {
			text += ", AUC " + number(auc)
		}
		return []app.UI{app.Span().ID("took").Class("quiet").Text(text)}
	case stopped:
		return []app.UI{app.Span().Class("quiet").Text("cancelled")}
	}
	if s.welcome == nil && s.modelFailure == nil {
		return []app.UI{app.Span().Class("quiet").Text("starting …")}
	}
	if s.welcome != nil {
		return []app.UI{app.Span().Class("quiet").Text("BaCa " + s.welcome.Program)}
	}
	return nil
}

// panel is the picture of the stage that is open.
func (p *labPane) panel() []app.UI {
	s := p.S
	if s.lab.open == "" {
		return nil
	}
	name, about := "drift", driftAbout
	for _, w := range stageWords {
		if w.stage == s.lab.open {
			name, about = w.name, w.about
		}
	}
	body := []app.UI{app.Div().Class("pane-head").Body(
		app.H2().Text("Lab: "+name), app.Span().Class("quiet").Text(about), app.Span().Class("stretch"),
		app.Button().Class("plain icon-only").Type("button").Aria("label", "Close the lab").
			OnClick(func(app.Context, app.Event) { s.openLab(s.lab.open) }).Body(icon("close")))}
	if ofBatch(s.lab.open) && !s.calibrated() && (s.lab.open != message.StageAttention || len(s.iterations) == 0) {
		return append(body, p.before())
	}
	switch s.lab.open {
	case message.StageEstimate, message.StageMixup:
		return append(body, p.graphons())
	case message.StageAttention:
		return append(body, p.attention())
	case message.StageDrift:
		return append(body, p.drift())
	}
	return append(body, p.distributions())
}

// half is the width of one of two pictures beside each other.
func (p *labPane) half() float64 {
	w := p.width
	if w == 0 {
		w = 1200
	}
	if w < 760 {
		return max(w-32, 280)
	}
	return min((w-64)/2, 720)
}

// auc is that of what decides, by the labels of the input; NaN without.
func (s *session) auc() float64 {
	if s.scored == nil {
		return math.NaN()
	}
	return [deciders]float64{s.scored.AUC, s.scored.BatchAUC, s.scored.PaperAUC}[s.deciding()]
}

// before is what there is to see of a stage before the batch is calibrated.
func (p *labPane) before() app.UI {
	s := p.S
	if s.phase == calibrating {
		for _, w := range stageWords {
			if progress := s.progress[w.stage]; w.stage == s.stage {
				text := "The batch is being calibrated: " + w.name
				if n := stageCount(w.stage, progress, true, true); n != "" {
					text += ", " + n
				}
				return app.P().ID("calibrating").Class("quiet").Text(text + ". The verdicts above stay as they are.")
			}
		}
		return app.P().ID("calibrating").Class("quiet").Text("The batch is being calibrated …")
	}
	if why := s.unfit(); why != "" {
		return app.P().Class("quiet").Text(why)
	}
	return app.Div().Class("controls").Body(
		app.P().Class("quiet").Text("Pictures of this stage are there once the batch is calibrated."),
		app.Button().Class("button").Type("button").Disabled(s.phase != done || s.task != nil || s.train.on).Text("Calibrate the batch").
			OnClick(func(app.Context, app.Event) { s.calibrate() }))
}

// distributions are the scores by each of what can decide.
func (p *labPane) distributions() app.UI {
	s := p.S
	figures := []app.UI{}
	for by := range deciders {
		if len(s.references[by]) == 0 || by != eachAlone && !s.calibrated() {
			continue
		}
		about := "nothing else in the list matters"
		switch by {
		case theBatch:
			about = "where the list differs has a weight of " + percent(s.fitted.Weight)
		case thePaper:
			about = "the sum of S_Pre and S_Attn"
		}
		figures = append(figures, figure(deciderWords[by].name, about, deciderWords[by].key, s.distribution(by, p.half(), 170)))
	}
	if t := s.parted; t != nil {
		figures = append(figures, app.P().Class("quiet").Text(fmt.Sprintf("Parted by S_Pre: %s taken for inside, %s for outside, before anything is learned.", count(len(t.Inside)), count(len(t.Outside)))))
	}
	if len(figures) == 0 {
		figures = append(figures, app.P().Class("quiet").Text("Nothing is scored yet."))
	}
	return app.Div().Class("figures").Body(figures...)
}

// A picture can be drawn for the page and for a file.
type picture interface{ svg(saved bool) string }

// figure is a picture with a caption and a button that saves it.
func figure(title, caption, file string, c picture) app.UI {
	drawn := c.svg(false)
	return app.Figure().Class("figure").Body(
		app.FigCaption().Body(app.Strong().Text(title), app.Span().Class("quiet").Text(" "+caption),
			app.Span().Class("stretch"),
			saveButtons(title, "baca-"+file, drawn, func() string { return c.svg(true) })),
		app.Raw(drawn),
	)
}

// saveButtons save a picture in both forms. The scope is what the picture is made
// of: with another one the buttons are others.
func saveButtons(title, file, scope string, picture func() string) app.UI {
	return app.Span().Class("save-buttons").Body(
		app.Button().Class("plain save-as").Type("button").Aria("label", "Save "+title+" as SVG").DataSet("save-as", file+".svg").Text("SVG").
			OnClick(func(app.Context, app.Event) { savePicture(file, picture(), false) }, app.EventScope(scope)),
		app.Button().Class("plain save-as").Type("button").Aria("label", "Save "+title+" as PNG").DataSet("save-as", file+".png").Text("PNG").
			OnClick(func(app.Context, app.Event) { savePicture(file, picture(), true) }, app.EventScope(scope)),
	)
}

// graphons are two of one side, and their mixture.
func (p *labPane) graphons() app.UI {
	s := p.S
	l := &s.lab
	controls := app.Div().Class("controls").Body(
		app.Div().Class("segments").Role("group").Aria("label", "Side").Body(
			app.Button().Type("button").Aria("pressed", l.side == "ID").Text("Inside").OnClick(func(app.Context, app.Event) { s.pairOf("ID", 0, 1) }),
			app.Button().Type("button").Aria("pressed", l.side == "OOD").Text("Outside").OnClick(func(app.Context, app.Event) { s.pairOf("OOD", 0, 1) }),
		),
		app.Label().For("lambda").Text("λ"),
		app.Input().ID("lambda").Type("range").Value(int(l.lambda*100+0.5)).Aria("valuetext", number(l.lambda)).
			OnInput(func(ctx app.Context, e app.Event) {
				if v, err := strconv.Atoi(ctx.JSSrc().Get("value").String()); err == nil {
					s.setLambda(float64(v) / 100)
				}
			}).
			OnChange(func(app.Context, app.Event) { s.sample() }),
		app.Output().For("lambda").Text(number(l.lambda)),
		app.Button().Class("button").Type("button").Text("Another pair").Disabled(l.pair == nil || l.pair.Graphs < 3).OnClick(func(app.Context, app.Event) {
			if g := l.pair; g != nil {
				s.pairOf(l.side, (g.I+1)%g.Graphs, (g.J+2)%g.Graphs)
			}
		}),
	)
	if l.trouble != nil {
		_, what := explain(l.trouble)
		return app.Div().Body(controls, app.P().Class("quiet").Text(what))
	}
	g := l.pair
	if g == nil {
		return app.Div().Body(controls, app.P().Class("quiet").Text("Estimating …"))
	}
	const side = 220
	m := mix(g.WI, g.WJ, l.lambda)
	d := message.Detailed{Atoms: make([]message.Atom, min(max(g.Nodes, 0), 120))}
	for i := 0; i+1 < len(g.Edges); i += 2 {
		if a, b := int(g.Edges[i]), int(g.Edges[i+1]); min(a, b) >= 0 && max(a, b) < len(d.Atoms) {
			d.Bonds = append(d.Bonds, message.Bond{From: a, To: b, Order: 1})
		}
	}
	tile := func(title, caption, file string, picture func(saved bool) string) app.UI {
		drawn := picture(false)
		return app.Figure().Class("tile").Body(
			app.FigCaption().Body(
				app.Strong().Text(title), app.Span().Class("stretch"),
				saveButtons(title, "baca-"+file, drawn, func() string { return picture(true) })),
			app.Raw(drawn),
			app.P().Class("quiet small").Text(caption))
	}
	graphon := func(title, name, file string, w []float32) app.UI {
		return tile(title, name, file, func(saved bool) string { return heatmap(w, g.N, side, "Graphon of "+name, saved) })
	}
	return app.Div().Body(controls, app.Div().Class("tiles").Body(
		graphon("Wᵢ", s.recordName(g.RecordI), "graphon-i", g.WI),
		graphon("Wⱼ", s.recordName(g.RecordJ), "graphon-j", g.WJ),
		tile("λ·Wᵢ + (1−λ)·Wⱼ", fmt.Sprintf("their mixture, %d × %d places", g.N, g.N), "mixture", func(saved bool) string { return heatmap(m, g.N, side, "Mixture", saved) }),
		tile("Drawn from it", "a graph of "+things(g.Nodes, "node", "nodes"), "drawn", func(saved bool) string {
			return plain(&d).depict(side, side, 30, nil, nil, "Graph drawn from the mixture", saved)
		}),
	))
}

func (s *session) recordName(i int) string {
	if i < 0 || i >= s.rows.len() {
		return ""
	}
	return shorten(s.rows.name(i), 28)
}

// attention is what was learned, step by step.
func (p *labPane) attention() app.UI {
	s := p.S
	if len(s.iterations) == 0 {
		return app.P().Class("quiet").Text("No steps yet.")
	}
	var x, loss, kl, auc []float64
	for _, it := range s.iterations {
		x = append(x, float64(it.Step))
		loss, kl, auc = append(loss, it.Loss), append(kl, it.KL), append(auc, it.AUC)
	}
	w := p.half()
	figures := []app.UI{
		figure("Loss", "before each step", "loss", plot{width: w, height: 190, title: "Loss by step", xlabel: "step", x: x, curves: []curve{{"loss", "line", loss}}}),
		figure("KL divergence", "between the scores of both parts, in nats", "kl", plot{width: w, height: 190, title: "KL divergence by step", xlabel: "step", x: x, curves: []curve{{"KL", "line-out", kl}}}),
	}
	if known := newReference(auc); len(known) > 0 {
		figures = append(figures, figure("AUC", "by the labels of the file", "auc", plot{width: w, height: 190, title: "AUC by step", xlabel: "step", x: x, curves: []curve{{"AUC", "line-in", auc}}, low: 0, high: 1}))
	}
	figures = append(figures,
		figure("Inside dictionary", "what its keys are", "inside-dictionary", stack{"Inside dictionary", s.iterations, func(i message.Iteration) message.Contents { return i.ID }, w, 190}),
		figure("Outside dictionary", "what its keys are", "outside-dictionary", stack{"Outside dictionary", s.iterations, func(i message.Iteration) message.Contents { return i.OOD }, w, 190}),
	)
	return app.Div().Class("figures").Body(figures...)
}
