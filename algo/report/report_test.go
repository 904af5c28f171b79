package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/chart"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/internal/must"
)

// full is a report with everything in it, and texts that must be escaped.
func full() *Report {
	rng := rand.New(rand.NewPCG(1, 1))
	r := &Report{
		Document: Document{
			Title: `</title><script>alert("x")</script>`, Warnings: []string{"a & b"}, Input: []Pair{{"input", "a.smi"}},
			Command: "baca report 'a b.smi'", Script: []byte("draw()"),
		},
		Read: 303, Refused: 3, Counts: decide.Counts{Outside: 30, Borderline: 20, Inside: 250},
		Alpha: 0.05, FDR: 0.1, Delta: 0.01, Wealth: []float64{0},
		Whole: "as a whole this list differs", Differences: []string{"48 % of them have more atoms than three quarters of the training graphs", "a < b"},
		Refusals: []string{"line 3: <b>no</b>"}, Model: []Pair{{"name", "m"}}, Settings: []Pair{{"seed", "1"}}, Versions: []Pair{{"program", "baca"}},
	}
	for range 300 {
		r.Scores, r.P = append(r.Scores, rng.NormFloat64()), append(r.P, rng.Float64())
		r.Wealth = append(r.Wealth, r.Wealth[len(r.Wealth)-1]+0.02*rng.Float64())
	}
	for range 100 {
		r.Holdout = append(r.Holdout, rng.NormFloat64())
	}
	r.Scores[7] = math.NaN()
	e := Entry{
		ID: `<img src=x onerror=y>`, SMILES: `C"><a href=`, Place: 4, Q: 0.07, Drawing: &Drawing{share: []float64{2, -1, math.NaN()}, marked: []float64{0, 0, 1}},
		Row: algo.Row{Score: 3.21, Pre: math.NaN(), P: 0.01, Verdict: decide.Outside},
		Why: &algo.Explanation{Score: 3, P: 0.02, Distance: 2.25, Ratio: -0.5, Duplicate: true, Reasons: []explain.Reason{{Text: "more atoms & rings"}}, Nearest: []algo.TrainingGraph{{Row: 41, Similarity: 0.625, SMILES: "C<", Name: "a&b"}, {Row: -1}}},
	}
	r.Rows, r.Top = []Entry{e}, []Entry{e, {ID: "big", Q: math.NaN(), Row: algo.Row{Verdict: decide.Inside}}}
	return r
}

func text[R any](write func(io.Writer, R) error, r R) string {
	var b strings.Builder
	must.Do(write(&b, r))
	return b.String()
}

// has reports texts that are missing, lacks those that are there.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q", part)
		}
	}
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("there is %q: %s", part, text[max(i-40, 0):min(i+40, len(text))])
		}
	}
}

// The page loads nothing, runs only its two scripts, is well formed and escapes its input.
func TestReportStandsAlone(t *testing.T) {
	page := text(Write, full())
	lacks(t, page, "too few for verdicts", "<img", "<link", "<iframe", "javascript:", "@import", "url(", "http://", "https://", "NaN", "Inf", "%!")
	lacks(t, regexp.MustCompile(`<script( type="text/plain" id="script")?>[^<]*</script>`).ReplaceAllString(page, ""), "<script") // its own two
	lacks(t, regexp.MustCompile(`&lt;[^<]*`).ReplaceAllString(page, ""), "src=x on", "href=\"")                                   // escaped, as text
	if !regexp.MustCompile(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='"`).MatchString(page) {
		t.Error("the page does not forbid everything from outside")
	}
	has(t, page,
		"303 read, 3 refused", "&lt;img src=x onerror=y&gt;", "more atoms &amp; rings", `<div class="mol" data-drawing="" data-title="structure of a training molecule" data-smiles="C&lt;"></div><p><b>similarity 0.62</b> · a&amp;b · row 42 of the set</p><p class="smiles">C&lt;</p>`,
		"line 3: &lt;b&gt;no&lt;/b&gt;", "… and 2 more", "a &amp; b", "too large to draw", "baca report &#39;a b.smi&#39;", "q 0.07",
		"As a whole this list differs. What makes the difference: 48&nbsp;% of them have more atoms than three quarters of the training graphs; a &lt; b.",
		"Its nearest training molecules are 2.2 standard deviations further away than those of training molecules usually are. It is 0.5 standard deviations less like the background molecules than training molecules usually are. ",
		"Does the input drift?", "The input drifts: by molecule ",
		`data-title="structure of &lt;img src=x onerror=y&gt;" data-smiles="C&#34;&gt;&lt;a href=" data-share="1 -0.5 0" data-marked="2"`,
	)
	// Tags nest, as far as XML can tell.
	tags := strings.NewReplacer("<!doctype html>", "", `<meta charset="utf-8">`, "").Replace(page)
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`<meta [^>]*>`).ReplaceAllString(tags, "")))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if page != text(Write, full()) {
		t.Error("the same report gives other bytes")
	}
}

