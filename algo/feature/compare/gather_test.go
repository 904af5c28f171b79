package compare_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/feature/compare"
	"baca/algo/molecule/smiles"
)

// unread yields records, then err unless it is nil.
func unread(rs []dataset.Record, err error) iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for _, r := range rs {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(dataset.Record{}, err)
		}
	}
}

// A list is the same whatever is added at a time, and the first few refused records are named.
func TestGather(t *testing.T) {
	var list []dataset.Record
	for i := range 20 {
		r := dataset.Record{Entry: dataset.Entry{ID: fmt.Sprint(i), SMILES: strings.Repeat("C", i+1)}}
		if r.Graph, r.Err = smiles.ParseGraph(r.SMILES); i%4 == 3 {
			r.Err = fmt.Errorf("record %d is none", i)
		}
		list = append(list, r)
	}
	want := []string{"refused: record 3 is none", "refused: record 7 is none", "refused: record 11 is none", "refused: 2 more of mine"}
	for _, piece := range []int{1, 4, 100} {
		l, added := compare.NewList("mine", 1, 0), 0
		refused, err := compare.Gather(t.Context(), l, 2, piece, unread(list, nil), func() { added++ })
		if err != nil || added != (19+piece)/piece || l.Read != 20 || l.Refused != 5 || l.Len() != 15 || !slices.Equal(refused, want) {
			t.Errorf("%d at a time: %d calls, %d read, %d refused, %d there, %q, %v", piece, added, l.Read, l.Refused, l.Len(), refused, err)
		}
	}
	if refused, err := compare.Gather(t.Context(), compare.NewList("mine", 1, 0), 1, 4, unread(list[:12], nil), func() {}); err != nil ||
		!slices.Equal(refused, want[:3]) {
		t.Errorf("three of twelve: %q, %v", refused, err)
	}
	broken := errors.New("broken")
	if _, err := compare.Gather(t.Context(), compare.NewList("mine", 1, 0), 1, 4, unread(list, broken), func() {}); !errors.Is(err, broken) {
		t.Errorf("a broken input: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	if _, err := compare.Gather(ended, compare.NewList("mine", 1, 0), 1, 4, unread(list, nil), func() { end() }); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}
