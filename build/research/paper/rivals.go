package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/build/research/rival"
	"baca/weights"
)

// chooseOurs stands for our own scores among the names of rivals.
const chooseOurs = "ours"

// chooseRivals sets b.rivals, and b.own if our scores are measured, too, by --rivals: all, none if it is empty, or a list of names.
func (b *bench) chooseRivals() {
	b.rivals, b.own = nil, false
	switch b.rivalList {
	case "":
		return
	case "all":
		b.rivals, b.own = rival.All(), true
		return
	}
	for _, name := range strings.Split(b.rivalList, ",") {
		if name == chooseOurs {
			b.own = true
			continue
		}
		r := rival.Named(name)
		if r == nil {
			try.Check(usage.Errorf("--rivals %s: want all, or of %s", name, chooseOurs+", "+strings.Join(mapped(rival.All(), func(r *rival.Rival) string { return r.Name }), ", ")))
		}
		b.rivals = append(b.rivals, r)
	}
}

// chooseReadings sets b.readings by --reading, readOGB by default.
func (b *bench) chooseReadings() {
	b.readings = strings.Split(cmp.Or(b.readingList, readOGB), ",")
	for k, reading := range b.readings {
		if reading != readOGB && reading != readParent || slices.Contains(b.readings[:k], reading) {
			try.Check(usage.Errorf("--reading %s: want %s, %s or both", b.readingList, readOGB, readParent))
		}
	}
}

func rivalry() *experiment {
	return &experiment{
		name: "rivals", read: readAs[rivalEntries], measure: measureRivals,
		short: "Applicability domains of ECFP4, run here on the same splits",
		list:  rivalList(),
		flags: slices.Concat(pairwise, [][2]string{{"pairs", "paper"}, {"rivals", "all"}, {"reading", readOGB + "," + readParent}}),
	}
}

// rivalList says what each detector is, and how it differs from what was published.
func rivalList() string {
	var list strings.Builder
	for _, r := range rival.All() {
		fmt.Fprintf(&list, "  %s: %s. %s. %s\n", r.Name, r.Title, r.Cite, r.Differs)
	}
	return strings.TrimSpace(list.String())
}

// A detector of rivals.json is a rival or one of our scores.
type detector struct {
	name  string
	batch bool // the score of a graph depends on the others
}

// ourDetectors are our scores.
var ourDetectors = []detector{{columnPre, true}, {columnAttention, true}, {columnAlone, false}, {columnBatch, true}}

// measureRivals measures our scores and the rivals that are asked for.
func measureRivals(ctx context.Context, b *bench) result {
	detectors := mapped(b.rivals, func(r *rival.Rival) detector { return detector{r.Name, false} })
	if b.own {
		detectors = append(detectors, ourDetectors...)
	}
	p, list := &plan{bench: b}, rivalEntries(nil)
	for _, e := range b.evaluations {
		for _, d := range detectors {
			list = append(list, rivalEntry{Pair: e.pair.name(), Reading: e.reading(), Detector: d.name, Batch: d.batch, Published: published(e, d.name)})
		}
	}
	eachDetector(p, firstOOD, (*testBatch).ourCell, (*testBatch).rivalCell, list.add)
	p.do(ctx)
	return slices.DeleteFunc(list, func(e rivalEntry) bool { return e.Seeds == nil })
}

// published returns the AUROC in percent that the paper has for S_Pre or S_BaCa on a pair, nil for none. It reads molecules
// as OGB does.
func published(e *evaluation, detector string) *float64 {
	at := slices.IndexFunc(paperPairs, func(p *pair) bool { return p.name() == e.pair.name() })
	if at < 0 || e.reading() != readOGB {
		return nil
	}
	switch paper := paperPairs[at].paper; detector {
	case columnPre:
		return &paper.base
	case columnAttention:
		return &paper.baca
	}
	return nil
}

// eachDetector plans a cell of our scores, if they are asked for, and of each rival, for each seed of each pair. Rivals read only
// molecules.
func eachDetector[T any](
	p *plan, ood string, own func(*testBatch, context.Context) T,
	theirs func(*testBatch, context.Context, *rival.Rival) T, take func(e *evaluation, name string, seed uint64, cell T),
) {
	for _, seed := range p.bench.seeds {
		for _, e := range p.bench.evaluations {
			plan := func(name string, run func(context.Context) T) {
				addTo(p, e, fmt.Sprintf("seed%d-%s", seed, name), run, func(c T) { take(e, name, seed, c) })
			}
			if p.bench.own {
				plan(chooseOurs, onBatch(e, seed, ood, own))
			}
			for _, r := range p.bench.rivals {
				if e.id.schema != algo.Constant {
					plan(r.Name, func(ctx context.Context) T { return theirs(e.tested(seed, orders[ood], 1), ctx, r) })
				}
			}
		}
	}
}

