package pipe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/document"
	"baca/algo/run"
	"baca/algo/table"
	"baca/build/service"
	"baca/weights"
)

// Ahead is how many questions are read before the first is answered.
const Ahead = 4

const opTrain = "train"

// byApproximate is a value of By: algo.ByAlone with p-values that also compare with training graphs.
const byApproximate = "approximate"

// An answer is the header of a frame that is written, and its body.
type answer struct {
	ID       uint64            `json:"id"`
	Error    string            `json:"error,omitempty"`
	Unknown  bool              `json:"unknown,omitempty"` // the client must open the model again
	Progress *service.Progress `json:"progress,omitempty"`
	Models   []string          `json:"models,omitempty"`
	Model    string            `json:"model,omitempty"`
	About    *service.About    `json:"about,omitempty"`
	Verdicts []decide.Verdict  `json:"verdicts,omitempty"`
	Refused  []note            `json:"refused,omitempty"`
	SetAside []note            `json:"set_aside,omitempty"`
	Warning  string            `json:"warning,omitempty"`
	Whole    *service.Whole    `json:"whole,omitempty"`
	Column   *int              `json:"column,omitempty"`
	// Scaffolds are the numbers of rows' scaffolds, for op fingerprints.
	Scaffolds []uint32 `json:"scaffolds,omitempty"`

	body []byte
}

// A note is a row, from 0 in the whole list, and a text about it.
type note [2]any

// Serve answers the questions on r until r ends, which cancels pending work. It returns the error of a malformed frame or
// of a failed write.
func Serve(ctx context.Context, s *service.Service, r io.Reader, w io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asked := make(chan *question, Ahead)
	go func() {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			q, err := readFrame(in)
			if err != nil {
				stop(err)
				return
			}
			select {
			case asked <- q:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case q := <-asked:
			a := answerTo(ctx, s, q, w)
			if ctx.Err() != nil {
				continue
			}
			a.ID = q.ID
			if err := writeFrame(w, a, a.body); err != nil {
				return fmt.Errorf("writing an answer: %w", err)
			}
		}
	}
}

// answerTo answers a question, with Error if it cannot. It writes progress to w at once.
func answerTo(ctx context.Context, s *service.Service, q *question, w io.Writer) *answer {
	a := &answer{}
	var err error
	switch q.Op {
	case "models":
		a.Models = weights.Names()
	case "open":
		err = a.open(ctx, s, q)
	case opTrain:
		err = a.train(ctx, s, q, w)
	case "fingerprints":
		err = a.fingerprints(ctx, s, q)
	case "foreign":
		a.Warning = q.Foreign()
	case "column":
		err = a.column(q.body)
	case "q_values":
		var p []float64
		if p, err = numbers(q.body); err == nil {
			a.body = appendNumbers(nil, decide.QValues(p))
		}
	default:
		err = a.ofModel(ctx, s, q)
	}
	if err != nil {
		return &answer{Error: err.Error(), Unknown: errors.Is(err, service.ErrUnknown)}
	}
	return a
}

// column finds the column with the SMILES in the head of a CSV file. It answers -1 if there is none.
func (a *answer) column(head []byte) error {
	text, _, err := dataset.Options{Format: dataset.CSV}.Text(bytes.NewReader(head))
	if err != nil {
		return err
	}
	place := -1
	if t, found := text.Table(dataset.CSV, ""); found {
		place = t.SMILES
	}
	a.Column = &place
	return nil
}

// open opens the model in the body of the question and answers with its name.
func (a *answer) open(ctx context.Context, s *service.Service, q *question) error {
	m, err := s.Open(ctx, q.body)
	if err == nil {
		a.Model = m.Name
	}
	return err
}

// ofModel answers a question about a model.
func (a *answer) ofModel(ctx context.Context, s *service.Service, q *question) error {
	m, err := s.Model(ctx, q.Model)
	if errors.Is(err, service.ErrUnknown) {
		return fmt.Errorf("%w, or a model file", err) // which Python sends
	}
	if err != nil {
		return err
	}
	switch q.Op {
	case "about":
		a.About, err = m.About(q.Alpha, q.Confidence)
		return err
	case "file":
		a.body = m.File
		return nil
	case "score", "explain", "neighbors":
		return a.rows(ctx, m, q)
	case "trust":
		return a.trust(ctx, m, q)
	}
	return fmt.Errorf("op %q: want models, open, about, file, score, explain, neighbors, trust, column, train, fingerprints, foreign or q_values", q.Op)
}

