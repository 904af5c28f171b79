package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/table"
	"baca/wasm/message"
)

// records are those of such names.
func records(names ...string) *message.Records {
	return recordsFrom(0, names, make([]string, len(names)))
}

// recordsFrom are records with these ids and SMILES.
func recordsFrom(from int, ids, smiles []string) *message.Records {
	return (&message.Records{From: from}).Pack(table.TextColumn("id", ids), table.TextColumn("smiles", smiles))
}

// Rows are judged by the rule of package decide, with their p-values by themselves.
func TestJudge(t *testing.T) {
	alpha := decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1}
	rate := decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1, ByRate: true, Cut: 0.02}
	for _, c := range []struct {
		by       decide.Rule
		p, alone float64
		want     decide.Verdict
	}{
		{alpha, 0.01, 0.11, decide.Borderline}, {alpha, 0.01, 0.1, decide.Outside}, {alpha, 0.5, 0.01, decide.Inside}, {alpha, math.NaN(), 1, decide.Undecided},
		{rate, 0.01, 0.11, decide.Borderline}, {rate, 0.01, 0.1, decide.Outside}, {rate, 0.03, 0.1, decide.Borderline},
	} {
		r := &Rows{}
		r.Add(records("a"))
		r.Fill(&message.Rows{Rows: message.Columns{table.NumberColumn("p_value", []float64{c.alone})}})
		r.P = []float64{c.p}
		if r.judge(c.by, r.P); r.Verdict[0] != c.want || c.by.Judge(c.p, c.alone) != c.want {
			t.Errorf("p %g, %g by itself, by %+v is %s, want %s", c.p, c.alone, c.by, r.Verdict[0], c.want)
		}
	}
}

func TestAlphaSteps(t *testing.T) {
	for step := 0; step <= AlphaSteps; step++ {
		if got := StepOf(AlphaOf(step)); got < step-1 || got > step+1 {
			t.Errorf("step %d is α %g, which is step %d", step, AlphaOf(step), got)
		}
	}
	if AlphaOf(0) != leastAlpha || AlphaOf(AlphaSteps) != mostAlpha {
		t.Errorf("α goes from %g to %g", AlphaOf(0), AlphaOf(AlphaSteps))
	}
}

// randomRows are rows with ties, missing values and refused records.
func randomRows(n int, rng *rand.Rand) *Rows {
	r := &Rows{}
	// They come in pieces of any size.
	for r.Len() < n {
		from := r.Len()
		ids := make([]string, min(n-from, 1+rng.IntN(40)))
		smiles := make([]string, len(ids))
		for k := range ids {
			ids[k], smiles[k] = fmt.Sprintf("Name with a long start %d", rng.IntN(40)), strings.Repeat("C", 1+rng.IntN(5))
		}
		piece := recordsFrom(from, ids, smiles)
		for k := range piece.Line {
			piece.Line[k] = int32(2*(from+k) + 1)
			if rng.IntN(7) == 0 {
				piece.Problems = append(piece.Problems, message.Problem{Record: from + k, Line: int(piece.Line[k]), Text: "no"})
			}
		}
		r.Add(piece)
	}
	pre, attn, baca := missing(n), missing(n), missing(n)
	r.Batch = message.Columns{table.NumberColumn("s_pre", pre), table.NumberColumn("s_attn", attn), table.NumberColumn("s_baca", baca)}
	for i := range n {
		if r.Verdict[i] != decide.Refused && rng.IntN(6) != 0 {
			r.scored[i] = true
			r.Score[i] = math.Round(5 * rng.NormFloat64())
			r.P[i] = float64(1+rng.IntN(20)) / 20
			pre[i], attn[i], baca[i] = rng.NormFloat64(), -rng.Float64(), rng.NormFloat64()
		}
	}
	r.judge(decide.Rule{Alpha: 0.05, Holdout: 99}, r.Score)
	return r
}

