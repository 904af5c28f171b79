package app

import (
	"slices"
	"testing"

	"baca/algo/property"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// computing makes the worker score a text, and compute columns: of a structure, which records are longer than its SMARTS.
func (f *fake) computing(text string) {
	f.scores(text)
	on(f, func(c *message.Compute, say func(any)) {
		if c.SMARTS == "(" {
			say(&message.Failed{Code: message.CodeBadOption, Text: "column 1: no"})
			return
		}
		var values []float64
		for _, s := range lines(text).Columns.Texts("smiles") {
			values = append(values, float64(len(s)))
			if c.What == message.OfStructure {
				values[len(values)-1] = map[bool]float64{true: 1}[len(s) > len(c.SMARTS)]
			}
		}
		rows := message.Columns{column.NumberColumn(c.What, values)}
		if c.What == message.OfProperties {
			rows[0].Name = property.Columns[0].Name
		}
		say(&message.Computed{Rows: rows})
	})
}

func (f *fake) computes() (list []message.Compute) {
	for _, r := range f.asked {
		if c, ok := r.(*message.Compute); ok {
			list = append(list, *c)
		}
	}
	return list
}

func computed(t *testing.T) (*desk, *fake) {
	s, f, later := newTest(t)
	const text = "CCO\nC\nCCCCCC\nCC"
	f.computing(text)
	s.Input.Type(text)
	pass(later)
	f.settle()
	if s.Phase != run.Done || len(f.computes()) > 0 {
		t.Fatalf("phase %s, %v asked without a wish", s.Phase, f.computes())
	}
	return s, f
}

func TestStructuresAreSearchedFor(t *testing.T) {
	s, f := computed(t)
	s.Find("CC", true)
	if len(s.Order) != 4 {
		t.Errorf("%v shown before the structure is found, want all", s.Order)
	}
	f.settle()
	if want := []int32{2, 0}; !slices.Equal(s.Order, want) {
		t.Errorf("%v shown, want %v", s.Order, want)
	}
	// A later search ends the one before.
	s.Find("C", true)
	s.Find("CCC", true)
	f.settle()
	f.settle()
	if want := []int32{2}; !slices.Equal(s.Order, want) {
		t.Errorf("%v shown by the later search, want %v", s.Order, want)
	}
	s.Find("(", true)
	f.settle()
	if failed := s.Rows.Computed[message.OfStructure].Failure; failed == nil || len(s.Order) != 4 || s.Task != nil {
		t.Errorf("failure %v, %v shown", failed, s.Order)
	}
	n := len(f.computes())
	s.Find("CCO", false)
	f.settle()
	if want := []int32{0}; !slices.Equal(s.Order, want) || len(f.computes()) != n {
		t.Errorf("%v shown by text, want %v; %d asked", s.Order, want, len(f.computes())-n)
	}
}

func TestPropertiesAndPlacesComeWhenShown(t *testing.T) {
	s, f := computed(t)
	name := property.Columns[0].Name
	s.ChooseColumn(name)
	if c := s.Rows.Column(name); c != nil {
		t.Errorf("%v before the worker has answered", c)
	}
	f.settle()
	s.SortBy(name)
	if want := []int32{1, 3, 0, 2}; !slices.Equal(s.Order, want) {
		t.Errorf("by property %v, want %v", s.Order, want)
	}
	if got := s.Columns(s.Order, s.Models.Used.Value).Numbers(name); !slices.Equal(got, []float64{1, 2, 3, 6}) {
		t.Errorf("%v saved", got)
	}
	s.ShowAs(table.Map)
	f.settle()
	s.ShowAs(table.List)
	s.ShowAs(table.Map)
	s.ChooseColumn(name)
	s.ChooseColumn(name)
	f.settle()
	var asked []string
	for _, c := range f.computes() {
		asked = append(asked, c.What)
	}
	if want := []string{message.OfProperties, message.OfPlaces}; !slices.Equal(asked, want) {
		t.Errorf("%v asked, want %v: once each", asked, want)
	}
	// Another model places anew.
	s.Models.Load("mine", nil)
	f.settle()
	f.settle()
	if n := len(f.computes()); n != 4 || s.Rows.Computed[message.OfPlaces].Computed == nil {
		t.Errorf("%d asked after another model, want 4", n)
	}
}
