package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// dialogFrame is a dialog with a title and a close button.
func dialogFrame(id, title string, body ...app.UI) app.UI {
	head := app.Div().Class("pane-head").Body(
		app.H2().ID(id+"-title").Text(title), app.Span().Class("stretch"),
		closer("Close", func() { hideDialog(id) }).DataSet("close", id))
	return app.Dialog().ID(id).Aria("labelledby", id+"-title").
		OnClick(func(ctx app.Context, e app.Event) {
			// A click beside the dialog hits the dialog element.
			if e.Get("target").Equal(ctx.JSSrc()) {
				hideDialog(id)
			}
		}).
		Body(app.Div().Class("dialog-body").Body(append([]app.UI{head}, body...)...))
}

// A dialogPane is a dialog without a state of its own.
type dialogPane struct {
	app.Compo
	S  *desk
	ID string
	Of any // what it depends on
}

func (p *dialogPane) Render() app.UI {
	breathe()
	switch p.ID {
	case "models":
		return modelDialog(p.S)
	case "train":
		return trainDialog(p.S)
	case "draw":
		return drawDialog(p.S)
	case domainID:
		return domainDialog(p.S)
	case "publish":
		return publishDialog(p.S)
	case "privacy":
		return dialogFrame("privacy", "What leaves this tab: nothing", app.Div().DataSet("text", "privacy"))
	}
	return helpDialog(p.S)
}

// modelLists are the models that read the input, and the others.
func modelLists(s *desk, molecules bool) (fit, others []app.UI) {
	for i := range s.Models.Own {
		own := &s.Models.Own[i]
		fit = append(fit, modelLineOf(s, &own.Card, "own", i, func() { s.Models.Use(i) }, ownButtons(s, i), ownState(own)))
	}
	if w := s.Models.Welcome; w != nil {
		for i := range w.Models {
			m := &w.Models[i]
			list := &fit
			if m.Molecules != molecules {
				list = &others
			}
			*list = append(*list, modelLineOf(s, m, "built-in", i, func() { s.Models.Load(m.Name, nil) }))
		}
	}
	return fit, others
}

// modelDialog lists the models, with a description of one at a time. Models that cannot read the input are folded away.
func modelDialog(s *desk) app.UI {
	molecules := s.Opened == nil || s.Opened.Molecules
	fit, others := modelLists(s, molecules)
	wrong, kind := "", "plain graphs, which read no SMILES"
	if f := s.Models.Used.Failure; f != nil {
		wrong = words.FailureLine(f)
	}
	if !molecules {
		kind = "molecules, which read no plain graphs"
	}
	return dialogFrame("models", "Models",
		quietLine("A model knows one kind of molecule. The question it answers is which of yours are of another kind."),
		app.Div().Class("row-buttons").Body(
			button("Train your own", func() { hideDialog("models"); showDialog("train") }).ID("train-button").Class("strong"),
			fileButton("model-file", "Load a model file", "Load a model file", ".msgpack", func(ctx app.Context, v app.Value) {
				hideDialog("models")
				loadModelFile(ctx, s, v)
			}),
		),
		failure(wrong),
		goneLine(s),
		app.Div().Class("cards").Body(fit...),
		app.Details().Class("other-models").Attr("hidden", attribute(len(others) == 0)).Body(
			app.Summary().Body(icon("right"), app.Text(words.Plural(len(others), "model", "models")+" of "+kind)),
			app.Div().Class("cards").Body(others...)),
	)
}

func saveModel(name string, data []byte) { save(name+".msgpack", "application/octet-stream", data) }

// modelLineOf is a line on a model, with its description behind. use selects it, and more belongs to one of the user's.
func modelLineOf(s *desk, m *message.Model, kind string, i int, use func(), more ...app.UI) app.UI {
	note := words.NoteOn(m)
	class, action := "card", "Use"
	used := s.Models.Used.Value != nil && s.Models.Used.Value.SHA256 == m.SHA256
	if used {
		class, action = "card used", "In use"
	}
	return app.Div().Class(class).Body(
		app.Details().Attr("name", "model").Body(
			app.Summary().Body(icon("right"),
				app.Span().Body(app.Strong().Text(note.Title), app.Text(" "), quiet(note.Inside)),
				app.Span().Class("quiet small number").Text(words.Size(m.Bytes))),
			app.Div().Class("card-about").Body(
				app.P().Text(m.Description),
				app.P().Attr("hidden", attribute(note.ID == "")).Text(note.Measured()),
				quietLine(note.Bad).Attr("hidden", attribute(note.Bad == "")),
				app.P().Class("quiet small number").Text(strings.Join(words.ModelFacts(m), " · ")),
				app.P().Class("quiet small hash").Title("The file is checked against this hash").
					Text("sha256 "+words.Shorten(m.SHA256, 17)),
				app.Div().Body(more...))),
		button(action, func() {
			use()
			hideDialog("models")
		}, kind, m.SHA256).DataSet("model", kind+" "+strconv.Itoa(i)).Disabled(used),
	)
}

