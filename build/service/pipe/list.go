package pipe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/table"
	"baca/build/service"
)

// valueColumns are the possible columns of values before a list.
var valueColumns = map[string]struct {
	value func(v *algo.Values) *float64
	name  func(c *algo.ValueColumns) *string
}{
	"observed":     {func(v *algo.Values) *float64 { return &v.Observed }, func(c *algo.ValueColumns) *string { return &c.Observed }},
	"predicted":    {func(v *algo.Values) *float64 { return &v.Predicted }, func(c *algo.ValueColumns) *string { return &c.Predicted }},
	"uncertainty":  {func(v *algo.Values) *float64 { return &v.Uncertainty }, func(c *algo.ValueColumns) *string { return &c.Uncertainty }},
	"new_scaffold": {func(v *algo.Values) *float64 { return &v.NewScaffold }, func(c *algo.ValueColumns) *string { return &c.NewScaffold }},
}

// columns returns the names of the question's columns of values, each called like itself. list must have read them without an error.
func (q *question) columns() (c algo.ValueColumns) {
	for _, name := range q.Values {
		*valueColumns[name].name(&c) = name
	}
	return c
}

// list reads the list of a question, and the columns of values before it. values is nil if there are none.
func (q *question) list() (values []algo.Values, l service.List, err error) {
	l.First = q.First
	columns := len(q.Values)
	if q.Rows < 0 || q.Rows > len(q.body)/(4+8*columns) {
		return nil, l, fmt.Errorf("a body of %d bytes for %d rows: want at least %d for each", len(q.body), q.Rows, 4+8*columns)
	}
	body := q.body
	if columns > 0 {
		values = slices.Repeat([]algo.Values{*algo.NoValues()}, q.Rows)
	}
	for _, name := range q.Values {
		column, err := numbers(body[:8*q.Rows])
		if err != nil {
			return nil, l, err
		}
		of, known := valueColumns[name]
		if !known {
			return nil, l, fmt.Errorf("values %q: want observed, predicted, uncertainty, new_scaffold", name)
		}
		for i, x := range column {
			*of.value(&values[i]) = x
		}
		body = body[8*q.Rows:]
	}
	switch q.Kind {
	case "molecules":
		l.SMILES, err = texts(body, q.Rows)
	case "graphs":
		l.Graphs, err = graphs(body, q.Rows)
	default:
		err = fmt.Errorf("kind %q: want molecules or graphs", q.Kind)
	}
	return values, l, err
}

// texts reads n lengths of 4 bytes each, and then n texts. It returns an error unless these fill the body.
func texts(body []byte, n int) ([]string, error) {
	list, text := make([]string, n), string(body[4*n:])
	for i := range list {
		length := int(binary.LittleEndian.Uint32(body[4*i:]))
		if length > len(text) {
			return nil, fmt.Errorf("text %d has %d bytes, and %d are left", i, length, len(text))
		}
		list[i], text = text[:length], text[length:]
	}
	if text != "" {
		return nil, fmt.Errorf("%d bytes after the last text", len(text))
	}
	return list, nil
}

// graphs reads n numbers of nodes, n numbers of edges and then the ends of all edges. It returns an error unless these fill the body.
func graphs(body []byte, n int) ([]service.Plain, error) {
	if len(body)%4 != 0 || len(body) < 8*n {
		return nil, fmt.Errorf("a body of %d bytes for %d graphs: want numbers of four bytes, two for each graph", len(body), n)
	}
	number := func(i int) uint32 { return binary.LittleEndian.Uint32(body[4*i:]) }
	list, at := make([]service.Plain, n), 2*n
	for i := range list {
		nodes, edges := number(i), int(number(n+i))
		if nodes > math.MaxInt32 || 2*edges > len(body)/4-at {
			return nil, fmt.Errorf("graph %d has %d nodes and %d edges, and %d ends are left", i+1, nodes, edges, len(body)/4-at)
		}
		p := service.Plain{N: int(nodes), Edges: make([][2]int32, edges)}
		for k := range p.Edges {
			p.Edges[k] = [2]int32{int32(number(at)), int32(number(at + 1))}
			at += 2
		}
		list[i] = p
	}
	if at != len(body)/4 {
		return nil, errors.New("more ends of edges than the graphs have")
	}
	return list, nil
}

// verdicts are the words of verdicts, by the byte that stands for them.
var verdicts = []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside, decide.Undecided}

// noVerdict is the verdict of a refused row, and the value of batch_foreign without a batch.
const noVerdict = 255

// columns are the scores, p-values and verdicts of rows, and for a batch also the p-values alone and batch_foreign.
type columns struct {
	scores, p, alone  []float64
	verdicts, foreign []byte
}

// add adds a row. A refused one gets NaN and noVerdict.
func (c *columns) add(r table.Row) {
	scores, verdict, foreign := algo.Row{Score: math.NaN(), P: math.NaN(), AloneP: math.NaN(), Batch: math.NaN()}, noVerdict, byte(0)
	if s, scored := r.(*table.Scored); scored {
		scores, verdict = s.Scores, slices.Index(verdicts, s.Scores.Verdict)
	}
	switch {
	case math.IsNaN(scores.Batch):
		foreign = noVerdict
	case scores.Foreign:
		foreign = 1
	}
	c.scores, c.p, c.alone = append(c.scores, scores.Score), append(c.p, scores.P), append(c.alone, scores.AloneP)
	c.verdicts, c.foreign = append(c.verdicts, byte(verdict)), append(c.foreign, foreign)
}

// body returns the columns as bytes, those that only a batch has at the end if list is set.
func (c *columns) body(list bool) []byte {
	b := append(appendNumbers(appendNumbers(nil, c.scores), c.p), c.verdicts...)
	if list {
		b = append(appendNumbers(b, c.alone), c.foreign...)
	}
	return b
}

// numbers reads float64 numbers of eight bytes each. It returns an error for another length of body.
func numbers(body []byte) ([]float64, error) {
	if len(body)%8 != 0 {
		return nil, fmt.Errorf("a body of %d bytes: want numbers of eight", len(body))
	}
	list := make([]float64, len(body)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
	}
	return list, nil
}

// appendNumbers appends float64 numbers to b.
func appendNumbers(b []byte, list []float64) []byte {
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}
