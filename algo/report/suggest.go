package report

import (
	"strconv"
	"strings"

	"baca/algo/chart"
	"baca/algo/feature/suggest"
)

// A Suggestion is what the page shows of picks.
type Suggestion struct {
	*suggest.Suggestion
	Picks     []suggest.Row
	Sentences []string // lower case, without full stops
	Warnings  []string
	Things    string // "molecules" or "graphs"
	Command   string // that suggests the same
}

// maxPicks bounds the picks that are shown.
const maxPicks = 100

// HTML is what the page shows. A pick is a button with the record's number, from 0, as data-pick.
func (s *Suggestion) HTML() string {
	p := new(page)
	for _, text := range s.Sentences {
		p.add("<p class=\"lead\">%s.</p>\n", words(capital(text)))
	}
	p.warnings(s.Warnings)
	if len(s.Picks) > 0 {
		p.figure(gainChart(s.Suggestion, s.Things), "How far the input is from the training set, on average, after each pick.")
		p.picks(s.Picks)
	}
	p.again("The command suggests the same.", s.Command)
	return p.String()
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (p *page) picks(list []suggest.Row) {
	p.add("<h2>The picks, the best first</h2>\n<p>Nearer: how many others come nearer by half a deviation or more. Inside: how many were outside and no longer are. Gain: by how much the average falls. Similarity: of the nearest training molecule.")
	if len(list) > maxPicks {
		p.add(" These are the first %d of %d; the file has all.", maxPicks, len(list))
	}
	p.add("</p>\n<ol class=\"near\">\n")
	for _, pick := range list[:min(len(list), maxPicks)] {
		p.add("<li><button type=\"button\" data-pick=\"%d\"><b>%d. %s</b>, %s", pick.Record-1, pick.Rank, escape(pick.ID), escape(pick.Verdict))
		if pick.SMILES != "" {
			p.add("<span class=\"mol\" data-drawing=\"\" data-smiles=\"%s\" data-marked=\"\"></span>", escape(pick.SMILES))
		}
		p.add("<span>%d nearer, %d inside</span> <span>", pick.Nearer, pick.Inside)
		if pick.Price != nil {
			p.add("price %s, ", strconv.FormatFloat(*pick.Price, 'g', 6, 64))
		}
		p.add("gain %s, similarity %s</span></button></li>\n", number(pick.Gain, 3), similarity(pick.Similarity))
	}
	p.add("</ol>\n")
}

// SuggestionSVG draws how far a library of things is from the training set after each pick, for the
// suggestion, random picks and the highest scores.
func SuggestionSVG(s *suggest.Suggestion, things string) string {
	return standalone(gainChart(s, things))
}

func gainChart(s *suggest.Suggestion, things string) string {
	c := &chart.Chart{
		Title: "What picks gain", XAxis: things + " measured", YAxis: "deviations away",
		High: float64(max(1, len(s.Far)-1)), Top: 1.08 * max(s.Far[0], 1e-9),
	}
	steps := make([]float64, len(s.Far))
	for i := range steps {
		steps[i] = float64(i)
	}
	curves(c, c.X(0)+14, c.Y(0)-56, []curve{
		{steps, s.Far, chart.Outside, false, "suggested"},
		{steps, s.FarRandom, chart.Inside, false, "random"},
		{steps, s.FarTop, chart.Ink, true, "highest scores"},
	})
	return c.SVG()
}
