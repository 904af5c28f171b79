package app

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/session"
	"baca/app/words"
	"baca/wasm/message"
)

// labPane is the strip of stages: progress while it runs, and the door to their
// pictures afterwards.
type labPane struct {
	app.Compo
	S   *session.Session
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
	if s.Lab.Stage != "" {
		class += " open"
	}
	return app.Footer().Class(class).Body(
		app.Div().ID("lab-panel").Class("lab-panel").Attr("hidden", attribute(s.Lab.Stage == "")).Body(p.panel()...),
		app.Div().ID("stages").Class("stages").Body(
			app.Ol().Class("stage-list").OnClick(func(ctx app.Context, e app.Event) {
				if stage, ok := dataAround(e, "stage"); ok {
					s.Lab.Open(stage)
					if s.Lab.Stage != "" {
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
	for _, w := range session.StageWords() {
		progress, there := s.Progress[w.Stage]
		if !there && (w.Stage == message.StageSample || w.Stage == message.StageCompare) {
			continue // short inputs do without
		}
		if session.OfBatch(w.Stage) && s.Opened != nil && s.Unfit() != "" {
			continue // there is no batch
		}
		now := s.Stage == w.Stage && s.Busy()
		class, share := "todo", 0.0
		switch {
		case now:
			class = "now"
			if progress.Total > 0 {
				share = float64(progress.Done) / float64(progress.Total)
			}
		case there:
			class, share = "was", 1
		}
		closed := !there && !(session.OfBatch(w.Stage) && s.Phase == session.Done && s.Graphs() > 0)
		count := ""
		if there {
			count = session.StageCount(progress, now)
		}
		items = append(items, app.Li().Class("stage "+class).Body(
			p.door(w.Stage, w.Name, w.About, count, app.Raw(picture.StageBar(share))).Disabled(closed)))
	}
	if s.Phase == session.Done && s.Graphs() > 0 {
		items = append(items, p.driftStage())
	}
	return items
}

// door is the button that opens a stage.
func (p *labPane) door(stage, name, about, count string, more ...app.UI) app.HTMLButton {
	return app.Button().Type("button").DataSet("stage", stage).Title(about).Aria("expanded", p.S.Lab.Stage == stage).Body(append([]app.UI{
		app.Span().Class("stage-name").Text(name),
		app.Span().Class("stage-count").Text(count),
	}, more...)...)
}

// driftStage is the door to the test for drift. It is no stage of a run: nothing is
// done before somebody asks.
func (p *labPane) driftStage() app.UI {
	found := ""
	if d := p.S.Lab.Drift; d != nil {
		found = "none seen"
		if d.Moved > 0 {
			found = "moved"
		}
	}
	return app.Li().Class("stage was apart").Body(p.door(message.StageDrift, "drift", driftAbout, found))
}

const driftAbout = "Does the input, in its order, come from where the training set came from?"

// controls are a line with a button.
func controls(line string, b app.UI) app.UI {
	return app.Div().Class("controls").Body(app.If(line != "", func() app.UI { return quietLine(line) }), b)
}

// drift is the way of the bets against that.
func (p *labPane) drift() app.UI {
	s := p.S
	switch failure := s.Lab.DriftFailure; {
	case s.Lab.Drift != nil:
		return p.drifted(s.Lab.Drift)
	case failure != nil && failure.Code == message.CodeCancelled:
		return controls("Cancelled.", button("Start again", s.Lab.WatchDrift))
	case failure != nil:
		_, what := session.FailureWords(failure)
		return quietLine(what)
	case s.Task != nil:
		return controls(s.Task.Words(), endTaskButton(s))
	}
	return controls("", button("Look at them in their order", s.Lab.WatchDrift).Disabled(s.Phase != session.Done || s.Training.On))
}

func (p *labPane) drifted(d *message.Drifted) app.UI {
	name := ""
	if d.Moved > 0 {
		name = p.S.Rows.ShortName(d.Record)
	}
	x := make([]float64, len(d.X))
	for i, v := range d.X {
		x[i] = float64(v)
	}
	low, high := picture.Spread(d.Path)
	level := -math.Log10(d.Delta)
	w := p.half()
	if p.width >= narrow {
		w = min(1.4*w, 960)
	}
	return app.Div().Class("drift").Body(
		app.P().ID("drift-sentence").Text(session.DriftSentence(d, name)),
		figure("Evidence", "in powers of ten, after each record; the dashed line is where it becomes an alarm", "drift", picture.Plot{
			Width: w, Height: 210, Title: "Evidence of drift", XLabel: "records so far", X: x, Curves: []picture.Curve{{Name: "evidence", Role: "line", Y: d.Path}},
			Low: min(low, -1), High: max(high, 1.2*level), Level: level,
		}),
		app.P().Class("quiet small").Text("Each record is scored by itself, so the batch plays no part. The order matters: a file that is sorted drifts. The test says that something has moved, and neither what nor that it matters. No alarm means no evidence so far."))
}

// endTaskButton ends what the worker does beside.
func endTaskButton(s *session.Session) app.UI {
	return button("Cancel", s.EndTask).Class("end-task").Disabled(s.Task == nil || s.Task.Ending)
}

// state is what the run is doing, with the button that ends it.
func (p *labPane) state() []app.UI {
	s := p.S
	doing := map[session.Phase]string{session.Reading: "Reading …", session.Scoring: "Scoring …", session.Calibrating: "Calibrating the batch …"}[s.Phase]
	switch {
	case doing != "":
		return []app.UI{
			quiet(doing),
			app.Button().ID("cancel").Class("button").Type("button").Body(icon("stop"), app.Text("Cancel")).
				OnClick(func(app.Context, app.Event) { s.Cancel() }),
		}
	case s.Phase == session.Done:
		return []app.UI{app.Span().ID("took").Class("quiet").Text(s.RunLine())}
	case s.Phase == session.Stopped:
		return []app.UI{quiet("cancelled")}
	case s.Models.Welcome != nil:
		return []app.UI{quiet("BaCa " + s.Models.Welcome.Program)}
	case s.Models.Failure == nil:
		return []app.UI{quiet("starting …")}
	}
	return nil
}

// panel is the picture of the stage that is open.
func (p *labPane) panel() []app.UI {
	s := p.S
	stage := s.Lab.Stage
	if stage == "" {
		return nil
	}
	name, about := "drift", driftAbout
	for _, w := range session.StageWords() {
		if w.Stage == stage {
			name, about = w.Name, w.About
		}
	}
	body := p.distributions
	switch {
	case session.OfBatch(stage) && !s.Calibrated() && (stage != message.StageAttention || len(s.Iterations) == 0):
		body = p.before
	case stage == message.StageEstimate || stage == message.StageMixup:
		body = p.graphons
	case stage == message.StageAttention:
		body = p.attention
	case stage == message.StageDrift:
		body = p.drift
	}
	return []app.UI{
		app.Div().Class("pane-head").Body(
			app.H2().Text("Lab: "+name), quiet(about), app.Span().Class("stretch"),
			closer("Close the lab", func() { s.Lab.Open(s.Lab.Stage) })),
		body(),
	}
}

// narrow is the width below which pictures stand one below the other.
const narrow = 760

// half is the width of one of two pictures beside each other.
func (p *labPane) half() float64 {
	w := p.width
	if w == 0 {
		w = 1200
	}
	if w < narrow {
		return max(w-32, 280)
	}
	return min((w-64)/2, 720)
}

// before is what there is to see of a stage before the batch is calibrated.
func (p *labPane) before() app.UI {
	s := p.S
	if s.Phase == session.Calibrating {
		return quietLine(s.CalibratingLine()).ID("calibrating")
	}
	if why := s.Unfit(); why != "" {
		return quietLine(why)
	}
	return controls("Pictures of this stage are there once the batch is calibrated.",
		button("Calibrate the batch", s.Calibrate).Disabled(!s.CanCalibrate()))
}

// distributions are the scores by each of what can decide.
func (p *labPane) distributions() app.UI {
	s := p.S
	var figures []app.UI
	for by, w := range session.DeciderWords() {
		by := session.Decider(by)
		if len(s.References[by]) == 0 {
			continue
		}
		about := "nothing else in the list matters"
		switch by {
		case session.TheBatch:
			about = "where the list differs has a weight of " + words.Percent(s.Fitted.Weight)
		case session.ThePaper:
			about = "the sum of S_Pre and S_Attn"
		}
		figures = append(figures, figure(w.Name, about, w.Key, picture.Distribution(s, by, p.half(), 170)))
	}
	if t := s.Parted; t != nil {
		figures = append(figures, quietLine(fmt.Sprintf("Parted by S_Pre: %s taken for inside, %s for outside, before anything is learned.", words.Count(len(t.Inside)), words.Count(len(t.Outside)))))
	}
	if len(figures) == 0 {
		figures = append(figures, quietLine("Nothing is scored yet."))
	}
	return app.Div().Class("figures").Body(figures...)
}

// A drawable can be drawn for the page and for a file.
type drawable interface{ SVG(saved bool) string }

// figure is a picture with a caption and buttons that save it.
func figure(title, caption, file string, d drawable) app.UI {
	drawn := d.SVG(false)
	return app.Figure().Class("figure").Body(
		app.FigCaption().Body(app.Strong().Text(title), quiet(" "+caption), app.Span().Class("stretch"), saveButtons(title, file, drawn, d)),
		app.Raw(drawn))
}

// tile is a small figure, with its caption below.
func tile(title, caption, file string, d drawable) app.UI {
	drawn := d.SVG(false)
	return app.Figure().Class("tile").Body(
		app.FigCaption().Body(app.Strong().Text(title), app.Span().Class("stretch"), saveButtons(title, file, drawn, d)),
		app.Raw(drawn),
		app.P().Class("quiet small").Text(caption))
}

// saveButtons save a picture in both forms. The scope is what is drawn: with another
// one the buttons are others.
func saveButtons(title, file, scope string, d drawable) app.UI {
	file = "baca-" + file
	one := func(form, ending string, png bool) app.UI {
		return app.Button().Class("plain save-as").Type("button").Aria("label", "Save "+title+" as "+form).DataSet("save-as", file+ending).Text(form).
			OnClick(func(app.Context, app.Event) { savePicture(file, d.SVG(true), png) }, app.EventScope(form, scope))
	}
	return app.Span().Class("save-buttons").Body(one("SVG", ".svg", false), one("PNG", ".png", true))
}

// graphons are two of one side, and their mixture.
func (p *labPane) graphons() app.UI {
	s := p.S
	l := &s.Lab
	g := l.Pair
	if l.Failure != nil {
		_, what := session.FailureWords(l.Failure)
		return app.Div().Body(p.graphonControls(), quietLine(what))
	}
	if g == nil {
		return app.Div().Body(p.graphonControls(), quietLine("Estimating …"))
	}
	const side = 220
	graphon := func(title string, record int, file string, w []float32) app.UI {
		name := s.Rows.ShortName(record)
		return tile(title, name, file, picture.Graphon{Title: "Graphon of " + name, W: w, N: g.N, Side: side})
	}
	mixture := picture.Graphon{Title: "Mixture", W: picture.Mix(g.WI, g.WJ, l.Lambda), N: g.N, Side: side}
	return app.Div().Body(p.graphonControls(), app.Div().Class("tiles").Body(
		graphon("Wᵢ", g.RecordI, "graphon-i", g.WI),
		graphon("Wⱼ", g.RecordJ, "graphon-j", g.WJ),
		tile("λ·Wᵢ + (1−λ)·Wⱼ", fmt.Sprintf("their mixture, %d × %d places", g.N, g.N), "mixture", mixture),
		tile("Drawn from it", "a graph of "+words.Plural(g.Nodes, "node", "nodes"), "drawn",
			picture.Graph{Title: "Graph drawn from the mixture", Detail: drawnGraph(g), Side: side}),
	))
}

// drawnGraph is the graph that was drawn from a mixture, up to what can be seen of it.
func drawnGraph(g *message.GraphonPair) *message.Detailed {
	const most = 120
	d := &message.Detailed{Atoms: make([]message.Atom, min(g.Nodes, most))}
	for i := 0; i+1 < len(g.Edges); i += 2 {
		if from, to := int(g.Edges[i]), int(g.Edges[i+1]); max(from, to) < len(d.Atoms) {
			d.Bonds = append(d.Bonds, message.Bond{From: from, To: to, Order: 1})
		}
	}
	return d
}

// graphonControls choose the side, the pair and λ.
func (p *labPane) graphonControls() app.UI {
	l := &p.S.Lab
	side := func(name, side string) app.UI {
		return pressed(name, l.Side == side, func() { l.ShowPair(side, 0, 1) })
	}
	return app.Div().Class("controls").Body(
		app.Div().Class("segments").Role("group").Aria("label", "Side").Body(side("Inside", "ID"), side("Outside", "OOD")),
		app.Label().For("lambda").Text("λ"),
		app.Input().ID("lambda").Type("range").Value(int(l.Lambda*100+0.5)).Aria("valuetext", words.Number(l.Lambda)).
			OnInput(func(ctx app.Context, e app.Event) {
				if v, err := strconv.Atoi(valueOf(ctx)); err == nil {
					l.SetLambda(float64(v) / 100)
				}
			}).
			OnChange(func(app.Context, app.Event) { l.Sample() }),
		app.Output().For("lambda").Text(words.Number(l.Lambda)),
		button("Another pair", l.NextPair).Disabled(l.Pair == nil || l.Pair.Graphs < 3),
	)
}

// attention is what was learned, step by step.
func (p *labPane) attention() app.UI {
	s := p.S
	var x, loss, kl, auc []float64
	for _, it := range s.Iterations {
		x = append(x, float64(it.Step))
		loss, kl, auc = append(loss, it.Loss), append(kl, it.KL), append(auc, it.AUC)
	}
	if len(x) == 0 {
		return quietLine("No steps yet.")
	}
	w := p.half()
	const height = 190
	plot := func(title string, c picture.Curve) picture.Plot {
		return picture.Plot{Width: w, Height: height, Title: title, XLabel: "step", X: x, Curves: []picture.Curve{c}}
	}
	figures := []app.UI{
		figure("Loss", "before each step", "loss", plot("Loss by step", picture.Curve{Name: "loss", Role: "line", Y: loss})),
		figure("KL divergence", "between the scores of both parts, in nats", "kl", plot("KL divergence by step", picture.Curve{Name: "KL", Role: "line-out", Y: kl})),
	}
	if slices.ContainsFunc(auc, func(x float64) bool { return !math.IsNaN(x) }) {
		c := plot("AUC by step", picture.Curve{Name: "AUC", Role: "line-in", Y: auc})
		c.Low, c.High = 0, 1
		figures = append(figures, figure("AUC", "by the labels of the file", "auc", c))
	}
	dictionary := func(title, file string, of func(message.Iteration) message.Contents) app.UI {
		return figure(title, "what its keys are", file, picture.Stack{Title: title, Steps: s.Iterations, Of: of, Width: w, Height: height})
	}
	return app.Div().Class("figures").Body(append(figures,
		dictionary("Inside dictionary", "inside-dictionary", func(i message.Iteration) message.Contents { return i.ID }),
		dictionary("Outside dictionary", "outside-dictionary", func(i message.Iteration) message.Contents { return i.OOD }),
	)...)
}
