package command

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/web"
	"baca/weights"
)

// With --confidence and --fdr verdicts follow from the q-values of all p-values and the rate that keeps the confidence, and
// the bound is that of all graphs that have a p-value. What these are, package decide tests.
func TestConfidence(t *testing.T) {
	m := testset.Model(t, weights.Default)
	n := m.References()
	in := filepath.Join(t.TempDir(), "in.csv")
	try.Check(os.WriteFile(in, web.Examples(), 0o666))
	rate := decide.Confident(0.1, 0.9, n)
	if !(rate > 0 && rate < 0.1) {
		t.Fatalf("rate %g", rate)
	}
	for _, fdr := range []float64{0, 0.15} {
		out, stderr := succeed(t, "score", "--alpha", "0.1", "--confidence", "0.9", "--fdr", fmt.Sprint(fdr), in)
		rows := rowsOf(t, out)
		var p []float64
		for _, row := range rows {
			p = append(p, try.To(strconv.ParseFloat(row["p_value"], 64)))
		}
		q, outside, most := decide.QValues(p), 0, rate
		if fdr > 0 {
			most = 0
		}
		for i, row := range rows {
			// Six digits tell p-values apart, but not from a rate that is one of them.
			at := math.Round(p[i]*float64(1+n)) / float64(1+n)
			want := decide.Judge(at, rate, n)
			if fdr > 0 {
				want = decide.Rule{Alpha: rate, Holdout: n, ByRate: true, Cut: decide.Levels{at: q[i]}.Cut(fdr)}.Judge(at, at)
			}
			if row["verdict"] != string(want) {
				t.Errorf("fdr %g: %s with p = %g and q = %g is %s, want %s", fdr, row["id"], at, q[i], row["verdict"], want)
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
		if !strings.Contains(stderr, bound) {
			t.Errorf("fdr %g: %q is not in\n%s", fdr, bound, stderr)
		}
	}
}

// The command and its report, of those outside, say the first reasons that package algo computes.
func TestFirstReasons(t *testing.T) {
	var texts, want []string
	for line := range strings.Lines(string(read(t, "../../../algo/explain/testdata/first.txt"))) {
		text, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		texts, want = append(texts, text), append(want, reason)
	}
	dir := t.TempDir()
	in, report := filepath.Join(dir, "in.smi"), filepath.Join(dir, "r.html")
	try.Check(os.WriteFile(in, []byte(strings.Join(texts, "\n")), 0o666))
	out, _ := succeed(t, "score", "--explain", "--to", "jsonl", in)
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var row struct{ Reasons []string }
		try.Check(json.Unmarshal([]byte(line), &row))
		if row.Reasons[0] != want[i] {
			t.Errorf("%s: the command says %q, want %q", texts[i], row.Reasons[0], want[i])
		}
	}
	succeed(t, "report", "--out", report, in)
	page := html.UnescapeString(string(read(t, report)))
	for i, reason := range want {
		if strings.HasPrefix(reason, "Outside: ") && !strings.Contains(page, strings.TrimPrefix(reason, "Outside: ")) {
			t.Errorf("%s: the report lacks %q", texts[i], reason)
		}
	}
}
