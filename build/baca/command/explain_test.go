package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/build/internal/testset"
	"baca/web"
	"baca/weights"
)

// With --fdr the rows are those without it, but for the verdict, which follows from
// the q-values of all p-values.
func TestFDRIsOfTheWholeInput(t *testing.T) {
	dir := t.TempDir()
	model, in := filepath.Join(dir, "m.msgpack"), filepath.Join(dir, "in.csv")
	references := moleculeModel(t).References()
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
		p = append(p, number(row[3]))
	}
	seen := map[string]int{}
	for i, q := range decide.QValues(p) {
		if !slices.Equal(plain[i][:4], fdr[i][:4]) {
			t.Errorf("row %d is %v, without --fdr %v", i+1, fdr[i], plain[i])
		}
		if got := number(fdr[i][7]); math.Abs(got-q) > 1e-5 {
			t.Errorf("row %d with p = %g has q = %g, want %g", i+1, p[i], got, q)
		}
		if want := string(judgeBatch(p[i], number(fdr[i][7]), 0.1, 0.3, references)); fdr[i][4] != want {
			t.Errorf("row %d with p = %g and q = %s is %s, want %s", i+1, p[i], fdr[i][7], fdr[i][4], want)
		}
		seen[fdr[i][4]]++
	}
	if len(seen) < 2 {
		t.Errorf("all verdicts are alike: %v", seen)
	}
}

// With --confidence verdicts are those of the rate that keeps it, with --fdr as well, and
// the bound is that of all graphs that have a p-value.
func TestConfidence(t *testing.T) {
	m := testset.Model(t, weights.Default)
	n := m.References()
	in := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(in, web.Examples(), 0o666); err != nil {
		t.Fatal(err)
	}
	rate := decide.Confident(0.1, 0.9, n)
	if !(rate > 0 && rate < 0.1) {
		t.Fatalf("rate %g", rate)
	}
	for _, fdr := range []float64{0, 0.15} {
		var out, stderr bytes.Buffer
		args := []string{"score", "--alpha", "0.1", "--confidence", "0.9", "--fdr", fmt.Sprint(fdr), in}
		if status := run(nil, args, nil, &out, &stderr); status != 0 {
			t.Fatalf("exit status %d: %s", status, &stderr)
		}
		list, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var p []float64
		for _, row := range list[1:] {
			x, err := strconv.ParseFloat(row[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			p = append(p, x)
		}
		q, outside, most := decide.QValues(p), 0, rate
		if fdr > 0 {
			most = 0
		}
		for i, row := range list[1:] {
			// Six digits tell p-values apart, but not from a rate that is one of them.
			at := math.Round(p[i]*float64(1+n)) / float64(1+n)
			want := decide.Judge(at, rate, n)
			if fdr > 0 {
				want = judgeBatch(at, q[i], rate, fdr, n)
			}
			if row[4] != string(want) {
				t.Errorf("fdr %g: %s with p = %g and q = %g is %s, want %s", fdr, row[0], at, q[i], row[4], want)
			}
			if want == decide.Outside {
				outside++
				most = max(most, at)
			}
		}
		bound := fmt.Sprintf("with 90 %% confidence all of the %d called outside may be inside", outside)
		if inside := decide.MostFalse(outside, len(p), n, most, 0.9); inside < outside {
			bound = fmt.Sprintf("with 90 %% confidence at most %d of the %d called outside are inside; ", inside, outside)
		}
		if !strings.Contains(stderr.String(), bound) {
			t.Errorf("fdr %g: %q is not in\n%s", fdr, bound, &stderr)
		}
	}
}

// judgeBatch is the verdict by a q-value.
func judgeBatch(p, q, alpha, fdr float64, holdout int) decide.Verdict {
	return decide.Rule{Alpha: alpha, Holdout: holdout, ByRate: true, Cut: decide.Levels{p: q}.Cut(fdr)}.Judge(p, p)
}
