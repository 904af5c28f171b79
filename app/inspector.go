package app

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// inspectorPane shows one record large, and what made its scores.
type inspectorPane struct {
	app.Compo
	S      *session
	Rev    int
	Judged int // revision of the verdicts
}

const (
	largeWidth  = 380
	largeHeight = 260
)

// Render implements app.Composer.
func (p *inspectorPane) Render() app.UI {
	s := p.S
	class := "pane inspector"
	if s.selected < 0 || s.selected >= s.rows.len() {
		return app.Aside().Class(class).Aria("label", "Record").Body(p.nothing())
	}
	i := s.selected
	v := s.rows.verdict[i]
	body := []app.UI{
		app.Div().Class("pane-head").Body(
			app.H2().Class("inspector-name").Text(shorten(s.rows.name(i), 60)),
			app.Span().Class("stretch"),
			app.Button().ID("inspector-close").Class("plain icon-only").Type("button").Aria("label", "Close").
				OnClick(func(app.Context, app.Event) { s.choose(-1) }).Body(icon("close")),
		),
	}
	if q := s.rows.problem[i]; q != nil {
		body = append(body, app.Div().Class("verdict-box "+v.class()).Body(
			app.P().Class("verdict-line").Body(shape(v), app.Strong().Text("Refused")),
			app.P().Text(q.Text), app.Pre().Class("caret").Attr("hidden", flag(q.Caret == "")).Text(q.Caret)))
		return app.Aside().Class(class).Aria("label", "Record").Body(body...)
	}
	picture, note := s.large(false)
	body = append(body, app.Div().Class("large").Body(app.If(picture != "", func() app.UI { return app.Raw(picture) })))
	if note != "" {
		body = append(body, app.P().Class("quiet small").Text(note))
	} else if picture != "" && s.detail != nil {
		body = append(body, p.colours())
	}
	body = append(body, p.verdict(i, v))
	if s.trouble != nil {
		_, what := explain(s.trouble)
		body = append(body, app.P().Class("quiet").Text("No details: "+what))
	}
	if d := s.detail; d != nil {
		body = append(body, p.reasons(d), p.scores(i), p.ownScore(d), p.facts(d), p.neighbors(d))
	} else if s.trouble == nil && s.model != nil {
		body = append(body, app.P().Class("quiet").Text("Taking it apart, atom by atom …"))
	}
	if picture != "" {
		body = append(body, app.Div().Class("row-buttons").Body(
			app.Button().Class("button").Type("button").DataSet("save-as", "molecule.svg").Body(icon("save"), app.Text("SVG")).OnClick(func(app.Context, app.Event) { s.saveLarge(false) }),
			app.Button().Class("button").Type("button").DataSet("save-as", "molecule.png").Body(icon("save"), app.Text("PNG")).OnClick(func(app.Context, app.Event) { s.saveLarge(true) }),
		))
	}
	return app.Aside().Class(class).Aria("label", "Record "+s.rows.name(i)).Body(body...)
}

// nothing is what there is to see before a record is chosen: those that are most
// worth a look.
func (p *inspectorPane) nothing() app.UI {
	s := p.S
	list := s.furthest(suggested)
	if len(list) == 0 {
		return app.Div().Class("inspector-empty quiet").Body(
			app.P().Text("A record that you choose is shown here, with the atoms that make it unusual."))
	}
	items := make([]app.UI, len(list))
	for i, r := range list {
		picture := app.UI(app.Span().Class("no-picture"))
		if t := s.drawings[s.rows.picture(int(r))]; t != nil && t.small != "" {
			picture = app.Raw(t.small)
		}
		v := s.rows.verdict[r]
		items[i] = app.Li().Body(app.Button().Type("button").Class("suggestion "+v.class()).DataSet("suggestion", int(r)).Body(
			app.Span().Class("suggestion-picture").Body(picture),
			app.Span().Class("suggestion-name").Text(shorten(s.rows.name(int(r)), 40)),
			app.Span().Class("suggestion-verdict").Body(shape(v), app.Span().Text(v.word()+", p\u00a0"+equals(s.rows.p[r])))))
	}
	return app.Div().Class("inspector-empty").Body(
		app.H2().Text("Why is it unusual?"),
		app.P().Class("quiet").Text("Choose a row to see which atoms make it so. These lie furthest outside:"),
		app.Ul().Class("suggestions").OnClick(func(ctx app.Context, e app.Event) {
			if text, ok := around(e, "suggestion"); ok {
				if r, err := strconv.Atoi(text); err == nil && r < s.rows.len() {
					s.choose(r)
				}
			}
		}).Body(items...))
}

