package app

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/session"
	"baca/app/words"
	"baca/wasm/message"
)

const trustAbout = "Did the expected errors hold, and how many predictions are worth keeping?"

// trustStage opens the audit of predictions.
func (p *labPane) trustStage() app.UI {
	return app.Li().Class("stage was").Body(p.door(message.StageTrust, "trust", trustAbout, ""))
}

// trust explains judgements of predictions, and with observed values how they held.
func (p *labPane) trust() app.UI {
	s := p.S
	judged := s.Rows.Trust
	if judged == nil {
		return quietLine("There are no predictions to look at: choose their column above the table.")
	}
	t := &s.Trust
	body := []app.UI{
		app.Div().Class("controls").Body(
			app.Label().For("observed").Text("Observed"),
			columnSelect("observed", s.Columns(), t.Predicted, t.Observed, t.Observe),
			app.If(t.Observed == "", func() app.UI {
				return quiet("Once these molecules are measured: the column with what was found.")
			})),
		app.If(t.Failure != nil, func() app.UI {
			return app.P().Class("bad-text").Role("alert").Text(session.TrustFailure(t.Failure))
		}),
	}
	said := []app.UI{quietLine(words.Sentences(judged.Sentences)).Class("small")}
	if len(judged.Problems) > 0 {
		said = append(said, quietLine(words.Sentences(judged.Problems)).Class("small"))
	}
	a := judged.Audit
	if a == nil {
		return app.Div().Class("trust").Body(append(body, append(said, verdictTable(judged))...)...)
	}
	var held []app.UI
	for _, text := range a.Sentences {
		held = append(held, app.P().Class("audit-sentence").Text(text))
	}
	return app.Div().ID("audit").Class("trust").Body(append(body, app.Div().Class("audit").Body(
		app.Div().Class("trust").Body(append(append(held, verdictTable(judged)), said...)...),
		p.risk(a)))...)
}

// verdictTable has stated and found rates of large errors.
func verdictTable(t *message.Trusted) app.UI {
	head, list, a := []string{"Verdict", ""}, t.Stated, t.Audit
	if a != nil {
		list = a.Verdicts
		head = append(head, "Molecules", "Mean error", "Above "+words.Number(t.Tolerance)+" (95\u00a0% interval)")
	}
	head = append(head, "Stated for held-out ones")
	rows := make([][]string, len(list))
	for k, l := range list {
		row := []string{session.VerdictWords(l), ""}
		if a != nil {
			share, interval := session.LargeWords(l)
			row = append(row, words.Count(l.N), words.Number(a.MeanErrors[k]), share+interval)
		}
		rows[k] = append(row, session.StatedWords(t, l))
	}
	return wide("Large errors by verdict", head, rows...)
}

// risk is the risk curve with a movable marker.
func (p *labPane) risk(a *message.Audit) app.UI {
	t := &p.S.Trust
	share, risk, best := session.RiskCurves(a)
	chance := make([]float64, len(share))
	top := 0.0
	for k := range chance {
		chance[k] = a.MeanError
		top = max(top, 1.08*risk[k], 1.08*a.MeanError)
	}
	kept, line := t.Kept(a), t.KeepLine(a)
	order := "nearest to the training set"
	if p.S.Rows.Trust.Classes {
		order = "the surest"
	}
	return app.Div().Class("risk").Body(
		figure("Risk and coverage", "mean error of those that are kept", "risk", picture.Plot{
			Width: p.half(), Height: 200, Title: "Risk and coverage", XLabel: "molecules kept, " + order + " first, %", X: share, Low: 0, High: top,
			Curves: []picture.Curve{{Name: "by " + p.S.Rows.Trust.Order, Role: "line-out", Y: risk}, {Name: "by chance", Role: "line", Y: chance, Dashed: true}, {Name: "by the errors themselves", Role: "line-in", Y: best}},
			Point:  picture.Point{X: session.ShareOf(kept, a), Y: a.Risk[kept-1]},
		}),
		app.Input().ID("keep").Class("keep").Type("range").Min(1).Max(100).Value(t.Coverage).Aria("label", "Molecules kept, %").Aria("valuetext", line).
			OnInput(func(ctx app.Context, e app.Event) {
				if n, err := strconv.Atoi(valueOf(ctx)); err == nil {
					t.Cover(n)
				}
			}),
		app.Output().ID("kept").For("keep").Class("number").Text(line),
		quietLine(a.UnderRisk))
}
