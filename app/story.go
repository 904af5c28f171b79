package app

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/lab"
	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// stillWanted reports a preference for reduced motion.
func stillWanted() bool {
	return !app.IsServer && app.Window().Call("matchMedia", "(prefers-reduced-motion: reduce)").Get("matches").Bool()
}

// story shows the present scene, its headline and the player. It is nil if no scene is open.
func (p *labPane) story() []app.UI {
	s := p.S
	scenes := lab.Scenes()
	at := slices.IndexFunc(scenes, func(c lab.Scene) bool { return c.Key == s.Lab.Stage })
	if at < 0 {
		return nil
	}
	c := scenes[at]
	if s.Inspector.Record < 0 {
		return []app.UI{app.Div().Class("pane-head").Body(
			app.H2().Text(s.Lab.Line()), app.Span().Class("stretch"), closer("Close the lab", s.Lab.Close))}
	}
	// A screen reader hears of each scene once.
	heard := fmt.Sprintf("Scene %d of %d: %s. ", at+1, len(scenes), c.Name)
	if !s.Lab.Playing {
		heard += s.Lab.Line()
	}
	return []app.UI{
		app.Div().Class("pane-head").Body(
			p.subject(), app.Span().Class("stretch"),
			app.Button().Class("plain equation").Type("button").
				Title("As the paper writes it. What the numbers mean").Body(app.Raw("<span>"+c.Equation+"</span>")).
				OnClick(func(app.Context, app.Event) { showDialog("help") }),
			closer("Close the lab", s.Lab.Close)),
		app.H2().Class("scene-line").Body(app.Span().Class("scene-number").Text(strconv.Itoa(at+1)),
			app.Span().ID("scene-line").Text(s.Lab.Line())),
		app.P().Class("quiet scene-about").Text(s.Say(c.About)),
		app.P().Class("sr-only").Aria("live", "polite").Text(heard),
		app.Div().Class("scene scene-" + c.Key).Body(p.scene(c.Key)),
		p.player(at, len(scenes)),
	}
}

// subject is the record in the story, between its table neighbours.
func (p *labPane) subject() app.UI {
	s := p.S
	i := s.Inspector.Record
	v := s.Rows.Class(i)
	return app.Div().Class("who").Body(
		iconButton("The one above it in the table", "left", func() { s.Lab.Neighbour(-1) }),
		app.Raw(`<span class="who-picture">`+p.Album.Small(s.Rows.Picture(i))+`</span>`),
		app.Strong().ID("scene-name").Text(s.Rows.ShortName(i)),
		app.Span().Class("verdict "+classOf(v)).Body(shape(v), app.Text(" "+wordOf(v))),
		iconButton("The one below it in the table", "right", func() { s.Lab.Neighbour(1) }),
	)
}

// player has the buttons and the timeline of the story.
func (p *labPane) player(scene, scenes int) app.UI {
	l := p.S.Lab
	at, of := l.Timeline()
	label, sign := "Play", "play"
	if l.Playing {
		label, sign = "Pause", "pause"
	}
	return app.Div().Class("player").Role("group").Aria("label", "The story").Body(
		iconButton("Scene before", "left", func() { l.Step(-1) }),
		signed(sign, label, func() {
			if l.Playing {
				l.Pause()
			} else {
				l.Play(stillWanted())
			}
		}).ID("play").Class("strong"),
		iconButton("Next scene", "right", func() { l.Step(1) }),
		app.Input().ID("scrub").Type("range").Min(0).Max(max(of-1, 1)).Value(at).Aria("label", "Place in the story").
			Aria("valuetext", fmt.Sprintf("scene %d of %d, %s", scene+1, scenes, l.Stage)).
			OnInput(func(ctx app.Context, e app.Event) {
				if v, err := strconv.Atoi(valueOf(ctx)); err == nil {
					l.Scrub(v)
				}
			}),
		app.Span().Class("quiet number").Text(fmt.Sprintf("%d of %d", scene+1, scenes)),
	)
}