// ownButtons belong to models that are not built in.
func ownButtons(s *desk, i int) app.UI {
	m := &s.Models
	card := m.Own[i].Card
	download := func() {
		m.File(i, func(data []byte) {
			if data != nil {
				saveModel(card.Name, data)
			}
		})
	}
	return app.Span().Class("row-buttons own-buttons").Body(
		button("Download", download, card.SHA256).DataSet("download", i),
		button("Publish", func() {
			m.File(i, func(data []byte) {
				if data != nil {
					publish(s, data)
				}
			})
		}, card.SHA256).DataSet("publish", i).Disabled(!card.Molecules),
		button("Delete", func() { m.Delete(i) }, card.SHA256).DataSet("delete", i))
}

// trainDialog trains a model on the input.
func trainDialog(s *desk) app.UI {
	body := recipe
	switch t := &s.Training; {
	case t.Made.Value != nil:
		body = trained
	case t.Library != nil:
		body = underWay
	}
	return dialogFrame("train", "Your own model", body(s)...)
}

const mostEpochs = 10000

// recipe asks for what is needed to train.
func recipe(s *desk) []app.UI {
	library, ready := libraryLine(s)
	row := func(label app.UI, body app.UI) app.UI { return app.Div().Class("form-row").Body(label, body) }
	t := &s.Training
	r := &t.Recipe
	epochs := ""
	if r.Epochs > 0 {
		epochs = strconv.Itoa(r.Epochs)
	}
	return []app.UI{
		quietLine("Give the molecules that your model was trained on, at least 20. This tab learns what they have in common," +
			" and then says which others are unlike them. Nothing is sent anywhere."),
		app.If(t.Gone != nil, func() app.UI {
			return app.P().Role("status").Body(app.Text("The training was thrown away. "),
				plain("Undo", t.TakeBack).ID("train-undo"))
		}),
		app.If(t.Made.Failure != nil, func() app.UI {
			return failure(words.FailureLine(t.Made.Failure))
		}),
		app.Div().Class("form").Body(
			row(app.Span().Class("form-label").Text("Training set"), app.Div().Body(
				app.P().Text(library),
				app.If(keptLine(s) != "", func() app.UI { return small(keptLine(s)) }),
				libraryButton("library-file", s))),
			row(app.Label().Class("form-label").For("train-name").Text("Name"),
				app.Input().ID("train-name").Type("text").Placeholder("my-model").MaxLength(40).Value(r.Name).
					OnInput(func(ctx app.Context, e app.Event) { r.Name = strings.TrimSpace(valueOf(ctx)) })),
			row(app.Span().Class("form-label").Text("Encoder"), app.Div().Body(
				check("train-attention", "Train it for the paper's method", &r.Attention),
				small("That takes minutes. Without it a model of molecules takes seconds and judges them as well: "+
					"only the paper's method and its scenes need a trained encoder."))),
			row(app.Label().Class("form-label").For("train-epochs").Text("Epochs"), app.Div().Body(
				app.Input().ID("train-epochs").Type("number").Attr("min", 1).Attr("max", mostEpochs).Placeholder("automatic").Value(epochs).
					OnInput(func(ctx app.Context, e app.Event) {
						switch n, err := strconv.Atoi(valueOf(ctx)); {
						case valueOf(ctx) == "":
							r.Epochs = 0
						case err == nil && n >= 1 && n <= mostEpochs:
							r.Epochs = n
						}
					}),
				small("passes over the training set to train the encoder. If you give none: 400 for the paper's "+
					"method, fewer for more than 7 680 molecules."))),
			row(app.Span().Class("form-label").Text("Structures"), app.Div().Body(
				check("train-structures", "Keep structures in the model", &r.Structures),
				small("Anyone who has the model's file can then read them. The inspector shows the most similar ones."))),
			app.If(len(s.ValueColumns()) > 1,
				func() app.UI { return row(app.Span().Class("form-label").Text("Predictions"), predictionForm(s)) }),
		),
		app.Div().Class("row-buttons").Body(
			button("Train", t.Start).ID("train-start").Class("strong").Disabled(!ready)),
	}
}

