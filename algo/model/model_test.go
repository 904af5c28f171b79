package model

import (
	"math"
	"testing"
)

// What is said of a model.
func TestCard(t *testing.T) {
	for schema, want := range map[string]string{
		OGB: "molecules as written, in the order of their atoms", OGBCanonical: "molecules as written", OGBParent: "the parent compound",
		Constant: "plain graphs",
	} {
		if width, err := SchemaWidth(schema); err != nil || Reads(schema) != want || (width == 1) != (schema == Constant) ||
			width > 1 && SchemaOf(FormOf(schema)) != schema {
			t.Errorf("schema %s of %d features, %v, reads %s", schema, width, err, Reads(schema))
		}
	}
	c := Card{Dataset: "a.smi", Description: "Trained on a.smi.", Background: "b.smi", Holdout: "h.smi", Graphs: 9, Train: 5,
		HoldoutRows: []int{1, 2}, Repeats: []int{3, 4}}
	if got := c.Counts(); got != "9: 5 trained on, 2 kept from training, 2 repeat another" {
		t.Error(got)
	}
	if c.ForgetFiles(); c.Dataset != "" || c.Description != "Trained on a file." || c.Background != "a file" || c.Holdout != "a file" {
		t.Errorf("%+v", c)
	}
	some, none := &Structures{Predicted: []float64{1, math.NaN()}}, (*Structures)(nil)
	if none.HasValues() || !some.HasValues() || (&Structures{}).HasValues() || some.ValuesOf(0).Predicted != 1 || some.ValuesOf(1) != nil {
		t.Error("values that are there are not, or the reverse")
	}
}
