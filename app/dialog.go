package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// frame is a dialog with a title and a button that closes it.
func frame(id, title string, body ...app.UI) app.UI {
	return app.Dialog().ID(id).Aria("labelledby", id+"-title").
		OnClick(func(ctx app.Context, e app.Event) {
			// A click beside the dialog hits the dialog itself.
			if e.Get("target").Equal(ctx.JSSrc()) {
				hideDialog(ctx.JSSrc().Get("id").String())
			}
		}).
		Body(app.Div().Class("dialog-body").Body(append([]app.UI{
			app.Div().Class("pane-head").Body(
				app.H2().ID(id+"-title").Text(title), app.Span().Class("stretch"),
				app.Button().Class("plain icon-only").Type("button").Aria("label", "Close").DataSet("close", id).
					OnClick(func(ctx app.Context, e app.Event) {
						hideDialog(ctx.JSSrc().Get("dataset").Get("close").String())
					}).Body(icon("close"))),
		}, body...)...))
}

// modelDialog is where a model is chosen.
type modelDialog struct {
	app.Compo
	S   *session
	Rev int
}

// Render implements app.Composer.
func (p *modelDialog) Render() app.UI {
	s := p.S
	var cards []app.UI
	if s.welcome != nil {
		for i := range s.welcome.Models {
			cards = append(cards, p.card(&s.welcome.Models[i], "built-in", i))
		}
	}
	for i := range s.customModels {
		cards = append(cards, p.card(&s.customModels[i].card, "own", i))
	}
	failure := ""
	if s.modelFailure != nil {
		h, w := explain(s.modelFailure)
		failure = h + ". " + w
	}
	return frame("models", "Models",
		app.P().Class("quiet").Text("A model knows one kind of molecule. The question it answers is which of yours are of another kind."),
		app.P().Class("bad-text").Role("alert").Attr("hidden", flag(failure == "")).Text(failure),
		app.Div().Class("cards").OnClick(func(ctx app.Context, e app.Event) {
			if what, ok := around(e, "download"); ok {
				if i, err := strconv.Atoi(what); err == nil && i < len(s.customModels) {
					m := s.customModels[i]
					save(m.card.Name+".msgpack", "application/octet-stream", m.data)
				}
				return
			}
			what, ok := around(e, "model")
			if !ok {
				return
			}
			kind, number, _ := strings.Cut(what, " ")
			i, err := strconv.Atoi(number)
			switch {
			case err != nil:
			case kind == "built-in" && i < len(s.welcome.Models):
				s.loadModel(s.welcome.Models[i].Name, nil)
			case kind == "own" && i < len(s.customModels):
				s.loadModel(s.customModels[i].card.Name, s.customModels[i].data)
			}
			hideDialog("models")
		}).Body(cards...),
		app.Div().Class("row-buttons").Body(
			app.Label().Class("button").Body(icon("file"), app.Text("Load a model file"),
				app.Input().ID("model-file").Class("file-input").Type("file").Accept(".msgpack").Aria("label", "Load a model file").
					OnChange(func(ctx app.Context, e app.Event) {
						input := ctx.JSSrc()
						readFile(ctx, input.Get("files").Index(0), func(name string, data []byte, problem string) {
							hideDialog("models")
							if problem != "" {
								s.unreadable(name, problem)
								return
							}
							s.loadModel(stem(name), data)
						})
						input.Set("value", "")
					})),
			app.Button().ID("train-button").Class("button").Type("button").Text("Train your own").
				OnClick(func(app.Context, app.Event) { hideDialog("models"); showDialog("train") }),
		),
	)
}

