package suite

import (
	"bytes"
	"context"
	"embed"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/web"
	"baca/weights"
)

var ctx = context.Background()

//go:embed data
var embedded embed.FS

// sets holds what the command laid over the folder.
var sets = func() fs.FS {
	return try.To(fs.Sub(embedded, "data"))
}()

// A set of molecules, as written and as graphs with their structure view.
type molecules struct {
	name   string
	smiles []string // all rows, also those that are no molecules
	graphs []*graph.Graph
}

// druglike is BBBP, or the examples where that set is not there.
var druglike = sync.OnceValue(func() *molecules {
	const file = "mol/bbbp.csv.gz"
	if f, err := sets.Open(file); err == nil {
		defer f.Close()
		return read("bbbp", f)
	}
	return read("examples", bytes.NewReader(web.Examples()))
})

// varied are molecules of many sources, or the examples.
var varied = sync.OnceValue(func() *molecules {
	f, err := sets.Open("mol/scale-mix.csv.gz")
	if err != nil {
		return list("examples", bytes.NewReader(web.Examples()))
	}
	defer f.Close()
	return list("mix", f)
})

// list reads the molecules of a table as they are written.
func list(name string, r io.Reader) *molecules {
	m := &molecules{name: name}
	for rec, err := range dataset.Records(r, dataset.Options{Format: dataset.CSV}) {
		try.Check(err)
		m.smiles = append(m.smiles, strings.TrimSpace(rec.SMILES))
	}
	return m
}

// read also makes graphs of them.
func read(name string, r io.Reader) *molecules {
	m := list(name, r)
	for _, text := range m.smiles {
		parsed, err := smiles.Parse(text)
		if err != nil || len(parsed.Atoms) == 0 {
			continue
		}
		g := parsed.Graph()
		g.EncodeStructure()
		m.graphs = append(m.graphs, g)
	}
	return m
}

// take returns n graphs, the first ones again where there are fewer.
func take(gs []*graph.Graph, n int) []*graph.Graph {
	taken := make([]*graph.Graph, n)
	for i := range taken {
		taken[i] = gs[i%len(gs)]
	}
	return taken
}

// bare returns the graphs without their structure view, as a reader makes them.
func bare(gs []*graph.Graph) []*graph.Graph {
	new := make([]*graph.Graph, len(gs))
	for i, g := range gs {
		copied := *g
		copied.XS = nil
		new[i] = &copied
	}
	return new
}

// A batch to be tested, with the model of its in-distribution set.
type batch struct {
	name   string
	graphs []*graph.Graph
	model  *algo.Model
}

// whole is a set of molecules, read as the models of molecules read them, or of TUDataset.
func whole(b *testing.B, name string) (gs []*graph.Graph) {
	b.Helper()
	if f, err := sets.Open("mol/" + name + ".csv.gz"); err == nil {
		defer f.Close()
		for r, err := range dataset.Molecules(ctx, f, dataset.Options{Format: dataset.CSV, Form: molecule.Parent}) {
			if try.Check(err); r.Err == nil {
				gs = append(gs, r.Graph)
			}
		}
		return gs
	}
	set, err := dataset.ReadTU(try.To(fs.Sub(sets, "tu")), name, dataset.Unpack{})
	if err != nil {
		b.Skipf("the sets of the pair are not there: %v", err)
	}
	return set.Graphs
}

// halves returns the test batch of a pair of sets as `baca-paper bench` makes it for seed 1: the tenth of the ID set
// that training does not see and as many graphs of the OOD set, in random order.
func halves(b *testing.B, id, ood string) *batch {
	b.Helper()
	inside, outside := whole(b, id), whole(b, ood)
	const seed = 1
	var gs []*graph.Graph
	_, test := dataset.Split(len(inside), seed)
	for _, i := range test {
		gs = append(gs, inside[i])
	}
	for _, i := range dataset.TakeOOD(len(outside), len(test), dataset.First, seed) {
		gs = append(gs, outside[i])
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(gs), func(i, j int) { gs[i], gs[j] = gs[j], gs[i] })
	return &batch{id + "-" + ood, gs, model(b, id)}
}

// largest is the largest of the usual test batches, 408 graphs of BBBP and BACE, or as many of the examples.
func largest(b *testing.B) *batch {
	b.Helper()
	if _, err := fs.Stat(sets, "mol/bace.csv.gz"); err == nil && druglike().name == "bbbp" {
		return halves(b, "bbbp", "bace")
	}
	return &batch{"examples", take(druglike().graphs, 408), model(b, "bbbp")}
}

// model opens an embedded model, without the graphs that it kept from training:
// in an evaluation they are a part of the batch.
func model(b *testing.B, name string) *algo.Model {
	b.Helper()
	m := try.To(weights.Open(name))
	m.Holdout = m.Holdout.Select(nil)
	return m
}

// A rate is a number of things done in one operation.
type rate struct {
	count float64
	unit  string
}

// measure runs f again and again, and reports what it allocates and the rate. The first runs fill workspaces,
// and a WebAssembly engine compiles code again, and better, once it has run a while.
func measure(b *testing.B, f func(), r rate) {
	b.Helper()
	b.ReportAllocs()
	warm := time.Duration(0)
	if runtime.GOARCH == "wasm" {
		warm = 100 * time.Millisecond
	}
	start := time.Now()
	for f(); time.Since(start) < warm; {
		f()
	}
	for b.Loop() {
		f()
	}
	b.ReportMetric(r.count*float64(b.N)/b.Elapsed().Seconds(), r.unit)
}

// onAllCores lets the rest of a benchmark use all cores.
func onAllCores(b *testing.B) {
	before := runtime.GOMAXPROCS(runtime.NumCPU())
	b.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