// suggested is how many records are shown before one is chosen.
const suggested = 3

// furthest are so many records with the highest scores, the highest first.
func (s *session) furthest(most int) []int32 {
	score := s.rows.score
	var list []int32
	for i, x := range score {
		if math.IsNaN(x) || len(list) == most && x <= score[list[most-1]] {
			continue
		}
		// Behind those that are as high.
		at, _ := slices.BinarySearchFunc(list, x, func(r int32, x float64) int {
			if score[r] >= x {
				return -1
			}
			return 1
		})
		list = slices.Insert(list, at, int32(i))
		list = list[:min(len(list), most)]
	}
	return list
}

// large draws the selected record with its atoms coloured, if that is known. The
// note says why they are not.
func (s *session) large(saved bool) (picture, note string) {
	i := s.selected
	title := "Structure of " + s.rows.name(i)
	var d *drawing
	if t := s.drawings[s.rows.picture(i)]; t != nil {
		d = t.drawing
	}
	if s.detail == nil {
		if d == nil {
			return "", ""
		}
		return d.depict(largeWidth, largeHeight, 40, nil, nil, title, saved), ""
	}
	if d == nil || !d.fits(s.detail.Atoms) {
		if n := len(s.detail.Atoms); n == 0 || n > 300 {
			if d == nil {
				return "", "This graph is too large to draw."
			}
		} else if s.rows.picture(i) == "" || s.drawings[s.rows.picture(i)] != nil {
			d = s.sketch()
		}
	}
	if d == nil {
		return "", ""
	}
	values, made := s.detail.Contribution, "how much they make it look outside"
	if s.gradient {
		values, made = s.detail.Gradient, "what they add by way of the embedding"
	}
	share := shares(values)
	switch {
	case share == nil:
		note = "Its atoms are not coloured: it is too large to be taken apart one by one."
	case !d.fits(s.detail.Atoms):
		share, note = nil, "Its atoms are not coloured: the drawing does not show all of them."
	}
	if len(values) > 0 {
		title += ", atoms coloured by " + made
	}
	if !d.fits(s.detail.Atoms) {
		return d.depict(largeWidth, largeHeight, 40, nil, nil, title, saved), note
	}
	return d.depict(largeWidth, largeHeight, 40, share, s.marked(), title, saved), note
}

// marked are the atoms with a ring around them: those of the reason that is chosen, or
// else of what was never seen.
func (s *session) marked() []bool {
	var marks []bool
	for k, r := range s.detail.Reasons {
		if k != s.reason && (s.reason >= 0 || !r.Unseen) {
			continue
		}
		for _, i := range r.Atoms {
			if marks == nil {
				marks = make([]bool, len(s.detail.Atoms))
			}
			if i >= 0 && int(i) < len(marks) {
				marks[i] = true
			}
		}
	}
	return marks
}

// mark rings the atoms of a reason, or not any more.
func (s *session) mark(reason int) {
	if s.reason == reason {
		reason = -1
	}
	s.reason = reason
	s.rev.inspector++
}

// sketch is a drawing of the detail by springs, made once.
func (s *session) sketch() *drawing {
	if s.sketched == nil || s.sketchOf != s.detail {
		s.sketched, s.sketchOf = plain(s.detail), s.detail
	}
	return s.sketched
}

func (s *session) saveLarge(png bool) {
	picture, _ := s.large(true)
	savePicture(stem(s.rows.name(s.selected)), picture, png)
}