// scene draws a scene. All but those of the graph and its views need the paper's method and a calibrated batch: without
// them a scene says what is missing, but the decision is then drawn by each molecule alone.
func (p *labPane) scene(key string) app.UI {
	s := p.S
	why := s.UnfitFor(table.ThePaper)
	switch {
	case key == lab.SceneGraph:
		return answered(s.Lab.Trace, asking, p.graphScene)
	case key == lab.SceneViews:
		return answered(s.Lab.Trace, asking, p.viewsScene)
	case key == lab.SceneDecision && why != "":
		return p.decisionScene(why)
	case why != "":
		return p.refusal(why)
	case !s.Calibrated() || s.Parted == nil:
		return p.before()
	case key == lab.SceneParts:
		return p.partsScene()
	case key == lab.SceneMixup:
		return answered(s.Lab.Pair, "Estimating …", p.mixupScene)
	case key == lab.SceneKeys:
		return answered(s.Inspector.Detail, asking, p.keysScene)
	}
	return p.decisionScene("")
}

// refusal says why the paper's method cannot run. If only the encoder's training is missing, it offers to train.
func (p *labPane) refusal(why string) app.UI {
	if p.S.Unfit() != "" {
		return quietLine(why)
	}
	return app.Div().Class("controls").Body(quietLine(why), button("Train for the paper's method", func() { trainForPaper(p.S) }))
}

const asking = "The worker is asked …"

// before shows a scene before a batch is calibrated.
func (p *labPane) before() app.UI {
	s := p.S
	if s.Phase == run.Calibrating {
		return quietLine(calibratingLine(s)).ID("calibrating")
	}
	return app.Div().Class("controls").Body(quietLine("This scene is there once the batch is calibrated."),
		button("Calibrate the batch", s.Calibrate).Disabled(!s.CanCalibrate()))
}

func (p *labPane) name() string { return p.S.Rows.ShortName(p.S.Inspector.Record) }

// The size of the graph in its scene. Where there is room, the atom's features are beside it.
const (
	graphShare  = 0.58 // of the width, beside the features
	graphHeight = 340.0
	lowHeight   = 260.0 // height of the graph above the features
)

// graphScene shows the record's text and graph, and the features of the atom that the pointer was on last.
func (p *labPane) graphScene(t *message.Traced) app.UI {
	l := p.S.Lab
	over := func(_ app.Context, e app.Event) {
		if text, ok := dataAround(e, "atom"); ok {
			if atom, err := strconv.Atoi(text); err == nil {
				l.Light(atom)
			}
		}
	}
	w, h := p.full(), graphHeight
	if w >= narrow {
		w *= graphShare
	} else {
		h = lowHeight
	}
	g := picture.Structure{
		Title: "Graph of " + p.name(), Album: p.Album, SMILES: p.S.Rows.Picture(p.S.Inspector.Record), Trace: t, Lit: l.Atom,
		Frame: picture.Frame{Width: w, Height: h, Bond: 56},
	}
	drawn := g.SVG(false)
	if drawn == "" {
		drawn = `<p class="quiet">This graph is too large to draw.</p>`
	}
	var text app.UI = quietLine("A plain graph: its nodes have no letters.")
	if t.SMILES != "" {
		text = app.P().Class("smiles-text").Body(p.letters(t)...)
	}
	return app.Div().Class("graph-scene").On("mouseover", over).OnClick(over).Body(
		text,
		app.Div().Class("columns").Body(
			app.Figure().Class("figure lit").Body(
				app.FigCaption().Body(app.Strong().Text("What the network reads"), app.Span().Class("stretch"),
					p.saveButtons("Graph", "graph", drawn, g)),
				app.Raw(`<div class="svg-box">`+drawn+`</div>`)),
			p.atom(t, l.Atom)))
}

// letters are a SMILES, divided by atom.
func (p *labPane) letters(t *message.Traced) []app.UI {
	pieces := words.Pieces(t)
	list := make([]app.UI, len(pieces))
	for i, piece := range pieces {
		span := app.Span().Text(piece.Text)
		if piece.Atom >= 0 {
			span.DataSet("atom", piece.Atom)
			if piece.Atom == p.S.Lab.Atom {
				span.Class("lit")
			}
		}
		list[i] = span
	}
	return list
}

