package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"baca/algo/graph"
)

// maxDifferences bounds the phrases of Differences.
const maxDifferences = 3

// Differences compares a list of graphs with the training graphs. It returns up to three phrases such as
// "48 % of them have more atoms than three quarters of the training graphs", the largest share first.
//
// A quarter of graphs like the training graphs lies beyond each quartile. A phrase therefore needs two fifths of the
// graphs beyond a quartile, and four standard errors more than a quarter. Without a profile or graphs it returns nil.
func Differences(p *Profile, gs []*graph.Graph) []string {
	if p == nil || len(gs) == 0 {
		return nil
	}
	type difference struct {
		text  string
		share float64
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
		share := max(above, below) / max(1, n)
		if share < 0.4 || share-0.25 < 4*math.Sqrt(0.25*0.75/max(1, n)) {
			continue
		}
		text := fmt.Sprintf("%.0f %% of them have %s than three quarters of the training graphs", 100*share, s.phrase(below <= above, gs[0]))
		list = append(list, difference{text, share})
	}
	slices.SortStableFunc(list, func(a, b difference) int { return cmp.Compare(b.share, a.share) })
	var texts []string
	for _, d := range list[:min(len(list), maxDifferences)] {
		texts = append(texts, d.text)
	}
	return texts
}

// Indices of the quartiles in levels.
const lowerQuartile, upperQuartile = 2, 4
