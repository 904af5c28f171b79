package report

import (
	"baca/algo/alone"
	"baca/algo/model"
	"math"
	"strconv"
	"strings"
)

// neighbors lists the most similar training graphs, drawn if the script and their structures are
// there.
func (p *page) neighbors(list []alone.TrainingGraph, drawn bool) {
	if len(list) == 0 {
		return
	}
	p.add("<p>Most like it in the training set:</p>\n<ol class=\"near\">\n")
	for _, n := range list {
		p.add("<li>")
		if n.SMILES != "" && drawn {
			p.add("<div class=\"mol\" data-drawing=\"\" data-title=\"structure of a training molecule\" data-smiles=\"%s\"></div>", escape(n.SMILES))
		}
		p.add("<p><b>similarity %s</b>", similarity(n.Similarity))
		if n.Name != "" {
			p.add(" · %s", escape(n.Name))
		}
		if n.Row >= 0 {
			p.add(" · row %d of the set", n.Row+1)
		}
		p.add("%s</p>", values(n.Values))
		if n.SMILES != "" {
			p.add("<p class=\"smiles\">%s</p>", escape(n.SMILES))
		}
		p.add("</li>\n")
	}
	p.add("</ol>\n")
}

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

// similarity has two digits, and is 1.00 only for 1.
func similarity(x float64) string {
	if x < 1 {
		x = min(x, 0.99)
	}
	return number(x, 2)
}
