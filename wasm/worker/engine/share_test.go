package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"baca/algo/decide"
	"baca/algo/table"
	"baca/wasm/message"
)

// squeeze compresses by zstd.
func squeeze(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := have(zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)))
	w.Write([]byte(text))
	succeed(w.Close())
	return b.Bytes()
}

// A recorded source remembers the largest piece that was read at once.
type recorded struct {
	*bytes.Reader
	most int
}

func (r *recorded) ReadAt(p []byte, off int64) (int, error) {
	r.most = max(r.most, len(p))
	return r.Reader.ReadAt(p, off)
}

// Rows and totals are the same to the last bit however many workers share the work,
// whatever becomes of them, and wherever the input is.
func TestSharedWorkGivesTheSameRows(t *testing.T) {
	const n = 2600
	text := "name,smiles,ood\n"
	for i, line := range strings.Split(strings.TrimSpace(alkanes(n)), "\n") {
		smiles, name, _ := strings.Cut(line, " ")
		text += fmt.Sprintf("%s,%s,%d\n", name, smiles, i%2)
	}
	died := func(kind any, after int) func(int, any) bool {
		return func(worker int, m any) bool {
			if worker != 1 {
				return false
			}
			if reflect.TypeOf(m) == reflect.TypeOf(kind) {
				after--
			}
			return after < 0
		}
	}
	type result struct {
		rows   message.Columns
		scored message.Scored
	}
	var want result
	for _, test := range []struct {
		name    string
		cores   int
		file    bool
		ahead   bool
		spoil   func(int, any) bool
		started int
	}{
		{"one core", 1, false, true, nil, 0},
		{"two", 2, false, false, nil, 1},
		{"two, from the start", 2, false, true, nil, 1},
		{"four of many cores, of a file", 64, true, true, nil, 3},
		{"one that dies at its start", 3, false, true, died(&message.Share{}, 0), 2},
		{"one that dies scoring", 2, false, true, died(&message.Piece{}, 2), 1},
		{"none that lives", 4, false, false, func(int, any) bool { return true }, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, h := bare(t)
			h.cores, h.spoil = test.cores, test.spoil
			h.sources = map[int]Source{5: bytes.NewReader([]byte(text))}
			e.minShared = n / 2
			must[*message.Model](e, h, &message.LoadModel{})
			open := &message.Open{Name: "a.csv", Data: []byte(text)}
			if test.file {
				open = &message.Open{Name: "a.csv", File: 5}
			}
			open.Ahead = test.ahead
			must[*message.Opened](e, h, open)
			events, scored := must[*message.Scored](e, h, &message.Score{})
			got := result{join(events), *scored}
			if got.scored.Workers < 1 || got.scored.Workers > test.started+1 {
				t.Errorf("%d workers have scored, %d were started", got.scored.Workers, test.started)
			}
			if h.started != test.started {
				t.Errorf("%d workers were started, want %d", h.started, test.started)
			}
			got.scored.Workers = 0
			if want.rows.Texts("id") == nil {
				want = got
				if table.Rows(got.rows) != n || !(got.scored.AUC > 0) {
					t.Fatalf("%d rows, %+v", len(got.rows.Texts("id")), got.scored)
				}
				return
			}
			if !sameBits(&message.Part{Rows: got.rows}, &message.Part{Rows: want.rows}) || !sameBits(&got.scored, &want.scored) {
				t.Errorf("rows, or %+v, are not those of one worker, %+v", got.scored, want.scored)
			}
		})
	}
}

// A helper refuses pieces that are none. What it says of others is tested in TestSharedWorkGivesTheSameRows.
func TestHelpersRefusePieces(t *testing.T) {
	e, h := loaded(t, "bbbp")
	helper := New(h)
	fails(helper, h, &message.Piece{To: 5}, message.CodeNotReady, "no input")
	must[*message.Ready](helper, h, &message.Share{Input: message.Open{Name: "a.smi", Data: []byte(alkanes(90)), Format: "smi"}, Model: e.file, Alpha: 0.2})
	fails(helper, h, &message.Piece{From: 80, To: 100}, message.CodeBadInput, "ends at record 90")
	fails(helper, h, &message.Piece{From: 5, To: 2}, message.CodeBadOption, "in order")
}

