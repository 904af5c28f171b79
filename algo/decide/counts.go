package decide

import "fmt"

// Counts says how many graphs have which verdict.
type Counts struct {
	Outside    int `json:"outside"`
	Borderline int `json:"borderline"`
	Inside     int `json:"inside"`
	Undecided  int `json:"undecided"` // with scores, by a model that has too few graphs to compare with
}

// Count counts one verdict.
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

// Verdicts says it in words.
func (c Counts) Verdicts() string {
	text := fmt.Sprintf("%d outside, %d borderline, %d inside", c.Outside, c.Borderline, c.Inside)
	if c.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", c.Undecided)
	}
	return text
}