// The map shows at most MostMapped of the readable rows in the table, as many of each part of the list, and the chosen one.
func TestMapped(t *testing.T) {
	table := New()
	table.Rows = *randomRows(20_000, rand.New(rand.NewPCG(1, 2)))
	for _, only := range [][]decide.Verdict{nil, {decide.Outside}, {decide.Refused}} {
		table.View.Only = only
		table.Arrange()
		var want []int32
		for i, v := range table.Rows.Verdict {
			if v != decide.Refused && (only == nil || v == only[0]) {
				want = append(want, int32(i))
			}
		}
		list, of := table.Mapped(-1)
		if of != len(want) || len(list) != min(of, MostMapped) || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Fatalf("only %s: %d of %d rows, want of %d", only, len(list), of, len(want))
		}
		for k, i := range list {
			if at := slices.Index(want, i); at < 0 || at != k*of/len(list) {
				t.Fatalf("only %s: row %d of the map is %d of %d", only, k, at, of)
			}
		}
		for chosen, v := range table.Rows.Verdict {
			shown := v != decide.Refused && (only == nil || v == only[0])
			if with, _ := table.Mapped(chosen); slices.Contains(with, int32(chosen)) != shown || len(with) > len(list)+1 {
				t.Fatalf("only %s: with row %d, %s, there are %d instead of %d", only, chosen, v, len(with), len(list))
			}
			if chosen > 50 {
				break
			}
		}
	}
}

// valueOf is what a plain sort compares of a record: a number, NaN for none, and a text.
func valueOf(r *Rows, i int32, by string) (float64, string) {
	switch by {
	case "":
		return float64(i), ""
	case "id":
		return 0, strings.ToLower(r.Name(int(i)))
	case "verdict":
		if r.Verdict[i] == Unscored {
			return math.NaN(), ""
		}
		return float64(slices.Index([]decide.Verdict{decide.Refused, decide.Undecided, decide.Inside, decide.Borderline, decide.Outside}, r.Verdict[i])), ""
	case "p_value":
		return r.P[i], ""
	case "score":
		return r.Score[i], ""
	}
	return r.Batch.Numbers(by)[i], ""
}

// Rows are sorted and found as by going through all of them.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := randomRows(5000, rng) // more than sortTexts compares
	only := []decide.Verdict{decide.Inside, decide.Refused}
	for _, by := range []string{"", "id", "verdict", "p_value", "score", "s_pre", "s_attn", "s_baca"} {
		for _, v := range []View{{By: by}, {By: by, Descending: true}, {By: by, Search: "  START 7", Only: only}} {
			want := []int32{}
			for i := range r.Len() {
				if v.Only == nil || strings.Contains(strings.ToLower(r.ID(i)), "start 7") && slices.Contains(only, r.Verdict[i]) {
					want = append(want, int32(i))
				}
			}
			sign := map[bool]int{false: 1, true: -1}[v.Descending]
			slices.SortStableFunc(want, func(a, b int32) int {
				x, xs := valueOf(r, a, by)
				y, ys := valueOf(r, b, by)
				if math.IsNaN(x) || math.IsNaN(y) {
					return -cmp.Compare(x, y) // NaN compares as less, and comes last in both directions
				}
				return sign * cmp.Or(cmp.Compare(x, y), strings.Compare(xs, ys))
			})
			if got := r.order(v); !slices.Equal(got, want) || len(want) < 10 {
				t.Errorf("%+v: %d rows in another order than the %d of a plain sort", v, len(got), len(want))
			}
		}
	}
}

func TestRecordsOfAnotherInputAreDropped(t *testing.T) {
	r := &Rows{}
	r.Add(recordsFrom(5, []string{"a"}, []string{""}))
	if r.Len() != 0 {
		t.Errorf("%d rows from a piece that does not fit", r.Len())
	}
	r.Add(records("a", "b"))
	r.Fill(&message.Rows{From: 7, Rows: message.Columns{table.TextColumn("id", []string{"x"})}})
	if r.Len() != 2 || r.scored[0] {
		t.Errorf("%d rows, scored %v", r.Len(), r.scored)
	}
}

