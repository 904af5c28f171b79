package domain

import (
	"fmt"

	"baca/algo/explain"
	"baca/algo/model"
	"baca/algo/report"
)

// Reveals lists what a file tells about its training graphs.
func Reveals(m *model.Model) []string {
	list := []string{"the weights, which were fitted to the training graphs"}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if m.Shared > 0 {
		add("means of the embeddings of groups of %d or more training graphs that differ (%d groups), and the "+
			"neighbourhoods, up to two edges wide, that %d graphs of a group have", 2*m.Shared, m.Bank.Len(), m.Shared)
		if n := len(m.Reference); n > 0 {
			add("the scores of %s %s, without the graphs", explain.Count(n, "graph"), report.HoldoutOf(m.Card.Holdout))
		}
	} else {
		if n := m.Known(); n > m.Bank.Len() {
			add("of each of %d training graphs: hashes of the neighbourhoods in it, up to two edges wide", n)
		}
		add("of each of %d training graphs in the bank and %d %s: an embedding, a score, and hashes of the "+
			"neighbourhoods in it, up to two edges wide. Who holds a graph can tell whether it is there, and who "+
			"guesses fragments can tell which graphs have them, and may put a "+
			"structure together", m.Bank.Len(), m.Holdout.Len(), report.HoldoutOf(m.Card.Holdout))
	}
	if m.Profile != nil {
		if m.Shared > 0 {
			add("quantiles of size, rings and branching that %d graphs lie beyond, and which values the features "+
				"of %d graphs had", m.Shared, m.Shared)
		} else {
			add("quantiles of size, rings and branching of the training graphs, and how many of them had which " +
				"values of features, single ones included")
		}
	}
	if n := len(m.Card.HoldoutRows); n > 0 {
		add("the row numbers of the %d graphs kept from training", n)
	}
	if m.Card.DatasetSHA256 != "" {
		add("the sha-256 of the training file: whoever has a file can tell whether it is that one")
	}
	if m.Structures != nil {
		add("the SMILES and names of %d training molecules, and their values where it has any", m.Known())
	}
	for _, s := range m.Others {
		add("section %q of %d bytes, which this program does not know", s.Name, len(s.Data))
	}
	if r := m.Residuals; r != nil {
		what := "who knows the predictions knows the measured values"
		if r.Classes {
			what = "the class that was measured and the probability that was predicted follow from that"
		}
		add("how wrong predictions were for %d graphs (columns %s and %s), each beside its row number: %s", r.Known(),
			r.Observed, r.Predicted, what)
		for _, c := range []model.Column{r.Uncertainty, r.NewScaffold} {
			if c.Name != "" {
				add("a number for each of these predictions, from column %s", c.Name)
			}
		}
	}
	if m.Shared == 0 {
		other := ""
		if m.Structures != nil {
			other = "other "
		}
		add("no %sstructures, names or labels; still, do not hand it out if the graphs are secret: baca model share makes a file for that", other)
	} else {
		add("nothing of any single graph beside these")
	}
	return list
}
