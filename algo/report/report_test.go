package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// The page loads nothing, runs only its two scripts, is well formed and escapes its input.
func TestReportStandsAlone(t *testing.T) {
	page := golden.Text(Write, full())
	golden.Lacks(t, page, "too few for verdicts", "<img", "<link", "<iframe", "javascript:", "@import", "url(", "http://", "https://", "NaN", "Inf", "%!")
	golden.Lacks(t, regexp.MustCompile(`<script( type="text/plain" id="script")?>[^<]*</script>`).ReplaceAllString(page, ""), "<script") // its own two
	golden.Lacks(t, regexp.MustCompile(`&lt;[^<]*`).ReplaceAllString(page, ""), "src=x on", "href=\"")                                   // escaped, as text
	if !regexp.MustCompile(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='"`).MatchString(page) {
		t.Error("the page does not forbid everything from outside")
	}
	for _, f := range regexp.MustCompile(`[\w-]+\(`).FindAllString(golden.Between(page, "<style>", "</style>"), -1) {
		if !slices.Contains([]string{"minmax(", "repeat(", "counter(", "not("}, f) {
			t.Errorf("a style calls %s…)", f)
		}
	}
	// Tags nest, as far as XML can tell.
	tags := strings.NewReplacer("<!doctype html>", "", `<meta charset="utf-8">`, "", "<br>", "").Replace(page)
	d := xml.NewDecoder(strings.NewReader(regexp.MustCompile(`<meta [^>]*>`).ReplaceAllString(tags, "")))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if page != golden.Text(Write, full()) {
		t.Error("the same report gives other bytes")
	}
}

// A report holds the script that draws, packed, and allows no other. Without one it says why
// there are no drawings, and runs nothing.
func TestScript(t *testing.T) {
	r := full()
	page := golden.Text(Write, r)
	policy := golden.Between(page, "Content-Security-Policy", ">")
	found := regexp.MustCompile(`id="script">([^<]*)</script>\n<script>([^<]*)</script>`).FindStringSubmatch(page)
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
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, "'sha256-"+hash+"'") {
			t.Errorf("the policy %q does not allow %q", policy, text)
		}
	}
	r.Script, r.Undrawn = nil, "built without <page>"
	page = golden.Text(Write, r)
	golden.Lacks(t, page, "<script", "data-drawing")
	for _, want := range []string{`content="default-src 'none'; style-src 'unsafe-inline'"`, "There are no drawings: built without &lt;page&gt;."} {
		if !strings.Contains(page, want) {
			t.Errorf("a page without drawings has no %q", want)
		}
	}
}

// Reports of nothing, one graph, equal scores or no holdout have no NaN.
func TestPoorReports(t *testing.T) {
	for name, r := range map[string]*Report{
		"empty":      {Alpha: 0.05},
		"one":        {Alpha: 0.05, Read: 1, Counts: decide.Counts{Inside: 1}, Scores: []float64{2}, P: []float64{1}, Holdout: []float64{2}},
		"all equal":  {Alpha: 0.3, Read: 3, Scores: []float64{2, 2, 2}, P: []float64{0.5, 0.5, 0.5}, Holdout: []float64{2, 2}},
		"no holdout": {Alpha: 0.05, Read: 2, Scores: []float64{1, 1e9}},
		"huge":       {Alpha: 0.5, Read: 2, Scores: []float64{-1e300, 1e300}, Holdout: []float64{0}},
		"no scores":  {Alpha: 0.05, Read: 1, Scores: []float64{math.NaN()}, Holdout: []float64{1}},
	} {
		t.Run(name, func(t *testing.T) { golden.Lacks(t, golden.Text(Write, r), "NaN", "Inf", "%!") })
	}
	broken := errors.New("disk full")
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := Write(w, full()); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}
