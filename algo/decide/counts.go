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

// leastList is how many graphs tell what a list is.
const leastList = 20

// Foreign says in a sentence that a list is not what the model knows: more than a third is outside.
// It is empty for other lists, and for short ones.
func (c Counts) Foreign() string {
	n := c.Outside + c.Borderline + c.Inside + c.Undecided
	if n < leastList || 3*c.Outside <= n {
		return ""
	}
	return fmt.Sprintf("%d of %d are outside: this list is not what this model knows", c.Outside, n)
}

// Verdicts says it in words.
func (c Counts) Verdicts() string {
	text := fmt.Sprintf("%d outside, %d borderline, %d inside", c.Outside, c.Borderline, c.Inside)
	if c.Undecided > 0 {
		text += fmt.Sprintf(", %d undecided", c.Undecided)
	}
	return text
}
