package command

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"baca/algo/decide"
	"baca/web"
)

// With --fdr the rows are those without it, but for the verdict, which follows from
// the q-values of all p-values.
func TestFDRIsOfTheWholeInput(t *testing.T) {
	dir := t.TempDir()
	model, in := filepath.Join(dir, "m.msgpack"), filepath.Join(dir, "in.csv")
	saveModel(t, model, moleculeModel(t))
	if err := os.WriteFile(in, web.Examples(), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := func(more ...string) [][]string {
		var out bytes.Buffer
		if status := run(nil, append([]string{"score", "--model", model, "--alpha", "0.1", in}, more...), nil, &out, io.Discard); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		list, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return list[1:]
	}
	plain, fdr := rows(), rows("--fdr", "0.3")
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	// Six digits are enough to tell p-values apart.
	var p []float64
	for _, row := range plain {
		p = append(p, number(row[6]))
	}
	seen := map[string]int{}
	for i, q := range decide.QValues(p) {
		if !slices.Equal(plain[i][:7], fdr[i][:7]) {
			t.Errorf("row %d is %v, without --fdr %v", i+1, fdr[i], plain[i])
		}
		if got := number(fdr[i][9]); math.Abs(got-q) > 1e-5 {
			t.Errorf("row %d with p = %g has q = %g, want %g", i+1, p[i], got, q)
		}
		if want := string(decide.JudgeBatch(p[i], number(fdr[i][9]), 0.1, 0.3)); fdr[i][7] != want {
			t.Errorf("row %d with p = %g and q = %s is %s, want %s", i+1, p[i], fdr[i][9], fdr[i][7], want)
		}
		seen[fdr[i][7]]++
	}
	if len(seen) < 2 {
		t.Errorf("all verdicts are alike: %v", seen)
	}
}
