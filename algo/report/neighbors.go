package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/alone"
	"baca/algo/document"
	"baca/algo/model"
)

// Neighbors lists the most similar training graphs. It draws those whose structure is known if drawn is set. Without any
// structure it says why there is none.
func Neighbors(p *document.Page, list []alone.TrainingGraph, drawn bool) {
	if len(list) == 0 {
		return
	}
	why := ""
	if !slices.ContainsFunc(list, func(n alone.TrainingGraph) bool { return n.SMILES != "" }) {
		why = " (by their rows; the model does not hold what it was trained on)"
	}
	p.Add("<p>Most similar in the training set%s:</p>\n<ol class=\"near\">\n", why)
	for _, n := range list {
		p.Add("<li>")
		if n.SMILES != "" && drawn {
			p.Add("<div class=\"mol\" data-drawing=\"\" data-title=\"structure of a training molecule\" data-smiles=\"%s\"></div>", document.Escape(n.SMILES))
		}
		p.Add("<p><b>similarity %s</b>", document.Similarity(n.Similarity))
		if n.Name != "" {
			p.Add(" · %s", document.Escape(n.Name))
		}
		if n.Row >= 0 {
			p.Add(" · row %d of the set", n.Row+1)
		}
		p.Add("%s</p>", values(n.Values))
		if n.SMILES != "" {
			p.Add("<p class=\"smiles\">%s</p>", document.Escape(n.SMILES))
		}
		p.Add("</li>\n")
	}
	p.Add("</ol>\n")
}

// values returns a text with the observed and the predicted value, or "" for nil.
func values(v *model.Values) string {
	if v == nil {
		return ""
	}
	text := ""
	for _, x := range []struct {
		name  string
		value float64
	}{{"observed", v.Observed}, {"predicted", v.Predicted}} {
		if !math.IsNaN(x.value) {
			text += " · " + x.name + " " + strings.Replace(strconv.FormatFloat(x.value, 'g', 4, 64), "-", "−", 1)
		}
	}
	return text
}