// atom shows both views of an atom.
func (p *labPane) atom(t *message.Traced, atom int) app.UI {
	facts := words.AtomFacts(t, atom)
	if facts == nil {
		return quietLine("The model does not read this atom.")
	}
	things := "atom"
	if t.Features != 9 {
		things = "node"
	}
	walks := words.WalksOf(t, atom)
	x, back := make([]float64, len(walks)), make([]float64, len(walks))
	for k, chance := range walks {
		x[k], back[k] = float64(k+1), float64(chance)
	}
	plot := picture.Plot{
		Width: 300, Height: 130, Title: fmt.Sprintf("Chance to be back at %s %d of %s", things, atom+1, p.name()), XLabel: "steps",
		X: x, Curves: []picture.Curve{{Name: "chance to be back", Role: "line-in", Y: back}}, High: 1,
	}
	return app.Section().Class("atom-card").Body(
		factList(fmt.Sprintf("%s %d: what it is", words.Capital(things), atom+1), facts),
		app.H3().Text("How it is joined"),
		small("How often a random walk is back after 1 to 16 steps."),
		app.Raw(plot.SVG(false)))
}

// viewsScene shows the record on both maps.
func (p *labPane) viewsScene(t *message.Traced) app.UI {
	w := p.half()
	names := [2][2]string{{"Feature view", p.S.Say("what the atoms are")}, {"Structure view", "how they are joined"}}
	var figures []app.UI
	for v, on := range t.Maps {
		m := picture.Map{
			Title: names[v][0] + " of " + p.name() + " among the training set", On: on, Shown: p.S.Lab.Beat, Width: w,
			Height:  min(w*0.62, 370),
			Verdict: func(record int32) decide.Verdict { return p.S.Rows.Verdict[record] },
		}
		figures = append(figures, p.figure(names[v][0], names[v][1], "map-"+strconv.Itoa(v+1), m))
	}
	return app.Div().Body(
		app.Div().Class("figures").Body(figures...),
		small("Grey: training set. Dots: this input, by "+
			"verdict. Ring: "+p.name()+", with its nearest training "+p.S.Things()+". A map keeps two directions "+
			"of many, so what is near on it may be far apart."))
}

// partsScene shows S_Pre in both parts of the batch, from the second beat on both parts' graphons, and from the third that of the
// record.
func (p *labPane) partsScene() app.UI {
	s := p.S
	side := math.Min(230, p.full()/2-16)
	parting := picture.Parting(s.Session, p.full(), 112)
	body := []app.UI{p.figure("S_Pre", "blue: the low part, orange: the high part; triangle: "+p.name(), "parting", parting)}
	if s.Lab.Beat > 0 {
		t := s.Parted
		full := max(picture.Peak(t.InsideMean), picture.Peak(t.OutsideMean))
		part := func(title, role, file string, n, steps int, w []float32) app.UI {
			return p.tile(fmt.Sprintf("%s, %d × %d places, strongest colour %s", words.Plural(n, "graph", "graphs"),
				steps, steps, words.Number(full)), file,
				picture.Graphon{Title: title, W: w, N: steps, Side: side, Role: role, Full: full})
		}
		tiles := []app.UI{
			part("Low part", "cell", "graphon-low", len(t.Inside), t.InsideSteps, t.InsideMean),
			part("High part", "cell-out", "graphon-high", len(t.Outside), t.OutsideSteps, t.OutsideMean),
		}
		if g := s.Lab.Pair.Value; g != nil && s.Lab.Beat > 1 && g.RecordI == s.Inspector.Record {
			tiles = append(tiles, p.tile("its own graphon: most edges are certain", "graphon-own",
				picture.Graphon{Title: p.name(), W: g.WI, N: g.N, Side: side, Role: roleOf(g.Side)}))
		}
		body = append(body, app.Div().Class("tiles").Body(tiles...),
			small("Places are nodes in order of their neighbours, most first. The stronger the colour of a cell, "+
				"the more often two such nodes are joined."))
	}
	return app.Div().Class("stack").Body(body...)
}