// card says in plain words what a model is.
func (p *modelDialog) card(m *message.Model, kind string, i int) app.UI {
	s := p.S
	n := notes[m.Name]
	if kind != "built-in" {
		n = note{title: m.Name}
	}
	if n.title == "" {
		n.title = m.Name
	}
	used := s.model != nil && s.model.SHA256 == m.SHA256
	class := "card"
	if used {
		class += " used"
	}
	reads := "reads molecules"
	if !m.Molecules {
		reads = "reads plain graphs"
	}
	action := "Use this model"
	if used {
		action = "In use"
	}
	facts := []string{reads, "trained on " + count(m.Train) + " for " + things(m.Epochs, "epoch", "epochs")}
	if m.BackgroundGraphs > 0 {
		facts = append(facts, "background: "+count(m.BackgroundGraphs)+" of "+m.Background)
	}
	kept := "kept"
	if m.HoldoutFile != "" {
		kept = "of " + shorten(m.HoldoutFile, 40)
	}
	facts = append(facts, count(m.Holdout)+" "+kept+" for p-values, so p is "+number(m.SmallestP)+" at least", size(m.Bytes))
	return app.Article().Class(class).Body(
		app.H3().Text(n.title),
		app.P().Text(m.Description),
		app.P().Attr("hidden", flag(n.good == "")).Text(n.good),
		app.P().Attr("hidden", flag(n.id == "")).Text(n.measured()),
		app.P().Class("quiet").Attr("hidden", flag(n.bad == "")).Text(n.bad),
		app.P().Class("quiet small number").Text(strings.Join(facts, " · ")),
		app.P().Class("quiet small hash").Title("The file is checked against this hash").Text("sha256 "+shorten(m.SHA256, 17)),
		app.Div().Class("row-buttons").Body(
			app.Button().Class("button").Type("button").DataSet("model", kind+" "+strconv.Itoa(i)).Disabled(used).Text(action),
			app.If(kind == "own", func() app.UI {
				return app.Button().Class("button").Type("button").DataSet("download", i).Body(icon("save"), app.Text("Download"))
			}),
		),
	)
}

// trainDialog makes a model of the input.
type trainDialog struct {
	app.Compo
	S   *session
	Rev int

	name   string
	epochs int
}

// Render implements app.Composer.
func (p *trainDialog) Render() app.UI {
	s := p.S
	t := &s.train
	body := []app.UI{app.P().Class("quiet").Text("Give a library of what is ordinary for you, at least 20 molecules. The model learns what they have in common, in this tab. Nothing is sent anywhere.")}
	switch {
	case t.made != nil:
		body = append(body, p.made()...)
	case t.library != nil:
		body = append(body, p.running()...)
	default:
		body = append(body, p.setup()...)
	}
	return frame("train", "Train your own model", body...)
}

func (p *trainDialog) setup() []app.UI {
	s := p.S
	if p.epochs == 0 {
		p.epochs = defaultEpochs
	}
	what := "No library yet."
	ready := false
	if s.opened != nil {
		n := s.opened.Records - s.opened.Refused
		what = count(n) + " graphs in the input"
		if s.opened.Name != "" {
			what += ", from " + s.opened.Name
		}
		ready = n >= 20
		if !ready {
			what += ": at least 20 are needed"
		}
	}
	return []app.UI{
		app.Div().Class("form").Body(
			app.Div().Class("form-row").Body(app.Span().Class("form-label").Text("Library"), app.Div().Body(
				app.P().Text(what+"."),
				app.Label().Class("button").Body(icon("file"), app.Text("Choose a library"),
					app.Input().ID("library-file").Class("file-input").Type("file").Accept(".smi,.smiles,.txt,.csv,.tsv,.sdf,.gz,.zst,.zip").Aria("label", "Choose a library").
						OnChange(func(ctx app.Context, e app.Event) {
							input := ctx.JSSrc()
							if f, ok := fileOf(input.Get("files").Index(0)); ok {
								s.giveLibrary(f)
							}
							input.Set("value", "")
						})),
			)),
			app.Div().Class("form-row").Body(app.Label().Class("form-label").For("train-name").Text("Name"),
				app.Input().ID("train-name").Type("text").Placeholder("my-library").MaxLength(40).
					OnInput(func(ctx app.Context, e app.Event) { p.name = ctx.JSSrc().Get("value").String() })),
			app.Div().Class("form-row").Body(app.Label().Class("form-label").For("train-epochs").Text("Epochs"),
				app.Div().Body(
					app.Input().ID("train-epochs").Type("number").Attr("min", 1).Attr("max", 10000).Value(p.epochs).
						OnInput(func(ctx app.Context, e app.Event) {
							if n, err := strconv.Atoi(ctx.JSSrc().Get("value").String()); err == nil && n >= 1 && n <= 10000 {
								p.epochs = n
							}
						}),
					app.P().Class("quiet small").Text("passes over the library; the built-in models have 400"))),
		),
		app.Div().Class("row-buttons").Body(app.Button().ID("train-start").Class("button strong").Type("button").Disabled(!ready).Text("Train").
			OnClick(func(ctx app.Context, e app.Event) { s.trainOn(strings.TrimSpace(p.name), p.epochs, store{ctx}) })),
	}
}

