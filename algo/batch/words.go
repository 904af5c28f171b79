package batch

import (
	"fmt"
	"math"
	"strings"
)

// wholeLevel is the largest p-value at which a list as a whole is said to differ from the training set.
const wholeLevel = 0.05

// Whole returns a sentence on whether a list differs from the training set. list names the list; evidence and p are
// those of its Report.
func Whole(list string, evidence, p float64) string {
	text := fmt.Sprintf("p = %.2g", p)
	if p < 0.001 {
		text = "p < 0.001"
	}
	switch {
	case math.IsNaN(p):
		return fmt.Sprintf("%s is told from the training set with an AUC of %.2f; the model holds too few to say how often that is chance", list, evidence)
	case p <= wholeLevel:
		return fmt.Sprintf("as a whole %s differs from the training set: AUC %.2f, %s", list, evidence, text)
	}
	return fmt.Sprintf("nothing says that %s as a whole differs from the training set (AUC %.2f, %s)", list, evidence, text)
}

// MakesTheDifference joins the Differences of a Report to one sentence.
func MakesTheDifference(differences []string) string {
	return "What makes the difference: " + strings.Join(differences, "; ")
}
