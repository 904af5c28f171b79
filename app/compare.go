package app

import (
	"fmt"
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/compare"
	"baca/app/picture"
	"baca/app/session"
	"baca/app/words"
	"baca/wasm/message"
)

const compareAbout = "How does the input differ from another list?"

// compareStage opens the comparison.
func (p *labPane) compareStage() app.UI {
	with := ""
	if c := p.S.Lab.Compared.Value; c != nil {
		with = words.Shorten(c.A.Name, 20)
	}
	return app.Li().Class("stage was").Body(p.door(message.StageLists, "compare", compareAbout, with))
}

// compare asks for another list, or shows the differences.
func (p *labPane) compare() app.UI {
	s := p.S
	if s.Comparing() {
		return controls(s.Task.Words(), endTaskButton(s))
	}
	body := []app.UI{app.Div().Class("controls").Body(
		fileButton("compare-file", "Compare with…", "Choose a list to compare with", s.Models.Extensions(), func(_ app.Context, v app.Value) {
			if f, ok := browserFile(v); ok {
				s.Lab.CompareWith(f)
			}
		}),
		app.If(s.Lab.Compared.Value != nil, func() app.UI {
			return app.Button().ID("compare-save").Class("button").Type("button").Body(icon("save"), app.Text("Report as HTML")).
				OnClick(func(app.Context, app.Event) {
					e := session.ReportOn(s.Lab.Compared.Value)
					save(e.Name, e.Type, e.Data)
				})
		}))}
	body = append(body, failureLine("compare-failure", s.Lab.Compared.Failure))
	if c := s.Lab.Compared.Value; c != nil {
		body = append(body, p.compared(c))
	} else {
		body = append(body, quietLine("The list that you choose is A, and the input is B. Both stay in this tab."))
	}
	return app.Div().Class("compare").Body(body...)
}

func (p *labPane) compared(c *message.Compared) app.UI {
	var body []app.UI
	for _, text := range c.Sentences {
		body = append(body, app.P().Class("compare-sentence").Text(text))
	}
	if len(c.Warnings) > 0 {
		body = append(body, quietLine(words.Sentences(c.Warnings)))
	}
	body = append(body, p.lists(c), p.comparedFigures(c),
		app.H3().Text("What is commoner in one list"),
		quietLine(fmt.Sprintf("Of %s named substructures %s differ, at a false-discovery rate of %s.", words.Count(c.NamedTested), words.Count(c.NamedDiffering), words.Percent(c.FDR))))
	for _, g := range session.ByList(c.Named) {
		body = append(body, differences(c, g))
	}
	groups := session.Fragments(c)
	if len(groups) > 0 {
		body = append(body, app.H3().Text("Fragments"), quietLine(fmt.Sprintf("Surroundings of an atom, the surest of %s. The report has more of them.", words.Count(c.FragmentsTested))))
	}
	for _, g := range groups {
		body = append(body, p.fragments(c, g))
	}
	return app.Div().ID("compared").Class("compared").Body(body...)
}

// wide is a scrollable table.
func wide(label string, head []string, rows ...[]string) app.UI {
	cells := func(row []string, cell func(string, bool) app.UI) app.UI {
		items := make([]app.UI, len(row))
		for i, text := range row {
			items[i] = cell(text, i > 1)
		}
		return app.Tr().Body(items...)
	}
	class := map[bool]string{true: "number"}
	body := make([]app.UI, len(rows))
	for i, row := range rows {
		body[i] = cells(row, func(text string, number bool) app.UI { return app.Td().Class(class[number]).Text(text) })
	}
	return app.Div().Class("wide").Attr("tabindex", 0).Role("region").Aria("label", label).Body(app.Table().Class("facts").Body(
		app.THead().Body(cells(head, func(text string, number bool) app.UI { return app.Th().Class(class[number]).Scope("col").Text(text) })),
		app.TBody().Body(body...)))
}