// giveLibrary opens a file without scoring it.
func (s *session) giveLibrary(f *file) {
	s.unscored = true
	s.replace("", f, "the input before")
}

func (p *trainDialog) running() []app.UI {
	s := p.S
	t := &s.train
	epoch := t.at
	if t.on {
		epoch = max(t.latest.Epoch, t.from)
	}
	line := fmt.Sprintf("Epoch %d of %d", epoch, t.epochs)
	if left, ok := t.left(s.now()); ok {
		if left < 10*time.Second {
			line += ", a few seconds left"
		} else {
			line += ", about " + duration(left) + " left"
		}
	}
	if !t.on {
		line = "Paused at epoch " + strconv.Itoa(t.at) + " of " + strconv.Itoa(t.epochs)
	} else if t.packing {
		line = "All epochs are done: the model learns what tells your library from chemistry at large"
	} else if t.ending {
		line += ", pausing after this one …"
	}
	var x []float64
	for i := range t.loss {
		x = append(x, float64(i+1))
	}
	body := []app.UI{
		app.P().ID("train-line").Body(app.Strong().Text(line)),
		app.P().Class("quiet").Text(t.library.name + trainedOn(t)),
		app.Raw(plot{width: 560, height: 200, title: "Loss by epoch", xlabel: "epoch", x: x, curves: []curve{{"loss", "line", t.loss}}}.svg(false)),
	}
	if t.failure != nil {
		h, w := explain(t.failure)
		body = append(body, app.P().Class("bad-text").Role("alert").Text(h+". "+w))
	}
	buttons := []app.UI{}
	if t.on {
		buttons = append(buttons, app.Button().ID("train-pause").Class("button").Type("button").Disabled(t.ending || t.packing).Text("Pause").
			OnClick(func(app.Context, app.Event) { s.pauseTraining() }))
	} else {
		buttons = append(buttons, app.Button().ID("train-resume").Class("button strong").Type("button").Text("Go on").
			OnClick(func(ctx app.Context, e app.Event) { s.goOn(store{ctx}) }))
	}
	buttons = append(buttons, app.Button().ID("train-drop").Class("plain").Type("button").Text("Throw away").
		OnClick(func(ctx app.Context, e app.Event) { s.dropTraining(store{ctx}) }))
	return append(body, app.Div().Class("row-buttons").Body(buttons...),
		app.P().Class("quiet small").Text("You may close the tab: the latest checkpoint is kept in this browser, and training goes on from there."))
}

func trainedOn(t *training) string {
	if t.latest.Train == 0 {
		return ""
	}
	s := ": " + count(t.latest.Train) + " to learn from, " + count(t.latest.Holdout) + " kept for p-values"
	if t.latest.Refused > 0 {
		s += ", " + count(t.latest.Refused) + " refused"
	}
	return s
}

func (p *trainDialog) made() []app.UI {
	s := p.S
	m := s.train.made
	body := []app.UI{
		app.P().Body(app.Strong().Text("Done: " + m.Model.Name)),
		app.P().Class("quiet").Text(fmt.Sprintf("%s graphs, %s, on the %s, %s. `baca score --model` reads the same file.", count(m.Model.Train), things(m.Model.Epochs, "epoch", "epochs"), m.Device, size(len(m.Data)))),
	}
	for _, w := range m.Warnings {
		body = append(body, app.P().Class("quiet").Text(sentences([]string{w})))
	}
	return append(body, app.Div().Class("row-buttons").Body(
		app.Button().ID("train-use").Class("button strong").Type("button").Text("Use it").OnClick(func(app.Context, app.Event) {
			s.loadModel(m.Model.Name, m.Data)
			hideDialog("train")
		}, app.EventScope(m.Model.SHA256)),
		app.Button().ID("train-download").Class("button").Type("button").Body(icon("save"), app.Text("Download")).OnClick(func(app.Context, app.Event) {
			save(m.Model.Name+".msgpack", "application/octet-stream", m.Data)
		}, app.EventScope(m.Model.SHA256)),
		app.Button().Class("plain").Type("button").Text("Train another").OnClick(func(app.Context, app.Event) {
			s.train = training{}
			s.rev.all()
		}),
	))
}

