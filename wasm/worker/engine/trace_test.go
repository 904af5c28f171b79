package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/molecule/smiles"
	"baca/wasm/message"
)

// The axes of a map are the first two principal components, as gonum finds them.
func TestMapAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, dim = 60, 7
	rows, dense := make([][]float32, n), mat.NewDense(n, dim, nil)
	for i := range rows {
		for j := range dim {
			x := float32(rng.NormFloat64() * float64(dim-j))
			rows[i] = append(rows[i], x)
			dense.Set(i, j, float64(x))
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(dense, nil) {
		t.Fatal("gonum finds no components")
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	variances := pc.VarsTo(nil)
	total := floats.Sum(variances)
	m := principal(rows)
	for k, axis := range m.axes {
		dot := 0.0
		for j, x := range axis {
			dot += x * vectors.At(j, k)
		}
		if math.Abs(math.Abs(dot)-1) > 1e-9 || math.Abs(m.share[k]-variances[k]/total) > 1e-9 {
			t.Errorf("axis %d: cosine %g with gonum's, share %g, want %g", k, dot, m.share[k], variances[k]/total)
		}
	}
	for j := range dim {
		if want := stat.Mean(mat.Col(nil, j, dense), nil); math.Abs(m.mean[j]-want) > 1e-9 {
			t.Errorf("mean %d is %g, want %g", j, m.mean[j], want)
		}
	}
	// Without any spread there are no directions, and no NaN.
	if m := principal([][]float32{{1, 2}, {1, 2}}); m.share != [2]float64{} || !reflect.DeepEqual(m.axes, [2][]float64{{0, 0}, {0, 0}}) {
		t.Errorf("axes %v with shares %v of equal rows", m.axes, m.share)
	}
}

// What the lab tells of a record is what the model reads of it.
func TestTrace(t *testing.T) {
	e, h := loaded(t, "bbbp")
	fails(e, h, &message.Trace{}, message.CodeNotReady, "no input")
	const text = "O[C@H](Cl)[13CH3]"
	must[*message.Opened](e, h, &message.Open{Data: []byte(text + " a\nC1CC b\n" + alkanes(40))})
	_, m := must[*message.Traced](e, h, &message.Trace{Record: 0})
	var written []string
	for i := range m.From {
		written = append(written, m.SMILES[m.From[i]:m.To[i]])
	}
	if want := []string{"O", "[C@H]", "Cl", "[13CH3]"}; m.SMILES != text || !slices.Equal(written, want) || len(m.Bonds) != 3 {
		t.Errorf("%q is written by %q, want %q; bonds %v", m.SMILES, written, want, m.Bonds)
	}
	mol := have(smiles.Parse(text))
	read, _, _ := smiles.In(mol, e.form())
	g := read.Graph()
	g.EncodeStructure()
	for i := range g.N() {
		for j := range g.Features {
			if m.X[i*m.Features+j] != int32(g.X[i*g.Features+j]) {
				t.Errorf("feature %d of node %d is %d, want %g", j, i, m.X[i*m.Features+j], g.X[i*g.Features+j])
			}
		}
		for k := range m.Width {
			if m.Walks[i*m.Width+k] != g.XS[i*graph.EncodingWidth+k] {
				t.Errorf("walk of %d steps from node %d differs", k+1, i)
			}
		}
	}
	if m.Attn != nil || m.Inside != nil {
		t.Errorf("steps %v without a batch", m.Inside)
	}
	checkMaps(t, e, m, g)
	fails(e, h, &message.Trace{Record: 1}, message.CodeBadInput, "ring")
	fails(e, h, &message.Trace{Record: 99}, message.CodeBadOption, "99")
	// Of a long input the maps show an even sample.
	must[*message.Opened](e, h, &message.Open{Data: []byte(strings.Repeat("CCO\n", 1234))})
	_, m = must[*message.Traced](e, h, &message.Trace{Record: 1233})
	records := m.Maps[0].Records
	if len(records) != mostMapped || records[0] != 0 || records[mostMapped-1] < 1200 || !slices.IsSorted(records) {
		t.Errorf("%d records from %d to %d", len(records), records[0], records[len(records)-1])
	}
}

// checkMaps projects the graph of record 0 anew.
func checkMaps(t *testing.T, e *Engine, m *message.Traced, g *graph.Graph) {
	t.Helper()
	r := have(contrast.Represent(context.Background(), 1, e.model.Encoder, []*graph.Graph{g}))
	if len(m.Maps) != 2 || len(m.Nearest) != nearestMapped || !slices.IsSorted(m.Nearest) {
		t.Fatalf("%d maps, nearest %v", len(m.Maps), m.Nearest)
	}
	for v, on := range m.Maps {
		plane := e.atlas[v]
		if want := plane.at(nil, r.Q[v*r.Width:(v+1)*r.Width]); !slices.Equal(on.At, want) {
			t.Errorf("view %d: the record is at %v, want %v", v, on.At, want)
		}
		if !slices.Equal(on.Batch[:2], on.At) || len(on.Batch) != 2*len(on.Records) || on.Records[0] != 0 || slices.Contains(on.Records, 1) {
			t.Errorf("view %d: records %v, the first at %v", v, on.Records, on.Batch[:2])
		}
		if len(on.Training) != 2*mostTraining || len(on.Nearest) != 2*nearestMapped || !(on.ShareX >= on.ShareY && on.ShareY > 0 && on.ShareX+on.ShareY <= 1) {
			t.Errorf("view %d: %d training places, shares %g and %g", v, len(on.Training), on.ShareX, on.ShareY)
		}
	}
}

// What the lab tells of a batch is what the table has: S_Attn is explained by the keys and is where the
// steps end, S_BaCa is the sum that Fitted says, and the parts have their mean graphons.
func TestLabTellsTheTable(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(alkanes(80))})
	fails(e, h, &message.Graphons{Side: "ID"}, message.CodeNotReady, "calibrated")
	must[*message.Scored](e, h, &message.Score{})
	fails(e, h, &message.Graphons{Side: "ID"}, message.CodeNotReady, "calibrated")
	events, _ := must[*message.Scored](e, h, &message.Score{Batch: true, Every: 50})
	rows, sum, parted := join(events), all[*message.Fitted](events)[0].Paper, all[*message.Parted](events)[0]
	pre, attn, baca := rows.Numbers("s_pre"), rows.Numbers("s_attn"), rows.Numbers("s_baca")
	synthetic, newer := 0, 0
	steps := all[*message.Iteration](events)
	last := steps[len(steps)-1]
	for _, it := range steps {
		newer += it.ID.Newer + it.OOD.Newer
	}
	if drawn := last.ID.Synthetic + last.OOD.Synthetic; newer < drawn || steps[0].ID.Newer != steps[0].ID.Synthetic {
		t.Errorf("%d new keys in all steps, %d synthetic ones at the end, first step %+v", newer, drawn, steps[0].ID)
	}
	for record, refused := range rows.Texts("error") {
		if refused != "" {
			continue
		}
		want := (pre[record]-sum.PreMean)/sum.PreDeviation + sum.Beta*(attn[record]-sum.AttnMean)/sum.AttnDeviation
		if math.Abs(want-baca[record]) > 1e-9 {
			t.Errorf("record %d: S_BaCa %g, its parts make %g", record, baca[record], want)
		}
		_, m := must[*message.Traced](e, h, &message.Trace{Record: record})
		if len(m.Attn) != 4 || math.Abs(m.Attn[3]-attn[record]) > 1e-6 || len(m.Inside) != 4 || !(m.Outside[3] > m.Inside[3]) {
			t.Fatalf("record %d: steps %v, parts %v and %v; S_Attn %g", record, m.Attn, m.Inside, m.Outside, attn[record])
		}
		_, d := must[*message.Detailed](e, h, &message.Detail{Record: record})
		if got := d.AttnOOD - d.AttnID; math.Abs(got-attn[record]) > 1e-9 {
			t.Errorf("record %d: S_Attn %g is explained as %g", record, attn[record], got)
		}
		synthetic += checkKeys(t, record, d.IDKeys, d.AttnID) + checkKeys(t, record, d.OODKeys, d.AttnOOD)
		checkKeyMap(t, m.Keys, len(d.IDKeys), last)
	}
	if synthetic == 0 {
		t.Error("no record attends to a synthetic key")
	}
	checkPart(t, e, h, "ID", parted.Inside, parted.InsideMean, parted.InsideSteps)
	checkPart(t, e, h, "OOD", parted.Outside, parted.OutsideMean, parted.OutsideSteps)
}

