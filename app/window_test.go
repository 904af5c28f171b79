package app

import "testing"

func TestWindow(t *testing.T) {
	for _, c := range []struct {
		n, top, height int
		want           window
	}{
		{0, 0, 600, window{0, 0, 0, 0}},
		{5, 0, 600, window{0, 5, 0, 0}},
		{100_000, 0, 600, window{0, 16, 0, 99_984 * rowHeight}},
		{100_000, 5200, 600, window{96, 116, 96 * rowHeight, (100_000 - 116) * rowHeight}},
		{100, 1 << 30, 600, window{100, 100, 100 * rowHeight, 0}},
	} {
		got := windowOf(c.n, c.top, c.height)
		if c.top > 0 && c.top < 1<<30 {
			// What is in view is drawn.
			if got.before > c.top || got.before+(got.to-got.from)*rowHeight < c.top+c.height {
				t.Errorf("%+v does not cover %d to %d", got, c.top, c.top+c.height)
			}
		}
		if got.before+(got.to-got.from)*rowHeight+got.after != c.n*rowHeight {
			t.Errorf("%+v is not %d rows high", got, c.n)
		}
		if c.top == 0 && got.from != 0 || got.to-got.from > 20 {
			t.Errorf("window of %d rows at %d: %+v", c.n, c.top, got)
		}
	}
}
