package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A side of a ratio.
type side struct{ platform, name, metric string }

// A goal is a ratio that is to be at least so much, or a time or memory that is to be at
// most so much.
type goal struct {
	what  string
	over  side    // the numerator, or the time or memory
	under side    // none without a ratio
	want  float64 // also nanoseconds or bytes
}

// shapes of the products that have goals.
var shapes = []string{"384x16x16", "384x64x64", "384x80x80"}

// goals lists them for what was measured.
func (r *results) goals() []goal {
	var list []goal
	vector := r.vector("native")
	for _, shape := range shapes {
		for _, kind := range []string{"NN", "NT"} {
			name := "Gemm/" + kind + "/" + shape + "/"
			list = append(list, goal{"GEMM " + kind + " " + shape + ", " + vector + " / OpenBLAS",
				side{"native", name + vector, gflops}, side{"native", name + "OpenBLAS", gflops}, 0.5})
			for _, engine := range []string{"node", "chromium"} {
				list = append(list, goal{"GEMM " + kind + " " + shape + " in " + engine + ", SIMD / portable",
					side{engine, name + r.vector(engine), gflops}, side{engine, name + "portable_Go", gflops}, 12})
			}
		}
	}
	for _, set := range []string{"bbbp", "examples"} {
		speed := func(what, platform, name, other, unit string, want float64) {
			list = append(list, goal{what, side{platform, name, unit}, side{other, name, unit}, want})
		}
		speed("GIN forward, "+set+", vector / portable", "native", "Forward/"+set, "native-noasm", "graphs/s", 4)
		speed("GIN forward, "+set+", in chromium, SIMD / portable", "chromium", "Forward/"+set, "chromium-portable", "graphs/s", 6)
		speed("GIN forward, "+set+", in node, SIMD / portable", "node", "Forward/"+set, "node-portable", "graphs/s", 0)
		list = append(list, goal{"pre-training epoch, " + set + ", faster than PyTorch",
			side{torch, "Epoch/" + set, nanoseconds}, side{"native", "Epoch/" + set, nanoseconds}, 3})
		speed("S_Pre, "+set+", faster than PyTorch", "native", "Pre/"+set+"/encoded", torch, "graphs/s", 4)
		speed("parse and features, "+set+", faster than RDKit", "native", "Parse/"+set+"/features", torch, "molecules/s", 50)
		speed("structure view, "+set+", faster than numpy", "native", "Structure/"+set, torch, "graphs/s", 0)
		speed("parse, features and structure view, "+set+", faster than both", "native", "Parse/"+set+"/features+structure", torch, "molecules/s", 0)
	}
	for _, batch := range []string{"bbbp-bace", "examples"} {
		threads := "Batch/" + batch
		if n := runtime.NumCPU(); n > 1 {
			threads = fmt.Sprintf("%s-%d", threads, n)
		}
		list = append(list,
			atMost("full run on 408 graphs, "+batch+", all cores", "native", threads, time.Second),
			atMost("full run on 408 graphs, "+batch+", in chromium", "chromium", "Batch/"+batch, 4*time.Second))
	}
	for _, name := range r.names("chromium") {
		switch {
		case strings.HasPrefix(name, "Decide/") && strings.HasSuffix(name, "/1000"):
			list = append(list, atMost("1 000 molecules decided by a worker of chromium", "chromium", name, time.Second))
		case strings.HasPrefix(name, "Decide/"):
			list = append(list, atMost("10 000 molecules decided by a worker of chromium", "chromium", name, 6*time.Second))
		}
	}
	return append(list, r.commandGoals()...)
}

// atMost is the goal of a time.
func atMost(what, platform, name string, most time.Duration) goal {
	return goal{what: what, over: side{platform, name, nanoseconds}, want: float64(most)}
}

// commandGoals are those of the command and of neighbours.
func (r *results) commandGoals() (list []goal) {
	for _, name := range r.names("native") {
		kind, rest, _ := strings.Cut(name, "/")
		switch {
		case kind == "Score":
			list = append(list,
				goal{"score " + rest + " molecules, times as fast as " + reference, side{referencePlatform, name, nanoseconds}, side{"native", name, nanoseconds}, 5},
				goal{what: "score " + rest + " molecules, memory", over: side{"native", name, peakBytes}, want: 150e6})
		case kind == "Bank" && rest != smallModel:
			want := 0.4
			if graphs, _ := strconv.Atoi(rest); graphs > 100_000 {
				want = 1. / 7
			}
			list = append(list, goal{"score " + strconv.Itoa(bankRows) + " molecules, the model of " + smallModel + " / one of " + rest + " graphs",
				side{"native", "Bank/" + smallModel, nanoseconds}, side{"native", name, nanoseconds}, want})
		case name == "Start/1":
			list = append(list, atMost("score one molecule from the start of the command", "native", name, 60*time.Millisecond))
		case name == "Start/1000":
			list = append(list, atMost("score 1 000 molecules from the start of the command", "native", name, 150*time.Millisecond))
		case kind == "Neighbour" && strings.HasSuffix(name, "/subtrees"):
			list = append(list, atMost("nearest of "+strings.TrimSuffix(rest, "/subtrees")+" graphs by subtrees, one core", "native", name, 50*time.Microsecond))
		}
	}
	return list
}

func (r *results) best(s side) sample { return r.of(s.platform, s.name, best(s.metric)) }

func (r *results) writeGoals(b *bytes.Buffer) {
	t := tabular{title: "Goals", head: []string{"what", "wanted", "median", "best of each", "reached"}}
	for _, g := range r.goals() {
		if g.under == (side{}) {
			r.addLimit(&t, g)
			continue
		}
		over, under := r.best(g.over), r.best(g.under)
		ratio := over.over(under)
		if len(ratio) == 0 {
			continue
		}
		fastest := over.max() / under.max()
		if g.over.metric == nanoseconds {
			fastest = over.min() / under.min()
		}
		wanted, reached := fmt.Sprintf("≥ %.3g", g.want), yes(ratio.median() >= g.want)
		if g.want == 0 {
			wanted, reached = "–", "–"
		}
		t.add(g.what, wanted, ratio.String(), number(fastest), reached)
	}
	t.write(b)
}

// addLimit adds what is to be less than so much: a time, or memory.
func (r *results) addLimit(t *tabular, g goal) {
	found := r.of(g.over.platform, g.over.name, g.over.metric)
	if len(found) == 0 {
		return
	}
	spell, least := duration, r.best(g.over).min()
	if g.over.metric == peakBytes {
		spell, least = megabytes, found.min()
	}
	t.add(g.what, "≤ "+spell(g.want), found.around(spell), spell(least), yes(found.median() <= g.want))
}

func yes(reached bool) string {
	if reached {
		return "yes"
	}
	return "**no**"
}