func roleOf(side string) string {
	if side == "OOD" {
		return "cell-out"
	}
	return "cell"
}

// mixupScene shows two graphons, their mixture and sampled graphs.
func (p *labPane) mixupScene(g *message.GraphonPair) app.UI {
	s := p.S
	l := s.Lab
	role := roleOf(g.Side)
	side := math.Min((p.full()-32)/3, 132)
	graphon := func(title, name, file string, w []float32) app.UI {
		return p.tile(name, file, picture.Graphon{Title: title, W: w, N: g.N, Side: side, Role: role})
	}
	var drawn []app.UI
	for k, sample := range g.Samples {
		title := fmt.Sprintf("Graph %d", k+1)
		box := math.Min(208, (p.full()-16)/3)
		drawn = append(drawn, app.Figure().Class("sample").Body(app.Raw(plainGraph(sample.Nodes, sample.Edges, box,
			fmt.Sprintf("%s of %s and %s: %s", title, s.Rows.ShortName(g.RecordI), s.Rows.ShortName(g.RecordJ),
				words.Plural(sample.Nodes, "node", "nodes"))))))
	}
	return app.Div().Body(
		p.mixControls(),
		app.Div().Class("mixing").Body(
			app.Div().Class("tiles small-tiles").Body(
				graphon("Wᵢ", s.Rows.ShortName(g.RecordI), "graphon-i", g.WI),
				graphon("Wⱼ", s.Rows.ShortName(g.RecordJ), "graphon-j", g.WJ),
				graphon("Mixture", "λ·Wᵢ + (1−λ)·Wⱼ", "mixture", picture.Mix(g.WI, g.WJ, l.Lambda))),
			app.Div().ID("samples").Class("samples side-"+role).DataSet("lambda", int(math.Round(100*g.Lambda))).Body(drawn...)))
}

// plainGraph draws a graph that was sampled from a mixture.
func plainGraph(nodes int, edges message.Ints, side float64, title string) string {
	const most = 120 // nodes
	d := picture.Drawing{Nodes: min(nodes, most), Frame: picture.Frame{Width: side, Height: side, Bond: 26}, Title: title}
	for _, node := range edges {
		d.Edges = append(d.Edges, int(node))
	}
	return picture.Pen(d)
}

// mixControls is the slider of λ, in hundredths.
func (p *labPane) mixControls() app.UI {
	l := p.S.Lab
	return app.Div().Class("controls").Body(
		app.Label().For("lambda").Text("λ"),
		app.Input().ID("lambda").Type("range").Value(int(l.Lambda*100+0.5)).Aria("valuetext", words.Number(l.Lambda)).
			OnInput(func(ctx app.Context, e app.Event) {
				if v, err := strconv.Atoi(valueOf(ctx)); err == nil {
					l.SetLambda(float64(v) / 100)
				}
			}),
		app.Output().For("lambda").Class("number").Text(words.Number(l.Lambda)),
	)
}

// keysScene shows the keys of both dictionaries that the attention looks at, and where they lie.
func (p *labPane) keysScene(d *message.Detailed) app.UI {
	s := p.S
	if d.IDKeys == nil {
		return quietLine(asking)
	}
	var in, out message.Contents
	if n := len(s.Iterations); n > 0 {
		in, out = s.Iterations[n-1].ID, s.Iterations[n-1].OOD
	}
	return app.Div().Class("dictionaries").Body(
		p.dictionary(decide.Inside, "Inside dictionary", in, d.IDKeys, d.AttnID),
		p.dictionary(decide.Outside, "Outside dictionary", out, d.OODKeys, d.AttnOOD),
		app.Div().Class("figures").Body(p.keyFigures()...),
		small("The keys of each side that the attention looks at, the nearest ones. A bar is a key's share of the "+
			"attention; together they make 100\u00a0%. The number behind it is what the key answers, from "+
			"−1 for unlike "+p.name()+" to 1 for like it; their mean by share is the answer of the dictionary. On "+
			"the map, grey keys are training graphs, all others of the inside dictionary (blue) or of the outside "+
			"one (orange). A new graph takes the place of the key that is nearest the boundary."))
}

