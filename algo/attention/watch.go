package attention

// A Stage is a part of the work on a batch.
type Stage string

// The stages in order, except that Weighing precedes Parting if Row.Batch partitions the batch.
// The Calibrator reports Parting to Attending and, during CrossFit, Judging.
const (
	Encoding  Stage = "encode"    // of graphs, without the holdout
	Parting   Stage = "part"      // of the batch by a score
	Graphons  Stage = "graphons"  // one for each graph of both parts
	Mixing    Stage = "mixup"     // of synthetic graphs, for both sides
	Attending Stage = "attention" // steps of training
	Weighing  Stage = "ratio"     // the density ratio
	Judging   Stage = "finish"    // the holdout, p-values and verdicts
)

// A Watch follows the work on a batch. Its functions may be nil and change no result. Calls come
// one at a time, from the goroutine that works on the batch. A nil Watch sees nothing.
type Watch struct {
	// Stage reports that done of total units of a stage are done.
	Stage func(s Stage, done, total int)
	// Parted sees the indices of the two subgroups, and the sizes of their graphons.
	Parted func(inside, outside []int, steps [2]int)
	// Step sees every Every-th step of the training and the last one, each at the cost of scoring
	// the batch.
	Every int
	Step  func(Iteration)
}

// An Iteration is one step of the attention's training.
type Iteration struct {
	Step int     // from 1
	Loss float64 // before the step
	KL   float64 // KL(inside‖outside) between the score histograms of the subgroups, in nats
	// Test is the score of the batch after the step, valid during the call.
	Test []float64
	// Inside and Outside are the indices of the two subgroups.
	Inside, Outside []int
}

// Report calls Stage, if there is one.
func (w *Watch) Report(s Stage, done, total int) {
	if w != nil && w.Stage != nil {
		w.Stage(s, done, total)
	}
}

// wants reports whether step, from 1 to steps, is to be seen.
func (w *Watch) wants(step, steps int) bool {
	return w != nil && w.Step != nil && w.Every > 0 && (step%w.Every == 0 || step == steps)
}
