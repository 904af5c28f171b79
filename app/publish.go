package app

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/words"
	"baca/wasm/message"
)

// publish opens the dialog that publishes the domain of a model file.
func publish(s *desk, data []byte) {
	s.SetNote("")
	showDialog("publish")
	s.Publish(data)
}

// publishDialog shows what visitors of a domain will read and what its file reveals, and saves the folder for a web host.
func publishDialog(s *desk) app.UI {
	return dialogFrame("publish", "Publish this domain", answered(s.Publication, "The card and the page of the domain are made …",
		func(p *message.Publication) app.UI {
			html := strings.Replace(words.Grouped(p.Card.HTML), "<details", "<details open", 1)
			return app.Div().Body(
				quietLine("Visitors read this, see the map of the training set and paste molecules, which stay in their browsers. "+
					"For that they load the model's file: whoever opens the link can keep it."),
				app.Div().Class("visit preview").Body(app.Raw("<div>"+html+"</div>")),
				app.Div().Class("row-buttons").Body(app.Button().ID("publish-save").Class("button strong").Type("button").
					Body(icon("save"), app.Text("Save the folder")).
					OnClick(func(ctx app.Context, _ app.Event) { savePublication(ctx, s, p) }, app.EventScope(p.Paths))),
				small("A zip of this page and the domain, for any web host. The link ends in #domain="+p.Card.Name+
					". baca model publish writes the same files."),
				app.P().ID("publish-note").Role("status").Text(s.Note()))
		}))
}

// savePublication saves the zip of the page's files and those of the domain.
func savePublication(ctx app.Context, s *desk, p *message.Publication) {
	files := map[string]any{}
	for i, path := range p.Paths {
		files[path] = toJS(p.Files[i])
	}
	s.SetNote("The page's files are packed …")
	tell(ctx, s, "Not saved: ", "Saved "+p.Card.Name+".zip. Unpack it where your web host keeps its files.", "publish", p.Card.Name, files)
}
