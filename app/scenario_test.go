package app

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// A stage plays scenarios: events change a session, whose state is a line.
type stage struct {
	*desk
	f     *fake
	later *[]func()
	slow  bool // the worker does not score
	text  string
}

func newStage(t *testing.T) *stage {
	p := &stage{}
	p.desk, p.f, p.later = newTest(t)
	on(p.f, func(r *message.Open, say func(any)) {
		p.text = string(r.Data)
		usual(r, say)
	})
	on(p.f, func(r *message.Score, say func(any)) {
		if !p.slow {
			answerScore(p.text, r, say)
		}
	})
	return p
}

// play plays an event: a verb and its object, where ; stands for the end of a line.
func (p *stage) play(t *testing.T, event string) {
	t.Helper()
	verb, object, _ := strings.Cut(event, " ")
	object = strings.ReplaceAll(object, ";", "\n")
	n, err := strconv.Atoi(object)
	if err != nil {
		n = -1
	}
	switch verb {
	case "type":
		p.Input.Type(object)
	case "give":
		p.Input.Give(run.Given{Text: object})
	case "undo":
		p.Input.TakeBack()
	case "pass":
		pass(p.later)
	case "next":
		p.f.next(n)
	case "slow", "fast":
		p.slow = verb == "slow"
	case "cancel":
		p.Cancel()
	case "begin":
		p.Begin()
	case "die":
		p.f.died(object)
	case "load":
		p.Models.Load(object, nil)
	case "file":
		p.Models.Load(object, []byte(object))
	case "alpha":
		a, err := strconv.ParseFloat(object, 64)
		if err != nil {
			t.Fatal(err)
		}
		p.SetAlpha(a)
	case "show":
		p.Inspector.Show(n)
	case "step":
		p.Inspector.Step(n)
	case "up":
		p.Inspector.Step(-n)
	default:
		t.Fatalf("no event %q", event)
	}
}

// state names the phase, what is special, verdicts, the text, and the requests so far.
func (p *stage) state() string {
	list := []string{string(p.Phase)}
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(p.Failure != nil, "%v", p.Failure)
	add(p.Models.Used.Failure != nil, "model: %v", p.Models.Used.Failure)
	add(p.Models.Used.Value.Name != "bbbp", "%s, %d own", p.Models.Used.Value.Name, len(p.Models.Own))
	for _, v := range []decide.Verdict{table.Unscored, decide.Refused, decide.Undecided, decide.Inside, decide.Borderline, decide.Outside} {
		n := 0
		for _, has := range p.Rows.Verdict {
			if has == v {
				n++
			}
		}
		add(n > 0, "%d %s", n, wordOf(v))
	}
	record := p.Inspector.Record
	add(record >= 0, "record %d", record)
	add(p.Inspector.Detail.Value != nil, "detail %v", p.Inspector.Detail.Value != nil && p.Inspector.Detail.Value.Record == record)
	add(p.f.ended > 0, "%d ended", p.f.ended)
	asked := map[string]int{}
	for _, r := range p.f.asked {
		asked[strings.TrimPrefix(fmt.Sprintf("%T", r), "*message.")]++
	}
	for _, name := range []string{"Open", "Score", "Detail"} {
		add(asked[name] > 0, "%s %d", name, asked[name])
	}
	return strings.Join(append(list, strconv.Quote(strings.ReplaceAll(p.Input.Text, "\n", ";"))), ", ")
}

