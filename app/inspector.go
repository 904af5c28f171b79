package app

import (
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/lab"
	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// inspectorPane shows one record large, with its scores.
type inspectorPane struct {
	app.Compo
	S     *desk
	Album *picture.Album
	Rev   table.Revisions
	Drawn int // drawings available
	Seen  int // records with coloured atoms

	ctx app.Context
}

func (p *inspectorPane) OnMount(ctx app.Context) { p.ctx = ctx }

func (p *inspectorPane) Render() app.UI {
	breathe()
	s, i := p.S, p.S.Inspector.Record
	pane := app.Aside().Class("pane inspector")
	if i < 0 || i >= s.Rows.Len() {
		return pane.Aria("label", "Record").Body(p.nothing())
	}
	head := app.Div().Class("pane-head").Body(
		app.H2().Class("inspector-name").Text(words.Shorten(s.Rows.Name(i), 60)),
		app.Span().Class("stretch"),
		p.copyMenu(),
		closer("Close", func() { s.Inspector.Show(-1) }).ID("inspector-close"))
	if q := s.Rows.Problem(i); q != nil {
		return pane.Aria("label", "Record").Body(head, app.Div().Class("verdict-box "+classOf(decide.Refused)).Body(
			app.P().Class("verdict-line").Body(shape(decide.Refused), app.Strong().Text("Refused")),
			app.P().Text(q.Text), app.Pre().Class("caret").Attr("hidden", attribute(q.Caret == "")).Text(q.Caret)))
	}
	d, failure := s.Inspector.Detail.Value, s.Inspector.Detail.Failure
	body := append([]app.UI{head, p.verdict(i), p.prediction(i), setAside(d)}, p.picture()...)
	switch {
	case failure != nil:
		_, what := words.FailureWords(failure)
		body = append(body, quietLine("No details: "+what))
	case d != nil:
		body = append(body, p.neighbors(d), p.reasons(i, d), p.details(i, d))
	case s.Phase == run.Broken:
		body = append(body, quietLine(words.FailureLine(s.Failure)))
	case s.Models.Used.Value != nil && s.Opened != nil:
		body = append(body, quietLine(s.Say("Working out the reasons, atom by atom …")))
	}
	return pane.Aria("label", "Record "+s.Rows.Name(i)).Body(body...)
}

// setAside is what the model did not read of the record.
func setAside(d *message.Detailed) app.UI {
	return shown(d != nil && d.SetAside != "", small("").ID("set-aside"), func() []app.UI {
		if d.Parent == "" { // a plain graph
			return []app.UI{app.Text("Set aside: " + d.SetAside + ".")}
		}
		return []app.UI{
			app.Text("Set aside: " + d.SetAside + ". The model reads the parent compound: "),
			app.Code().Class("near-smiles").Text(d.Parent),
		}
	})
}

// properties are of the compound that the model reads.
func properties(d *message.Detailed) app.UI {
	return shown(d != nil && d.Properties != nil, small("").ID("properties"), func() []app.UI {
		return []app.UI{app.Text(d.Properties.String())}
	})
}

// picture is the large drawing, below it a note if there is one, or else the legend once the details are there.
func (p *inspectorPane) picture() []app.UI {
	drawn, note := p.Album.Large(p.S.Session, false)
	list := []app.UI{app.Div().Class("large").Body(p.drawing(drawn))}
	switch {
	case note != "":
		return append(list, small(note))
	case p.S.Inspector.Detail.Value != nil:
		return append(list, p.legend())
	}
	return list
}

// details are the numbers behind it.
func (p *inspectorPane) details(i int, d *message.Detailed) app.UI {
	return app.Details().ID("details").Class("details").Body(
		app.Summary().Body(icon("right"), app.Text("Details")),
		p.moreReasons(d), properties(d), p.scores(i), p.ownScore(d), p.own(i, d), p.keys(d),
		// On a phone this pane covers the menu.
		app.If(p.S.HasDomain(), func() app.UI { return app.Div().Body(opens(domainID).Class("button").Text("Domain report …")) }))
}

// drawing is the record's picture, or its SMILES.
func (p *inspectorPane) drawing(drawn string) app.UI {
	if smiles := p.S.Rows.Picture(p.S.Inspector.Record); drawn == "" && p.Album.Problem(smiles) != "" {
		return app.P().Class("not-drawn-smiles").Text(smiles)
	}
	return app.If(drawn != "", func() app.UI { return app.Raw(drawn) })
}

// nothing suggests records before one is chosen. In a visited domain it shows that.
func (p *inspectorPane) nothing() app.UI {
	s := p.S
	if m := s.Models.Used.Value; s.Models.Visit != "" && m != nil && m.Published != nil {
		return app.Div().Class("inspector-empty").Body(
			app.Div().Class("visit").Body(card(m.Published)),
			app.Div().Class("visit-map").Attr("hidden", attribute(s.View.Shape == table.Map)).Body(
				app.If(s.View.Shape != table.Map, func() app.UI {
					return &mapPane{S: s, Album: p.Album, Drawn: p.Drawn, Rev: p.Rev, Visit: true}
				})))
	}
	list := slices.DeleteFunc(s.Furthest(suggested), func(i int32) bool { return s.Rows.Class(int(i)) == table.InTraining })
	if len(list) == 0 {
		return app.Div().Class("inspector-empty quiet").Body(
			app.P().Text(s.Say("A record that you choose is shown here, with the atoms that make it unusual.")))
	}
	items := make([]app.UI, len(list))
	for i, r := range list {
		v := s.Rows.Class(int(r))
		items[i] = app.Li().Body(app.Button().Type("button").Class("suggestion "+classOf(v)).DataSet("suggestion", int(r)).Body(
			app.Span().Class("suggestion-picture").Body(thumbnail(p.Album, s, int(r), picture.Thumb)),
			app.Span().Class("suggestion-name").Text(words.Shorten(s.Rows.Name(int(r)), 40)),
			app.Span().Class("suggestion-verdict").Body(shape(v), app.Span().Text(verdictWithP(&s.Rows, int(r))))))
	}
	return app.Div().Class("inspector-empty").Body(
		app.H2().Text("What is unusual here?"),
		quietLine("These are furthest outside. Choose one to see what makes it so:"),
		app.Ul().Class("suggestions").OnClick(onNumber("suggestion", s.Inspector.Show)).Body(items...))
}

const suggested = 3

// copyMenu is the menu of what can be copied or saved of the record.
func (p *inspectorPane) copyMenu() app.UI {
	var items []app.UI
	if p.S.Rows.Picture(p.S.Inspector.Record) != "" {
		items = append(items, item("take", "smiles", "Copy SMILES", ""), item("take", "molfile", "Copy molfile", "as drawn"))
	}
	items = append(items, item("take", "png", "Copy picture", "PNG"),
		item("take", "save svg", "Save picture", "SVG").DataSet("save-as", "molecule.svg"), item("take", "save png", "Save picture", "PNG"))
	return menu("take", "Copy or save", "take", []app.UI{app.Text("Copy"), icon("down")}, p.take, items...)
}

// take copies or saves what an item of the menu names.
func (p *inspectorPane) take(what string) {
	s, i := p.S, p.S.Inspector.Record
	smiles, name := s.Rows.Picture(i), s.Rows.Name(i)
	drawn, _ := p.Album.Large(s.Session, true)
	switch what {
	case "smiles":
		tell(p.ctx, s, notCopied, "SMILES copied", "copy", smiles)
	case "molfile":
		if t, ok := tools(); ok && p.Album.Layout(smiles) != "" {
			tell(p.ctx, s, notCopied, "Molfile copied", "copy", t.Call("molfile", p.Album.Layout(smiles), name).String())
		}
	case "png":
		tell(p.ctx, s, notCopied, "Picture copied", "copyPNG", drawn)
	default:
		savePicture(p.ctx, s, words.Stem(name), drawn, what == "save png")
	}
}

// thumbnail is a record's small drawing, or why there is none, or an empty place until it is drawn.
func thumbnail(a *picture.Album, s *desk, record int, in picture.Frame) app.UI {
	if drawn := a.Of(s.Session, record, in); drawn != "" {
		return app.Raw(drawn)
	}
	if problem := a.Problem(s.Rows.Picture(record)); problem != "" {
		return notDrawn(problem)
	}
	return app.Span().Class("no-picture")
}

// Range of the bars in deviations.
const leastDeviation, mostDeviation = -2, 6

// ownScore shows the parts of the score.
func (p *inspectorPane) ownScore(d *message.Detailed) app.UI {
	things := p.S.Things()
	list := words.PartsOf(d, things)
	rows := make([]app.UI, len(list))
	for i, part := range list {
		row := app.Div().Class("fact part")
		if part.Under {
			row.Class("under")
		}
		rows[i] = row.Body(app.Dt().Text(part.Name), app.Dd().Class("number").Body(
			app.Text(words.Number(part.Value)), app.Raw(picture.Bar(part.Value, leastDeviation, mostDeviation, 0, decide.Undecided))))
	}
	return app.Section().ID("own-score").Class("block").Body(
		app.H3().Text("What its own score is made of"),
		small("In standard deviations of training "+things+": 0 is their mean, and few have more than 2."),
		app.Dl().Class("facts").Body(rows...))
}

// verdict says the record's verdict in a sentence, and how unusual its score is.
func (p *inspectorPane) verdict(i int) app.UI {
	s := p.S
	v, own := s.Rows.Class(i), s.Rows.P[i]
	box := app.Div().Class("verdict-box " + classOf(v)).OnClick(onNumber("reason", s.Inspector.Mark)).OnKeyDown(p.press)
	if v == table.Unscored {
		return box.Body(quietLine("Not scored yet."))
	}
	if v == table.InTraining {
		line := app.P().Class("verdict-line")
		return box.Body(line.Body(shape(v), app.Strong().Text("In the training set: "), app.Text(s.Rows.Name(i))), small(knownAbout(s)+"."))
	}
	rule := s.Rule()
	body := []app.UI{
		app.P().Class("verdict-line").Body(append([]app.UI{shape(v)}, p.sentence(v)...)...),
		small(howUnusual(v, own, rule, s.Things(), s.Models.HoldoutFile())),
	}
	if most, _ := rule.Limits(); rule.Guard > 0 && own <= most && s.Rows.GuardP(i) > rule.Guard {
		body = append(body, app.P().Text(guarded(s.Rows.AloneP[i], s.Things())))
	}
	if s.Deciding() != table.EachAlone {
		body = append(body, small("That is about this list. By itself it is "+lab.ByItself(s.Session, i)+".").ID("by-itself"))
	}
	if q := s.Levels.Of(own); !math.IsNaN(q) {
		than := "which is more than"
		if q <= s.FDR {
			than = "at most"
		}
		body = append(body, app.P().Text("Among all: q\u00a0"+words.PEquals(q)+", "+than+" the "+words.Percent(s.FDR)+" asked for."))
	}
	if s.Rows.Known[i] {
		body = append(body, small("It is in the training set all the same.").Title(knownAbout(s)))
	}
	return box.Body(body...)
}

// sentence is a verdict with what makes it so: the most unusual part of the molecule, which lights up when pressed.
func (p *inspectorPane) sentence(v decide.Verdict) []app.UI {
	d := p.S.Inspector.Detail.Value
	word := app.Strong().Text(words.Capital(wordOf(v)))
	switch {
	case v == decide.Undecided || v != decide.Inside && d == nil:
		return []app.UI{word}
	case v == decide.Inside:
		return []app.UI{word, app.Text(p.S.Say(": it is like the molecules of the training set."))}
	case len(d.Reasons) == 0:
		return []app.UI{word, app.Text(": no single part of it stands out.")}
	}
	return []app.UI{app.Strong().Text(words.Capital(wordOf(v)) + ": "), p.reason(d, 0), app.Text(".")}
}

// prediction says whether to trust the record's prediction. It is hidden without judgements.
func (p *inspectorPane) prediction(i int) app.UI {
	r := &p.S.Rows
	return shown(r.Trust != nil, app.Div().ID("prediction"), func() []app.UI {
		v, said := r.TrustOf(i), r.PredictionWords(i)
		if v == "" {
			return []app.UI{quietLine(said)}
		}
		return []app.UI{app.P().Body(app.Strong().Body(trustMark(v, words.Capital(trustWord(v))+": ")), app.Text(words.Small(said)))}
	})
}

// scores lists the record's p-value, scores and what they compare with.
func (p *inspectorPane) scores(i int) app.UI {
	s := p.S
	list := []words.Fact{{Name: "p-value", Value: scored(words.P(s.Rows.P[i]), s.Rows.Verdict[i])}}
	add := func(name, value string) { list = append(list, words.Fact{Name: name, Value: value}) }
	if n := s.Rule().Holdout; n > 0 && !math.IsNaN(s.Rows.P[i]) {
		add("Scores as high or higher", decide.CountedIn(s.Rows.P[i], n, ""))
	}
	if len(s.Levels) > 0 {
		add("q-value", scored(words.P(s.Levels.Of(s.Rows.P[i])), s.Rows.Verdict[i]))
	}
	add("Score", words.Number(s.Rows.Score[i]))
	if b := s.Rows.Batch; b != nil {
		add("By itself", scoreWithP(s.Rows.Alone[i], s.Rows.AloneP[i]))
		add("In the batch, "+words.Basis(s.Fitted), scoreWithP(b.Numbers("batch")[i], b.Numbers("batch_p")[i]))
		foreign := "no: some training " + s.Things() + " are as much like this list"
		if s.Rows.Foreign(i) {
			foreign = "yes: hardly any training " + strings.TrimSuffix(s.Things(), "s") + " is as much like this list"
		}
		add("Foreign (batch_foreign)", foreign)
		if s.UnfitFor(table.ThePaper) == "" {
			add("S_Pre, frozen network", words.Number(b.Numbers("s_pre")[i]))
			add("S_Attn, dictionaries", words.Number(b.Numbers("s_attn")[i]))
			add("S_BaCa, sum of both", scoreWithP(b.Numbers("s_baca")[i], s.Rows.Batch.Numbers("baca_p")[i]))
		}
	}
	return factList("Scores", list)
}

func scoreWithP(score, p float64) string {
	if math.IsNaN(p) {
		return words.Number(score)
	}
	return words.Number(score) + ", p\u00a0" + words.PEquals(p)
}

// own are the columns that the page does not know, the input's own among them, and whether it was
// trained on.
func (p *inspectorPane) own(i int, d *message.Detailed) app.UI {
	list := []words.Fact{{Name: "Trained on", Value: words.Trained(p.S.Models.Used.Value, d)}}
	for _, name := range p.S.Rows.Extra() {
		if text := p.S.Rows.Text(name, i); text != "" {
			list = append(list, words.Fact{Name: name, Value: text})
		}
	}
	return factList("What else is known of it", list)
}

// factList is a block with a title and named values.
func factList(title string, list []words.Fact) app.UI {
	// One piece: a table may have hundreds of columns.
	var b strings.Builder
	for _, f := range list {
		b.WriteString(`<div class="fact"><dt>` + html.EscapeString(f.Name) + `</dt><dd class="number">` + html.EscapeString(f.Value) + `</dd></div>`)
	}
	return app.Section().Class("block").Body(app.H3().Text(title), app.Raw(`<dl class="facts">`+b.String()+`</dl>`))
}

// legend says what the colours of the atoms are.
func (p *inspectorPane) legend() app.UI {
	text := "orange pushes it outside, blue holds it inside"
	if p.S.Deciding() != table.EachAlone {
		text += ", by its score by itself, which is not what decides now"
	}
	return app.Div().Class("legend small quiet").Body(
		app.Raw(`<svg width="120" height="12" viewBox="0 0 120 12" aria-hidden="true"><circle class="away" fill-opacity=".75" cx="8" cy="6" r="5.5"/><circle class="away" fill-opacity=".3" cx="24" cy="6" r="4.5"/><circle class="legend-none" cx="40" cy="6" r="3.5"/><circle class="towards" fill-opacity=".3" cx="56" cy="6" r="4.5"/><circle class="towards" fill-opacity=".75" cx="72" cy="6" r="5.5"/></svg>`),
		app.Span().Text(text),
		app.If(p.S.Inspector.Marked() != nil, func() app.UI {
			rings := " ringed: what no training molecule has"
			if p.S.Inspector.Reason >= 0 {
				rings = " ringed: the atoms of that reason"
			}
			return app.Span().Body(app.Raw(`<svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true">`+
				`<circle class="mark-ring" stroke-width="1.2" stroke-dasharray="2.5 2" cx="8" cy="7" r="6"/></svg>`), app.Text(p.S.Say(rings)))
		}),
	)
}

// reasonsShown are shown at once, others under details.
const reasonsShown = 3

// reasons are the first reasonsShown ones. The verdicts outside and borderline name the first themselves, so it is left
// out. Nothing is shown for a record that was trained on.
func (p *inspectorPane) reasons(i int, d *message.Detailed) app.UI {
	v := p.S.Rows.Class(i)
	from, head := 0, "What is unusual about it"
	if v == decide.Outside || v == decide.Borderline {
		from, head = 1, "What else is unusual about it"
	} else if v == decide.Inside {
		head = "Remarks"
	}
	to := min(len(d.Reasons), reasonsShown)
	return shown(v != table.InTraining && to > from, p.block().ID("reasons"), func() []app.UI {
		return []app.UI{app.H3().Text(head), p.reasonList(d, from, to)}
	})
}

// block has reasons that can be pressed.
func (p *inspectorPane) block() app.HTMLSection {
	return app.Section().Class("block").OnClick(onNumber("reason", p.S.Inspector.Mark)).OnKeyDown(p.press)
}

// moreReasons are the reasons after the first reasonsShown, nothing if there are none.
func (p *inspectorPane) moreReasons(d *message.Detailed) app.UI {
	return shown(len(d.Reasons) > reasonsShown, p.block(), func() []app.UI {
		return []app.UI{app.H3().Text("More that is unusual"), p.reasonList(d, reasonsShown, len(d.Reasons))}
	})
}

// reasonList lists the reasons from ≤ k < to.
func (p *inspectorPane) reasonList(d *message.Detailed, from, to int) app.UI {
	var items []app.UI
	for k := from; k < to; k++ {
		items = append(items, app.Li().Class("reason").Body(p.reason(d, k)))
	}
	return app.Ul().Class("reasons").Body(items...)
}

// reason is a reason's text, a button that highlights the atoms that it is about.
func (p *inspectorPane) reason(d *message.Detailed, k int) app.UI {
	r := d.Reasons[k]
	text := words.Grouped(strings.ReplaceAll(words.Reason(r.Text), " %", "\u00a0%"))
	if len(r.Nodes) == 0 {
		return app.Span().Text(text)
	}
	// It breaks over lines as text does, which no button can.
	return app.Span().Role("button").TabIndex(0).DataSet("reason", k).Aria("pressed", p.S.Inspector.Reason == k).Title("Show where").Text(text)
}

// press presses a reason by a key.
func (p *inspectorPane) press(_ app.Context, e app.Event) {
	if key := e.Get("key").String(); key != "Enter" && key != " " {
		return
	}
	if text, ok := dataAround(e, "reason"); ok {
		e.PreventDefault()
		k, _ := strconv.Atoi(text)
		p.S.Inspector.Mark(k)
	}
}

// neighbors are the most similar training molecules, drawn, or their rows without structures.
func (p *inspectorPane) neighbors(d *message.Detailed) app.UI {
	head := app.H3().Text("Most similar in the training set")
	cards, line := words.NearestOf(p.S.Models.Used.Value, d)
	if len(cards) == 0 {
		return app.Section().ID("neighbors").Class("block").Body(head, quietLine(line))
	}
	items := make([]app.UI, len(cards))
	values := ""
	for i, c := range cards {
		if c.Known != "" {
			values = " Values are those of the training set" + valueNames(p.S.Models.Used.Value) + "."
		}
		drawn := app.UI(app.Code().Class("near-smiles").Text(words.Shorten(c.SMILES, 60)))
		if small := p.Album.Small(c.SMILES); small != "" {
			drawn = app.Raw(small)
		}
		items[i] = app.Li().Class("near-card").DataSet("smiles", c.SMILES).Title(c.SMILES).Body(
			app.Div().Class("near-picture").Body(drawn),
			app.P().Class("near-name").Text(c.Name),
			app.P().Class("near-known number").Attr("hidden", attribute(c.Known == "")).Text(c.Known),
			app.P().Class("near-value number").Aria("label", "similarity "+c.Value).Body(
				app.Text(c.Value), app.Raw(picture.Share(c.Similarity))))
	}
	return app.Section().ID("neighbors").Class("block").Body(head, app.Ul().Class("near").Body(items...),
		small("Similarity from 0 to 1: the share of substructures, up to two bonds around an atom, that both have."+values))
}

// valueNames are the columns of observed and predicted values, whose names have units, where the model knows them.
func valueNames(m *message.Model) string {
	if m.Residuals == 0 {
		return ""
	}
	return ": observed is its column " + m.Observed + ", predicted " + m.Predicted
}

// keys are the most similar keys of both dictionaries.
func (p *inspectorPane) keys(d *message.Detailed) app.UI {
	if len(d.IDKeys)+len(d.OODKeys) == 0 {
		return app.Text("")
	}
	body := []app.UI{app.H3().Text("What it resembles in the batch")}
	group := func(class, title string, list []words.Neighbor) {
		if len(list) == 0 {
			return
		}
		items := make([]app.UI, len(list))
		for i, n := range list {
			items[i] = app.Li().Class("neighbor").DataSet("neighbor", strconv.Itoa(n.Record)).Body(
				app.Span().Class("neighbor-name").Text(n.Name), quiet(n.About), app.Span().Class("number").Text(n.Value))
		}
		body = append(body, app.H4().Class(class).Text(title), app.Ul().Class("neighbors").Body(items...))
	}
	group("is-inside", "Keys of the inside dictionary, by weight", words.NeighborsOf(d.IDKeys))
	group("is-outside", "Keys of the outside dictionary, by weight", words.NeighborsOf(d.OODKeys))
	return app.Section().Class("block").OnClick(onNumber("neighbor", func(record int) {
		if record >= 0 {
			p.S.Inspector.Show(record)
		}
	})).Body(body...)
}
