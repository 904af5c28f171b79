package app

import "baca/wasm/message"

// The lab shows what the stages of the calibrated batch have made.
type lab struct {
	open string // stage, empty for none
	// Graphons of a side: what was asked for, and what came.
	side    string
	i, j    int
	lambda  float64
	pair    *message.GraphonPair
	trouble *message.Failed
	entries map[string]*message.Entries // by side
	// What the test for drift found.
	drift        *message.Drifted
	driftTrouble *message.Failed
}

func (l *lab) forget() {
	l.drift, l.driftTrouble = nil, nil
	l.forgetBatch()
}

func (l *lab) forgetBatch() {
	l.pair, l.trouble, l.entries = nil, nil, nil
	l.i, l.j = 0, 1
}

// ofBatch tells whether a stage is one of calibrating the batch.
func ofBatch(stage string) bool {
	switch stage {
	case message.StageSample, message.StageEncode, message.StageEstimate, message.StageMixup, message.StageAttention, message.StageRatio, message.StageCompare:
		return true
	}
	return false
}

// openLab shows a stage, or closes the lab if it is shown already. A stage of the batch
// has it calibrated.
func (s *session) openLab(stage string) {
	s.rev.lab++
	if s.lab.open == stage {
		s.lab.open = ""
		return
	}
	s.lab.open, s.declined = stage, false
	s.proceed()
	s.look()
}

// look asks for what the open stage shows, once that is there.
func (s *session) look() {
	switch s.lab.open {
	case message.StageEstimate, message.StageMixup:
		if s.lab.pair == nil && s.calibrated() {
			s.pairOf(s.lab.side, 0, 1)
		}
	case message.StageAttention:
		if s.lab.entries == nil && s.calibrated() {
			s.dictionaries()
		}
	case message.StageDrift:
		if s.lab.drift == nil {
			s.watchDrift()
		}
	}
}

// pairOf asks for two graphons of a side.
func (s *session) pairOf(side string, i, j int) {
	if s.phase != done {
		return
	}
	l := &s.lab
	l.side, l.i, l.j = side, i, j
	run := s.run
	s.ask(&message.Graphons{Side: side, I: i, J: j, Lambda: l.lambda, Seed: 1}, nil, func(r message.Reply) {
		if run != s.run || side != l.side || i != l.i || j != l.j {
			return
		}
		s.rev.lab++
		if pair, ok := r.(*message.GraphonPair); ok {
			l.pair, l.trouble = pair, nil
			l.i, l.j = pair.I, pair.J
			return
		}
		l.pair, l.trouble = nil, failed(r)
	})
}

// setLambda mixes the two graphons anew. The graph that is drawn from the mixture
// comes from the worker.
func (s *session) setLambda(lambda float64) {
	s.lab.lambda = lambda
	s.rev.lab++
}

// sample draws a graph from the present mixture.
func (s *session) sample() { s.pairOf(s.lab.side, s.lab.i, s.lab.j) }

// dictionaries asks for what both hold.
func (s *session) dictionaries() {
	if s.phase != done {
		return
	}
	run := s.run
	for _, side := range []string{"ID", "OOD"} {
		s.ask(&message.Dictionary{Side: side}, nil, func(r message.Reply) {
			if run != s.run {
				return
			}
			s.rev.lab++
			if e, ok := r.(*message.Entries); ok {
				if s.lab.entries == nil {
					s.lab.entries = map[string]*message.Entries{}
				}
				s.lab.entries[side] = e
				return
			}
			s.lab.trouble = failed(r)
		})
	}
}
