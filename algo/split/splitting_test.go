package split_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/split"
	"baca/algo/training/trainingtest"
)

// Rows are split as their values, scaffolds and copies say. The third row cannot be read, the sixth has no value; the ninth is a copy
// of the second in other words, the tenth of the fourth.
func TestSplitting(t *testing.T) {
	const text = "smiles,date\nCCO,2020\nCCCCO,2024-07-02\nC1CC,2020\nc1ccccc1C,2022-12-31T23:59:59Z\nCc1ccccc1O,2021-05\nCCCO,soon\n" +
		"C1CCNCC1,2019-01-01\nC1CCNCC1C,2023-01-01 12:00:00\nOCCCC,2024.5\nCc1ccccc1,-1e3\n"
	const train, test = split.TrainPart, split.TestPart
	for _, c := range []struct {
		s    split.Splitting
		want []string
	}{
		{split.Splitting{By: split.ByTime, Values: "date", Share: 0.5}, []string{train, test, "", train, test, "", train, test, test, train}},
		{split.Splitting{By: split.ByTime, Values: "date", Share: 0.37}, []string{train, test, "", train, train, "", train, train, test, train}},
		// Alcohols have 20.23 Å², piperidines 12.03, and toluene none.
		{split.Splitting{By: split.ByProperty, Values: "computed_tpsa", Share: 0.56},
			[]string{test, test, "", train, test, test, train, train, test, train}},
		{split.Splitting{By: split.ByScaffold, Share: 0.34, Seed: 1}, nil}, {split.Splitting{By: split.ByCluster, Share: 0.34, Seed: 2}, nil},
		{split.Splitting{By: split.ByRandom, Share: 0.34, Seed: 3}, nil},
	} {
		rows := trainingtest.RowsOf(text, c.s.Columns()...)
		parts := must.Have(c.s.Split(t.Context(), rows))
		if c.want != nil && !slices.Equal(parts, c.want) || c.s.Sorted() != (c.want != nil) {
			t.Errorf("%+v: %q, want %q", c.s, parts, c.want)
		}
		together := [][]int{{1, 8}, {3, 9}}
		if c.s.By == split.ByScaffold {
			together = [][]int{{0, 1, 5, 8}, {3, 4, 9}, {6, 7}}
		}
		for _, rows := range together {
			for _, i := range rows {
				if parts[i] != parts[rows[0]] {
					t.Errorf("%+v: rows %v are %q", c.s, rows, parts)
				}
			}
		}
		tested := split.Part(rows, parts, test)
		if n := len(split.Part(rows, parts, train)); n == 0 || len(tested) == 0 || float64(len(tested)) > c.s.Share*9 ||
			n+len(tested)+len(split.Part(rows, parts, "")) != 10 {
			t.Errorf("%+v: %d to train on, %d to test", c.s, n, len(tested))
		}
		if c.s.By == split.ByTime && fmt.Sprint(rows[5].Err) != `a.csv:7:6: column date: "soon", want a number, or a date such as 2024-05-31` {
			t.Errorf("%v", rows[5].Err)
		}
	}
	none := split.Splitting{By: split.ByRandom, Share: 0.1}
	if _, err := none.Split(t.Context(), trainingtest.RowsOf(text)); err == nil ||
		!strings.Contains(err.Error(), "no molecule is left to train on or to test, of 9 by random") {
		t.Errorf("%v", err)
	}
	if parts, err := none.Split(t.Context(), trainingtest.RowsOf("smiles\nC1\n")); err != nil || !slices.Equal(parts, []string{""}) {
		t.Errorf("%q, %v", parts, err)
	}
}