// check is a checkbox that shows *value, and sets it when the user changes it.
func check(id, text string, value *bool) app.HTMLLabel {
	return app.Label().Class("check").Body(
		app.Input().ID(id).Type("checkbox").Checked(*value).
			OnChange(func(ctx app.Context, e app.Event) { *value = ctx.JSSrc().Get("checked").Bool() }),
		app.Text(text))
}

// libraryButton chooses a training set, and opens the training dialog.
func libraryButton(id string, s *desk) app.UI {
	return fileButton(id, "Choose a training set", "Choose a training set", s.Models.Extensions(),
		func(_ app.Context, v app.Value) { openLibrary(s, v) })
}

// trainForPaper offers to train a model for the paper's method.
func trainForPaper(s *desk) {
	s.Training.Recipe.Attention = true
	showDialog("train")
}

// openLibrary opens a browser's file to train on.
func openLibrary(s *desk, v app.Value) {
	if f, ok := browserFile(v); ok {
		s.Input.Give(run.Given{File: f, Library: true})
		showDialog("train")
	}
}

// predictionForm asks for observed and predicted values, and for the promise that keeps errors.
func predictionForm(s *desk) app.UI {
	r := &s.Training.Recipe
	column := func(id, name, but string, chosen *string) app.UI {
		return app.Span().Class("value-column").
			Body(app.Label().For(id).Text(name), columnSelect(id, s.ValueColumns(), but, *chosen, func(name string) {
				*chosen, r.HeldOut = name, false // the promise was about others
			}))
	}
	return app.Div().Body(
		app.Div().Class("value-columns").Body(
			column("train-observed", "Observed", r.Predicted, &r.Observed),
			column("train-predicted", "Predicted", r.Observed, &r.Predicted)),
		check("train-held-out", "These predictions were held out or cross-validated", &r.HeldOut),
		small("The model then keeps how wrong your predictions were for the molecules kept from training, and says "+
			"what errors to expect of new ones. Without the promise nothing is kept: errors on molecules that a "+
			"model was fitted to are too small."))
}

// underWay shows a training that runs or is paused.
func underWay(s *desk) []app.UI {
	t := &s.Training
	x := make([]float64, len(t.Loss))
	for i := range x {
		x[i] = float64(i + 1)
	}
	body := []app.UI{
		app.P().ID("train-line").Body(app.Strong().Text(progressLine(t))),
		quietLine(libraryName(t)),
		app.If(len(t.Loss) > 0, func() app.UI {
			return app.Raw(picture.Plot{Width: 560, Height: 200, Title: "Loss by epoch", XLabel: "epoch", X: x,
				Curves: []picture.Curve{{Name: "loss", Role: "line", Y: t.Loss}}}.SVG(false))
		}),
	}
	if t.Made.Failure != nil {
		body = append(body, failure(words.FailureLine(t.Made.Failure)))
	}
	first := button("Go on", t.Resume).ID("train-resume").Class("strong")
	if t.On {
		first = button("Pause", t.Pause).ID("train-pause").Disabled(t.Ending || t.Packing)
	}
	return append(body,
		app.Div().Class("row-buttons").Body(first,
			plain("Throw away", t.Drop).ID("train-drop")),
		small(checkpointLine(t)).ID("train-kept"))
}

// trained is the model that came out.
func trained(s *desk) []app.UI {
	m := s.Training.Made.Value
	body := []app.UI{
		app.P().Body(app.Strong().Text("Done: " + m.Model.Name)),
		quietLine(fmt.Sprintf("%s graphs, %s, on the %s, %s. `baca score --model` reads the same file.",
			words.Count(m.Model.Train), words.Encoder(&m.Model), m.Device, words.Size(len(m.Data)))),
	}
	if n := m.Model.Residuals; n > 0 {
		body = append(body, app.P().ID("train-errors").
			Text(fmt.Sprintf("It keeps how wrong %s was for %s held-out molecules.",
				m.Model.Predicted, words.Count(n))))
	}
	for _, w := range m.Warnings {
		body = append(body, quietLine(words.Capital(w)+"."))
	}
	return append(body, app.Div().Class("row-buttons").Body(
		button(useWords(s), func() {
			s.Training.Use()
			hideDialog("train")
		}, m.Model.SHA256).ID("train-use").Class("strong"),
		signed("save", "Download", func() { saveModel(m.Model.Name, m.Data) }, m.Model.SHA256).ID("train-download"),
		button("Publish", func() { publish(s, m.Data) }, m.Model.SHA256).ID("train-publish").Disabled(!m.Model.Molecules),
		plain("Train another", s.Training.Drop),
	))
}

