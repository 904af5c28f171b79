package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/run"
	"baca/app/words"
)

// question is what the page is for, above the two doors.
func question(s *desk) app.UI {
	return app.Div().Class("question").Attr("hidden", onlyWithout(s)).Body(
		app.H2().Text("Is my molecule inside my model's domain?"),
		app.P().Text("A model answers every question, even on molecules unlike all that it was trained on. See which of yours those are, how sure that is, and which atoms make them so. All of it happens in this tab."))
}

// against says what molecules are judged by, where there is no result that shows it.
func against(s *desk) app.UI {
	line := app.P().ID("against").Class("against small").Attr("hidden", onlyWithout(s))
	m := s.Models.Used.Value
	if m == nil {
		return line.Body(quiet("The model is " + modelLine(&s.Models)))
	}
	note := words.NoteOn(m)
	return line.Body(quiet("Judged by "), app.Strong().Text(note.Title), quiet(": "+note.Inside+". "),
		opens("models").Class("link").Text("Another model"))
}

// trainingDoor is where a training set is given, or a training goes on.
func trainingDoor(s *desk) app.UI {
	door := app.Section().ID("own").Class("pane door").DataSet("door", "training").Aria("labelledby", "own-title").Attr("hidden", onlyWithout(s))
	body := []app.UI{
		app.Div().Class("pane-head").Body(app.H2().ID("own-title").Text("My training set")),
		app.P().Text("Drop the molecules that your model was trained on: SMILES, CSV, Excel, SDF or Parquet, at least 20. This tab learns their domain; then ask about any others."),
		small("A table with measured and predicted values also tells which of your predictions to trust."),
	}
	if t := &s.Training; t.Library != nil {
		body = append(body, app.P().Body(opens("train").Class("button strong").Text(shortLine(t))))
	}
	return door.Body(append(body, app.Div().Class("drop-here").Body(icon("file"), libraryButton("own-file", s), quiet("or drop it here")))...)
}

// exampleList are the examples, one beside the other.
func exampleList(s *desk) app.UI {
	examples := run.Examples()
	return app.Section().Class("try").Aria("labelledby", "try").Attr("hidden", onlyWithout(s)).Body(
		app.H3().ID("try").Text("Or try an example"),
		app.Div().Class("examples").
			OnClick(onNumber("example", func(i int) {
				s.Input.UseExample(examples[i])
				if s.Input.Library {
					showDialog("train")
				}
			})).
			Body(app.Range(examples).Slice(func(i int) app.UI {
				return app.Button().Class("example").Type("button").DataSet("example", strconv.Itoa(i)).
					Disabled(s.Models.Welcome == nil).
					Body(app.Strong().Text(examples[i].Name), app.Span().Text(examples[i].About), icon("right"))
			})))
}
