// Package rival has the detectors that BaCa is compared with, each written anew from its
// paper and trained here, in one file for each. They see what BaCa sees: the same split,
// the same graphs, no labels.
package rival

import (
	"context"

	"baca/algo"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/build/internal/try"
)

// A Problem has graphs that a detector may be trained on, all of them in-distribution, and graphs
// that it has to rank. Neither anything else nor their order says which of these are not.
type Problem struct {
	Train, Test             []*graph.Graph
	TrainSMILES, TestSMILES []string            // nil where the graphs are not molecules
	Background              []fingerprint.Print // ECFP4 of molecules at large, see package weights
	Model                   *algo.Model         // with the encoder that was trained on Train
	Seed                    uint64
	Workers                 int // goroutines, 0 for one on each core; scores do not depend on it
}

// A Rival is a detector.
type Rival struct {
	Name  string // for flags and columns, such as good-d
	Title string // as its authors write it
	Cite  string // authors, title, where, when
	// Published are the AUROCs that its authors or others report, in percent in the order of
	// the paper's table 1, 0 where there is none, and Source says where.
	Published []float64
	Source    string
	Differs   string // how ours differs from the published one, and why its figures may
	Batch     bool   // the score of a graph depends on the others of Test
	Molecules bool   // it has no scores for graphs that are not molecules
	NoModel   bool   // it trains what it needs, and Problem.Model may be nil
	score     func(r *run) []float64
}

// Score returns one score for each graph of Test; higher is more OOD. It is a pure function of
// the problem.
func (r *Rival) Score(ctx context.Context, p *Problem) (scores []float64, err error) {
	defer try.Catch(&err)
	at := newRun(ctx, p)
	if r.Batch {
		return at.inCanonicalOrder(r.score), nil
	}
	return r.score(at), nil
}

// All returns the detectors in the order of reports.
func All() []*Rival {
	return append([]*Rival{sego, redOUT}, domains()...)
}

// Named returns the detector of a name, or nil.
func Named(name string) *Rival {
	for _, r := range All() {
		if r.Name == name {
			return r
		}
	}
	return nil
}
