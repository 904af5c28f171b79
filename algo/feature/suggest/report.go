package suggest

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"baca/algo/chart"
	"baca/algo/document"
)

// A Report is what the page in the browser shows of a suggestion.
type Report struct {
	*Suggestion
	Picks     []Row
	Sentences []string // in lower case, without full stops
	Warnings  []string
	Things    string // "molecules" or "graphs"
	Command   string // the command that suggests the same
}

// maxPicks bounds the picks that are shown.
const maxPicks = 100

// HTML returns what the page in the browser shows. Each pick is a button whose data-pick is its record, from 0. Without
// picks there is no figure.
func (s *Report) HTML() string {
	p := new(document.Page)
	for _, text := range s.Sentences {
		p.Add("<p class=\"lead\">%s.</p>\n", document.Prose(document.Capital(text)))
	}
	p.Warnings(s.Warnings)
	if len(s.Picks) > 0 {
		p.Figure(s.gain(s.Things).SVG(), "How far the input is from the training set, on average, after each pick. "+s.Beats())
		writePicks(p, s.Picks)
	}
	p.Again("The command suggests the same.", s.Command)
	return p.String()
}

// writePicks writes the first maxPicks molecules picked, with drawings and gains.
func writePicks(p *document.Page, list []Row) {
	p.Add("<h2>The picks, the best first</h2>\n<p>Nearer: how many others come nearer by half a deviation or more. Inside: how many were outside and no longer are. Gain: by how much the average falls. Similarity: of the nearest training molecule.")
	if len(list) > maxPicks {
		p.Add(" These are the first %d of %d; the file has all.", maxPicks, len(list))
	}
	p.Add("</p>\n<ol class=\"near\">\n")
	for _, pick := range list[:min(len(list), maxPicks)] {
		p.Add("<li><button type=\"button\" data-pick=\"%d\"><b>%d. %s</b>, %s", pick.Record-1, pick.Rank, document.Escape(pick.ID), document.Escape(pick.Verdict))
		if pick.SMILES != "" {
			p.Add("<span class=\"mol\" data-drawing=\"\" data-smiles=\"%s\" data-marked=\"\"></span>", document.Escape(pick.SMILES))
		}
		p.Add("<span>%d nearer, %d inside</span> <span>", pick.Nearer, pick.Inside)
		if pick.Price != nil {
			p.Add("price %s, ", strconv.FormatFloat(*pick.Price, 'g', 6, 64))
		}
		p.Add("gain %s, similarity %s</span></button></li>\n", document.Number(pick.Gain, 3), document.Similarity(pick.Similarity))
	}
	p.Add("</ol>\n")
}

// Beats says whether the picks bring the points nearer than the highest scores do.
func (s *Suggestion) Beats() string {
	n := len(s.Far) - 1
	picks, top := s.Far[n], s.FarTop[len(s.FarTop)-1]
	how := []string{"beat", "do as well as", "do not beat"}[1+cmp.Compare(math.Round(100*picks), math.Round(100*top))] // less is better
	return fmt.Sprintf("The picks %s sorting by score: %.2f and %.2f after %d.", how, picks, top, n)
}

// SVG draws how far the points are from the training set after each pick, for the suggestion, for random picks and for
// the highest scores. things names the graphs.
func (s *Suggestion) SVG(things string) string { return s.gain(things).File() }

// gain draws how the mean distance falls with each pick, beside that of random picks and of the highest scores.
func (s *Suggestion) gain(things string) *chart.Chart {
	c := &chart.Chart{
		Title: "What picks gain", XAxis: things + " measured", YAxis: "deviations away",
		High: float64(max(1, len(s.Far)-1)), Top: 1.08 * max(s.Far[0], 1e-9),
	}
	steps := make([]float64, len(s.Far))
	for i := range steps {
		steps[i] = float64(i)
	}
	c.Curves(c.X(0)+14, c.Y(0)-56, []chart.Curve{
		{X: steps, Y: s.Far, Colour: chart.Outside, Label: "suggested"},
		{X: steps, Y: s.FarRandom, Colour: chart.Inside, Label: "random"},
		{X: steps, Y: s.FarTop, Colour: chart.Ink, Dashed: true, Label: "highest scores"},
	})
	return c
}