// drawDialog holds the molecule editor. It is never drawn again, which would remove that.
func drawDialog(s *desk) app.UI {
	return dialogFrame("draw", "Draw a molecule or a part",
		app.Div().ID("editor-tools").Class("editor-tools").Role("toolbar").Aria("label", "Tools of the editor"),
		app.Div().ID("editor").Class("draw-area").Role("application").Aria("label", "Editor of structures").Body(),
		quietLine("The editor is loaded when it is first opened.").ID("editor-note"),
		app.Div().Class("row-buttons").Body(button("Add to the input", func() { takeDrawing(s.Input.AddLine) }).ID("draw-add").Class("strong"),
			button("Find it in the list", func() {
				takeDrawing(func(smiles string) { s.Find(smiles, true) }, true)
			}).ID("draw-find").Disabled(s.Graphs() == 0)),
	)
}

// takeDrawing passes on what is drawn, flat without marks of stereochemistry, and closes the editor.
func takeDrawing(use func(smiles string), flat ...any) {
	t, ok := tools()
	if !ok {
		return
	}
	if smiles := strings.TrimSpace(t.Call("edited", flat...).String()); smiles != "" {
		use(smiles)
	}
	t.Call("closeEditor")
	hideDialog("draw")
}

// openEditor loads and shows the editor, with the selected molecule.
func openEditor(s *desk) {
	showDialog("draw")
	smiles := ""
	if s.Inspector.Record >= 0 {
		smiles = s.Rows.Picture(s.Inspector.Record)
	}
	callTool("edit", app.Window().GetElementByID("editor"), smiles, once(func(args []app.Value) {
		note := "Add your drawing to the input, or find it in the molecules of the list."
		if args[1].Truthy() {
			note = args[1].String()
		}
		if element := app.Window().GetElementByID("editor-note"); element.Truthy() {
			element.Set("textContent", note)
		}
	}))
}

// helpDialog is the dialog that explains the page, with the number of held-out graphs once it is known. The page's script
// fetches the text when the dialog opens.
func helpDialog(s *desk) app.UI {
	holdout := "A few hundred"
	if n := len(s.References[table.EachAlone]); n > 0 {
		holdout = words.Count(n)
	}
	return dialogFrame("help", "How to read this", app.Div().DataSet("text", "help").DataSet("holdout", holdout))
}

const domainID = "domain"

// domainDialog chooses the subject of a domain report.
func domainDialog(s *desk) app.UI {
	var rows []app.UI
	for _, d := range s.DomainSubjects() {
		as := func(format, text string) app.UI {
			return app.Button().Class("button").Type("button").DataSet("domain", d.Key+" "+format).Disabled(!d.Ready).
				Body(icon("save"), app.Text(text))
		}
		rows = append(rows, app.Div().Class("form-row").Body(
			app.Span().Class("form-label").Text(d.Title),
			app.Div().Body(app.P().Text(d.Name), app.Div().Class("row-buttons").Body(as("html", "HTML"), as("json", "JSON")))))
	}
	return dialogFrame(domainID, "Domain report",
		quietLine("Is a substance within the applicability domain of the model? An answer for a regulator's file, "+
			"in the fields of the QSAR Prediction Reporting Format (QPRF). Section 5 of the QMRF describes the "+
			"domain itself. The HTML prints on A4."),
		app.Div().Class("form").OnClick(onData(domainID, func(what string) {
			key, format, _ := strings.Cut(what, " ")
			hideDialog(domainID)
			s.SaveDomain(key, format, keep)
		})).Body(rows...),
		small("Each molecule is judged by itself, with α = "+words.Percent(s.Alpha)+", whatever else decides in "+
			"the table. Nothing is said of an endpoint. baca report --qprf and --qmrf write the same."))
}