// rivalCell measures a rival on the batch.
func (b *testBatch) rivalCell(ctx context.Context, r *rival.Rival) []measured {
	return b.measureNew([]scored{b.scoresBy(ctx, r)})
}

// ourCell measures our own scores on the same batch.
func (b *testBatch) ourCell(ctx context.Context) []measured {
	return b.columns(ctx, mapped(ourDetectors, func(d detector) string { return d.name })...)
}

// scoresBy returns a rival's scores of a batch of molecules, which it gets in a random order.
func (b *testBatch) scoresBy(ctx context.Context, r *rival.Rival) scored {
	e := b.of
	mixed, order := shuffled(b.graphs, b.seed)
	p := &rival.Problem{
		Train: e.sets.smiles(e.trained(b.seed)), Test: e.sets.smiles(mixed), Background: backgrounds[e.reading()](), Workers: 1,
	}
	start := time.Now()
	scores := try.To(r.Score(ctx, p))
	return scored{r.Name, restored(scores, order), time.Since(start).Seconds()}
}

// backgrounds are the ECFP4 of the built-in background, by reading.
var backgrounds = map[string]func() []fingerprint.Print{
	readOGB:    sync.OnceValue(func() []fingerprint.Print { return backgroundPrints(molecule.AsWritten) }),
	readParent: sync.OnceValue(func() []fingerprint.Print { return backgroundPrints(molecule.Parent) }),
}

// backgroundPrints returns the ECFP4 of the built-in background, read in a form.
func backgroundPrints(form molecule.Form) (prints []fingerprint.Print) {
	for r, err := range dataset.Records(weights.Background(), dataset.Options{Format: dataset.SMI}) {
		try.Check(err)
		m, _, _ := smiles.In(try.To(r.Parse()), form)
		prints = append(prints, baseline.ECFP(m, 2))
	}
	return prints
}

// A rivalEntry is an entry of rivals.json.
type rivalEntry struct {
	Pair      string   `json:"pair"`
	Reading   string   `json:"reading"`
	Detector  string   `json:"detector"`
	Batch     bool     `json:"batch"`
	Published *float64 `json:"published,omitempty"`
	series
	NewMean rate   `json:"auroc_new_mean"` // without OOD graphs that equal a graph trained on
	NewStd  rate   `json:"auroc_new_std"`
	fresh   []rate // of these, by seed
}

// rivalEntries are the content of rivals.json.
type rivalEntries []rivalEntry

// add adds what a seed of a pair measured to the entries of its detectors, measures without known graphs to NewMean and NewStd.
func (l rivalEntries) add(e *evaluation, _ string, seed uint64, columns []measured) {
	for _, m := range columns {
		for k := range l {
			x := &l[k]
			if x.Pair != e.pair.name() || x.Reading != e.reading() {
				continue
			}
			switch m.Column {
			case x.Detector:
				x.series.add(seed, m)
			case newOnly(x.Detector):
				x.fresh = append(x.fresh, m.AUROC)
				x.NewMean, x.NewStd = meanStd(x.fresh)
			}
		}
	}
}

// mean returns the mean of a detector's figures over pairs in a reading, NaN if a figure is missing.
func (l rivalEntries) mean(detector, reading string, pairs []string, of func(rivalEntry) float64) float64 {
	var list []float64
	for _, e := range l {
		if e.Detector == detector && cmp.Or(e.Reading, readOGB) == reading && slices.Contains(pairs, e.Pair) {
			list = append(list, of(e))
		}
	}
	if len(list) < len(pairs) {
		return math.NaN()
	}
	return mean(list)
}

func aurocMean(e rivalEntry) float64 { return float64(e.AUROCMean) }

// found returns the share of OOD graphs that are found at 5 % false alarms, as a mean over seeds.
func (e rivalEntry) found() float64 {
	return 1 - mean(mapped(e.Seeds, func(s tableSeed) float64 { return float64(s.FPR95ID) }))
}

