package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/wasm/message"
)

// inputPane is where molecules come from: text, files, drawings, examples.
type inputPane struct {
	app.Compo
	S   *session
	Rev int

	shown string // what the text area holds, as far as the page knows
	top   int    // how far it is scrolled, in pixels
}

// OnMount implements app.Mounter.
func (p *inputPane) OnMount(ctx app.Context) { p.shown = "" }

// OnUpdate puts a text that did not come from the keyboard into the text area.
func (p *inputPane) OnUpdate(ctx app.Context) { ctx.Defer(func(app.Context) { p.sync() }) }

func (p *inputPane) sync() {
	if p.S.text == p.shown {
		return
	}
	if area := app.Window().GetElementByID("smiles"); area.Truthy() {
		area.Set("value", p.S.text)
		area.Set("scrollTop", 0)
		p.shown, p.top = p.S.text, 0
	}
}

// Render implements app.Composer.
func (p *inputPane) Render() app.UI {
	s := p.S
	return app.Section().Class("pane input").Aria("labelledby", "input-title").Body(
		app.Div().Class("pane-head").Body(
			app.H2().ID("input-title").Text("Input"),
			app.Span().Class("stretch"),
			app.Label().Class("button").Body(
				icon("file"), app.Text("File"),
				app.Input().ID("file").Class("file-input").Type("file").
					Accept(".smi,.smiles,.txt,.csv,.tsv,.sdf,.mol,.gz,.zst,.zip,.msgpack").
					Aria("label", "Choose a file").
					OnChange(func(ctx app.Context, e app.Event) {
						input := ctx.JSSrc()
						takeFile(ctx, s, input.Get("files").Index(0))
						input.Set("value", "")
					}),
			),
			app.Button().ID("draw-button").Class("button").Type("button").
				OnClick(func(ctx app.Context, e app.Event) { openEditor(ctx, s) }).
				Body(icon("pen"), app.Text("Draw")),
		),
		p.fileCard(),
		app.Div().Class("editor").Attr("hidden", flag(s.file != nil)).Body(
			app.Raw(gutter(s, p.top)),
			app.Textarea().ID("smiles").Class("code").
				Aria("label", "SMILES, one a line, each with an optional name").
				Aria("describedby", "input-status").
				Attr("wrap", "off").Attr("spellcheck", "false").Attr("autocapitalize", "off").Attr("autocomplete", "off").
				Placeholder("Paste SMILES, one a line,\neach with a name if you like:\n\nCC(=O)Oc1ccccc1C(=O)O aspirin").
				OnInput(func(ctx app.Context, e app.Event) {
					p.shown = ctx.JSSrc().Get("value").String()
					s.typed(p.shown)
				}).
				OnScroll(func(ctx app.Context, e app.Event) {
					p.top = int(ctx.JSSrc().Get("scrollTop").Float())
				}),
		),
		app.Div().ID("input-status").Class("input-status").Body(
			app.Span().Text(readLine(s)),
			app.Span().Class("stretch"),
			app.If(s.undo != nil, func() app.UI {
				return app.Button().Class("plain").Type("button").Text("Undo").
					Title("Bring back " + s.undo.what).
					OnClick(func(app.Context, app.Event) { s.takeBack() })
			}),
			app.If(s.phase != empty, func() app.UI {
				return app.Button().ID("clear").Class("plain").Type("button").Text("Clear").
					OnClick(func(app.Context, app.Event) { s.give("", nil, "what was cleared") })
			}),
		),
		p.problems(),
	)
}

// fileCard stands for an input that is not in the text area.
func (p *inputPane) fileCard() app.UI {
	f := p.S.file
	if f == nil {
		return app.Div().Class("file-card").Hidden(true)
	}
	what := size(f.size)
	if o := p.S.opened; o != nil {
		kind := map[string]string{"smi": "SMILES", "csv": "CSV", "tsv": "TSV", "sdf": "SDF", "tu": "TUDataset"}[o.Format]
		what += ", " + kind
	}
	return app.Div().Class("file-card").Body(
		icon("file"),
		app.Div().Body(app.Div().Class("file-name").Text(f.name), app.Div().Class("quiet").Text(what)),
	)
}

// readLine says how much of the input was read.
func readLine(s *session) string {
	n, bad := s.rows.len(), len(s.rows.problem)
	switch {
	case s.phase == empty:
		return "or drop a file anywhere"
	case s.phase == waiting:
		return "…"
	case n == 0 && s.phase == reading:
		return "reading …"
	case bad > 0:
		return count(n-bad) + " read, " + count(bad) + " refused"
	}
	return count(n) + " read"
}

// mostProblems are listed; more are counted.
const mostProblems = 30