// colours say what the atoms are coloured by, which there are two ways of, and how far
// these agree.
func (p *inspectorPane) colours() app.UI {
	s := p.S
	d := s.detail
	way := func(name, id, title string, gradient bool) app.UI {
		return app.Button().ID(id).Type("button").Aria("pressed", s.gradient == gradient).Title(title).Text(name).
			OnClick(func(app.Context, app.Event) {
				s.gradient = gradient
				s.rev.inspector++
			}, app.EventScope(name))
	}
	return app.Div().Class("colours").Body(
		legend(s.gradient, s.marked() != nil),
		app.Div().Class("segments").Role("group").Aria("label", "Atoms coloured by").Attr("hidden", flag(len(d.Gradient) == 0)).Body(
			way("Left out", "by-occlusion", "By how much the score falls without the atom, computed exactly, atom by atom", false),
			way("Gradient", "by-gradient", "What the atom adds by way of the embedding, by integrated gradients: an estimate", true)),
		app.P().ID("agreement").Class("quiet small").Attr("hidden", flag(len(d.Gradient) == 0)).Text(agreement(d.Agreement, len(d.Atoms))),
	)
}

// agreement says how far the two ways of colouring agree.
func agreement(r float64, atoms int) string {
	switch {
	case math.IsNaN(r) || atoms < 3:
		return "Too few atoms differ to compare both ways."
	case r >= 0.6:
		return "Both ways agree on what goes by the embedding (rank correlation " + number(r) + ")."
	case r >= 0.2:
		return "Both ways agree in part on what goes by the embedding (rank correlation " + number(r) + "): trust “left out”."
	}
	return "The ways do not agree on what goes by the embedding (rank correlation " + number(r) + "): trust “left out”, which is exact."
}

func legend(gradient, marked bool) app.UI {
	text := "without orange atoms less outside, without blue ones more"
	if gradient {
		text = "orange adds to the score, blue takes from it"
	}
	return app.Div().Class("legend small quiet").Body(
		app.Raw(`<svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true"><circle class="away" fill-opacity=".75" cx="8" cy="6" r="5.5"/><circle class="away" fill-opacity=".3" cx="24" cy="6" r="4.5"/><circle class="legend-none" cx="40" cy="6" r="3.5"/><circle class="towards" fill-opacity=".3" cx="56" cy="6" r="4.5"/><circle class="towards" fill-opacity=".75" cx="72" cy="6" r="5.5"/></svg>`),
		app.Span().Text(text),
		app.If(marked, func() app.UI {
			return app.Span().Body(app.Raw(`<svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true"><circle class="mark-ring" stroke-width="1.2" stroke-dasharray="2.5 2" cx="8" cy="7" r="6"/></svg>`), app.Text(" ringed: never seen, or of the reason chosen"))
		}),
	)
}

// reasonsShown are shown at once, the others when they are asked for.
const reasonsShown = 5

// reasons are what is unusual about it, in the words of the command.
func (p *inspectorPane) reasons(d *message.Detailed) app.UI {
	s := p.S
	item := func(k int) app.UI {
		r := d.Reasons[k]
		text := strings.ReplaceAll(r.Text, " %", "\u00a0%")
		if len(r.Atoms) == 0 {
			return app.Li().Class("reason").Text(text)
		}
		return app.Li().Class("reason").Body(app.Button().Type("button").DataSet("reason", k).Aria("pressed", s.reason == k).Title("Show where").Text(text))
	}
	list := func(from, to int) app.UI {
		items := make([]app.UI, 0, to-from)
		for k := from; k < to; k++ {
			items = append(items, item(k))
		}
		return app.Ul().Class("reasons").Body(items...)
	}
	n := len(d.Reasons)
	body := []app.UI{app.H3().Text("What is unusual about it")}
	if n == 0 {
		body = append(body, app.P().Class("quiet").Text("Each of its features by itself is usual."))
	} else {
		body = append(body, list(0, min(n, reasonsShown)))
	}
	if n > reasonsShown {
		body = append(body, app.Details().Class("more").Body(
			app.Summary().Class("quiet small").Text(things(n-reasonsShown, "more", "more")), list(reasonsShown, n)))
	}
	return app.Section().ID("reasons").Class("block").OnClick(func(ctx app.Context, e app.Event) {
		if text, ok := around(e, "reason"); ok {
			if k, err := strconv.Atoi(text); err == nil {
				s.mark(k)
			}
		}
	}).Body(body...)
}

