package words

import (
	"math"
	"testing"
	"time"

	"baca/wasm/message"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Number(0.12345), "0.123"}, {Number(-1.5), "−1.50"}, {Number(123.4), "123"}, {Number(1234.4), "1230"},
		{Number(0), "0"}, {Number(math.NaN()), None}, {Number(math.Inf(1)), "+∞"}, {Number(9.999), "10.0"}, {Number(1e-7), "1e-07"},
		{P(0.0004), "< 0.001"}, {P(0.001), "0.00100"}, {P(0.62), "0.620"},
		{Count(12), "12"}, {Count(1835), "1\u00a0835"}, {Count(1234567), "1\u00a0234\u00a0567"}, {Count(-1000), "−1\u00a0000"},
		{Percent(0.05), "5\u00a0%"}, {Percent(0.0012), "0.12\u00a0%"}, {Percent(math.NaN()), None},
		{Size(12), "12 bytes"}, {Size(614000), "614 kB"}, {Size(2_500_000), "2.50 MB"},
		{Duration(120 * time.Millisecond), "120 ms"}, {Duration(time.Second), "1.0 s"}, {Duration(3400 * time.Millisecond), "3.4 s"}, {Duration(200 * time.Second), "3 min"},
		{Stem("a/b/mols.smi.gz"), "mols"}, {Stem("x"), "x"}, {Stem(".hidden"), ".hidden"},
		{Plural(1, "row", "rows"), "1 row"}, {Format("csv"), "CSV"}, {Format("parquet"), "Parquet"}, {Plural(2000, "row", "rows"), "2\u00a0000 rows"},
		{StageCount(message.Progress{Stage: message.StageParse, Records: 1200}, true), "1\u00a0200"},
		{StageCount(message.Progress{Stage: message.StageScore, Done: 1, Total: 2}, true), "1 / 2"},
		{StageCount(message.Progress{Stage: message.StageScore, Done: 1, Total: 2}, false), "2"},
		{StageCount(message.Progress{Stage: message.StageScore, Done: 2, Total: 2}, true), "2"},
		{StageCount(message.Progress{Stage: message.StageScore, Total: 1}, true), ""},
		{StageCount(message.Progress{Stage: message.StageAttention, Done: 1, Total: 2}, true), "t = 1 / 2"},
		{StageCount(message.Progress{Stage: message.StageAttention, Done: 1, Total: 2}, false), "T = 2"},
		{ColumnWords(nil), ""}, {ColumnWords(&message.Header{Columns: []string{"a"}}), ""}, {ColumnWords(&message.Header{Columns: []string{"a", "b"}}), "Choose the column that holds SMILES."},
		{Grouped("Of 92702 molecules 4096 are compared, of 12345."), "Of 92\u00a0702 molecules 4\u00a0096 are compared, of 12\u00a0345."},
		{Grouped(`<b>1. 12345</b>, row 92702 <text x="10000"/> 0.12345 of it`), `<b>1. 12345</b>, row 92702 <text x="10000"/> 0.12345 of it`},
		{Capital(""), ""}, {Capital("über x"), "Über x"}, {Capital("p_value is"), "p_value is"},
		{Small(""), ""}, {Small("Über X"), "über X"},
		{Shorten("abcdef", 4), "abc…"}, {Shorten("äöü", 3), "äöü"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
