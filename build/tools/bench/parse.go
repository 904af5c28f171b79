package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// torch is the platform of the peer.
const torch = "torch"

// A result is one line of a benchmark.
type result struct {
	platform string
	round    int
	name     string // with -N for N threads, if more than one
	metrics  map[string]float64
}

// results are those of a run, with what they were measured on.
type results struct {
	all       []result
	cpu       string
	toolchain string   // version of Go
	engines   []string // that WebAssembly ran in
	load      []string // at the beginning of each round
}

// add adds results. Of those of one benchmark in one round it keeps the fastest.
func (r *results) add(more ...result) {
	for _, m := range more {
		at := slices.IndexFunc(r.all, func(o result) bool {
			return o.platform == m.platform && o.round == m.round && o.name == m.name
		})
		if at < 0 {
			r.all = append(r.all, m)
		} else if m.metrics[nanoseconds] < r.all[at].metrics[nanoseconds] {
			r.all[at] = m
		}
	}
}

var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+)\s+\d+\s+(.*)$`)

// best makes the name of the metric that a benchmark would have if all its runs were as
// fast as its fastest.
func best(metric string) string { return "best " + metric }

// parse reads the output of a test program. Lines that are no results are left out.
func parse(output []byte, platform string, round int) []result {
	var found []result
	for line := range strings.Lines(string(output)) {
		m := benchmarkLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		fields := strings.Fields(m[2])
		metrics := map[string]float64{}
		for i := 0; i+1 < len(fields); i += 2 {
			// The clock of a browser is coarse: a rate may be infinite.
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil && !math.IsInf(v, 0) {
				metrics[fields[i+1]] = v
			}
		}
		gain := 1.0
		if fastest := metrics[shortest]; fastest > 0 && metrics[nanoseconds] > fastest {
			gain = metrics[nanoseconds] / fastest
		}
		for unit, v := range maps.Clone(metrics) {
			if unit == nanoseconds {
				metrics[best(unit)] = v / gain
			} else if strings.HasSuffix(unit, "/s") {
				metrics[best(unit)] = v * gain
			}
		}
		if len(metrics) > 0 {
			found = append(found, result{platform, round, m[1], metrics})
		}
	}
	return found
}

// cpuOf returns the processor that the output of a native test program names.
func cpuOf(output []byte) string {
	for line := range bytes.Lines(output) {
		if name, ok := bytes.CutPrefix(line, []byte("cpu: ")); ok {
			return string(bytes.TrimSpace(name))
		}
	}
	return ""
}

// peerText turns the JSON lines of the peer into benchmark lines under the names that
// the same work has here.
func peerText(output []byte) []byte {
	var text bytes.Buffer
	write := func(name string, value float64, unit string) {
		fmt.Fprintf(&text, "Benchmark%s\t1\t%.6g %s\n", name, value, unit)
	}
	seconds := 0.0 // for each molecule so far
	for line := range bytes.Lines(output) {
		var figure struct {
			What, Set, Unit string
			Value           float64
		}
		if json.Unmarshal(line, &figure) != nil || !(figure.Value > 0) {
			continue
		}
		name := map[string]string{
			"parse and featurise (RDKit)": "Parse/" + figure.Set + "/features",
			"structural encoding (numpy)": "Structure/" + figure.Set,
			"pre-training epoch":          "Epoch/" + figure.Set,
			"S_Pre, batch 128":            "Pre/" + figure.Set + "/encoded",
		}[figure.What]
		if name == "" {
			continue
		}
		value, unit := figure.Value, figure.Unit
		if unit == "s" {
			value, unit = value*1e9, "ns/op"
		}
		write(name, value, unit)
		switch kind, _, _ := strings.Cut(name, "/"); {
		case kind == "Parse":
			seconds = 1 / value
		case kind == "Structure" && seconds > 0:
			write("Parse/"+figure.Set+"/features+structure", 1/(seconds+1/value), "molecules/s")
		}
	}
	return text.Bytes()
}

// A sample is what the rounds gave for one metric of one benchmark, by round.
type sample map[int]float64

// of returns the sample of a metric, empty where it was not measured.
func (r *results) of(platform, name, metric string) sample {
	s := sample{}
	for _, one := range r.all {
		if one.platform == platform && one.name == name {
			if v, ok := one.metrics[metric]; ok {
				s[one.round] = v
			}
		}
	}
	return s
}

func (s sample) sorted() []float64 { return slices.Sorted(maps.Values(s)) }

// median is 0 where there is nothing.
func (s sample) median() float64 {
	v := s.sorted()
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (s sample) min() float64 {
	if len(s) == 0 {
		return 0
	}
	return s.sorted()[0]
}

func (s sample) max() float64 {
	if len(s) == 0 {
		return 0
	}
	return s.sorted()[len(s)-1]
}

// spread is half the distance from the least to the largest, as a share of the median.
func (s sample) spread() float64 {
	if s.median() == 0 {
		return 0
	}
	return (s.max() - s.min()) / 2 / s.median()
}

// settled tells whether each of some benchmarks has taken about the same time in three
// rounds or more, so that another would say nothing new.
func (r *results) settled(found []result) bool {
	const rounds, most = 3, 0.03
	return !slices.ContainsFunc(found, func(f result) bool {
		times := r.of(f.platform, f.name, nanoseconds)
		return len(times) < rounds || times.spread() > most
	})
}

// over divides within each round.
func (s sample) over(t sample) sample {
	ratio := sample{}
	for round, x := range s {
		if y := t[round]; y != 0 {
			ratio[round] = x / y
		}
	}
	return ratio
}

// names lists the benchmarks of a platform in the order in which they ran.
func (r *results) names(platform string) []string {
	var list []string
	for _, one := range r.all {
		if one.platform == platform && !slices.Contains(list, one.name) {
			list = append(list, one.name)
		}
	}
	return list
}

// platforms lists them in the order in which they ran.
func (r *results) platforms() []string {
	var list []string
	for _, one := range r.all {
		if !slices.Contains(list, one.platform) {
			list = append(list, one.platform)
		}
	}
	return list
}