func TestScenarios(t *testing.T) {
	for name, scenario := range map[string][][2]string{
		// With α = 0.05 p of 1/7 and 1/14 are inside and borderline.
		"run": {
			{"type CC | type CCO one;CxC two;CCCCCCCC three", `waiting, "CCO one;CxC two;CCCCCCCC three"`},
			{"pass", `reading, Open 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 1 | pass", `reading, 2 waiting, 1 refused, Open 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 1", `scoring, 2 waiting, 1 refused, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 3 | pass", `scoring, 1 refused, 1 inside, 1 borderline, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next", `done, 1 refused, 1 inside, 1 borderline, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"alpha 0.1", `done, 1 refused, 1 borderline, 1 outside, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
		},
		"cancel, and again": {
			{"slow | type CCO | pass | next", `scoring, 1 waiting, Open 1, Score 1, "CCO"`},
			{"cancel", `stopped, 1 waiting, 1 ended, Open 1, Score 1, "CCO"`},
			{"fast | begin | pass | next", `done, 1 inside, 1 ended, Open 2, Score 2, "CCO"`},
		},
		"typing on ends the run": {
			{"slow | type CCO | pass | next", `scoring, 1 waiting, Open 1, Score 1, "CCO"`},
			{"type CCO;CC", `waiting, 1 ended, Open 1, Score 1, "CCO;CC"`},
			{"pass | next", `scoring, 2 waiting, 1 ended, Open 2, Score 2, "CCO;CC"`},
		},
		"the worker dies": {
			{"slow | type CCO | pass | next | die out of breath", `broken, out of breath, 1 waiting, 1 ended, Open 1, Score 1, "CCO"`},
			{"begin | pass | next", `scoring, 1 waiting, 1 ended, Open 2, Score 2, "CCO"`},
			{"die fatal error: runtime: out of memory", `broken, The browser gave this tab no more after 1 record. About 1 at a time should fit: give the input in parts, or close other tabs., 1 waiting, 2 ended, Open 2, Score 2, "CCO"`},
		},
		"all refused": {
			{"type x;xx | pass | next", `done, 2 refused, Open 1, "x;xx"`},
		},
		"models": {
			{"load bad | next", `empty, model: the hash is wrong, ""`},
			{"file mine | next", `empty, mine, 1 own, ""`},
			{"load bzr | next", `empty, bzr, 1 own, ""`},
			{"type CCO | pass | next", `broken, this model reads plain graphs, and the input holds molecules, bzr, 1 own, 1 waiting, Open 1, "CCO"`},
			{"load bbbp | next", `done, 1 inside, Open 1, Score 1, "CCO"`},
		},
		"a model chosen while reading": {
			{"type CCO | pass | file mine | next", `done, mine, 1 own, 1 inside, Open 1, Score 1, "CCO"`},
		},
		"undo": {
			{"type CCO | pass | next", `done, 1 inside, Open 1, Score 1, "CCO"`},
			{"give ", `empty, Open 1, Score 1, ""`},
			{"undo | pass | next", `done, 1 inside, Open 2, Score 2, "CCO"`},
			{"undo", `done, 1 inside, Open 2, Score 2, "CCO"`},
			{"give  | type CC | undo", `waiting, Open 2, Score 2, "CCO"`},
			{"undo", `waiting, Open 2, Score 2, "CC"`},
		},
		"one detail": {
			{"type CCO;CC;x | pass | next", `done, 1 refused, 2 inside, Open 1, Score 1, "CCO;CC;x"`},
			{"show 0 | show 1 | next", `done, 1 refused, 2 inside, record 1, detail true, Open 1, Score 1, Detail 2, "CCO;CC;x"`},
			{"show 2", `done, 1 refused, 2 inside, record 2, Open 1, Score 1, Detail 2, "CCO;CC;x"`},
			{"show 0 | step 1", `done, 1 refused, 2 inside, record 1, Open 1, Score 1, Detail 4, "CCO;CC;x"`},
			{"up 100", `done, 1 refused, 2 inside, record 0, Open 1, Score 1, Detail 5, "CCO;CC;x"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newStage(t)
			for k, c := range scenario {
				for event := range strings.SplitSeq(c[0], " | ") {
					p.play(t, event)
				}
				if got := p.state(); got != c[1] {
					t.Errorf("step %d, %s:\n%s, want\n%s", k, c[0], got, c[1])
				}
			}
		})
	}
}
