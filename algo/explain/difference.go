package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/graph"
)

// maxDifferences bounds what Differences names.
const maxDifferences = 3

// Differences says in what many of the graphs differ from the training graphs, the
// plainest difference first: phrases in plain words such as "48 % of them have more atoms
// than three quarters of the training graphs". Of graphs like the training graphs a quarter
// lies beyond each quartile; named is what is four standard errors above that and lies
// beyond it in two fifths of them. p may be nil.
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
		s := &Statistics[k]
		var above, below, n float64
		for _, g := range gs {
			x, ok := s.value(g)
			if !ok {
				continue
			}
			slack := 1e-6 * (1 + math.Abs(x)) // quantiles went through float32
			n++
			switch {
			case x > row[upperQuartile]+slack:
				above++
			case x < row[lowerQuartile]-slack:
				below++
			}
		}
		text, share := s.more, above/max(1, n)
		if below > above {
			text, share = s.less, below/max(1, n)
		}
		if share < 0.4 || share-0.25 < 4*math.Sqrt(0.25*0.75/max(1, n)) {
			continue
		}
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, called(gs[0]))
		}
		list = append(list, difference{fmt.Sprintf("%.0f %% of them have %s than three quarters of the training graphs", 100*share, text), share})
	}
	slices.SortStableFunc(list, func(a, b difference) int { return cmp.Compare(b.share, a.share) })
	var texts []string
	for _, d := range list[:min(len(list), maxDifferences)] {
		texts = append(texts, d.text)
	}
	return texts
}

// The quartiles among Levels.
const lowerQuartile, upperQuartile = 2, 4
