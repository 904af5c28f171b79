package molecule

import "testing"

func TestAsides(t *testing.T) {
	var some, others Asides
	for _, a := range []Aside{{Stereo: true}, {}, {Stereo: true, Ions: 2}, {Isotope: true, Charge: true}} {
		some.Count(a)
	}
	others.Count(Aside{Ions: 1, Others: 3, Tautomer: true})
	some.Merge(others)
	some.Merge(nil)
	want := "of 5 molecules 2 were read without their stereo marks, 1 without isotopes, 2 without counter-ions, 1 without other components, 1 without charges, 1 as another tautomer"
	if got := some.Of(5); got != want || len(some) != 6 {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (Asides{"isotope": 1}).Of(1000), "of 1000 molecules 1 was read without isotopes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var graphs Asides
	graphs.Count(Aside{Loops: 2, Parallel: 1})
	graphs.Count(Aside{Loops: 1, Directions: 9})
	if got, want := graphs.Of(7), "of 7 graphs 3 self-loops were left out, 1 parallel edge merged, 9 directions ignored"; got != want || len(graphs) != 3 {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Asides(nil).Of(3); got != "" {
		t.Errorf("%q of nothing", got)
	}
}

func TestAsideString(t *testing.T) {
	for want, a := range map[string]Aside{
		"":                                      {},
		"stereo, 1 counter-ion, charge":         {Stereo: true, Ions: 1, Charge: true},
		"isotope, 2 counter-ions":               {Isotope: true, Ions: 2},
		"1 solvent, 2 repeats, 1 hydrogen bond": {Solvents: 1, Repeats: 2, Parted: 1},
		"another component was not scored: CCO, tautomer":                    {Others: 1, Other: "CCO", Tautomer: true},
		"12 counter-ions, another component was not scored: CCO, and 1 more": {Ions: 12, Others: 2, Other: "CCO"},
	} {
		if got := a.String(); got != want {
			t.Errorf("%+v is %q, want %q", a, got, want)
		}
	}
}
