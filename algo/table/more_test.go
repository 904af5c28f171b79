package table

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"baca/algo"
)

// Further columns follow the usual ones, each value in the form of its kind.
func TestMoreColumns(t *testing.T) {
	names := []string{"q_value", "duplicate", "reasons", "atoms", "nearest"}
	write := func(w Writer) {
		row := &algo.Row{Pre: 1, Attn: 2, BaCa: 3, Score: 4, P: 0.5, Verdict: "inside"}
		w.Write(Record{ID: "a", SMILES: "C"}, row, 0.25, true, []string{`5 % "x"`, "y"}, []float64{1.5, math.NaN(), -2}, "7")
		w.Write(Record{ID: "b", SMILES: "CC"}, row, math.NaN(), false, []string{}, []float64(nil))
		w.Write(Record{ID: "c", Err: errors.New("no")}, nil)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		make func(b *bytes.Buffer) Writer
		want string
	}{
		{"csv", func(b *bytes.Buffer) Writer { return NewCSV(b, plain, true, names...) },
			`id,smiles,s_pre,s_attn,s_baca,score,p_value,verdict,error,q_value,duplicate,reasons,atoms,nearest
a,C,1,2,3,4,0.5,inside,,0.25,true,"5 % ""x""; y",1.5 nan -2,7
b,CC,1,2,3,4,0.5,inside,,,false,,,
c,,,,,,,,no,,,,,
`},
		{"json lines", func(b *bytes.Buffer) Writer { return NewJSONLines(b, names...) },
			`{"id":"a","smiles":"C","s_pre":1,"s_attn":2,"s_baca":3,"score":4,"p_value":0.5,"verdict":"inside","error":null,"q_value":0.25,"duplicate":true,"reasons":["5 % \"x\"","y"],"atoms":[1.5,null,-2],"nearest":"7"}
{"id":"b","smiles":"CC","s_pre":1,"s_attn":2,"s_baca":3,"score":4,"p_value":0.5,"verdict":"inside","error":null,"q_value":null,"duplicate":false,"reasons":[],"atoms":[],"nearest":null}
{"id":"c","smiles":null,"s_pre":null,"s_attn":null,"s_baca":null,"score":null,"p_value":null,"verdict":null,"error":"no","q_value":null,"duplicate":null,"reasons":null,"atoms":null,"nearest":null}
`},
	} {
		var b bytes.Buffer
		write(c.make(&b))
		if b.String() != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, b.String(), c.want)
		}
	}
}
