package suggest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/feature/suggest"
	"baca/algo/internal/must"
	"baca/algo/table"
	"baca/weights"
)

// shelved are the molecules of a table on a shelf, scored so many at a time.
func shelved(t *testing.T, input, price, exclude string, piece int) (*suggest.Shelf, error) {
	t.Helper()
	model := must.Have(weights.Open("esol"))
	alone := must.Have(alone.New(t.Context(), model, 0))
	s := suggest.NewShelf(alone, price, exclude)
	records := dataset.Records(strings.NewReader(input), dataset.Options{Name: "shelf.csv", Form: algo.FormOf(model.Card.Schema).Unordered(), Cells: s.Columns()})
	return s, s.Fill(t.Context(), 2, piece, dataset.Parse(t.Context(), 2, records), func() {})
}

// A shelf gives the picks of its library, under prices and exclusions, whatever the pieces it was
// filled in, and can be left at any look.
func TestShelf(t *testing.T) {
	const input = "smiles,id,EUR,done\n" +
		"CCCCCCCCCCCCCCCC(=O)O,dear,999,\n[Na+].[Cl-],priceless,,no\nO=[N+]([O-])c1ccc(cc1)N=Nc1ccccc1,had,1,Yes\n" +
		"FC(F)(F)C(F)(F)C(F)(F)C(F)(F)F,e,6,0\nCN1C=NC2=C1C(=O)N(C(=O)N2C)C,b,5,-\nOCC1OC(O)C(O)C(O)C1O,f,7,false\nC1CC,broken,1,\nCCO,owed,-1,\nC(,,1,\nC),,1,\n"
	var first []string
	for _, piece := range []int{1, 3, 1000} {
		s := must.Have(shelved(t, input, "eur", "done", piece))
		if s.Read != 10 || s.Refused != 4 || len(s.Refusals) != 3 || s.Library.Len() != 6 ||
			!strings.Contains(strings.Join(s.Refusals, "|"), `row 8: shelf.csv:9:10: column eur: price "-1": want a number`) {
			t.Errorf("%d read, %d refused: %q", s.Read, s.Refused, s.Refusals)
		}
		looks := 0
		o := suggest.Options{Most: 6, Alpha: 0.05, Budget: 20, Seed: 1, Workers: 1, Looked: func() { looks++ }}
		got := must.Have(s.Suggest(t.Context(), o))
		var ids []string
		sum := 0.0
		for k, r := range got.Rows {
			ids, sum = append(ids, r.ID), sum+*r.Price
			if r.Rank != k+1 || r.Record < 4 || r.Record > 6 || r.P == nil || r.Gain != got.Picks[k].Gain {
				t.Errorf("pick %+v", r)
			}
		}
		var text strings.Builder
		must.Do(got.WriteCSV(&text, table.Text{}))
		lines := []string{"rank,id,smiles,score,p_value,verdict,price,gain,nearer,inside,nearest_similarity"}
		for _, r := range got.Rows {
			lines = append(lines, fmt.Sprintf("%d,%s,%s,%s,%s,%s,%s,%s,%d,%d,%s", r.Rank, r.ID, r.SMILES, table.Number(r.Score), table.Number(*r.P),
				r.Verdict,
				table.Number(*r.Price), table.Number(r.Gain), r.Nearer, r.Inside, table.Number(r.Similarity)))
		}
		if got := strings.TrimSpace(text.String()); got != strings.Join(lines, "\n") {
			t.Errorf("it is written\n%s\nwant\n%s", got, strings.Join(lines, "\n"))
		}
		if len(ids) == 0 || len(ids) > 3 || sum > 20 || looks != 6 {
			t.Errorf("picks %q for %g after %d looks", ids, sum, looks)
		}
		if first == nil {
			first = ids
		}
		if !slices.Equal(ids, first) {
			t.Errorf("by pieces of %d the picks are %q, want %q", piece, ids, first)
		}
		said := strings.Join(got.Sentences(), "\n")
		for _, want := range []string{"1 are excluded, as column done says", "1 without a price are not suggested", "are suggested: no other", "together they cost ", "deviations away on average", "of 6 are outside"} {
			if !strings.Contains(said, want) {
				t.Errorf("it says\n%s\nwithout %q", said, want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		o.Looked = func() {
			if looks--; looks == 3 {
				cancel()
			}
		}
		if _, err := s.Suggest(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v", err)
		}
	}
}

// What a cleaned training set leaves out is never suggested. Where it has such molecules, they are.
func TestNeverSuggestsWhatIsLeftOut(t *testing.T) {
	const input = "smiles,id\nCCO,ethanol\nO,water\nCl,acid\nC1CCOC1,solvent\n[O]N1C(C)(C)CCCC1(C)C,radical\nO=S(=O)(O)O,sulfuric\nFS(F)(F)(F)(F)F,without carbon\n" +
		"CCCCCCCCCC#N,nitrile\nCN1C=NC2=C1C(=O)N(C(=O)N2C)C,caffeine\nFC(F)(F)C(F)(F)C(F)(F)C(F)(F)F,perfluorobutane\n"
	for name, least := range map[string]int{"drugs": 8, "esol": 0} {
		model := must.Have(weights.Open(name))
		s := suggest.NewShelf(must.Have(alone.New(t.Context(), model, 0)), "", "")
		records := dataset.Records(strings.NewReader(input), dataset.Options{Name: "shelf.csv", Form: algo.FormOf(model.Card.Schema).Unordered()})
		must.Do(s.Fill(t.Context(), 1, 10, dataset.Parse(t.Context(), 1, records), func() {}))
		got := must.Have(s.Suggest(t.Context(), suggest.Options{Most: 10, Alpha: 0.05, Seed: 1}))
		small := 0
		for _, r := range got.Rows {
			if r.Record < least {
				t.Errorf("%s: %s is suggested", name, r.ID)
			}
			if r.Record < 8 {
				small++
			}
		}
		if said := strings.Join(got.Sentences(), "\n"); len(got.Rows) == 0 || strings.Contains(said, "7 are not suggested, as") != (least > 0) || least == 0 && small == 0 {
			t.Errorf("%s: %d picks, of them %d of the left out ones: %s", name, len(got.Rows), small, said)
		}
	}
}

func TestShelfWithNothingToPick(t *testing.T) {
	s := must.Have(shelved(t, "smiles,EUR\nCCO,\nCCN,\n", "EUR", "", 10))
	got, err := s.Suggest(t.Context(), suggest.Options{Most: 1, Alpha: 0.05, Budget: 1, Seed: 1})
	if err != nil || len(got.Rows) != 0 {
		t.Fatalf("%+v, error %v", got, err)
	}
	if said := got.Sentences(); len(said) != 2 || said[1] != "nothing to suggest: all 2 molecules are excluded, left out or without a price" {
		t.Errorf("it says %q", said)
	}
	for input, want := range map[string]string{
		"smiles,EUR\n":              "holds no records",
		"smiles,EUR\nCCO,ten\n":     `the first as row 1: shelf.csv:2:5: column EUR: price "ten"`,
		"smiles,cost\nCCO,1\n":      `no column "EUR"`,
		"smiles,EUR\nCC(,1\nC(,1\n": "no record can be used, 2 refused",
	} {
		if _, err := shelved(t, input, "EUR", "", 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", input, err, want)
		}
	}
}
