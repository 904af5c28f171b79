package app

import (
	"testing"

	"baca/app/table"
)

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		n, records, top, height int
		want                    window
	}{
		{0, 1, 0, 600, window{0, 0, 0, 0}},
		{5, 1, 0, 600, window{0, 5, 0, 0}},
		{100_000, 1, 0, 600, window{0, 16, 0, 99_984 * rowHeight}},
		{100_000, 1, 5200, 600, window{96, 116, 96 * rowHeight, (100_000 - 116) * rowHeight}},
		{100, 1, 1 << 30, 600, window{100, 100, 100 * rowHeight, 0}},
		{10, 3, 0, 100, window{0, 10, 0, 0}},
		{3000, 3, 52 * 100, 104, window{3 * 96, 3 * 106, 96 * rowHeight, (1000 - 106) * rowHeight}},
	} {
		got := windowOf(c.n, c.records, rowHeight, c.top, c.height)
		if c.top > 0 && c.top < 1<<30 {
			// What is in view is drawn.
			if got.before > c.top || got.before+(got.to-got.from+c.records-1)/c.records*rowHeight < c.top+c.height {
				t.Errorf("%+v does not cover %d to %d", got, c.top, c.top+c.height)
			}
		}
		if got.before+(got.to-got.from+c.records-1)/c.records*rowHeight+got.after != (c.n+c.records-1)/c.records*rowHeight {
			t.Errorf("%+v is not %d rows high", got, c.n)
		}
		if c.top == 0 && got.from != 0 || got.to-got.from > 20*c.records {
			t.Errorf("window of %d rows at %d: %+v", c.n, c.top, got)
		}
	}
}

// A line of cards has as many as fit, with gaps between them and below.
func TestLines(t *testing.T) {
	p := &resultPane{S: newDesk(nil)}
	p.S.View.Shape = table.Grid
	for width, want := range map[int]int{100: 1, 3*(cardWidth+cardGap) + cardGap - 1: 2, 3*(cardWidth+cardGap) + cardGap: 3} {
		p.width = width
		if n, height := p.lines(); n != want || height != cardHeight+cardGap {
			t.Errorf("%d pixels hold %d cards of %d pixels, want %d of %d", width, n, height, want, cardHeight+cardGap)
		}
	}
}