// ownScore shows the two parts of the score that it gets by itself.
func (p *inspectorPane) ownScore(d *message.Detailed) app.UI {
	return app.Section().ID("own-score").Class("block").Body(
		app.H3().Text("What its own score is made of"),
		app.P().Class("quiet small").Text("In standard deviations of training "+p.S.things()+": 0 is their mean, and few have more than 2."),
		app.Dl().Class("facts").Body(partRows(d, p.S.things())...))
}

// A part of a score in deviations.
type part struct {
	name  string
	value float64
	under bool // the one before it
}

// partsOf are the parts of the score of a record, those of a part behind it.
func partsOf(d *message.Detailed, things string) []part {
	list := []part{
		{"How far from the nearest training " + things, d.Distance, false},
		{"by embedding", d.Embedding, true}, {"by subtrees", d.Subtrees, true}, {"by subtrees with counts", d.Counts, true}, {"by ℓ_n, which weighs little", d.Nodes, true},
	}
	if !math.IsNaN(d.Ratio) {
		list = append(list, part{"How much more like chemistry at large than like the training set", d.Ratio, false})
	}
	return list
}

// The deviations between which bars of parts lie.
const leastDeviation, mostDeviation = -2, 6

func partRows(d *message.Detailed, things string) []app.UI {
	list := partsOf(d, things)
	rows := make([]app.UI, len(list))
	for i, part := range list {
		class := "fact part"
		if part.under {
			class = "fact part under"
		}
		rows[i] = app.Div().Class(class).Body(app.Dt().Text(part.name),
			app.Dd().Class("number").Body(app.Text(number(part.value)), app.Raw(bar(part.value, leastDeviation, mostDeviation, 0, undecided))))
	}
	return rows
}

// trained says whether it was likely trained on.
func trained(m *message.Model, d *message.Detailed) string {
	switch {
	case m == nil || !m.Knows:
		return "not known to this model"
	case d.Known:
		return "likely"
	}
	return "no, for certain"
}

// verdict is what is known, in words.
func (p *inspectorPane) verdict(i int, v verdict) app.UI {
	s := p.S
	if v == unscored {
		return app.Div().Class("verdict-box is-unscored").Body(app.P().Class("quiet").Text("Not scored yet."))
	}
	r := s.rule()
	said := say(v, s.rows.p[i], r, s.things())
	body := []app.UI{
		app.P().Class("verdict-line").Body(shape(v), app.Strong().Text(said.verdict)),
		app.P().Text(said.reason),
	}
	if most, _ := r.limits(); r.guard > 0 && s.rows.p[i] <= most && s.rows.aloneP[i] > r.guard {
		body = append(body, app.P().Text(guarded(s.rows.aloneP[i], r)))
	}
	if q := s.q(); len(q.p) > 0 && !math.IsNaN(s.rows.p[i]) {
		value, than := q.of(s.rows.p[i]), "which is more than"
		if value <= s.fdr {
			than = "at most"
		}
		body = append(body, app.P().Text("Among all: q\u00a0"+equals(value)+", "+than+" the "+percent(s.fdr)+" asked for."))
	}
	if s.rows.known[i] {
		body = append(body, app.P().Class("trained-on").Title(knownAbout(s.model)).Body(knownSign(), app.Strong().Text("Likely trained on."), app.Text(" About "+percent(falseMatches(s.model))+" of other molecules are taken for one, too.")))
	}
	if d := s.detail; d != nil && v != inside {
		if b := blame(d.Atoms, d.Bonds, d.Contribution); b != "" {
			body = append(body, app.P().Text(b))
		}
	}
	return app.Div().Class("verdict-box " + v.class()).Body(body...)
}

