package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/run"
	"baca/app/words"
)

// question asks what the page answers, above the two doors.
func question(s *desk) app.UI {
	return app.Div().Class("question").Attr("hidden", onlyWithout(s)).Body(
		app.H2().Text("Is my molecule inside my model's domain?"),
		app.P().Text("A model answers every question, even on molecules unlike all that it was trained on. See which of yours those are,"+
			" how sure that is, and which atoms make them so. All of it happens in this tab."))
}

// inputTitle heads the input, which is the first door.
func inputTitle(s *desk) string {
	switch {
	case s.Phase == run.Empty && s.Models.Visit != "":
		return "Paste yours"
	case s.Phase == run.Empty:
		return "My molecules"
	}
	return "Input"
}

// against says what to paste, and which model judges it.
func against(s *desk) app.UI {
	door := app.Div().Attr("hidden", onlyWithout(s))
	judge := []app.UI{app.Text("Model: " + modelLine(&s.Models))}
	if m := s.Models.Used.Value; m != nil {
		note := words.NoteOn(m)
		judge = []app.UI{app.Text("Judged by "), app.Strong().Text(note.Title), app.Text(": " + note.Inside + ". "),
			opens("models").Class("link").Text("Another model")}
		if m.Published != nil && m.Residuals > 0 {
			judge = append(judge, app.Text(". With predictions in a column "+m.Predicted+" you also read which of them to trust, and intervals."))
		}
	}
	return door.Body(
		app.P().Text("Paste SMILES, one a line, with names if you like, or the cells of a spreadsheet."),
		app.P().ID("against").Class("quiet small").Body(judge...))
}

// trainingDoor is where a training set is given, or a training goes on.
func trainingDoor(s *desk) app.UI {
	door := app.Section().ID("own").Class("pane door").DataSet("door", "training").
		Aria("labelledby", "own-title").Attr("hidden", onlyWithout(s))
	body := []app.UI{
		app.Div().Class("pane-head").Body(app.H2().ID("own-title").Text("My training set")),
		app.P().Text("Give the molecules that your model was trained on, and this tab learns its domain. Then ask about any others."),
		small("A table with measured and predicted values also tells which predictions to trust."),
	}
	if t := &s.Training; t.Library != nil {
		body = append(body, app.P().Body(opens("train").Class("button strong").Text(shortLine(t))))
	}
	return door.Body(append(body, app.Div().Class("drop-here").Body(libraryButton("own-file", s), quiet("or drop it here")))...)
}

// exampleList shows the examples side by side while there is no input. They can be chosen once the worker is ready.
func exampleList(s *desk) app.UI {
	examples := run.Examples()
	return app.Section().Class("try").Aria("labelledby", "try").Attr("hidden", onlyWithout(s)).Body(
		app.H3().ID("try").Text("Or try an example"),
		app.Div().Class("examples").
			OnClick(onNumber("example", func(i int) {
				s.Input.UseExample(examples[i])
			})).
			Body(app.Range(examples).Slice(func(i int) app.UI {
				return app.Button().Class("example").Type("button").DataSet("example", strconv.Itoa(i)).
					Disabled(s.Models.Welcome == nil).
					Body(app.Strong().Text(examples[i].Name), app.Span().Text(examples[i].About), icon("right"))
			})))
}
