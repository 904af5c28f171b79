package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/explain"
	"baca/algo/property"
	column "baca/algo/table"
	"baca/wasm/message"
)

// A fake is a worker. Answers wait in a queue until the test lets them through, as those of a real worker do.
type fake struct {
	t       *testing.T
	answers map[reflect.Type]func(r any, say func(any)) // instead of the usual ones, by type of request
	queue   []func()
	ended   int // workers that were terminated
	asked   []any
	numbers []uint32 // of the requests
	receive func([]byte)
	died    func(string)

	model  string // that is loaded, bzr of plain graphs
	text   string // that is open
	site   string // the file of the site
	batch  bool   // and calibrated
	few    bool   // a batch has too few graphs to be scored together
	slow   bool   // it scores, and watches for drift, without an end
	tables bool   // texts have two columns that might be SMILES; the key of such a table is the text
}

func newFake(t *testing.T) *fake {
	return &fake{t: t, answers: map[reflect.Type]func(any, func(any)){}}
}

// on has a worker answer requests of a type.
func on[R message.Request](f *fake, answer func(r R, say func(any))) {
	f.answers[reflect.TypeFor[R]()] = func(r any, say func(any)) { answer(r.(R), say) }
}

type fakePort struct {
	f    *fake
	over bool
	say  func([]byte)
}

func (f *fake) spawn(receive func([]byte), died func(string)) message.Port {
	f.receive, f.died = receive, died
	return &fakePort{f: f, say: receive}
}

func (p *fakePort) Terminate() { p.over = true; p.f.ended++ }

func (p *fakePort) Post(data []byte, file int) {
	f := p.f
	number, r, err := message.Decode(data)
	if err != nil {
		f.t.Fatal(err)
	}
	f.asked, f.numbers = append(f.asked, r), append(f.numbers, number)
	answer := f.answers[reflect.TypeOf(r)]
	if answer == nil {
		answer = f.usual
	}
	answer(r, func(m any) {
		data := f.encoded(number, m)
		f.queue = append(f.queue, func() {
			if !p.over {
				p.say(data)
			}
		})
	})
}

func (f *fake) encoded(number uint32, m any) []byte {
	f.t.Helper()
	data, err := message.Encode(number, m)
	if err != nil {
		f.t.Fatal(err)
	}
	return data
}

// answer answers the last request of a type, at once.
func answer[R message.Request](f *fake, reply any) {
	f.t.Helper()
	for k, r := range slices.Backward(f.asked) {
		if _, ok := r.(R); ok {
			f.receive(f.encoded(f.numbers[k], reply))
			return
		}
	}
	f.t.Fatalf("no %v was asked", reflect.TypeFor[R]())
}

// last is the last request.
func (f *fake) last() any { return f.asked[len(f.asked)-1] }

// next lets n answers through, all for −1.
func (f *fake) next(n int) {
	for ; n != 0 && len(f.queue) > 0; n-- {
		first := f.queue[0]
		f.queue = f.queue[1:]
		first()
	}
}

// modelData is a model file, and sumOf its hash.
const modelData = "the file of a model"

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// usual answers as a worker would for a text of SMILES: a line with an x is refused, and a score is the length of the
// line.
func (f *fake) usual(r any, say func(any)) {
	switch r := r.(type) {
	case *message.Hello:
		say(&message.Welcome{Program: "test", Models: []message.Model{{Name: "bbbp", Molecules: true, BuiltIn: true, SHA256: "aa"}, {Name: "bzr", BuiltIn: true, SHA256: "bb"}}, MinBatch: 3,
			Tools: []message.Tool{{Name: "drift", Title: "Drift", Button: "Look at them in their order"}}})
	case *message.LoadModel:
		f.load(r, say)
	case *message.Open:
		f.open(r, say)
	case *message.Score:
		if f.batch = r.Batch && !f.few; !f.slow {
			f.score(r, say)
		}
	case *message.Detail:
		say(f.detailed(r.Record))
	case *message.Trace:
		say(traced(r.Record))
	case *message.Graphons:
		say(&message.GraphonPair{Side: r.Side, RecordI: r.I, RecordJ: r.J, N: 1, WI: message.Singles{1}, WJ: message.Singles{0}, Lambda: r.Lambda, Samples: []message.Sample{{Nodes: 2, Edges: message.Ints{0, 1}}}})
	case *message.Train:
		say(&message.Epoch{Epoch: 3, Of: 10})
		say(&message.Checkpoint{Epoch: 2, Data: []byte("two")})
	case *message.Pause:
		say(&message.Paused{})
	default:
		f.task(r, say)
	}
}

