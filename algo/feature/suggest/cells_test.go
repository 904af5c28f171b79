package suggest

import "testing"

// A price is a number that tables have, and columns say yes and no in many words.
func TestCells(t *testing.T) {
	for _, cell := range []string{"0x1p4", "1_000", "inf", "NaN", "1e999", "1,5", "1.2.3", "-1", "5 €"} {
		if x, err := priceOf(cell); err == nil {
			t.Errorf("%q is a price of %g", cell, x)
		}
	}
	if x, err := priceOf("0"); x != 0 || err != nil {
		t.Errorf("for nothing is a price of %g: %v", x, err)
	}
	for cell, want := range map[string]bool{
		"yes": true, "TRUE": true, "1": true, "1.0": true, "x": true, "-3.5": true, "1e-3": true, "0x0": true, "inf": true,
		"": false, "0": false, "0.0": false, "-0": false, "no": false, "False": false, "nan": false, "NaN": false, "NA": false, "None": false, "null": false, "<NA>": false,
	} {
		if got := saysYes(cell); got != want {
			t.Errorf("%q says yes: %v", cell, got)
		}
	}
}