// keyFigures show all keys on a map, and how those that mixup drew were replaced.
func (p *labPane) keyFigures() []app.UI {
	s, t := p.S, p.S.Lab.Trace.Value
	var figures []app.UI
	if t != nil && t.Keys != nil {
		m := picture.Map{
			Title: "Keys of both dictionaries around " + p.name(), On: *t.Keys, Shown: 2, Width: p.half(), Height: 210,
			Verdict: func(side int32) decide.Verdict { return []decide.Verdict{decide.Inside, decide.Outside}[side] },
		}
		figures = append(figures, p.figure("All keys", "lines lead to those that answer", "keys", m))
	}
	var x, in, out []float64
	for _, it := range s.Iterations {
		if it.ID.Newer+it.OOD.Newer > 0 { // mixup has drawn
			x, in, out = append(x, float64(it.Step)), append(in, float64(it.ID.Newer)), append(out, float64(it.OOD.Newer))
		}
	}
	if len(x) > 1 {
		plot := picture.Plot{
			Width: p.half(), Height: 210, Title: "New synthetic keys by the step at which mixup drew", XLabel: "step", X: x,
			Curves: []picture.Curve{{Name: "new inside keys", Role: "line-in", Y: in},
				{Name: "new outside keys", Role: "line-out", Y: out}},
		}
		figures = append(figures, p.figure("Replaced keys", "by new graphs of mixup", "replaced", plot))
	}
	return figures
}

// dictionary shows the keys of a dictionary up to the present beat, and at the last one its answer.
func (p *labPane) dictionary(side decide.Verdict, title string, of message.Contents, keys []message.Key, answer float64) app.UI {
	var items []app.UI
	for i, k := range keys {
		if i < p.S.Lab.Beat {
			items = append(items, p.keyRow(k, side))
		}
	}
	said := "answers " + words.Number(answer)
	if p.S.Lab.Beat < len(keys) {
		said = "is asked …"
	}
	return app.Section().Class("dictionary "+classOf(side)).Body(
		app.H3().Body(app.Text(title+" "), app.Span().Class("answer number").Text(said)),
		small("It holds "+words.Count(of.Training)+" training graphs, "+words.Count(of.Test)+" of this input and "+words.Count(of.Synthetic)+" synthetic ones."),
		app.Div().Class("key key-head quiet small").
			Body(app.Span(), app.Span(), app.Span().Class("key-bar"), app.Span().Class("number").Text("share"),
				app.Span().Class("number").Text("answer")),
		app.Ol().Class("keys").Body(items...))
}

// keyRow is a key with picture, weight and value.
func (p *labPane) keyRow(k message.Key, side decide.Verdict) app.UI {
	n := words.NeighborsOf([]message.Key{k})[0]
	drawn := p.Album.Small(k.SMILES)
	switch {
	case k.Nodes > 0:
		drawn = plainGraph(k.Nodes, k.Edges, 54, "")
	case k.SMILES == "":
		drawn = `<span class="key-none">embedding</span>`
	}
	return app.Li().Class("key").Body(
		app.Raw(`<span class="key-picture">`+drawn+`</span>`),
		app.Div().Class("key-name").Body(app.Div().Text(n.Name), app.Div().Class("quiet small").Text(n.About)),
		app.Raw(picture.Bar(k.Weight, 0, 1, 0, side)),
		app.Span().Class("number").Text(words.Percent(math.Round(100*k.Weight)/100)),
		app.Span().Class("number quiet").Text(words.Number(k.Value)))
}

