package app

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/table"
	"baca/app/words"
)

const domainID = "domain"

// domainDialog chooses the subject of a domain report.
type domainDialog struct {
	app.Compo
	S   *desk
	Rev table.Revisions
}

func (p *domainDialog) Render() app.UI {
	s := p.S
	var rows []app.UI
	for _, d := range s.DomainSubjects() {
		as := func(format, text string) app.UI {
			return app.Button().Class("button").Type("button").DataSet("domain", d.Key+" "+format).Disabled(!d.Ready).Body(icon("save"), app.Text(text))
		}
		rows = append(rows, app.Div().Class("form-row").Body(
			app.Span().Class("form-label").Text(d.Title),
			app.Div().Body(app.P().Text(d.Name), app.Div().Class("row-buttons").Body(as("html", "HTML"), as("json", "JSON")))))
	}
	return dialogFrame(domainID, "Domain report",
		quietLine("Is a substance within the applicability domain of the model? An answer for a regulator's file, in the fields of the QSAR Prediction Reporting Format (QPRF). Section 5 of the QMRF describes the domain itself. The HTML prints on A4."),
		app.Div().Class("form").OnClick(p.click).Body(rows...),
		small("Each molecule is judged by itself, with α = "+words.Percent(s.Alpha)+", whatever else decides in the table. Nothing is said of an endpoint. baca report --qprf and --qmrf write the same."))
}

// click saves a button's report.
func (p *domainDialog) click(_ app.Context, e app.Event) {
	if what, ok := dataAround(e, domainID); ok {
		key, format, _ := strings.Cut(what, " ")
		hideDialog(domainID)
		p.S.SaveDomain(key, format, keep)
	}
}