// checkKeys checks that the weights of keys descend and sum to 1, their values to what is explained,
// and returns how many keys are synthetic: these alone have a graph.
func checkKeys(t *testing.T, record int, keys []message.Key, explained float64) (synthetic int) {
	t.Helper()
	sum, value := 0.0, 0.0
	for i, k := range keys {
		sum, value = sum+k.Weight, value+k.Weight*k.Value
		drawn := k.Origin == dictionary.Synthetic.String()
		if drawn {
			synthetic++
		}
		if i > 0 && k.Weight > keys[i-1].Weight || drawn != (k.Nodes >= 2 && len(k.Edges) > 0) || drawn && slices.Max(k.Edges) >= int32(k.Nodes) {
			t.Errorf("record %d: key %d of %+v", record, i, keys)
		}
		if k.Origin == dictionary.Test.String() && (k.ID == "" || k.SMILES == "" || k.Row == record) {
			t.Errorf("record %d: key %+v", record, k)
		}
	}
	if math.Abs(sum-1) > 1e-6 || math.Abs(value-explained) > 1e-6 {
		t.Errorf("record %d: weights sum to %g, values to %g, want 1 and %g", record, sum, value, explained)
	}
	return synthetic
}

// checkKeyMap checks that the map shows all keys but training graphs, those that answer among them. The first so many of
// these are of the inside dictionary.
func checkKeyMap(t *testing.T, m *message.Map, inside int, held *message.Iteration) {
	t.Helper()
	count := [2]int{}
	for _, side := range m.Records {
		count[side]++
	}
	want := [2]int{held.ID.Test + held.ID.Synthetic, held.OOD.Test + held.OOD.Synthetic}
	if count != want || len(m.Batch) != 2*len(m.Records) || len(m.Training) != 2*min(held.ID.Training, mostTraining) || len(m.At) != 2 {
		t.Fatalf("the map has %v keys, want %v; %d of the training set of %d", count, want, len(m.Training)/2, held.ID.Training)
	}
	outside := m.Batch[2*count[0]:]
	for at := 2 * inside; at < len(m.Nearest); at += 2 {
		if !slices.ContainsFunc(slices.Collect(slices.Chunk(outside, 2)), func(key message.Singles) bool { return slices.Equal(key, m.Nearest[at:at+2]) }) {
			t.Errorf("an outside key answers from %v, where none is", m.Nearest[at:at+2])
		}
	}
}