// A report holds the script that draws, packed, and allows no other. Without one it says why
// there are no drawings, and runs nothing.
func TestScript(t *testing.T) {
	r := full()
	found := regexp.MustCompile(`id="script">([^<]*)</script>\n<script>([^<]*)</script>`).FindStringSubmatch(text(Write, r))
	if found == nil {
		t.Fatal("there are no scripts")
	}
	packed := must.Have(base64.StdEncoding.DecodeString(found[1]))
	z := must.Have(gzip.NewReader(bytes.NewReader(packed)))
	if text, err := io.ReadAll(z); err != nil || string(text) != "draw()" {
		t.Errorf("unpacked is %q: %v", text, err)
	}
	for _, text := range []string{found[2], "draw()"} {
		sum := sha256.Sum256([]byte(text))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(scriptPolicy(r.drawer()), "'sha256-"+hash+"'") {
			t.Errorf("the policy %q does not allow %q", scriptPolicy(r.drawer()), text)
		}
	}
	r.Script, r.Undrawn = nil, "built without <page>"
	page := text(Write, r)
	lacks(t, page, "<script", "data-drawing")
	has(t, page, "There are no drawings: built without &lt;page&gt;.", `content="default-src 'none'; style-src 'unsafe-inline'"`)
}

// Reports of nothing, one graph, equal scores or no holdout have no NaN.
func TestPoorReports(t *testing.T) {
	for name, r := range map[string]*Report{
		"empty":      {Alpha: 0.05, Delta: 0.01},
		"one":        {Alpha: 0.05, Delta: 0.01, Read: 1, Counts: decide.Counts{Inside: 1}, Scores: []float64{2}, P: []float64{1}, Holdout: []float64{2}, Wealth: []float64{0, -0.1}},
		"all equal":  {Alpha: 0.3, Delta: 0.01, Read: 3, Scores: []float64{2, 2, 2}, P: []float64{0.5, 0.5, 0.5}, Holdout: []float64{2, 2}},
		"no holdout": {Alpha: 0.05, Delta: 0.01, Read: 2, Scores: []float64{1, 1e9}},
		"huge":       {Alpha: 0.5, Delta: 0.01, Read: 2, Scores: []float64{-1e300, 1e300}, Holdout: []float64{0}},
		"no scores":  {Alpha: 0.05, Delta: 0.01, Read: 1, Scores: []float64{math.NaN()}, Holdout: []float64{1}},
	} {
		t.Run(name, func(t *testing.T) { lacks(t, text(Write, r), "NaN", "Inf", "%!") })
	}
	broken := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Write(w, full()); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// The bars of the histogram hold all scores, those at the threshold and above in one
// colour.
func TestScoreChart(t *testing.T) {
	r := &Report{Alpha: 0.25}
	for i := range 100 {
		r.Scores, r.Holdout = append(r.Scores, float64(i)), append(r.Holdout, float64(i))
	}
	svg := scoreChart(r)
	sum := map[string]float64{}
	c := regexp.MustCompile(`<rect [^>]* height="([0-9.]+)" fill="([^"]+)"`)
	for _, m := range c.FindAllStringSubmatch(svg, -1) {
		var h float64
		must.Have(fmt.Sscan(m[1], &h))
		sum[m[2]] += h
	}
	// p of score s is (1 + 100 − s)/101, which is at most ¼ from 76 on.
	if share := sum[chart.Outside] / (sum[chart.Outside] + sum[chart.Inside]); math.Abs(share-0.24) > 0.01 {
		t.Errorf("a share of %.3f is beyond the threshold, want 0.24", share)
	}
	// A p-value of just alpha is called outside, and drawn so.
	for p, want := range map[float64]int{0.05: 1, 0.0501: 0} {
		if got := strings.Count(pChart(&Report{P: []float64{p, 0.5}, Alpha: 0.05}), `fill="`+chart.Outside+`"`); got != want {
			t.Errorf("p = %g: %d red bars, want %d", p, got, want)
		}
	}
	if !strings.Contains(DriftSVG([]float64{0, 1, 3}, 0.01), `<svg xmlns="http://www.w3.org/2000/svg"`) {
		t.Error("the drawing of a drift is no file of its own")
	}
}

// Rates have three digits, also where they equal a p-value.
func TestRatesAreShort(t *testing.T) {
	for _, fdr := range []float64{0, 1.0 / 7} {
		for _, counts := range []decide.Counts{{Outside: 1, Inside: 2}, {Undecided: 3}} {
			r := &Report{Alpha: 7.0 / 205, FDR: fdr, Read: 3, Counts: counts, Scores: []float64{1, 2, 3}, P: []float64{0.5, 0.25, 0.01}, Holdout: []float64{1, 2}, Delta: 0.01, Wealth: []float64{0}}
			has(t, text(Write, r), "0.0341")
			if counts.Undecided > 0 {
				has(t, text(Write, r), "too few for verdicts")
			}
			lacks(t, text(Write, r), "0.03414", "0.14285", "0.06829")
		}
	}
}
