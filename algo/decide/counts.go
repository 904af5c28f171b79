package decide

import "fmt"

// Counts counts graphs by verdict.
type Counts struct {
	Outside    int `json:"outside"`
	Borderline int `json:"borderline"`
	Inside     int `json:"inside"`
	Undecided  int `json:"undecided"` // with scores, but the holdout is too small
}

// Count counts a verdict. All but the three decided ones count as undecided.
func (c *Counts) Count(v Verdict) {
	switch v {
	case Outside:
		c.Outside++
	case Borderline:
		c.Borderline++
	case Inside:
		c.Inside++
	default:
		c.Undecided++
	}
}

// leastList is the least number of graphs that Foreign judges.
const leastList = 20

// Foreign returns a sentence if more than a third of a list of 20 graphs or more is outside, and
// else nothing.
func (c Counts) Foreign() string {
	n := c.Outside + c.Borderline + c.Inside + c.Undecided
	if n < leastList || 3*c.Outside <= n {
		return ""
	}
	return fmt.Sprintf("%d of %d are outside: this list is not what this model knows", c.Outside, n)
}

// Verdicts returns the counts in words.
func (c Counts) Verdicts() string {
	text := fmt.Sprintf("%d outside, %d borderline, %d inside", c.Outside, c.Borderline, c.Inside)
	if c.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", c.Undecided)
	}
	return text
}
