package compare

import (
	"fmt"

	"baca/algo/document"
	"baca/algo/explain"
)

// Say replaces molecules by graphs in texts about plain graphs.
func (c *Comparison) Say(text string) string { return document.Say(c.Plain, text) }

// Names says which list is A and which B.
func (c *Comparison) Names() string { return fmt.Sprintf("A is %s, B is %s.", c.A.Name, c.B.Name) }

// Differs says whether B differs from A as a whole, and what separates them best.
func (c *Comparison) Differs() string {
	e := &c.Evidence
	text := fmt.Sprintf("Nothing says that B as a whole differs from A (AUC %.2f, %s).", e.AUC, pText(e.P))
	switch {
	case e.Skipped != "":
		text = "Whether B differs from A cannot be said: " + e.Skipped + "."
	case e.P <= differs:
		text = fmt.Sprintf("B differs from A: the two are told apart with an AUC of %.2f (%s).", e.AUC, pText(e.P))
	}
	if e.Written > 0 {
		text += fmt.Sprintf(" With what reading sets aside, which may only be how they are written, the AUC is %.2f.", e.Written)
	}
	if e.Single != nil {
		text += " " + c.Say(e.Single.words())
	}
	return text
}

// words says how well s separates the lists.
func (s *Single) words() string {
	if s.Kind == KindCount {
		return fmt.Sprintf("The %s alone has an AUC of %.2f: the median is %.3g in B, %.3g in A.", s.Name, s.AUC, s.Of[1], s.Of[0])
	}
	return fmt.Sprintf("One thing alone has an AUC of %.2f: %s, in %s of B and %s of A.", s.AUC, s.Name, Percent(s.Of[1]), Percent(s.Of[0]))
}

// differs is the largest p-value at which B is said to differ from A.
const differs = 0.05

// pText returns a p-value with two digits.
func pText(p Value) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// Share formats n of all as a percentage.
func Share(n, all int) string {
	if all == 0 {
		return "–"
	}
	return Percent(float64(n) / float64(all))
}

// Percent formats a share as a percentage.
func Percent(share float64) string {
	switch x := 100 * share; {
	case x == 0 || x >= 9.95:
		return fmt.Sprintf("%.0f %%", x)
	case x < 0.095:
		return "< 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", x)
	}
}

// Shares describes the overlap.
func (c *Comparison) Shares() string {
	o := &c.Overlap
	return fmt.Sprintf(c.Say("In both: %s, %s of A and %s of B; and %s, of A's %d and B's %d, which %s of A's molecules with rings have and %s of B's."),
		c.Say(explain.Count(o.Molecules, "molecule")), Share(o.Molecules, c.A.Molecules), Share(o.Molecules, c.B.Molecules),
		explain.Count(o.Scaffolds, "scaffold"), o.ScaffoldsA, o.ScaffoldsB, Share(o.SharingA, o.CyclicA), Share(o.SharingB, o.CyclicB))
}

// TooEasy judges B as a test set for a model that was trained on A.
func (c *Comparison) TooEasy() string {
	near, within := c.BtoA.Quantiles[2], c.AtoA.Quantiles[2]
	text := fmt.Sprintf("The nearest molecule of A has a median similarity of %.2f to a molecule of B; to a molecule of A, the nearest other one of A has %.2f.", near, within)
	switch c.Audit.Verdict {
	case "easier":
		text += " So B is nearer to A than A's molecules are to each other: as a test set it is easier than a random split, and errors on it are too small for new molecules."
	case "random":
		text += " So B is about as near to A as A's molecules are to each other: as a test set it is as easy as a random split, and says little about molecules of other kinds."
	case "harder":
		text += " So B is farther from A than A's molecules are from each other: as a test set it is harder than a random split."
	default:
		text += " There are too few molecules to say whether that is easier or harder than a random split."
	}
	if n := c.BtoA.NearDuplicates; n > 0 {
		text += fmt.Sprintf(" %s of B's molecules are near duplicates of one of A (similarity %.2f and more): leave them out, or report them apart.", Share(n, c.BtoA.Queries), nearDuplicate)
	}
	return c.Say(text)
}

// Sampled says what was sampled. It is empty if nothing was.
func (c *Comparison) Sampled() string {
	text := ""
	if e := &c.Evidence; e.Skipped == "" && (e.A < c.A.Molecules || e.B < c.B.Molecules) {
		text = fmt.Sprintf("The AUC is of even samples: %d molecules of A and %d of B.", e.A, e.B)
	}
	if c.AtoB.Sampled || c.BtoA.Sampled {
		if text != "" {
			text += " "
		}
		text += fmt.Sprintf("Nearest molecules are looked for among all, for an even sample of %d of a longer list.", maxQueries)
	}
	return c.Say(text)
}
