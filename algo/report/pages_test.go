package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/chart"
	"baca/algo/compare"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/suggest"
	"baca/algo/trust"
)

// shown is what a page says: each line once, with how often it comes, and without styles, scripts, grids of charts, most
// tags and long lists of texts.
func shown(page string) string {
	for _, text := range slices.Concat(sources, limits) {
		page = strings.ReplaceAll(page, escape(text), "…")
	}
	for _, r := range [][2]string{
		{`(?s)<style>.*?</style>|<script.*?</script>|<meta[^>]*>|<noscript>.*?</noscript>|<h2>What not to conclude</h2>\n.*`, ""},
		{`<path d="[^"]*" stroke="(` + chart.Grid + `|` + chart.Soft + `)"[^>]*/>(<text [^>]*fill="` + chart.Soft + `"[^>]*>[^<]*</text>)?`, ""},
		{`<text [^>]*text-anchor="middle"[^>]*>`, "axis "}, {`<(rect|path|text) ([^>]*?)/?>`, "\n$1 $2\n"}, {`<[^>]*? (data-[^>]*)>`, "\n$1\n"}, {`(stroke|fill|class)="[^"#]*"`, ""},
		{`</(td|th|dt|span|b|sup|strong|button)>`, " | "}, {`</[a-z0-9]+>|/>`, "\n"}, {`<[^>]*>`, ""}, {`(?m)[ |]+$|^\s+`, ""},
	} {
		page = regexp.MustCompile(r[0]).ReplaceAllString(page, r[1])
	}
	times, list := map[string]int{}, strings.Split(page, "\n")
	for _, line := range list {
		times[line]++
	}
	for k, line := range list {
		switch n := times[line]; {
		case n == 0:
			list[k] = ""
		case n > 1:
			list[k] += fmt.Sprint(" ×", n)
		}
		times[line] = 0
	}
	return strings.Join(slices.DeleteFunc(list, func(line string) bool { return line == "" }), "\n")
}

// part is a page from one text to another.
func part(page, from, to string) string {
	_, page, _ = strings.Cut(page, from)
	page, _, _ = strings.Cut(page, to)
	return page
}

func counts(list ...int) compare.Distribution {
	return compare.Distribution{Counts: list, Quantiles: [5]float64{0, 1, 2, 2.5, 3}}
}