// Of a long input a sample is calibrated, and all records get the columns of the batch.
func TestLongInputIsCalibratedByASample(t *testing.T) {
	e, h := bare(t)
	e.batch = 60
	must[*message.Model](e, h, &message.LoadModel{})
	must[*message.Opened](e, h, &message.Open{Data: []byte(alkanes(300))})
	rows, events := rowsOfScore(e, h, message.Score{Batch: true})
	if f := all[*message.Fitted](events)[0]; !f.Sample || f.Graphs != 60 {
		t.Errorf("fitted %+v", f)
	}
	if told := stages(events); told[message.StageSample].Done != 300 || told[message.StageCompare].Done != 300 {
		t.Errorf("the stages came to %v", told)
	}
	for i := range rows.Texts("id") {
		number := func(name string) float64 { return rows.Numbers(name)[i] }
		guarded := number("alone_p") > decide.Guard(len(rows.Texts("id")), 0.05) && number("batch_foreign") == 0
		if rows.Texts("error")[i] == "" && (math.IsNaN(number("batch")) || number("score") != number("alone") || rows.Texts("batch_verdict")[i] == "outside" && guarded) {
			t.Errorf("record %d: batch %g, score %g, %s", i, number("batch"), number("score"), rows.Texts("batch_verdict")[i])
		}
	}
	must[*message.GraphonPair](e, h, &message.Graphons{Side: "OOD", J: 1})
}

// A long file is read a piece at a time, and an error of the browser in its middle is told.
func TestFilesAreReadWhereTheyLie(t *testing.T) {
	e, h := bare(t)
	text := strings.Repeat(alkanes(500), 200)
	source := &recorded{Reader: bytes.NewReader([]byte(text))}
	h.sources = map[int]Source{1: source, 2: &failing{source}}
	_, o := must[*message.Opened](e, h, &message.Open{Name: "a.smi", File: 1})
	if o.Records != 100_000 || source.most > readSize || len(text) < 4*readSize {
		t.Errorf("%d records, %d bytes of %d read at once", o.Records, source.most, len(text))
	}
	fails(e, h, &message.Open{Name: "b.smi", File: 2}, message.CodeBadInput, "taken away")
}

type failing struct{ *recorded }

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off > 300_000 {
		return 0, errors.New("the file was taken away")
	}
	return f.recorded.ReadAt(p, off)
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       []int8
	}{
		{"a.csv", "smiles,OOD\nC,1\nCC,0\nCCC,\n", []int8{1, 0, -1}},
		{"a.tsv", "ood\tsmiles\noutside\tC\nID\tCC", []int8{1, 0}},
		{"a.csv", "name;smiles;is_ood\n\"a;b\";C;yes\nc\n", []int8{1, -1}},
		{"a.csv", "smiles,ood\nC1CC,1\nC,1.0\n", []int8{1, 1}}, // refused, and counted
		{"a.csv", "smiles,label\nC,1\n", nil},                  // which says something else
		{"a.smi", "C ood\nCC id\n", nil},                       // no CSV
		{"a.csv", "CCO,1\nCC,0\n", nil},                        // no header
		{"a.csv.zst", string(squeeze(t, "smiles,ood\nC,0\n")), []int8{0}},
	} {
		e, h := bare(t)
		must[*message.Opened](e, h, &message.Open{Name: c.name, Data: []byte(c.data)})
		if got := e.input.labels; !slices.Equal(got, c.want) {
			t.Errorf("%q has the labels %v, want %v", c.data, got, c.want)
		}
	}
}

// sameBits reports whether messages are equal, NaN included.
func sameBits(a, b any) bool {
	return bytes.Equal(have(message.Encode(0, a)), have(message.Encode(0, b)))
}
