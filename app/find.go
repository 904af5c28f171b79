package app

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/property"
	"baca/app/picture"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// saving is the menu of what can be saved.
func (p *bandPane) saving() app.UI {
	items := []app.UI{item("save", "report", "Report as HTML", "one file, opens offline")}
	if p.S.HasDomain() {
		items = append(items, item("save", "domain", "Domain report …", "for a regulator: QPRF, QMRF"))
	}
	items = append(items,
		item("save", "csv", "All rows as CSV", "safe in spreadsheets: ' before =, +, -, @"),
		item("save", "csv shown", "Rows shown as CSV", "in this order"),
		item("save", "csv reasons", "Rows shown, with reasons", "CSV, takes a while"),
		item("save", "copy", "Copy the rows shown", "for a spreadsheet"),
		item("save", "json", "All rows as JSON", ""),
		item("save", "svg", "Distribution as SVG", ""),
		item("save", "png", "Distribution as PNG", ""),
		item("save", "link", "Copy link", "with the rows shown, up to 8 000 characters"))
	return menu("export", "Save", "save", []app.UI{icon("save"), app.Span().Class("menu-name").Text("Save")}, p.save, items...)
}

// shapes are the views of the records.
func (p *bandPane) shapes() app.UI {
	as := func(shape table.Shape) app.UI {
		return pressed(string(shape), p.S.View.Shape == shape, func() { p.S.ShowAs(shape) })
	}
	return app.Div().ID("shape").Class("segments").Role("group").Aria("label", "Shown as").Body(as(table.List), as(table.Grid), as(table.Map))
}

// inColumn begins the choice of a column to search in.
const inColumn = "in "

// search is the field to search for a text, a structure or in a column, a choice between them, and what was found.
func (p *bandPane) search() app.UI {
	s := p.S
	find := func(search string, structure bool) {
		s.Find(search, structure)
		toTop()
	}
	about, by := s.Say("name or SMILES"), "text"
	switch {
	case s.View.Structure:
		about, by = "SMARTS, as c1ccncc1", "structure"
	case s.View.In != "":
		about, by = "in "+words.Shorten(s.View.In, 20), inColumn+s.View.In
	}
	input := app.Input().ID("search").Type("search").Placeholder(about).Aria("label", "Search: "+about).Value(s.View.Search).
		OnInput(func(ctx app.Context, e app.Event) { find(valueOf(ctx), s.View.Structure) })
	kinds := []choice{{"text", "text"}}
	if s.Things() == "molecules" {
		kinds = append(kinds, choice{"structure", "structure"})
	}
	for _, name := range s.Rows.Own() {
		kinds = append(kinds, choice{inColumn + name, "in " + words.Shorten(name, 20)})
	}
	said, class := p.found()
	return app.Div().Class("finding").Body(
		app.Div().Class("search").Body(icon("search"), input,
			iconButton("Draw the structure", "pen", func() { openEditor(s) }).ID("search-draw").Attr("hidden", attribute(!s.View.Structure)),
			app.If(len(kinds) > 1, func() app.UI {
				return choices("search-by", by, func(by string) {
					s.View.In = ""
					if name, in := strings.CutPrefix(by, inColumn); in {
						s.View.In = name
					}
					find(s.View.Search, by == "structure")
				}, kinds...).Aria("label", "What to search for")
			})),
		app.Span().ID("found").Class("small "+class).Role("status").Title(said).Text(said))
}

// found says how many records are shown, or why a structure is not searched for.
func (p *bandPane) found() (said, class string) {
	s := p.S
	searched := s.View.Structure && strings.TrimSpace(s.View.Search) != ""
	switch answer, known := s.Rows.Computed[message.OfStructure]; {
	case searched && known && answer.Failure != nil:
		return words.FailureText(answer.Failure), "bad-text"
	case searched && !known:
		return "searching …", "quiet"
	case len(s.Order) < s.Rows.Len():
		return words.Count(len(s.Order)) + " of " + words.Count(s.Rows.Len()), "number"
	}
	return "", "quiet"
}

// colours is the item of the menu of columns that is no column.
const colours = " colours"

// mostItems are drawn in the menu of columns.
const mostItems = 60

// columns is the menu of what the table can show in addition: atoms in colours, properties of molecules, and the
// input's own columns. Above mostItems it says how many more there are; a filter finds them.
func (p *bandPane) columns() app.UI {
	s := p.S
	chosen := s.Chosen()
	items := []app.UI{checked("menuitemcheckbox", "column", colours, s.Say("Coloured atoms"), s.View.Coloured).
		Title(s.Say("By what each atom adds to the score"))}
	extra := s.Rows.Extra()
	more := 0
	add := func(name, text, about string) {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(p.filter)) {
			return
		}
		if len(items) >= mostItems {
			more++
			return
		}
		items = append(items, checked("menuitemcheckbox", "column", name, text, slices.Contains(chosen, name)).Title(about))
	}
	if s.Things() == "molecules" {
		for _, c := range property.Columns {
			add(c.Name, c.Title, c.About())
		}
	}
	for _, name := range extra {
		add(name, words.Shorten(name, 30), name)
	}
	if len(extra) > 0 {
		find := app.Input().Class("filter").Type("search").Placeholder("Find a column").Aria("label", "Find a column").Value(p.filter).
			OnInput(func(ctx app.Context, _ app.Event) { p.filter = valueOf(ctx) })
		items = slices.Insert(items, 0, app.UI(find))
	}
	if more > 0 {
		items = append(items, quietLine(words.Plural(more, "more column", "more columns")+". Find one by its name."))
	}
	name := []app.UI{app.Span().Class("menu-name").Text("Columns"), icon("down")}
	return menu("columns", "Columns of the table", "column", name, p.choose, items...)
}

// choose shows or hides what an item of the menu of columns names.
func (p *bandPane) choose(name string) {
	if name == colours {
		p.S.View.Coloured = !p.S.View.Coloured
		p.S.Rev.All()
		return
	}
	p.S.ChooseColumn(name)
}

// save saves or copies what an item of the menu of saving names.
func (p *bandPane) save(what string) {
	s := p.S
	switch what {
	case "svg", "png":
		s.SetNote("")
		savePicture(p.ctx, s, "baca-distribution", picture.StripOf(s.Session, 960, 300).SVG(true), what == "png")
		return
	case "copy":
		what := words.Plural(len(s.Order), "row", "rows")
		s.Write("tsv", s.Order, func(e *message.Exported) { tell(p.ctx, s, notCopied, what+" copied", "copy", string(e.Data)) })
		return
	case "domain":
		showDialog(domainID)
		return
	case "link":
		copyLink(p.ctx, s)
		return
	}
	switch format, which, _ := strings.Cut(what, " "); {
	case format == "report":
		s.Report(keep)
	case which == "reasons":
		s.ExplainRows(format, keep)
	default:
		s.Export(format, which != "shown", keep)
	}
}

func keep(e *message.Exported) { save(e.Name, e.Type, e.Data) }

const notCopied = "Not copied: "
