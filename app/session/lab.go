package session

import "baca/wasm/message"

// A Lab shows what the stages of the calibrated batch have made.
type Lab struct {
	session *Session

	Stage string // that is open, empty for none
	// Graphons of a side: what was asked for, and what came.
	Side    string
	i, j    int
	Lambda  float64
	Pair    *message.GraphonPair
	Failure *message.Failed
	// What the test for drift found.
	Drift        *message.Drifted
	DriftFailure *message.Failed
}

func (l *Lab) forget() {
	l.Drift, l.DriftFailure = nil, nil
	l.forgetBatch()
}

func (l *Lab) forgetBatch() { l.Pair, l.Failure, l.i, l.j = nil, nil, 0, 1 }

// OfBatch tells whether a stage is one of calibrating the batch.
func OfBatch(stage string) bool {
	switch stage {
	case message.StageSample, message.StageEncode, message.StageEstimate, message.StageMixup, message.StageAttention, message.StageRatio, message.StageCompare:
		return true
	}
	return false
}

// Open shows a stage, or closes the lab if it is shown already. A stage of the batch
// has it calibrated.
func (l *Lab) Open(stage string) {
	l.session.Rev.State++
	if l.Stage == stage {
		l.Stage = ""
		return
	}
	l.Stage, l.session.declined = stage, false
	l.session.proceed()
	l.fetch()
}

// fetch asks for what the open stage shows, once that is there.
func (l *Lab) fetch() {
	switch l.Stage {
	case message.StageEstimate, message.StageMixup:
		if l.Pair == nil && l.session.Calibrated() {
			l.ShowPair(l.Side, 0, 1)
		}
	case message.StageDrift:
		if l.Drift == nil {
			l.WatchDrift()
		}
	}
}

// ShowPair asks for two graphons of a side.
func (l *Lab) ShowPair(side string, i, j int) {
	if l.session.Phase != Done {
		return
	}
	l.Side, l.i, l.j = side, i, j
	l.session.askInRun(&message.Graphons{Side: side, I: i, J: j, Lambda: l.Lambda, Seed: 1}, nil, func(r message.Reply) {
		if side != l.Side || i != l.i || j != l.j {
			return
		}
		l.session.Rev.State++
		if pair, ok := r.(*message.GraphonPair); ok {
			l.Pair, l.Failure = pair, nil
			l.i, l.j = pair.I, pair.J
			return
		}
		l.Pair, l.Failure = nil, failureOf(r)
	})
}

// SetLambda mixes the two graphons anew. The graph that is drawn from the mixture
// comes from the worker.
func (l *Lab) SetLambda(lambda float64) {
	l.Lambda = lambda
	l.session.Rev.State++
}

// Sample draws a graph from the present mixture.
func (l *Lab) Sample() { l.ShowPair(l.Side, l.i, l.j) }

// NextPair shows two other graphons of the side.
func (l *Lab) NextPair() {
	if g := l.Pair; g != nil {
		l.ShowPair(l.Side, (g.I+1)%g.Graphs, (g.J+2)%g.Graphs)
	}
}

// WatchDrift runs the test for drift.
func (l *Lab) WatchDrift() {
	l.DriftFailure = nil
	l.session.beginTask("Drift", &message.Drift{}, func(r message.Reply) {
		if d, ok := r.(*message.Drifted); ok {
			l.Drift = d
			return
		}
		l.DriftFailure = failureOf(r)
	})
}