func TestMoveThreshold(t *testing.T) {
	s := New()
	s.References[EachAlone] = ([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	s.MoveThreshold(8.5)
	if s.Alpha != 0.2 {
		t.Errorf("α %g with one of nine above the threshold, want 0.2", s.Alpha)
	}
	if at := s.Threshold(); at != math.Nextafter(8, 9) {
		t.Errorf("threshold %g, want just above 8: scores from there on are outside", at)
	}
	s.MoveThreshold(100)
	if s.Alpha != 0.1 {
		t.Errorf("α %g beyond all, want the smallest p", s.Alpha)
	}
}

// Columns that the page knows nothing of are saved with the others, and what was set aside.
func TestFurtherColumnsAreSaved(t *testing.T) {
	s := New()
	r := &s.Rows
	r.Add(new(message.Records).Pack(table.TextColumn("id", []string{"a", "b", "c"}), table.TextColumn("smiles", make([]string, 3)),
		table.TextColumn("assay", []string{"10", "", "9"}), table.TextColumn("note", []string{"b", "A", "c"})))
	r.Fill(&message.Rows{From: 1, Rows: message.Columns{table.NumberColumn("weight", []float64{2, 3}), table.TextColumn("kind", []string{"x", "y"})}})
	r.Fill(&message.Rows{From: 1, Rows: message.Columns{table.TextColumn("set_aside", []string{"charge", "stereo"})}})
	c := s.Columns([]int32{2, 0}, nil)
	weight, kind := c.Numbers("weight"), c.Texts("kind")
	if len(weight) != 2 || weight[0] != 3 || !math.IsNaN(weight[1]) || !slices.Equal(kind, []string{"y", ""}) {
		t.Errorf("weight %v and kind %q are saved", weight, kind)
	}
	if got := c.Texts("set_aside"); !slices.Equal(got, []string{"stereo", ""}) {
		t.Errorf("%q are saved as set aside", got)
	}
	if n := len(c); c[n-1].Name != "note" || c[n-2].Name != "assay" || c[n-3].Name != "program" || c[n-2].Texts[1] != "10" {
		t.Errorf("the input's own columns are not the last: %+v", c)
	}
	// They sort, numbers as numbers and what is missing last, and are searched.
	for by, want := range map[string][]int32{"weight": {1, 2, 0}, "kind": {1, 2, 0}, "assay": {2, 0, 1}, "note": {1, 0, 2}, "gone": {0, 1, 2}} {
		if got := r.order(View{By: by}); !slices.Equal(got, want) {
			t.Errorf("by %s the order is %v, want %v", by, got, want)
		}
	}
	// The first three are shown until somebody chooses.
	for _, want := range []string{"weight kind assay", "weight kind assay note", "weight assay note"} {
		if got := strings.Join(s.Chosen(), " "); got != want || len(s.Heads()) != 5+len(s.Chosen()) {
			t.Errorf("shown are %s, want %s, with heads %v", got, want, s.Heads())
		}
		s.Choose(map[bool]string{true: "kind", false: "note"}[s.View.Columns != nil])
	}
	if got := r.order(View{Search: "a"}); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("records %v hold an a", got)
	}
	x := r.Extra()
	if got := r.Text(x[0], 1) + r.Text(x[0], 0) + r.Text(x[2], 0); got != "2.0010" {
		t.Errorf("cells %q", got)
	}
	if r.forgetScores(); r.columns.Texts("set_aside")[2] != "" {
		t.Error("another model is said to have set aside the same")
	}
}

// A file of several pieces is one file.
func TestPieces(t *testing.T) {
	for _, n := range []int{0, 1, pieceRows, 2*pieceRows + 1} {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = strconv.Itoa(i)
		}
		columns := message.Columns{{Name: "id", Kind: table.Texts, Texts: ids}}
		var list []struct{ ID string }
		if err := json.Unmarshal(File("", "json", columns).Data, &list); err != nil || len(list) != n || n > 0 && list[n-1].ID != ids[n-1] {
			t.Errorf("%d rows as json are %d, %v", n, len(list), err)
		}
		if want := strings.Join(append([]string{"id"}, ids...), "\n") + "\n"; string(File("", "csv", columns).Data) != want {
			t.Errorf("%d rows as csv are others", n)
		}
	}
}