// decisionScene shows the attention's training and result. Without a batch, for the reason why, the
// record decides alone.
func (p *labPane) decisionScene(why string) app.UI {
	s := p.S
	alone := func(width float64) app.UI {
		return p.figure("By itself", p.calls(table.EachAlone), "alone",
			picture.Distribution(s.Session, table.EachAlone, width, 140))
	}
	if why != "" {
		return app.Div().Body(app.Div().Class("figures").Body(alone(p.half())), p.refusal(why))
	}
	body := []app.UI{app.Div().Class("figures").Body(p.learning()...)}
	if s.Lab.Whole() {
		baca := picture.Distribution(s.Session, table.ThePaper, p.share(3), 140)
		body = append(body, app.Div().Class("figures").
			Body(p.sum(),
				p.figure("S_BaCa", p.calls(table.ThePaper), "baca", baca),
				alone(p.share(3))),
			app.P().ID("gained").Text(s.Say(s.Lab.Gained())))
	}
	return app.Div().Class("stack").Body(body...)
}

// sum lists the terms of S_BaCa.
func (p *labPane) sum() app.UI {
	s := p.S
	pre, attn, sum := lab.Terms(s.Session, s.Inspector.Record)
	return factList("The sum, in deviations of the batch", []words.Fact{
		{Name: "S_Pre", Value: words.Number(pre)}, {Name: "β·S_Attn", Value: words.Number(attn)},
		{Name: "S_BaCa", Value: words.Number(sum)},
	})
}

// calls is what a decider calls the record, its p, and up to which p it calls records outside.
func (p *labPane) calls(by table.Decider) string {
	s, i := p.S, p.S.Inspector.Record
	_, own := s.Rows.By(by)
	return string(s.JudgeBy(by, i)) + ", p\u00a0" + words.PEquals(own[i]) + "; outside up to " + words.Percent(s.Alpha)
}

// learning draws the attention's training up to the beat.
func (p *labPane) learning() []app.UI {
	s := p.S
	t := s.Lab.Trace.Value
	if len(s.Iterations) == 0 || t == nil {
		return []app.UI{quietLine("No steps yet.")}
	}
	var x, loss, kl, auc []float64
	for _, it := range s.Iterations {
		x = append(x, float64(it.Step))
		loss, kl, auc = append(loss, it.Loss), append(kl, it.KL), append(auc, it.AUC)
	}
	at := min(max(s.Lab.Beat, 0), len(x)-1)
	labelled := slices.ContainsFunc(auc, func(x float64) bool { return !math.IsNaN(x) })
	width := p.half()
	if labelled {
		width = p.share(3)
	}
	plot := func(title string, curves ...picture.Curve) picture.Plot {
		return picture.Plot{Width: width, Height: 176, Title: title, XLabel: "step", X: x, Curves: curves, Mark: x[at]}
	}
	var figures []app.UI
	if len(t.Attn) == len(x) {
		figures = append(figures, p.figure("S_Attn", fmt.Sprintf("step %d: %s", int(x[at]), words.Number(t.Attn[at])),
			"s-attn", plot("S_Attn of "+p.name()+" by step",
				picture.Curve{Name: words.Shorten(p.name(), 16), Role: "line", Y: t.Attn},
				picture.Curve{Name: "low part", Role: "line-in", Y: t.Inside},
				picture.Curve{Name: "high part", Role: "line-out", Y: t.Outside})))
	} else {
		figures = append(figures, quietLine(p.name()+" was not in the sample that the attention learned from, so "+
			"its way there was not recorded."))
	}
	c := plot("Loss and KL divergence by step", picture.Curve{Name: "loss", Role: "line", Y: loss},
		picture.Curve{Name: "KL of the parts", Role: "line-out", Y: kl})
	figures = append(figures, p.figure("Learning",
		fmt.Sprintf("loss %s, KL %s", words.Number(loss[at]), words.Number(kl[at])), "learning", c))
	if labelled {
		c := plot("AUC by step", picture.Curve{Name: "AUC", Role: "line-in", Y: auc})
		c.Low, c.High = 0, 1
		figures = append(figures, p.figure("AUC", "by the file's labels: "+words.Number(auc[at]), "auc", c))
	}
	return figures
}
