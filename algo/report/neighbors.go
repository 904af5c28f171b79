package report

import (
	"baca/algo"
)

// neighbors are the most similar training graphs. Each that has a structure gets an element
// of class mol, which says in data-smiles what is to be drawn in it.
func (p *page) neighbors(list []algo.TrainingGraph) {
	if len(list) == 0 {
		return
	}
	p.add("<p>Most like it in the training set:</p>\n<ul class=\"near\">\n")
	for _, n := range list {
		p.add("<li>")
		if n.SMILES != "" {
			p.add("<span class=\"mol\" data-smiles=\"%s\"></span>", Escape(n.SMILES))
		}
		p.add("<b>similarity %s</b>", number(n.Similarity, 2))
		if n.Name != "" {
			p.add(" · %s", Escape(n.Name))
		}
		if n.Row >= 0 {
			p.add(" · row %d of the set", n.Row+1)
		}
		if n.SMILES != "" {
			p.add("<div class=\"smiles\">%s</div>", Escape(n.SMILES))
		}
		p.add("</li>\n")
	}
	p.add("</ul>\n")
}
