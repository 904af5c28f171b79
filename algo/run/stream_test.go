package run

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/table"
)

// drugs are molecules of usual sizes, with tags, charges and salts.
var drugs = []string{
	"CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O", "CN(C)CCOC(c1ccccc1)c1ccccc1",
	"COc1ccc2[nH]cc(CCNC(C)=O)c2c1", "C[C@H](N)Cc1ccccc1", "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O", "O=C(O)c1cn(C2CC2)c2cc(N3CCNCC3)c(F)cc2c1=O",
	"CN1CCC[C@H]1c1cccnc1", "Clc1ccc(cc1)C(c1ccccc1)N1CCN(CC1)CCOCCO", "[Na+].CC(=O)Nc1ccc(cc1)[O-]", "C/C=C/C(=O)N1CCCC1", "CS(=O)(=O)c1ccc(cc1)C1=C(C(=O)OC1)c1ccccc1",
	"CC(C)NCC(O)COc1cccc2ccccc12", "Nc1ccc(cc1)S(=O)(=O)Nc1ncccn1", "CCN(CC)CCNC(=O)c1ccc(N)cc1",
}

// A row of a stream costs the memory of its texts, of what reads it later and a share of that of
// graphs, and nothing for a cell. The one salt among the drugs costs the same again for all of
// them, as its fragments are molecules of their own. Rows are read from a text, parsed and written,
// but not scored: their scores are known.
func TestStreamAllocations(t *testing.T) {
	const rows, most = 2048, 5.5
	fit := &Fit{Report: &batch.Report{}}
	var text strings.Builder
	text.WriteString("id,smiles,source\n")
	nan := math.NaN()
	for i := range rows {
		fmt.Fprintf(&text, "CHEMBL%d,%s,test\n", 100_000+i, drugs[i%len(drugs)])
		fit.Records = append(fit.Records, i)
		fit.Rows = append(fit.Rows, batch.Row{Score: 1.2345 + float64(i), P: 0.0311, Verdict: decide.Outside, Pre: nan, Attn: nan, BaCa: nan})
	}
	for _, form := range []molecule.Form{molecule.AsWritten, molecule.Canonical} {
		n := testing.AllocsPerRun(5, func() {
			n := 0
			run := table.Run{Model: "bbbp", SHA256: strings.Repeat("ab", 32), By: batch.ByAlone, Alpha: 0.05}
			out := table.NewSink(io.Discard, "csv", table.Text{}, true, append(table.Fields(table.Usual), run.Fields()...))
			records := dataset.Records(strings.NewReader(text.String()), dataset.Options{Format: dataset.CSV, Form: form})
			p := Plan{Options: batch.Options{Workers: 1}, Rows: func(scored []table.Row) error {
				for _, r := range scored {
					must.Do(r.Input().Err)
					n++
				}
				out.Add(scored...)
				return out.Flush()
			}}
			must.Do((&Run{Plan: p}).stream(ctx, fit, inOrder(records, 0, 0)))
			if n != rows {
				t.Fatalf("%d rows, want %d", n, rows)
			}
		})
		if n /= rows; n > most {
			t.Errorf("form %d: %.2f allocations a row, want at most %g", form, n, most)
		}
	}
}
