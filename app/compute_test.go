package app

import (
	"baca/algo/property"
	column "baca/algo/table"
	"baca/wasm/message"
	"slices"
	"testing"
)

// answerCompute answers a Compute of the records of a text: of a structure, which are longer than its SMARTS, of properties their lengths.
func answerCompute(text string, c *message.Compute, say func(any)) {
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
}

func TestPropertiesAreSaved(t *testing.T) {
	s, f, _ := newTest(t)
	const text = "CCO\nC\nCCCCCC\nCC"
	f.scores(text)
	on(f, func(r *message.Compute, say func(any)) { answerCompute(text, r, say) })
	s.Input.Type(text)
	f.settle()
	name := property.Columns[0].Name
	s.ChooseColumn(name)
	f.settle()
	if got := s.Columns([]int32{1, 0}, s.Models.Used.Value).Numbers(name); !slices.Equal(got, []float64{1, 3}) {
		t.Errorf("%v saved", got)
	}
}
