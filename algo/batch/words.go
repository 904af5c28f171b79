package batch

import (
	"fmt"
	"math"
	"strings"
)

// wholeLevel is the largest p-value of a list that differs.
const wholeLevel = 0.05

// Whole says whether a list differs from the training set, by Report.Evidence and P.
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

// MakesTheDifference says how a list differs from the training set.
func MakesTheDifference(differences []string) string {
	return "What makes the difference: " + strings.Join(differences, "; ")
}