// Pages say what is true of small inputs, and say so in all their branches.
func TestPagesSayWhatIsThere(t *testing.T) {
	var b strings.Builder
	add := func(name, page string) { fmt.Fprintf(&b, "=== %s\n%s\n", name, shown(page)) }
	nan, why := math.NaN(), []explain.Reason{{Text: "1 % a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}, {Text: "e"}, {Text: "a sixth"}}
	d := Document{Title: "All", Warnings: []string{"a warning"}, Input: []Pair{{"input", "a.smi"}}, Command: "baca report", Script: []byte("draw()")}
	first := Entry{ID: "first", SMILES: "CCO", SetAside: "a salt", Place: 4, Q: 0.07, Row: algo.Row{Score: 41, P: 0.125, Verdict: decide.Outside, AloneP: 0.25, BatchP: 0.125, BatchVerdict: decide.Borderline},
		Drawing: &Drawing{share: []float64{2, -1, nan}, marked: []float64{0, 1, 1}}, Why: &algo.Explanation{Score: 3, P: 0.02, Distance: -2, Ratio: 0.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: 4, Reasons: why,
			Nearest: []algo.TrainingGraph{{Row: 0, Similarity: 1, Name: "n", SMILES: "C", Values: &algo.Values{Observed: -1.5, Predicted: nan}}, {Row: -1, Similarity: 0.999}}}}
	second := Entry{ID: "second", Row: algo.Row{P: nan, Verdict: decide.Undecided}, Drawing: graphDrawing(must.Have(graphOf(3)), nil, []float64{0, 0, 1}), Why: &algo.Explanation{P: nan, Distance: nan, Ratio: nan, Nodes: nan}}
	large := Entry{ID: "large", Drawing: graphDrawing(must.Have(graphOf(301)), nil, nil)}
	r := &Report{Document: d, Read: 9, Refused: 3, Refusals: []string{"one"}, Counts: decide.Counts{Outside: 2, Borderline: 1, Inside: 3}, Alpha: 0.25, FDR: 0.3,
		Scores: []float64{0, 1, 1, 20, 41, 48, nan, math.Inf(1)}, Holdout: []float64{0, 8, 16, 24, 32, 40, 48}, P: []float64{0.05, 0.0501, 0.25, 0.3, 0.5, 1, 0},
		Whole: "as a whole it differs", Differences: []string{"x", "y"}, Wealth: []float64{0, -1.5, 1, 2, 7, 3}, Delta: 0.01, Top: []Entry{first, second, large}, Rows: []Entry{first, second}}
	add("report", text(Write, r))
	r = &Report{Document: Document{Undrawn: "no script", Command: "again", Again: "Other bytes."}, Plain: true, Read: 5, Counts: decide.Counts{Inside: 4, Undecided: 1}, Alpha: 0.25, Alone: []float64{1}, Top: []Entry{first},
		Scores: []float64{0, 1, 1, 20, 48}, Holdout: r.Holdout, Wealth: []float64{0, 0.5, 0.25}, Delta: 1e-7, Rows: []Entry{first}}
	add("report of plain graphs", text(Write, r))
	add("report of nothing", text(Write, &Report{Read: 1, Refused: 1, Wealth: []float64{0}}))
	add("drift", DriftHTML(false, []float64{0, 2, 6}, 0.01, func(n int) string { return fmt.Sprint("<", n, ">") })+DriftHTML(true, []float64{0, -2, 0.3}, 1e-6, nil))

	named := []compare.Difference{{Kind: "ring", Name: "in A", InA: 3, InB: 1, Odds: 0.3, Low: 0.1, High: 0.9, Q: 0.01}}
	for k := range 32 {
		named = append(named, compare.Difference{Kind: "group", Name: fmt.Sprint("b", k), InA: 1, InB: 3, Odds: 3, Low: 1, High: 9, Q: 0.02})
	}
	fragments := []compare.Difference{{Name: "C*", InA: 3, Odds: 0.3, Example: "CC", Atoms: []int{0, 1}}, {Name: "N*", InB: 3, Odds: 1, Example: "CN", Atoms: []int{1}}}
	c := &compare.Comparison{A: compare.Side{Counts: compare.Counts{Name: "a.smi", Read: 5, Refused: 1, Copies: 2}, Molecules: 4, Atoms: counts(1, 0, 3), Rings: counts(4)}, B: compare.Side{Counts: compare.Counts{Name: "b.smi"}, Molecules: 8, Atoms: counts(2, 2, 0, 4, 0, 0, 0, 0, 1), Rings: counts(0, 8)},
		Named: named, Fragments: fragments, NamedTested: 40, FragmentsTested: 50, FDR: 0.05, Evidence: compare.Evidence{AUC: 0.75, P: 0.01, A: 4, B: 7}}
	for k := range c.AtoB.Coverage {
		x := float64(k) / 20
		c.AtoB.Coverage[k], c.BtoA.Coverage[k], c.AtoA.Coverage[k], c.BtoB.Coverage[k] = 1-x, 1-x/2, 1-x*x, 0.5
	}
	add("comparison", text(WriteComparison, &Comparison{d, c, []Pair{{"seed", "1"}}}))
	c = &compare.Comparison{A: c.A, B: c.B, FDR: 0.05, Fragments: fragments}
	add("comparison in the page", part((&Comparison{Comparison: c}).HTML(), "", "<h2>Nearest"))
	c.Plain, c.Fragments = true, fragments[:1]
	add("comparison without drawings", part(text(WriteComparison, &Comparison{Document{Undrawn: "no script"}, c, nil}), "", "<h2>Nearest"))

	s := &suggest.Suggestion{Far: []float64{2, 1, 0.5}, FarRandom: []float64{2, 1.5, 1}, FarTop: []float64{2, 2, 2}}
	price, picks := 12.5, []Pick{{Record: 3, Rank: 1, ID: "x", SMILES: "CC", Verdict: "outside", Price: new(float64), Nearer: 2, Inside: 1, Gain: 0.125, Similarity: 0.5}}
	picks[0].Price = &price
	add("suggestion", (&Suggestion{Suggestion: s, Picks: slices.Concat(picks, slices.Repeat([]Pick{{Record: 1, Rank: 2, ID: "y", Similarity: 1}}, 100)), Sentences: []string{"one thing"}, Things: "graphs", Command: "baca suggest"}).HTML())
	add("suggestion of nothing", (&Suggestion{Suggestion: &suggest.Suggestion{Far: []float64{0}}, Picks: picks[:1]}).HTML()+(&Suggestion{Sentences: []string{"none"}}).HTML())

	var pairs []trust.Pair
	for k := range 40 {
		pairs = append(pairs, trust.Pair{Score: float64(k), Error: float64(k) / 10})
	}
	judged := must.Have(trust.New(pairs, trust.Options{Tolerance: 2, Rate: 0.2}))
	var outcomes []trust.Outcome
	for k := range 25 {
		outcomes = append(outcomes, trust.Outcome{Score: float64(k), Observed: float64(k) / 8, Judgement: judged.Judge(float64(k), 0)})
	}
	judged.HeldOut = map[trust.Verdict]trust.Rate{trust.Trust: {N: 10, Large: 5, Share: 0.5}, trust.Check: {N: 5, Large: 1, Share: 0.2}, trust.DoNotUse: {N: 4, Large: 4, Share: 1, Low: 0.5, High: 1}}
	add("trust", TrustHTML([]string{"it rests on this"}, judged, trust.NewAudit(outcomes, judged), []string{"a problem"})+TrustHTML(nil, judged, nil, nil))

	q := domain()
	q.Script, q.Model.Card.Name, q.Model.Card.Schema, q.Model.Background, q.Model.Card.HoldoutRows = nil, "m", algo.OGBParent, &background.Head{AUC: 0.9}, []int{1, 2}
	q.Model.Profile = explain.NewProfile([]*graph.Graph{must.Have(graphOf(3)), must.Have(graphOf(5))}, [explain.SaltSize]byte{})
	q.Substances[0].SetAside, q.Substances[0].Why.Duplicate = "a salt", true
	edge, in, few := q.Substances[0], q.Substances[0], q.Substances[0]
	edge.Why, in.Why, few.Why = &algo.Explanation{P: 4.0 / 51, Verdict: decide.Borderline, Ratio: 1}, &algo.Explanation{P: 26.0 / 51, Verdict: decide.Inside}, &algo.Explanation{P: 26.0 / 51, Verdict: decide.Undecided}
	edge.AsHigh, in.AsHigh, few.AsHigh = 3, 25, 25
	edge.Low, edge.High, in.Low, in.High, in.Nearest, edge.Read, few.High = 0.05, 0.1, 0.11, 0.9, in.Nearest[1:], "", 0.05
	q.Substances = append(q.Substances, edge, in, few)
	add("domain", text(WriteDomain, q))
	q.Substances, q.Model.Shared, q.Reach, q.Undrawn = q.Substances[:1], 5, nan, "no script"
	add("domain of one, of a shared model", part(text(WriteDomain, q), "<h2>5", "<h3>Ref"))
	add("model", text(WriteModelPage, q))
	q.References, q.Model.Structures, q.Model.Shared, q.Model.Background, q.Model.Card.Schema, q.Ranges = 0, nil, 0, nil, algo.OGB, RangesOf(nil)
	q.Substances[0].Why.P, q.Substances[0].Why.Verdict, q.Model.Profile = nan, decide.Undecided, nil
	add("domain without a holdout", part(text(WriteDomain, q), "<h2>5", "<h3>Ref"))
	add("model without a holdout", part(text(WriteModelPage, q), "<h2>5", "<h2>Ref"))
	golden.Same(t, "testdata/pages.txt", b.String())
}

// graphOf is a path of n nodes.
func graphOf(n int) (*graph.Graph, error) {
	var edges [][2]int32
	for i := int32(1); i < int32(n); i++ {
		edges = append(edges, [2]int32{i - 1, i})
	}
	g, _, err := graph.New(n, edges)
	return g, err
}