// drawDialog holds the editor in which a molecule is drawn.
type drawDialog struct {
	app.Compo
	S *session
}

// Render implements app.Composer. The editor lives in an element that is left alone.
func (p *drawDialog) Render() app.UI {
	return frame("draw", "Draw a molecule",
		app.Div().ID("editor").Class("draw-area").Body(),
		app.P().ID("editor-note").Class("quiet").Text("The editor is loaded when it is first opened."),
		app.Div().Class("row-buttons").Body(
			app.Button().ID("draw-add").Class("button strong").Type("button").Text("Add to the input").OnClick(func(ctx app.Context, e app.Event) {
				t, ok := tools()
				if !ok {
					return
				}
				if smiles := strings.TrimSpace(t.Call("edited").String()); smiles != "" {
					p.S.addLine(smiles)
				}
				t.Call("closeEditor")
				hideDialog("draw")
			}),
		),
	)
}

// openEditor loads the editor and shows it, with the selected molecule in it.
func openEditor(ctx app.Context, s *session) {
	t, ok := tools()
	if !ok {
		return
	}
	showDialog("draw")
	smiles := ""
	if s.selected >= 0 {
		smiles = s.rows.picture(s.selected)
	}
	t.Call("edit", app.Window().GetElementByID("editor"), smiles, once(func(args []app.Value) {
		note := "Your drawing becomes one more line of the input."
		if args[1].Truthy() {
			note = args[1].String()
		}
		if element := app.Window().GetElementByID("editor-note"); element.Truthy() {
			element.Set("textContent", note)
		}
	}))
}

// addLine puts a molecule at the end of the text.
func (s *session) addLine(smiles string) {
	text := s.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	s.give(text+smiles+" drawn\n", nil, "the input before")
}

// privacyDialog says what leaves the tab, and how to check it.
type privacyDialog struct{ app.Compo }

// Render implements app.Composer.
func (p *privacyDialog) Render() app.UI {
	return frame("privacy", "What leaves this tab: nothing",
		app.P().Text("Molecules, files, models and scores stay in this browser tab. The page loads its own program and models from the place it came from, and then computes here. There is no server behind it, no account, no cookie and no statistics."),
		app.H3().Text("How to check"),
		app.Ol().Body(
			app.Li().Text("Open the developer tools of your browser (F12) and their network page. Paste, score, train: no request appears, but for a model that you choose, and the background that you train with, for the first time."),
			app.Li().Text("Or take the network away. Once the page says that it works offline, all of it does."),
			app.Li().Text("The page forbids itself to reach any other place: its Content-Security-Policy allows connections to its own origin alone. View the source of the page, it is near the top."),
		),
		app.P().Class("quiet").Text("A training that was not finished is kept in this browser's own store, so that it can go on. “Throw away” deletes it."),
	)
}

// helpDialog explains each number in two sentences.
type helpDialog struct {
	app.Compo
	Held  int     // molecules that p-values compare with
	Guard float64 // p-value by itself up to which the batch can call outside, 0 while it is not known
}