// checkPart checks the mean graphon of a part, and pictures of two of its graphons.
func checkPart(t *testing.T, e *Engine, h *host, side string, members message.Ints, mean message.Singles, steps int) {
	t.Helper()
	var graphs []*graph.Graph
	for _, record := range members {
		r, _, err := e.input.at(int(record), e.form())
		succeed(err)
		graphs = append(graphs, r.Graph)
	}
	if want := singles(graphon.Mean(graphs, steps).W); steps < 2 || !slices.Equal(mean, want) {
		t.Errorf("%s, %d graphs: the mean %v of %d steps, want %v", side, len(graphs), mean, steps, want)
	}
	draw := func(i, j int, lambda float64) *message.GraphonPair {
		_, g := must[*message.GraphonPair](e, h, &message.Graphons{Side: side, I: i, J: j, Lambda: lambda})
		return g
	}
	last := len(members) - 1
	g := draw(0, last, 0.25)
	if g.RecordI != int(members[0]) || g.RecordJ != int(members[last]) || len(g.Samples) != samples {
		t.Errorf("%s: %d samples of a mixture of records %d and %d", side, len(g.Samples), g.RecordI, g.RecordJ)
	}
	for _, sample := range g.Samples {
		if len(sample.Edges) > 0 && int(slices.Max(sample.Edges)) >= sample.Nodes {
			t.Errorf("%s: an edge to node %d of %d", side, slices.Max(sample.Edges), sample.Nodes)
		}
	}
	if again := draw(0, last, 0.25); !reflect.DeepEqual(g.Samples, again.Samples) || reflect.DeepEqual(draw(0, 1, 0).Samples, draw(0, 1, 1).Samples) {
		t.Errorf("%s: one mixture draws %v and then %v, or two draw the same", side, g.Samples, again.Samples)
	}
	for says, bad := range map[string]*message.Graphons{"left": {Side: "left"}, "λ": {Side: side, Lambda: math.NaN()}, "graphons -1 and 0": {Side: side, I: -1}, "of 0 to": {Side: side, J: last + 1}} {
		fails(e, h, bad, message.CodeBadOption, says)
	}
}
