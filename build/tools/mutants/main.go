// Command mutants damages small files of every container and finds out whether records are lost without a word.
//
//	go run ./build/tools/mutants -seed 1 -n 100000 -out build/results/mutants.md
//
// Each mutant has one to three changes: a structural byte, a bit or a piece less, more, twice or elsewhere, the end cut off; in the bytes of
// the file, in the text before it is packed, or among the entries of an archive. See judge for the law. The exit status is 1 if one breaks it.
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"time"

	"baca/build/internal/machine"
	"baca/build/internal/try"
)

func main() {
	seed := flag.Uint64("seed", 1, "of the changes")
	n := flag.Int("n", 100_000, "how many mutants, in turn of each kind")
	out := flag.String("out", os.DevNull, "write the page to this `file`, too")
	only := flag.Int("only", -1, "make only this one")
	write := flag.String("write", os.DevNull, "write the mutant of -only to this `file`")
	flag.Parse()
	if *only >= 0 {
		list := kinds()
		k := list[*only%len(list)]
		m := k.mutate(plan(*seed, *only))
		try.Check(os.WriteFile(*write, m.data, 0o666))
		r := k.read(m.data)
		became, why := k.judge(m, r, k.read(k.file))
		fmt.Printf("%s: %s %s\n%d rows, %d refused, notes %q, error %v\n", k.name, outcomes[became], why, len(r.rows), r.refused, r.notes, r.err)
		return
	}
	page, broken := report(*seed, *n, os.Stderr)
	fmt.Print(page)
	try.Check(os.WriteFile(*out, []byte(page), 0o666))
	if broken > 0 {
		os.Exit(1)
	}
}

// plan draws what to change.
func plan(seed uint64, number int) []byte {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	list := make([]byte, 1+edit*(1+rng.IntN(3)))
	for i := range list {
		list[i] = byte(rng.Uint32())
	}
	return list
}

var outcomes = []string{"the clean rows", "told", "error", "LOST", "panic"}

// A mutant may take so many times as long as its clean file, and enough to expand the first MiB, which is free.
const (
	mostTimes = 10
	freeTime  = 100 * time.Millisecond
)

// report makes mutants and returns the page and how many break the law.
func report(seed uint64, n int, log io.Writer) (page string, broken int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Mutants\n\nIs a record lost without a word when a file is damaged? Each clean file has %d records. The clean rows: all came out as before. Told: a "+
		"refusal or a note\nstands for each record that did not. Error: the reading ended with one. Lost: anything else.\n\n"+
		"| file | mutants | %s | longest |\n|---|---|---|---|---|---|---|---|\n", records, strings.Join(outcomes, " | "))
	list := kinds()
	for i, k := range list {
		clean := k.fastest(k.file)
		if clean.err != nil || len(clean.rows) != records {
			panic(fmt.Sprintf("%s: %d rows, then %v", k.name, len(clean.rows), clean.err))
		}
		var became [5]int
		longest, mutants := 0.0, 0
		for number := i; number < n; number += len(list) {
			name := fmt.Sprintf("%s: -seed %d -only %d", k.name, seed, number)
			m := k.mutate(plan(seed, number))
			guard := time.AfterFunc(time.Minute, func() { panic(name + " has no end") })
			r := k.read(m.data)
			if r.took.Seconds() > longest*clean.took.Seconds() {
				r = k.fastest(m.data)
			}
			guard.Stop()
			what, why := k.judge(m, r, clean)
			times := r.took.Seconds() / clean.took.Seconds()
			longest = max(longest, times)
			if slow := r.took > freeTime && times > mostTimes; slow || what >= lost {
				fmt.Fprintf(log, "%s %s %s %.1f times as long\n", name, outcomes[what], why, times)
				broken++
			}
			became[what]++
			mutants++
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %.1f × |\n", k.name, mutants, became[same], became[told], became[failed], became[lost], became[crashed], longest)
	}
	fmt.Fprintf(&b, "\nOf %d mutants %d break the law. `go run ./build/tools/mutants -seed %d -n %d`, on %s, %s.\n", n, broken, seed, n, machine.Processor(), runtime.Version())
	return b.String(), broken
}

// fastest reads a file a few times, since a short time is a noisy one.
func (k *kind) fastest(data []byte) reading {
	best := k.read(data)
	for range 20 {
		if r := k.read(data); r.took < best.took {
			best = r
		}
	}
	return best
}