// scores are those of all kinds, one by one.
func (p *inspectorPane) scores(i int) app.UI {
	s := p.S
	list := []fact{{"p-value", pCell(s.rows.p[i], s.rows.verdict[i])}}
	if q := s.q(); len(q.p) > 0 {
		list = append(list, fact{"q-value", pCell(q.of(s.rows.p[i]), s.rows.verdict[i])})
	}
	list = append(list, fact{"Score", number(s.rows.score[i])})
	if b := s.rows.batch; b != nil {
		with := func(score, p float64) string {
			if math.IsNaN(p) {
				return number(score)
			}
			return number(score) + ", p\u00a0" + equals(p)
		}
		list = append(list, fact{"Decided by", deciderWords[s.by].name},
			fact{"By itself", with(s.rows.alone[i], s.rows.aloneP[i])},
			fact{"In the batch, " + basis(s.fitted), with(b.score[i], b.scoreP[i])},
			fact{"S_Pre, frozen network", number(b.pre[i])},
			fact{"S_Attn, dictionaries", number(b.attn[i])},
			fact{"S_BaCa, sum of both", with(b.baca[i], b.bacaP[i])})
	}
	return factList("Scores", list)
}

// basis says what the scores of a batch rest on.
func basis(f *message.Fitted) string {
	if f.Sample {
		return "by a sample of " + count(f.Graphs)
	}
	return "among " + count(f.Graphs)
}

// falseMatches is the share of other molecules that a model takes for training ones.
func falseMatches(m *message.Model) float64 {
	if m == nil {
		return math.NaN()
	}
	return m.FalseMatches
}

func (p *inspectorPane) facts(d *message.Detailed) app.UI {
	return factList("What it is", append(facts(d.Atoms, d.Bonds), fact{"Trained on", trained(p.S.model, d)}))
}

func factList(title string, list []fact) app.UI {
	rows := make([]app.UI, len(list))
	for i, f := range list {
		rows[i] = app.Div().Class("fact").Body(app.Dt().Text(f.name), app.Dd().Class("number").Text(f.value))
	}
	return app.Section().Class("block").Body(app.H3().Text(title), app.Dl().Class("facts").Body(rows...))
}

// neighbors are what it resembles: training graphs, and keys of both dictionaries.
func (p *inspectorPane) neighbors(d *message.Detailed) app.UI {
	body := []app.UI{app.H3().Text("What it resembles")}
	group := func(class, title string, list []neighbor) {
		if len(list) == 0 {
			return
		}
		items := make([]app.UI, len(list))
		for i, n := range list {
			items[i] = app.Li().Class("neighbor").DataSet("neighbor", strconv.Itoa(n.record)).Body(
				app.Span().Class("neighbor-name").Text(n.name), app.Span().Class("quiet").Text(n.about), app.Span().Class("number").Text(n.value))
		}
		body = append(body, app.H4().Class(class).Text(title), app.Ul().Class("neighbors").Body(items...))
	}
	name := "the model's"
	if p.S.model != nil {
		name = "training"
	}
	group("is-inside", "Nearest "+name+" graphs, by distance", neighborsOf(d.Nearest, 4))
	group("is-inside", "Keys of the inside dictionary, by weight", neighborsOf(d.IDKeys, 4))
	group("is-outside", "Keys of the outside dictionary, by weight", neighborsOf(d.OODKeys, 4))
	return app.Section().Class("block").
		OnClick(func(ctx app.Context, e app.Event) {
			if text, ok := around(e, "neighbor"); ok {
				if r, err := strconv.Atoi(text); err == nil && r >= 0 && r < p.S.rows.len() {
					p.S.choose(r)
				}
			}
		}).Body(body...)
}

// A neighbor is one line of what a record resembles.
type neighbor struct {
	name, about, value string
	record             int // of the input, −1 for others
}

func neighborsOf(list []message.Neighbor, most int) []neighbor {
	var out []neighbor
	for _, n := range list[:min(len(list), most)] {
		line := neighbor{record: -1, about: n.Origin}
		switch n.Origin {
		case "test":
			line.name, line.about, line.record = n.ID, "of this input", n.Row
			if line.name == "" {
				line.name = shorten(n.SMILES, 40)
			}
		case "training":
			line.name, line.about = "training graph", ""
			if n.Row >= 0 {
				line.name = fmt.Sprintf("training graph %d", n.Row+1)
			}
		default:
			line.name, line.about = "synthetic graph", "from a mixture of graphons"
		}
		if math.IsNaN(n.Weight) {
			line.value = number(n.Distance)
		} else {
			line.value = percent(n.Weight)
		}
		out = append(out, line)
	}
	return out
}