// The furthest are the first of all by score, equal ones in the order of the input.
func TestFurthest(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 100 {
		s := New()
		s.Rows.Score = make([]float64, rng.IntN(60))
		var all []int32
		for i := range s.Rows.Score {
			if s.Rows.Score[i] = float64(rng.IntN(20)); rng.IntN(8) == 0 {
				s.Rows.Score[i] = math.NaN()
				continue
			}
			all = append(all, int32(i))
		}
		slices.SortStableFunc(all, func(a, b int32) int { return int(s.Rows.Score[b] - s.Rows.Score[a]) })
		for _, most := range []int{1, 3, 100} {
			if got := s.Furthest(most); !slices.Equal(got, all[:min(most, len(all))]) {
				t.Fatalf("the %d furthest of %v are %v, want %v", most, s.Rows.Score, got, all)
			}
		}
	}
}

// α that is dragged to has three digits, and still calls outside what it was dragged to.
func TestDraggedAlphaIsShort(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{7.0 / 205, 0.0342}, {5.0 / 205, 0.0244}, {1.0 / 205, 0.00488}, {0.1, 0.1}, {0.25, 0.25}, {0.09999, 0.1}} {
		if got := roundUp(c.p); got != c.want || got < c.p {
			t.Errorf("p = %v becomes %v, want %v", c.p, got, c.want)
		}
	}
}

// Small letters of SMILES are aromatic, so case counts there, and nowhere else.
func TestSearchInSMILES(t *testing.T) {
	r := &Rows{}
	r.Add(recordsFrom(0, []string{"Piperidinone", "pyridine", "C1CCNCC1"}, []string{"O=C1CCNCC1", "c1ccncc1", "N"}))
	for search, want := range map[string][]int32{"c1ccncc1": {1, 2}, "C1CCNCC1": {0, 2}, "p": {0, 1}, " PYRIDINE ": {1}, "n": {0, 1, 2}, "=c": {}} {
		if got := r.order(View{Search: search}); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", search, got, want)
		}
	}
}

func TestDeciderOf(t *testing.T) {
	for d, w := range DeciderWords() {
		if DeciderOf(w.Key) != Decider(d) {
			t.Errorf("%s is read as %d", w.Key, DeciderOf(w.Key))
		}
	}
	if DeciderOf("magic") != EachAlone {
		t.Error("what is not known does not stand for each alone")
	}
}

// The colours of atoms follow the line between inside and outside.
func TestAboveLimit(t *testing.T) {
	s := New()
	s.SetReference([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	limit := func(alpha float64) float64 {
		s.SetAlpha(alpha)
		return s.Threshold()
	}
	d := &message.Detailed{Explanation: algo.Explanation{Contributions: []float64{1, -1, math.NaN()}, Limit: limit(0.2)}}
	if got := s.AboveLimit(d); !slices.Equal(got[:2], []float64{1, -1}) {
		t.Errorf("atoms have %v, want what came", got)
	}
	moved := limit(0.3)
	if got, want := s.AboveLimit(d), d.Limit-moved; want < 0.5 || math.Abs(got[0]+got[1]-want) > 1e-12 || !math.IsNaN(got[2]) {
		t.Errorf("after moving the line atoms have %v, want %g in sum", got, want)
	}
}