func (f *fake) load(r *message.LoadModel, say func(any)) {
	if r.Name == "bad" {
		say(&message.Failed{Code: message.CodeBadModel, Text: "the hash is wrong"})
		return
	}
	m := &message.Model{Name: r.Name, Molecules: r.Name != "bzr", BuiltIn: r.Data == nil, SHA256: r.Name, Bytes: len(r.Data), Epochs: 400, Paper: true}
	switch {
	case r.Data != nil:
		m.SHA256 = sumOf(string(r.Data))
	case r.Name == "untrained":
		m.Epochs, m.Paper = 0, false
	case r.Name == "shared":
		m.Shared = 5
	case r.Name == "errors":
		m.Residuals, m.Predicted = 50, "yhat"
	}
	f.model = r.Name
	say(&message.Progress{Stage: message.StageFetch, Done: 1, Total: 2})
	say(m)
}

func (f *fake) open(r *message.Open, say func(any)) {
	f.text, f.batch = string(r.Data), false
	if r.Site != "" {
		f.text = f.site
	}
	if f.tables {
		h := &message.Header{Key: strings.TrimSpace(f.text), Columns: []string{"a", "b"}, Column: "a", Guessed: true}
		for _, c := range r.Choices {
			if c.Key == h.Key {
				h.Column, h.Guessed = c.Column, false
			}
		}
		say(h)
	}
	opened := &message.Opened{Name: r.Name, Format: "smi", Molecules: true}
	opened.Molecules = !strings.HasSuffix(r.Name, ".graphml")
	if strings.HasSuffix(r.Name, ".xlsx") {
		opened.Sheets, opened.Sheet = []string{"first", "second"}, cmp.Or(r.Sheet, "first")
		f.text += " " + opened.Sheet
	}
	if f.text != "" {
		e := lines(f.text)
		opened.Records, opened.Refused = len(e.Line), len(e.Problems)
		say(e)
	}
	say(opened)
}

// task answers what is asked beside scores.
func (f *fake) task(r any, say func(any)) {
	found := &message.Found{HTML: "<p>found</p>", File: &message.Exported{Name: "found.csv"}}
	switch r := r.(type) {
	case *message.Ask:
		say(&message.Progress{Stage: message.StageAsk, Done: 1, Total: 3})
		if !f.slow {
			say(&message.Found{HTML: "<p>The input drifts</p>", Short: "moved"})
		}
	case *message.Report:
		say(&message.Progress{Stage: message.StageExplain, Done: 1, Total: 2})
		say(&message.Exported{Name: "report.html", Type: "text/html", Data: []byte("<p>")})
	case *message.Reasons:
		say(&message.Explained{Rows: message.Columns{column.TextColumn("counted", make([]string, len(r.Record)))}})
	case *message.Domain:
		say(&message.Progress{Stage: message.StageExplain, Done: 1, Total: 2})
		say(&message.Exported{Name: r.Form + "." + r.Format})
	case *message.Compare, *message.Suggest:
		say(found)
	case *message.Compute:
		f.compute(r, say)
	}
}

// compute finds structures in longer texts than their SMARTS; properties are lengths, and all lies at one place of the map.
func (f *fake) compute(c *message.Compute, say func(any)) {
	if c.SMARTS == "(" {
		say(&message.Failed{Code: message.CodeBadOption, Text: "column 1: no"})
		return
	}
	var values []float64
	e := lines(f.text)
	for i := range e.Line {
		s := e.Cell(i, 1)
		values = append(values, float64(len(s)))
		if c.What == message.OfStructure {
			values[len(values)-1] = map[bool]float64{true: 1}[len(s) > len(c.SMARTS)]
		}
	}
	if c.What == message.OfPlaces {
		say(&message.Computed{Training: message.Singles{0, 0}, Places: make(message.Singles, 2*len(c.Record))})
		return
	}
	rows := message.Columns{column.NumberColumn(c.What, values)}
	if c.What == message.OfProperties {
		rows[0].Name = property.Columns[0].Name
	}
	say(&message.Computed{Rows: rows})
}

// detailed is a molecule of three atoms, with keys in a batch.
func (f *fake) detailed(record int) *message.Detailed {
	d := &message.Detailed{
		Record: record, Drawing: message.Drawing{Atoms: []string{"C", "O", "N"}},
		Explanation: algo.Explanation{Contributions: []float64{1, -1, math.NaN()}, Reasons: []explain.Reason{
			{Text: "more rings"}, {Text: "the element O, which no training graph has", About: "its O atom", Nodes: []int{1}, Weight: explain.Unseen}, {Text: "seldom N", Nodes: []int{2}},
		}},
	}
	if f.batch {
		d.IDKeys = []message.Key{{Origin: "test", Row: 3, Weight: 0.75, Value: 0.5}, {Origin: "training", Row: 8, Weight: 0.25, Value: 0.1}}
		d.OODKeys = []message.Key{{Origin: "synthetic", Row: -1, Weight: 1, Value: 0.25, Nodes: 2, Edges: message.Ints{0, 1}}}
		d.AttnID, d.AttnOOD = 0.4, 0.25
	}
	return d
}

