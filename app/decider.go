package app

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/wasm/message"
)

// A decider is what verdicts follow from, as message.Score.By.
type decider uint8

const (
	eachAlone decider = iota // the record by itself
	theBatch                 // that and what the list is like as a whole
	thePaper                 // S_BaCa
	deciders                 // how many there are
)

// deciderWords say it for addresses and files, on the page, and in one sentence.
var deciderWords = [deciders]struct{ key, name, about string }{
	{"alone", "Each molecule alone", "Each molecule is judged by itself: nothing else in the list can change its verdict."},
	{"batch", "The batch", "Each molecule is judged by itself and by where the list as a whole differs from the training set."},
	{"attention", "The paper's method", "Each molecule is judged by S_BaCa, the score of the paper, which learns from the list as a whole."},
}

// deciderOf reads the key of a decider, eachAlone for any other text.
func deciderOf(key string) decider {
	for d, w := range deciderWords {
		if w.key == key {
			return decider(d)
		}
	}
	return eachAlone
}

// graphs is how many records could be read.
func (s *session) graphs() int {
	if s.opened == nil {
		return 0
	}
	return s.opened.Records - s.opened.Refused
}

// things are what the input holds.
func (s *session) things() string {
	if s.opened != nil && !s.opened.Molecules {
		return "graphs"
	}
	return "molecules"
}

// deciding is what decides at present: the batch only once it is calibrated.
func (s *session) deciding() decider {
	if s.rows.batch == nil {
		return eachAlone
	}
	return s.by
}

// decideBy has something else decide. It asks the worker only for a batch that is not
// calibrated yet.
func (s *session) decideBy(by decider) {
	s.by, s.declined = by, false
	s.settle()
	s.proceed()
}

// settle judges all records by what decides now.
func (s *session) settle() {
	s.rows.decide(s.deciding())
	s.reference = s.references[s.deciding()]
	s.levels = levels{}
	s.level()
	s.rejudge()
	s.rev.all()
}

// level finds the q-values if they are to decide, once all records are scored.
func (s *session) level() {
	if s.fdr > 0 && len(s.levels.p) == 0 && (s.phase == done || s.phase == calibrating) {
		s.levels = levelsOf(s.rows.p)
	}
}

// tooFew says that the input has fewer graphs than a batch needs.
func (s *session) tooFew() bool { return s.welcome != nil && s.graphs() < s.welcome.MinBatch }

// unfit says why the batch cannot be calibrated, nothing if it can.
func (s *session) unfit() string {
	switch {
	case s.tooFew():
		return fmt.Sprintf("A batch needs at least %d %s: fewer say too little about each other.", s.welcome.MinBatch, s.things())
	case s.model != nil && s.model.Shared > 0:
		return "This model was made for sharing and keeps no single " + s.things() + ", which a batch is compared with."
	}
	return ""
}

// calibrated tells whether the batch has been looked at as a whole.
func (s *session) calibrated() bool { return s.rows.batch != nil }

// proceed calibrates the batch if something that is chosen or open needs that.
func (s *session) proceed() {
	if (s.by != eachAlone || ofBatch(s.lab.open)) && !s.declined {
		s.calibrate()
	}
}

// calibrate has the worker look at the batch as a whole, unless that is done, cannot be
// done, or the worker is busy. Verdicts of each record by itself stay meanwhile.
func (s *session) calibrate() {
	if s.calibrated() || s.phase != done || s.opened == nil || s.graphs() == 0 || s.unfit() != "" || s.task != nil || s.train.on {
		return
	}
	begun := s.now()
	s.phase, s.declined = calibrating, false
	s.forgetBatch()
	coming := newBatch(s.rows.len())
	s.askScore(&message.Score{Batch: true, Every: 10}, func(e message.Event) {
		if rows, ok := e.(*message.Rows); ok {
			coming.fill(rows)
			return
		}
		s.event(e)
	}, func(scored *message.Scored) {
		s.phase, s.stage = done, ""
		s.scored.BatchAUC, s.scored.PaperAUC = scored.BatchAUC, scored.PaperAUC
		s.batchTook = s.now().Sub(begun)
		s.warn(scored.Warnings)
		if f := s.fitted; f != nil && !f.Few {
			s.references[theBatch], s.references[thePaper] = newReference(f.Holdout.Batch), newReference(f.Holdout.BaCa)
			coming.compare(s.references[thePaper])
			s.rows.batch = coming
		}
		s.settle()
		s.look()
		if s.detail != nil || s.trouble != nil {
			s.inspect() // its dictionaries are known now
		}
	})
}

// forgetBatch leaves what each record is by itself.
func (s *session) forgetBatch() {
	s.fitted, s.rows.batch, s.parted, s.iterations, s.batchTook = nil, nil, nil, nil, 0
	s.references[theBatch], s.references[thePaper] = nil, nil
	for _, w := range stageWords {
		if ofBatch(w.stage) {
			delete(s.progress, w.stage)
		}
	}
	s.lab.forgetBatch()
	s.settle()
}

// wholeLevel is the p-value up to which a list is said to differ.
const wholeLevel = 0.05

// whole says whether the list as a whole differs from the training set, nothing before
// the batch is calibrated.
func (s *session) whole() string {
	f := s.fitted
	if f == nil || !s.calibrated() {
		return ""
	}
	if math.IsNaN(f.P) {
		return "Whether this list as a whole differs from the training set cannot be said: the model keeps too few " + s.things() + " to compare it with."
	}
	numbers := fmt.Sprintf("AUC\u00a0%.2f, p\u00a0%s", f.Evidence, equals(f.P))
	if f.Sample {
		numbers += ", by an even sample of " + count(f.Graphs)
	}
	if f.P <= wholeLevel {
		return "As a whole this list differs from the training set: " + numbers + "." + differing(f.Differences)
	}
	return "Nothing says that this list as a whole differs from the training set: " + numbers + "."
}

// differing says in what a list differs, as the report does, but what the phrases have in
// common once.
func differing(phrases []string) string {
	if len(phrases) == 0 {
		return ""
	}
	list := slices.Clone(phrases)
	for i := range list {
		if i > 0 {
			list[i] = strings.Replace(list[i], " of them have ", " ", 1)
		}
		if i < len(list)-1 {
			list[i] = strings.TrimSuffix(list[i], " than three quarters of the training graphs")
		}
	}
	return " What makes the difference: " + strings.ReplaceAll(strings.Join(list, ", "), " %", "\u00a0%") + "."
}
