package lab

import (
	"strings"
	"testing"

	"baca/wasm/message"
)

func TestWish(t *testing.T) {
	columns := []string{"EUR", "measured"}
	for _, test := range []struct {
		wish  Wish
		want  message.Suggest
		wrong string
	}{
		{Wish{}, message.Suggest{Most: 20}, ""},
		{Wish{Most: " 7 ", Price: "EUR", Budget: "12.5", Exclude: "measured"}, message.Suggest{Most: 7, Price: "EUR", Budget: 12.5, Exclude: "measured"}, ""},
		// Columns of another input, and a budget for prices that are not there any more.
		{Wish{Price: "USD", Budget: "x", Exclude: "had"}, message.Suggest{Most: 20}, ""},
		{Wish{Most: "0"}, message.Suggest{}, "a whole number from 1 to 100"},
		{Wish{Most: "100001"}, message.Suggest{}, "a whole number"},
		{Wish{Most: "2.5"}, message.Suggest{}, "Not a number: 2.5"},
		{Wish{Price: "EUR", Budget: "-1"}, message.Suggest{}, "Not a budget: -1"},
		{Wish{Price: "EUR", Budget: "NaN"}, message.Suggest{}, "above 0"},
	} {
		got, wrong := test.wish.request(columns)
		if (wrong == "") != (test.wrong == "") || !strings.Contains(wrong, test.wrong) {
			t.Errorf("of %+v it says %q, want %q", test.wish, wrong, test.wrong)
		}
		if wrong == "" && *got != test.want {
			t.Errorf("%+v asks for %+v, want %+v", test.wish, *got, test.want)
		}
	}
}
