package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

func megabytes(bytes float64) string { return number(bytes/1e6) + " MB" }

// dash is a cell, or a dash where there is none.
func (s sample) dash(spell func(float64) string) string {
	if len(s) == 0 || s.median() == 0 {
		return "–"
	}
	return s.around(spell)
}

// writeCommand has a row for each file that the command scores.
func (r *results) writeCommand(b *bytes.Buffer) {
	t := tabular{
		title: "The command",
		text: "`baca score` of molecules of many sources, from the start of the program to its end, on all cores; nothing\n" +
			"reads what it writes. Start/N is of a small file, whose time is mostly that of starting.",
		head: []string{"molecules", reference, "now", "best", "times as fast", "a molecule", "memory of " + reference, "memory now"},
	}
	for _, name := range r.names("native") {
		kind, count, _ := strings.Cut(name, "/")
		if kind != "Score" && kind != "Start" {
			continue
		}
		now, before := side{"native", name, nanoseconds}, side{referencePlatform, name, nanoseconds}
		took := r.of(now.platform, name, nanoseconds)
		each := "–"
		if n, err := strconv.ParseFloat(count, 64); err == nil && kind == "Score" {
			each = duration(took.median() / n)
		}
		t.add(name, r.of(before.platform, name, nanoseconds).dash(duration), took.dash(duration), duration(r.best(now).min()),
			r.best(before).over(r.best(now)).String(), each,
			r.of(referencePlatform, name, peakBytes).dash(megabytes), r.of("native", name, peakBytes).dash(megabytes))
	}
	t.write(b)
}

// writeNeighbours has a row for each way to find the nearest graph.
func (r *results) writeNeighbours(b *bytes.Buffer) {
	t := tabular{
		title: "The nearest graph",
		text: "The index of subtrees, exact, beside comparing fingerprints of 1 024 bits one by one, each on one core:\n" +
			"popcount is a loop of this program, numpy counts bits by blocks, RDKit is BulkTanimotoSimilarity.",
		head: []string{"graphs", "way", "a query", "times as fast as popcount"},
	}
	for _, name := range r.names("native") {
		parts := strings.Split(name, "/")
		if parts[0] != "Neighbour" || len(parts) != 3 {
			continue
		}
		one := r.of("native", name, nanoseconds)
		popcount := r.of("native", parts[0]+"/"+parts[1]+"/popcount", nanoseconds)
		t.add(parts[1], parts[2], one.spelled(), popcount.over(one).String())
	}
	t.write(b)
}

// writeLists has a row for each list that a worker of the page decides.
func (r *results) writeLists(b *bytes.Buffer) {
	t := tabular{
		title: "Lists in a tab",
		text: "The engine of the page's worker decides a list, each molecule by itself, on one thread, the first time and\n" +
			"without warming up. RDKit.js does a part of that in Node: it reads the molecules, makes Morgan fingerprints of\n" +
			"1 024 bits, and finds the most similar of bbbp by comparing them one by one.",
		head: []string{"list"},
	}
	var engines []string
	for _, p := range r.platforms() {
		if slices.ContainsFunc(r.names(p), isList) {
			engines = append(engines, p)
			t.head = append(t.head, p)
		}
	}
	if len(engines) == 0 {
		return
	}
	for _, p := range engines[1:] {
		t.head = append(t.head, p+" / "+engines[0])
	}
	t.head = append(t.head, rdkitJS)
	for _, name := range r.names(engines[0]) {
		if !isList(name) {
			continue
		}
		cells := []string{name}
		for _, p := range engines {
			cells = append(cells, r.of(p, name, nanoseconds).dash(duration))
		}
		for _, p := range engines[1:] {
			cells = append(cells, r.of(p, name, nanoseconds).over(r.of(engines[0], name, nanoseconds)).String())
		}
		cells = append(cells, r.of("node", rdkitJS+strings.TrimPrefix(name, "Decide"), nanoseconds).dash(duration))
		t.add(cells...)
	}
	t.write(b)
}

func isList(name string) bool { return strings.HasPrefix(name, "Decide/") }