// Render implements app.Composer.
func (p *helpDialog) Render() app.UI {
	term := func(name, text string) app.UI {
		return app.Div().Class("term").Body(app.Dt().Text(name), app.Dd().Text(text))
	}
	held := "A few hundred"
	if p.Held > 0 {
		held = count(p.Held)
	}
	guard := p.Guard
	if guard == 0 {
		guard = 0.1
	}
	return frame("help", "How to read this",
		app.P().Text("The model has seen one kind of molecule. For each of yours the page says how unusual it would be among those. Unusual is not bad, toxic or wrong: it means that whatever was learned from the training molecules may not hold for this one."),
		app.H3().Text("Two answers to two questions"),
		app.P().Text("Is this molecule unlike the training set? Each gets its own answer, from itself alone: the same whatever else is in the list, in any order, on any day. That is what the table shows unless you choose otherwise."),
		app.P().Text("Is this list as a whole unlike the training set? That is one answer for all, in a line of its own below the headline. A list can differ though every molecule in it is ordinary: a series of close relatives does. So it says nothing about any single one."),
		app.H3().ID("not").Text("What not to conclude"),
		app.Ul().Class("not").Body(
			app.Li().Text("Inside does not mean that another model is right about it: only that it is not unusual in ways that this one sees. Between sets that resemble each other an outsider looks like an insider."),
			app.Li().Text("Outside does not mean wrong, unsafe, inactive or a mistake. It is a reason to look."),
			app.Li().Text("p = 0.3 is not a chance of 30 % that it is inside, and two records at the smallest p are not more or less outside than each other."),
			app.Li().Text("Orange atoms cause nothing. They moved this score."),
			app.Li().Text("No alarm of drift is no evidence so far, and not evidence of no drift."),
		),
		app.H3().Text("What each number says"),
		app.Dl().Class("terms").Body(
			term("Verdict", "Outside: p is α or less. Borderline: p is at most twice α. Inside: all others. Undecided: the model keeps too few molecules to compare with for this α."),
			term("p-value", held+" molecules of the known kind were kept from training. p is the share of them, with yours counted in, that score at least as high; so it cannot be smaller than one over their number."),
			term("α, false alarms", "The share of ordinary molecules that you accept to be called outside by mistake. Moving it judges again at once and scores nothing anew."),
			term("Score", "The two that follow taken together, compared with training molecules of the same size, in units that mean nothing by themselves. Right is outside, everywhere on this page."),
			term("How far from the nearest training molecules", "The distance to the few training molecules that are most alike, by what the network makes of them and by the pieces they are built of. It is in standard deviations of training molecules, whose mean is 0."),
			term("How much more like chemistry at large", "Whether the pieces of the molecule are more common in molecules at large, of ChEMBL and QM9, than in the training set, in the same units. Models of bare graphs, and those trained without such a background, do not say."),
			term("Decided by", "“Each molecule alone” looks at nothing else. “The batch” also uses where your list differs from the training set, which finds more in a mixed list; it calls outside only what has p of at most "+number(guard)+" by itself, too, so that even in the worst company no more than that share of ordinary molecules is called. “The paper's method” goes by S_BaCa, without that bound."),
			term("False-discovery rate", "Among very many, some ordinary molecules have small p-values, too. This rule calls outside so that, of all it calls, at most the share you choose is expected to be ordinary (Benjamini and Hochberg). q is the lowest such share at which a record is called. Where few are outside it may call none: then judge each at α, and look at those."),
			term("Likely trained on", "The model keeps salted hashes of what it was trained on, cut short so that they give nothing away: about one in a thousand other molecules matches by chance. No match is certain."),
			term("S_Pre", "What the network, trained once and then frozen, says of a molecule beside the others of the list: how badly its two views of it match (equation 1 of the paper). This and the next two are there once the batch is calibrated."),
			term("S_Attn", "What two dictionaries say that are filled while the batch is calibrated, one with graphs that look inside and one with graphs that look outside (equations 6 to 8)."),
			term("S_BaCa", "The sum of both, the score of the paper (equation 9)."),
			term("The list as a whole", "AUC says how well your list can be told from molecules of the training set: ½ is not at all, 1 is fully. p is how often a list of such molecules would be told as well. With little evidence the score in the batch stays close to that of each by itself."),
			term("Coloured atoms", "Each atom is taken out once and the rest scored by itself. Orange atoms are those without which the molecule looks more ordinary. What is left is often a broken molecule, so compare atoms with each other. The gradient is an estimate of the part that goes by the embedding."),
			term("What is unusual", "Facts about the molecule, checked against the training set, the most unusual first. They need not be what moved the score; a molecule can be inside with some and outside without any."),
			term("Drift", "Takes the records in their order, each by itself, and bets against “these come from where the training set came from”. 1 becomes 100 by mistake in at most one input of a hundred, whenever you look. It is behind the last button at the bottom."),
			term("AUC", "If your CSV has a column named ood, with 1 for what you know to be foreign and 0 for the rest: how often a foreign record scores higher than another one. The labels are used for nothing else."),
			term("Graphon", "A map of how likely two places of a graph are joined. The lab shows those of your graphs, and what is drawn from mixtures of two (equations 2 and 3)."),
		),
		app.P().Class("quiet").Text("Where the batch or the paper's method decides, a molecule can have another p-value in another list. Each molecule alone has one p-value with a model, always."),
	)
}
