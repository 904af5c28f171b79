package domain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/internal/lists"
	"baca/algo/metric"
	"baca/algo/model"
	"baca/algo/property"
)

// A PropertyRange is the range of a property of training molecules.
type PropertyRange struct {
	*property.Column
	Quantiles [5]float64 // at the percents of rangeLevels
}

var rangeLevels = [5]float64{0, 5, 50, 95, 100}

// RangesOf returns the range of each property, nil of no molecule.
func RangesOf(list []property.Properties) (ranges []PropertyRange) {
	if len(list) == 0 {
		return nil
	}
	for i := range property.Columns {
		r := PropertyRange{Column: &property.Columns[i]}
		values := lists.Map(list, func(p property.Properties) float64 { return r.Of(&p) })
		slices.Sort(values)
		for k, level := range rangeLevels {
			r.Quantiles[k] = metric.Percentile(values, level)
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// beyond reports whether a value is outside the range.
func (r *PropertyRange) beyond(x float64) bool { return x < r.Quantiles[0] || x > r.Quantiles[4] }

func (r PropertyRange) object() document.Object {
	return document.Object{{"name", r.Name}, {"quantiles", r.Quantiles}} // least, 5 %, median, 95 % and most
}

// noStructures is why there are no ranges of properties.
const noStructures = "left blank: the model holds no structures of its training molecules"

// propertyRanges is a table of training molecules, beside the values of a substance unless nil.
func (p *page) propertyRanges(ranges []PropertyRange, s *Substance) {
	if ranges == nil {
		p.Add("<p class=\"blank\">MW, cLogP and TPSA %s</p>", noStructures)
		return
	}
	p.Add("<div class=\"wide\"><table><thead><tr><th>property</th>")
	if s != nil {
		p.Add("<th class=\"n\">substance</th>")
	}
	p.Add("<th class=\"n\">training: least</th><th class=\"n\">5&nbsp;%%</th><th class=\"n\">median</th><th class=\"n\">95&nbsp;%%</th><th class=\"n\">most</th></tr></thead><tbody>")
	var beyond []string
	for i := range ranges {
		r := &ranges[i]
		p.Add("<tr><td>%s</td>", document.Escape(r.About()))
		if s != nil {
			x := r.Of(&s.Properties)
			if p.Add("<td class=\"n\">%.4g</td>", x); r.beyond(x) {
				beyond = append(beyond, r.Title)
			}
		}
		for _, q := range r.Quantiles {
			p.Add("<td class=\"n\">%.4g</td>", q)
		}
		p.Add("</tr>")
	}
	p.Add("</tbody></table></div>")
	switch {
	case s == nil:
	case beyond == nil:
		p.Add("<p>Each is within the range of the training molecules.</p>")
	default:
		p.Add("<p>Outside the range of the training molecules: <strong>%s</strong>.</p>", document.Escape(strings.Join(beyond, ", ")))
	}
	p.Add("<p class=\"blank\">Computed of the structure that the model reads. The verdict does not depend on them.</p>")
}

// responseRange returns how many molecules have an observed value (others have NaN), and the least and greatest one,
// NaN if there is none.
func responseRange(observed []float64) (n int, low, high float64) {
	observed = slices.DeleteFunc(slices.Clone(observed), math.IsNaN)
	if len(observed) == 0 {
		return 0, math.NaN(), math.NaN()
	}
	return len(observed), slices.Min(observed), slices.Max(observed)
}

// observed returns the values of the structural analogues, NaN where one has none.
func (s *Substance) observed() (list []float64) {
	for _, n := range s.Nearest {
		if n.Values != nil {
			list = append(list, n.Values.Observed)
		}
	}
	return list
}

// hasResponses reports whether the model knows observed values.
func hasResponses(m *model.Model) bool { return m.Structures != nil && m.Structures.Observed != nil }

// response is what is said of the response space.
func (s *Substance) response(m *model.Model) string {
	known, low, high := responseRange(m.Structures.Observed)
	n, near, far := responseRange(s.observed())
	text := fmt.Sprintf("Observed values of %d training molecules range from %s to %s", known, document.Number(low, 3), document.Number(high, 3))
	if n == 0 {
		return text + "; no structural analogue of 7.4 has one."
	}
	return text + say("analogues", n, len(s.Nearest), document.Number(near, 3), document.Number(far, 3))
}

// expertReview is what ICH M7 asks for, by verdict.
func expertReview(v decide.Verdict) string {
	if v == decide.Inside {
		return ""
	}
	found := map[decide.Verdict]string{
		decide.Outside: "The substance is outside the domain", decide.Borderline: "The substance is at the edge of the domain",
	}[v]
	if found == "" {
		found = "Whether the substance is within the domain is not decided"
	}
	return found + ". " + say("expert review")
}