// lists describes both lists.
func (p *labPane) lists(c *message.Compared) app.UI {
	row := func(letter string, l *compare.Side) []string {
		middle := func(q [5]float64) string { return words.Number(q[1]) + "–" + words.Number(q[3]) }
		return []string{letter, l.Name, words.Count(l.Read), words.Count(l.Refused), words.Count(l.Copies), words.Count(l.Molecules), middle(l.Atoms.Quantiles), middle(l.Rings.Quantiles)}
	}
	return wide("The lists", []string{"", "List", "Read", "Refused", "Copies", "Different", p.S.Say("Atoms, middle half"), "Rings, middle half"}, row("A", &c.A), row("B", &c.B))
}

func (p *labPane) comparedFigures(c *message.Compared) app.UI {
	percent := func(list []float64) []float64 {
		values := make([]float64, len(list))
		for i, x := range list {
			values[i] = 100 * x
		}
		return values
	}
	width := p.share(3)
	counts := func(title, what string, a, b []float64) app.UI {
		x, of := picture.Steps(max(len(a), len(b)))
		return tile(title, p.S.Say("share of molecules, %"), "compare-"+what, picture.Plot{
			Width: width, Height: 210, Title: title + " of A and B", XLabel: what, X: x,
			Curves: []picture.Curve{{Name: "A", Role: "line-in", Y: percent(of(a))}, {Name: "B", Role: "line-out", Y: percent(of(b))}},
		})
	}
	return app.Div().Class("tiles").Body(
		tile(p.S.Say("Nearest molecules"), "share with one at least so similar, %; dashed: another one of the same list", "compare-coverage", picture.Plot{
			Width: width, Height: 210, Title: p.S.Say("Nearest molecules"), XLabel: "similarity", X: compare.Steps(), Low: 0, High: 104,
			Curves: []picture.Curve{
				{Name: "B in A", Role: "line-out", Y: percent(c.BtoA.Coverage[:])}, {Name: "A in A", Role: "line-in", Y: percent(c.AtoA.Coverage[:]), Dashed: true},
				{Name: "A in B", Role: "line-in", Y: percent(c.AtoB.Coverage[:])}, {Name: "B in B", Role: "line-out", Y: percent(c.BtoB.Coverage[:]), Dashed: true},
			},
		}),
		counts("Size", p.S.Say("atoms"), session.SharesOf(&c.A, &c.A.Atoms), session.SharesOf(&c.B, &c.B.Atoms)),
		counts("Rings", "rings", session.SharesOf(&c.A, &c.A.Rings), session.SharesOf(&c.B, &c.B.Rings)))
}

func differences(c *message.Compared, g session.DifferenceGroup) app.UI {
	rows := make([][]string, len(g.List))
	for i, d := range g.List {
		rows[i] = []string{d.Name, d.Kind, words.Percent(float64(d.InA) / float64(c.A.Molecules)), words.Percent(float64(d.InB) / float64(c.B.Molecules)), words.Number(d.Odds), words.Number(d.Low) + "–" + words.Number(d.High), words.P(d.Q)}
	}
	return wide(g.Title, []string{g.Title, "Kind", "Of A", "Of B", "Odds ratio", "95\u00a0% interval", "q"}, rows...)
}

// fragments are drawn in example molecules.
func (p *labPane) fragments(c *message.Compared, g session.DifferenceGroup) app.UI {
	items := make([]app.UI, len(g.List))
	for i, d := range g.List {
		drawn := app.UI(app.Code().Class("near-smiles").Text(words.Shorten(d.Example, 60)))
		if picture := p.Album.Marked(d.Example, d.Atoms); picture != "" {
			drawn = app.Raw(picture)
		}
		items[i] = app.Li().Class("near-card").Title(d.Example).DataSet("fragment", strconv.Itoa(i)).Body(
			app.Div().Class("near-picture").Body(drawn),
			app.Code().Class("near-smiles").Text(d.Name),
			app.P().Class("near-value number").Text(fmt.Sprintf("%s of A, %s of B; odds %s, q %s", words.Percent(float64(d.InA)/float64(c.A.Molecules)), words.Percent(float64(d.InB)/float64(c.B.Molecules)), words.Number(d.Odds), words.P(d.Q))))
	}
	return app.Div().Body(app.H4().Text(g.Title), app.Ul().Class("near fragments").Body(items...))
}