// rows answers with scores and verdicts of a list or, for explain and neighbors, with its rows as JSON lines.
func (a *answer) rows(ctx context.Context, m *service.Model, q *question) error {
	_, l, err := q.list()
	if err != nil {
		return err
	}
	how := service.How{Alpha: q.Alpha, Confidence: q.Confidence, By: cmp.Or(q.By, algo.ByAlone), Seed: q.Seed, Explain: q.Op == "explain"}
	if how.By == byApproximate {
		how.By = algo.ByAlone
		if m, err = m.Wide(ctx); err != nil {
			return err
		}
	}
	p := m.Plan(how)
	if q.Op != "score" {
		p.Columns |= table.OfNeighbors | table.OfValues
		p.Neighbors = q.Neighbors
		_, err := m.Score(ctx, l, a.lines(p))
		return err
	}
	var c columns
	p.Rows = func(rows []table.Row) error {
		for _, r := range rows {
			c.add(r)
			a.refuse(r.Input())
			if s, scored := r.(*table.Scored); scored && s.Aside.String() != "" {
				a.SetAside = append(a.SetAside, note{s.Row - 1, s.Aside.String()})
			}
		}
		return nil
	}
	a.Whole, err = m.Score(ctx, l, p)
	a.Verdicts, a.body = verdicts, c.body(p.Batch)
	return err
}

// fingerprints answers with the features of a list's records.
func (a *answer) fingerprints(ctx context.Context, s *service.Service, q *question) error {
	_, l, err := q.list()
	if err != nil {
		return err
	}
	return s.Fingerprints(ctx, l, func(r dataset.Record, counts []byte, scaffold uint32) {
		a.refuse(&r.Entry)
		a.body, a.Scaffolds = append(a.body, counts...), append(a.Scaffolds, scaffold)
	})
}

// trust answers with a row for each prediction: its expected error and verdict, judged by its molecule alone.
func (a *answer) trust(ctx context.Context, m *service.Model, q *question) error {
	values, l, err := q.list()
	if err != nil {
		return err
	}
	p := m.Plan(service.How{Alpha: q.Alpha, By: algo.ByAlone, Seed: algo.DefaultOptions().Seed})
	if err := q.Judging.Join(ctx, &p, l, values); err != nil {
		return err
	}
	_, err = m.Score(ctx, l, a.lines(p))
	return err
}

// lines returns a plan whose rows go to the body as JSON lines, as the command writes them.
func (a *answer) lines(p run.Plan) run.Plan {
	p.Open = func(fields []table.Field) (rows, rejects *table.Sink, err error) {
		return table.NewSink(body{a}, "jsonl", table.Text{}, false, fields), nil, nil
	}
	return p
}

// A body writes to the body of an answer.
type body struct{ *answer }

// Write appends to the body of the answer.
func (b body) Write(p []byte) (int, error) {
	b.body = append(b.body, p...)
	return len(p), nil
}

// refuse adds a record that cannot be read to Refused.
func (a *answer) refuse(e *dataset.Entry) {
	if e.Err != nil {
		a.Refused = append(a.Refused, note{e.Row - 1, document.Printable(e.Err.Error())})
	}
}

// progressInterval is the shortest time between frames with progress.
const progressInterval = 100 * time.Millisecond

// train answers with a model trained on the list of the question. Meanwhile it sends answers with the progress.
func (a *answer) train(ctx context.Context, s *service.Service, q *question, w io.Writer) error {
	values, l, err := q.list()
	if err != nil {
		return err
	}
	training := service.Training{List: l, Recipe: q.Recipe, Values: values, Columns: q.columns()}
	var told time.Time
	t, err := s.Train(ctx, training, func(p service.Progress) error {
		if time.Since(told) < progressInterval {
			return nil
		}
		told = time.Now()
		return writeFrame(w, answer{ID: q.ID, Progress: &p}, nil)
	})
	if err != nil {
		return err
	}
	a.Warning, a.body = t.Warning, t.File
	for _, r := range t.Refused {
		a.refuse(&r.Entry)
	}
	return nil
}
