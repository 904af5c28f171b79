package engine

import (
	"bytes"
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"baca/wasm/message"
	"baca/web"
)

// The scores of the paper's method are the command's to the last digit, also in WebAssembly: testdata/paper.csv has
// columns of what `baca score --model bbbp --by attention` writes for the examples. More is compared natively, in
// TestThePageIsTheCommand.
func TestPaperScores(t *testing.T) {
	want := have(csv.NewReader(bytes.NewReader(have(os.ReadFile("testdata/paper.csv")))).ReadAll())
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Name: "molecules.csv", Data: web.Examples()})
	rows, _ := rowsOfScore(e, h, message.Score{Batch: true})
	for k, name := range want[0] {
		got := rows.Texts(name)
		for _, x := range rows.Numbers(name) {
			got = append(got, strconv.FormatFloat(x, 'g', 6, 64))
		}
		if len(got) != len(want)-1 {
			t.Fatalf("%d rows of %s, the command has %d", len(got), name, len(want)-1)
		}
		for i, row := range want[1:] {
			if got[i] != row[k] {
				t.Errorf("row %d: %s is %s, the command has %s", i+1, name, got[i], row[k])
			}
		}
	}
}