// problems lists what was refused and why. A click goes to the place.
func (p *inputPane) problems() app.UI {
	s := p.S
	list := sortedProblems(s.rows.problem)
	if len(list) == 0 {
		return app.Div().Class("problems").Hidden(true)
	}
	shown := list[:min(len(list), mostProblems)]
	items := make([]app.UI, 0, len(shown)+1)
	for _, q := range shown {
		where := "Record " + strconv.Itoa(q.Record+1)
		if q.Line > 0 {
			where = "Line " + strconv.Itoa(q.Line)
		}
		item := []app.UI{app.Span().Class("where").Text(where), app.Span().Class("reason").Text(reasonOf(q))}
		if q.Caret != "" {
			item = append(item, app.Pre().Class("caret").Text(q.Caret))
		}
		items = append(items, app.Li().Body(app.Button().Type("button").Class("problem").DataSet("problem", strconv.Itoa(q.Record)).Body(item...)))
	}
	if more := len(list) - len(shown); more > 0 {
		items = append(items, app.Li().Class("quiet").Text("and "+count(more)+" more"))
	}
	return app.Div().Class("problems").Body(
		app.H3().Text(things(len(list), "line is", "lines are")+" refused; the others go on"),
		app.Ul().OnClick(func(ctx app.Context, e app.Event) {
			if text, ok := around(e, "problem"); ok {
				if record, err := strconv.Atoi(text); err == nil {
					p.show(record)
				}
			}
		}).Body(items...),
	)
}

// show selects in the text area what a problem is about.
func (p *inputPane) show(record int) {
	q := p.S.rows.problem[record]
	t, ok := tools()
	if q == nil || !ok || p.S.file != nil {
		return
	}
	if from, to, ok := pieceOf(p.S.text, q); ok {
		t.Call("select", app.Window().GetElementByID("smiles"), from, to)
	}
}

// sortedProblems are in the order of the input.
func sortedProblems(problems map[int]*message.Problem) []*message.Problem {
	list := make([]*message.Problem, 0, len(problems))
	for _, p := range problems {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *message.Problem) int { return a.Record - b.Record })
	return list
}

// reasonOf is the reason without the place, where that is known.
func reasonOf(p *message.Problem) string {
	if p.Reason != "" {
		return p.Reason
	}
	return p.Text
}

// pieceOf finds what a problem is about in a text, in the units of the browser:
// UTF-16.
func pieceOf(text string, p *message.Problem) (from, to int, ok bool) {
	if p.Line < 1 {
		return 0, 0, false
	}
	start := 0
	for range p.Line - 1 {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return 0, 0, false
		}
		start += i + 1
	}
	line, _, _ := strings.Cut(text[start:], "\n")
	column := min(max(p.Column-1, 0), len(line))
	end := len(line)
	if p.Column > 0 {
		end = min(column+max(len(p.Piece), 1), len(line))
	}
	return units(text[:start+column]), units(text[:start+max(end, column)]), true
}

// units counts a text as the browser does.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// The lines of the text area, see .code in the style sheet.
const (
	lineHeight  = 22
	linePadding = 10
	gutterLines = 64 // that are drawn at once: more than the tallest screen has
)

// A mark says what became of a line.
type mark uint8

const (
	noMark mark = iota
	readMark
	refusedMark
)

// marks are those of lines, from 1, that begin a record.
func marks(r *rows, from, to int) []mark {
	m := make([]mark, max(to-from, 0))
	first, _ := slices.BinarySearch(r.line, int32(from))
	for i := first; i < len(r.line) && int(r.line[i]) < to; i++ {
		at := int(r.line[i]) - from
		if at < 0 {
			continue
		}
		m[at] = readMark
		if r.problem[i] != nil {
			m[at] = refusedMark
		}
	}
	return m
}

// gutter is the numbers of the lines that are in view, and what became of them.
func gutter(s *session, top int) string {
	lines := strings.Count(s.text, "\n") + 1
	if s.text == "" {
		lines = 0
	}
	from := max(top/lineHeight-2, 0) + 1
	to := min(from+gutterLines, lines+1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="gutter" aria-hidden="true"><g transform="translate(0 %d)">`, -top)
	m := marks(&s.rows, from, to)
	for line := from; line < to; line++ {
		y := linePadding + (line-1)*lineHeight
		switch m[line-from] {
		case refusedMark:
			fmt.Fprintf(&b, `<rect class="gutter-bad" x="0" y="%d" width="48" height="%d"/><path class="gutter-cross" d="M34 %dl8 8m0 -8l-8 8"/>`, y, lineHeight, y+7)
		case readMark:
			fmt.Fprintf(&b, `<path class="gutter-tick" d="M34 %dl3 3 5 -6"/>`, y+12)
		}
		fmt.Fprintf(&b, `<text class="gutter-number" x="26" y="%d">%d</text>`, y+15, line)
	}
	b.WriteString(`</g></svg>`)
	return b.String()
}
