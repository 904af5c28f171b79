package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/words"
	"baca/wasm/message"
)

// neighbors are the most similar training molecules, drawn, or their rows without structures.
func (p *inspectorPane) neighbors(d *message.Detailed) app.UI {
	head := app.H3().Text("Most like it in the training set")
	cards, line := words.NearestOf(p.S.Models.Used.Value, d)
	if len(cards) == 0 {
		return app.Section().ID("neighbors").Class("block").Body(head, quietLine(line))
	}
	items := make([]app.UI, len(cards))
	values := ""
	for i, c := range cards {
		if c.Known != "" {
			values = " Values are those that the training set has."
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