// traced is a molecule of two atoms, C and O⁻.
func traced(record int) *message.Traced {
	m := message.Map{Training: message.Singles{0, 0, 1, 1}, Records: message.Ints{0, 1}, Batch: message.Singles{0.5, 0.5, 2, 2}, At: message.Singles{2, 2}, Nearest: message.Singles{1, 1}, ShareX: 0.6, ShareY: 0.3}
	return &message.Traced{
		Record: record, Drawing: message.Drawing{SMILES: "[O-]C", Atoms: []string{"O", "C"}, Bonds: []message.Bond{{From: 0, To: 1}}},
		From: message.Ints{0, 4}, To: message.Ints{4, 5}, Node: message.Ints{1, 0}, Features: 9, Width: 2,
		X:     message.Ints{5, 0, 4, 5, 3, 0, 2, 0, 0, 7, 0, 1, 4, 0, 0, 2, 0, 0},
		Walks: message.Singles{0, 1, 0, 1}, Maps: []message.Map{m, m}, Nearest: message.Floats{1.5},
		Attn: message.Floats{-0.25}, Inside: message.Floats{-1}, Outside: message.Floats{1},
	}
}

func lines(text string) *message.Records {
	var ids []string
	list := strings.Split(strings.TrimRight(strings.TrimPrefix(text, "# a note\n"), "\n"), "\n")
	for i := range list {
		ids = append(ids, "id"+string(rune('a'+i)))
	}
	e := recordsFrom(0, ids, list)
	for i, line := range list {
		e.Line[i] = int32(i + 1)
		if at := strings.Index(line, "x"); at >= 0 {
			e.Problems = append(e.Problems, message.Problem{Record: i, Line: i + 1, Column: at + 1, Text: "no element", Reason: "no element", Piece: "x", At: at})
		}
	}
	return e
}

// heldScores are those of graphs that were kept from training: 1 to 99.
func heldScores() message.Floats {
	var list message.Floats
	for i := range 99 {
		list = append(list, float64(i+1))
	}
	return list
}

// score scores the open text. By itself a record has its length for a score, and p is one by that; in the batch it has
// twice the score and half the p. The second of many was trained on.
func (f *fake) score(r *message.Score, say func(any)) {
	e := lines(f.text)
	n, batch := len(e.Line), r.Batch && !f.few
	c := map[string][]float64{}
	add := func(name string, x float64) { c[name] = append(c[name], x) }
	for i := range e.Line {
		s := e.Cell(i, 1)
		x := float64(len(s))
		if strings.Contains(s, "x") {
			x = math.NaN()
		}
		add("score", x)
		add("p_value", 1/x)
		if batch {
			for k, name := range []string{"alone", "alone_p", "s_pre", "s_attn", "s_baca", "baca_p", "batch", "batch_p"} {
				add(name, []float64{x, 1 / x, x, -x, 10 * x, 1 / x, 2 * x, 0.5 / x}[k])
			}
		}
	}
	rows := message.Rows{Known: make([]byte, n), Rows: message.Columns{column.TextColumn("verdict", make([]string, n)), column.TextColumn("error", make([]string, n))}}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		rows.Rows = append(rows.Rows, column.NumberColumn(name, c[name]))
	}
	if batch {
		rows.Rows = append(rows.Rows, column.TextColumn("batch_verdict", make([]string, n)))
	}
	say(&message.Reference{Score: heldScores()})
	if r.Batch {
		say(&message.Progress{Stage: message.StageEncode, Done: n, Total: n})
		say(&message.Parted{Inside: message.Ints{3}, Outside: message.Ints{0, 1, 2}, InsideMean: message.Singles{0}, OutsideMean: message.Singles{0.5}, InsideSteps: 1, OutsideSteps: 1})
		say(&message.Iteration{Step: 10, Of: 20, Loss: 1, KL: 2, AUC: math.NaN()})
		say(&message.Fitted{Graphs: n, Few: f.few, Holdout: message.Columns{column.NumberColumn("batch", heldScores()), column.NumberColumn("s_baca", heldScores()), column.NumberColumn("s_pre", heldScores())}, Whole: []string{"as a whole this list differs from the training set: AUC 0.93, p < 0.001"}, Paper: message.Sum{Beta: 1, PreMean: 2, PreDeviation: 5, AttnMean: -2, AttnDeviation: 10}, Warnings: []string{"small"}})
	} else {
		say(&message.Progress{Stage: message.StageScore, Done: n, Total: n})
	}
	if n > 1 {
		rows.Known[1] = 1
	}
	say(&rows)
	say(&message.Scored{AUC: 0.7, BatchAUC: 0.8, PaperAUC: 0.9})
}

// recordsFrom are records with these ids and SMILES.
func recordsFrom(from int, ids, smiles []string) *message.Records {
	return (&message.Records{From: from}).Pack(column.TextColumn("id", ids), column.TextColumn("smiles", smiles))
}