// published returns the published AUROC as a share, NaN for none.
func (e rivalEntry) published() float64 {
	if e.Published == nil {
		return math.NaN()
	}
	return *e.Published / 100
}

// pairs returns the pairs that were measured in a reading.
func (l rivalEntries) pairs(reading string) []string {
	of := slices.DeleteFunc(slices.Clone(l), func(e rivalEntry) bool { return cmp.Or(e.Reading, readOGB) != reading })
	return distinct(of, func(e rivalEntry) string { return e.Pair })
}

func (l rivalEntries) page() *page {
	all, parents := l.pairs(readOGB), l.pairs(readParent)
	detectors := distinct(l, func(e rivalEntry) string { return e.Detector })
	molecules := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return p != strings.ToLower(p) })
	detectors = slices.DeleteFunc(detectors, func(d string) bool { // those that were not measured on all pairs
		mean := l.mean(d, readOGB, all, aurocMean)
		if len(all) == 0 {
			mean = l.mean(d, readParent, parents, aurocMean)
		}
		return math.IsNaN(mean)
	})
	over := []string{}
	if len(all) > 0 {
		over = append(over, fmt.Sprintf("%d pairs", len(all)))
	}
	if len(parents) > 0 {
		over = append(over, fmt.Sprintf("%d pairs of molecules read as parents", len(parents)))
	}
	return &page{
		title: "Rivals",
		question: fmt.Sprintf(`Do detectors that others published tell OOD graphs better? Each was written anew and runs on the same splits
with one setting. AUROC in percent, means over %s. Published figures were often tuned for each pair. Found is how many OOD molecules are found where 5 %% of the ID test molecules are called,
read as parents. A dash: not for all pairs.`,
			strings.Join(over, " and over ")),
		tables: []*pageTable{tabulate("", []string{"detector", "all", "published", "parents", "found"}, detectors, func(d string) []any {
			return []any{
				d, l.mean(d, readOGB, all, aurocMean), l.mean(d, readOGB, all, rivalEntry.published),
				l.mean(d, readParent, parents, aurocMean), l.mean(d, readParent, parents, rivalEntry.found),
			}
		})},
		answer: l.standings(all, molecules, parents),
	}
}

// standings returns sentences that compare our scores with the best rival: one for each reading, and for the molecules among all
// pairs. Detectors are compared with those that see the same, one graph or the batch.
func (l rivalEntries) standings(all, molecules, parents []string) (list []string) {
	for _, reading := range []struct {
		name, words string
		pairs       []string
	}{{readOGB, "All pairs", all}, {readOGB, "Molecules", molecules}, {readParent, "Parents", parents}} {
		if len(reading.pairs) == 0 || reading.words == "Molecules" && len(molecules) == len(all) {
			continue
		}
		var parts []string
		for _, kind := range []struct {
			batch bool
			own   string
			words string
		}{{false, columnAlone, "one graph"}, {true, columnBatch, "the batch"}} {
			best, most := "", math.Inf(-1)
			for _, e := range l {
				own := slices.Contains([]string{columnAlone, columnBatch}, e.Detector)
				if x := l.mean(e.Detector, reading.name, reading.pairs, aurocMean); e.Batch == kind.batch && !own && x > most {
					best, most = e.Detector, x
				}
			}
			own := l.mean(kind.own, reading.name, reading.pairs, aurocMean)
			if best != "" && !math.IsNaN(own) {
				parts = append(parts, fmt.Sprintf("seeing %s, %s is the best with %.1f, %s has %.1f", kind.words, best, 100*most, kind.own, 100*own))
			}
		}
		if parts != nil {
			list = append(list, reading.words+": "+strings.Join(parts, "; ")+".")
		}
	}
	if slices.Equal(all, mapped(paperPairs, (*pair).name)) {
		list = append(list, fmt.Sprintf("The best published figures, each tuned for its pair, have a mean of %.1f.", mean(bestPublished)))
	}
	return list
}

// bestPublished are the highest AUROCs in percent that anybody published for the paper's pairs, as far as we know:
// of SEGO, RedOUT, RedOUT, SIGOOD, HGOE, RedOUT, RedOUT, BaCa, RedOUT and BaCa, tuned for each by the test AUROC.
var bestPublished = []float64{96.66, 94.45, 99.98, 67.88, 81.74, 71.67, 92.97, 93.11, 86.56, 95.31}
