package attention

// A Stage is a part of the work on a batch.
type Stage string

// The stages, in order, but that Weighing comes before Parting where the batch's score
// parts it. The Calibrator reports those of the attention.
const (
	Encoding  Stage = "encode"    // of graphs, the holdout aside
	Parting   Stage = "part"      // of the batch by a score
	Graphons  Stage = "graphons"  // one for each graph of both parts
	Mixing    Stage = "mixup"     // of synthetic graphs, both sides together
	Attending Stage = "attention" // steps of training
	Weighing  Stage = "ratio"     // the density ratio
	Judging   Stage = "finish"    // the holdout, p-values and verdicts
)

// A Watch follows the work on a batch, for those who want to see it. Nil functions
// are not called, and none of them changes a result. Calls come one at a time, from
// the goroutine that works on the batch. A nil Watch sees nothing.
type Watch struct {
	// Stage says that done of total pieces of a stage are done.
	Stage func(s Stage, done, total int)
	// Parted sees the indices of the two subgroups, and the size of the graphons
	// of each.
	Parted func(inside, outside []int, steps [2]int)
	// Step sees every Every-th step of the attention's training and the last one.
	// Each takes a scoring of the batch.
	Every int
	Step  func(Iteration)
}

// An Iteration is one step of the attention's training.
type Iteration struct {
	Step int     // from 1
	Loss float64 // before the step
	KL   float64 // KL(inside‖outside) between the score histograms of the subgroups, in nats
	// Test is the score of the batch after the step; who has labels
	// may measure its AUROC. It is only valid during the call.
	Test []float64
	// Inside and Outside are the indices of the two subgroups.
	Inside, Outside []int
}

// Report says how far a stage is.
func (w *Watch) Report(s Stage, done, total int) {
	if w != nil && w.Stage != nil {
		w.Stage(s, done, total)
	}
}

// wants tells whether step of so many, from 1, is to be seen.
func (w *Watch) wants(step, steps int) bool {
	return w != nil && w.Step != nil && w.Every > 0 && (step%w.Every == 0 || step == steps)
}
