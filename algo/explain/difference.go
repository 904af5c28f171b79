package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/graph"
)

const maxDifferences = 3

// Differences describes how many of the graphs differ from the training graphs, the clearest
// difference first, such as "48 % of them have more atoms than three quarters of the training
// graphs". A quarter of like graphs lies beyond each quartile; it names what exceeds that by four
// standard errors and two fifths of the graphs have. p may be nil.
func Differences(p *Profile, gs []*graph.Graph) []string {
	if p == nil || len(gs) == 0 {
		return nil
	}
	type difference struct {
		text string
		part float64
	}
	var list []difference
	for k, row := range p.Quantiles {
		s := &statistics[k]
		var above, below, n float64
		for _, g := range gs {
			x, ok := s.value(g)
			if !ok {
				continue
			}
			n++
			switch {
			case x > row[upperQuartile]+slack(x):
				above++
			case x < row[lowerQuartile]-slack(x):
				below++
			}
		}
		part := max(above, below) / max(1, n)
		if part < 0.4 || part-0.25 < 4*math.Sqrt(0.25*0.75/max(1, n)) {
			continue
		}
		text := s.phrase(below <= above, gs[0])
		list = append(list, difference{fmt.Sprintf("%.0f %% of them have %s than three quarters of the training graphs", 100*part, text), part})
	}
	slices.SortStableFunc(list, func(a, b difference) int { return cmp.Compare(b.part, a.part) })
	var texts []string
	for _, d := range list[:min(len(list), maxDifferences)] {
		texts = append(texts, d.text)
	}
	return texts
}

// Indices of the quartiles in levels.
const lowerQuartile, upperQuartile = 2, 4
