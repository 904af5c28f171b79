package mutants

import (
	"bytes"
	"compress/bzip2"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/build/internal/machine"
	"baca/build/internal/try"
	"baca/build/internal/unpack"
)

var (
	seed  = flag.Uint64("seed", 1, "of the changes")
	count = flag.Int("mutants", 1050, "how many mutants, in turn of each kind")
	out   = flag.String("out", os.DevNull, "write the page to this `file`")
	only  = flag.Int("only", -1, "make only this mutant")
	write = flag.String("write", os.DevNull, "and write it to this `file`")
)

// plan draws what to change.
func plan(seed uint64, number int) []byte {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	list := make([]byte, 1+edit*(1+rng.IntN(3)))
	for i := range list {
		list[i] = byte(rng.Uint32())
	}
	return list
}

// A mutant may take so many times as long as its clean file, and enough to expand the first MiB, which is free. Only the report asks, as
// tests are without a clock.
const (
	mostTimes = 10
	freeTime  = 100 * time.Millisecond
)

// The report of mutants: no panic, nothing lost without a word, time in proportion.
func TestMutants(t *testing.T) {
	list := kinds()
	if *only >= 0 {
		k := list[*only%len(list)]
		m := k.mutate(plan(*seed, *only))
		try.Check(os.WriteFile(*write, m.data, 0o666))
		r := k.read(m.data)
		became, why := k.judge(m, r, k.read(k.file))
		t.Logf("%s: %s %s\n%d rows, %d refused, notes %q, error %v", k.name, outcomes[became], why, len(r.rows), r.refused, r.notes, r.err)
		return
	}
	var page strings.Builder
	fmt.Fprintf(&page, `# Mutants

Is a record lost without a word when a file is damaged? Each clean file has %d records. The clean rows: all came out as before. Told: a refusal
or a note stands for each record that did not. Error: the reading ended with one. Lost: anything else. A mutant may take %d times as long as
the clean file, or %v, as the first MiB expands for free.

| file | mutants | %s | clean, ms | longest, ms |
|---|---|---|---|---|---|---|---|---|
`, records, mostTimes, freeTime, strings.Join(outcomes, " | "))
	broken := 0
	for i, k := range list {
		clean := k.fastest(k.file)
		if clean.err != nil || len(clean.rows) != records {
			t.Fatalf("%s: %d rows, then %v", k.name, len(clean.rows), clean.err)
		}
		var became [crashed + 1]int
		longest, mutants := clean.took, 0
		for number := i; number < *count; number += len(list) {
			name := fmt.Sprintf("%s: -seed %d -only %d", k.name, *seed, number)
			m := k.mutate(plan(*seed, number))
			guard := time.AfterFunc(time.Minute, func() { panic(name + " has no end") })
			r := k.read(m.data)
			if r.took > longest {
				r = k.fastest(m.data)
			}
			guard.Stop()
			what, why := k.judge(m, r, clean)
			longest = max(longest, r.took)
			if slow := *out != os.DevNull && r.took > max(freeTime, mostTimes*clean.took); slow || what >= lost {
				t.Errorf("%s %s: %s, in %v", name, outcomes[what], why, r.took)
				broken++
			}
			became[what]++
			mutants++
		}
		fmt.Fprintf(&page, "| %s | %d | %d | %d | %d | %d | %d | %.1f | %.1f |\n", k.name, mutants, became[same], became[told], became[failed], became[lost], became[crashed],
			1000*clean.took.Seconds(), 1000*longest.Seconds())
	}
	fmt.Fprintf(&page, "\nOf %d mutants %d break the law. `go test ./build/tools/mutants -run TestMutants -timeout 1h -seed %d -mutants %d`, on %s, %s.\n",
		*count, broken, *seed, *count, machine.Processor(), runtime.Version())
	try.Check(os.WriteFile(*out, []byte(page.String()), 0o666))
}

// fastest reads a file a few times, since a short time is a noisy one.
func (k *kind) fastest(data []byte) reading {
	best := k.read(data)
	for range 9 {
		if r := k.read(data); r.took < best.took {
			best = r
		}
	}
	return best
}

// fuzz looks for plans that break the law for some kinds.
func fuzz(f *testing.F, list []*kind) {
	var clean []reading
	for i, k := range list {
		clean = append(clean, k.read(k.file))
		f.Add(byte(i), plan(1, i))
	}
	f.Fuzz(func(t *testing.T, which byte, plan []byte) {
		edits := min((len(plan)-1)/edit, 3)
		if len(plan) == 0 || edits == 0 {
			return
		}
		i := int(which) % len(list)
		m := list[i].mutate(plan[:1+edits*edit])
		if what, why := list[i].judge(m, list[i].read(m.data), clean[i]); what >= lost {
			t.Errorf("%s %s: %s\n%.4000q", list[i].name, outcomes[what], why, m.data)
		}
	})
}

// of returns the kinds with these extensions.
func of(extensions ...string) []*kind {
	return slices.DeleteFunc(kinds(), func(k *kind) bool {
		return !slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(k.name, e) })
	})
}

func FuzzArchives(f *testing.F)  { fuzz(f, of(".gz", ".zst", ".zip", ".tar", ".xz", ".bz2")) }
func FuzzWorkbooks(f *testing.F) { fuzz(f, of(".xlsx")) }
func FuzzJSON(f *testing.F)      { fuzz(f, of(".json", ".jsonl")) }
func FuzzTables(f *testing.F)    { fuzz(f, of(".csv", ".tsv", ".smi", ".sdf", ".graphml")) }
func FuzzColumns(f *testing.F)   { fuzz(f, of(".parquet")) }

// Files that other programs wrote.
func FuzzOthers(f *testing.F) {
	var list []*kind
	for _, pattern := range []string{"algo/dataset/testdata/other/*", "algo/parquet/testdata/*", "algo/xlsx/testdata/*", "../shared/cases/formats/*"} {
		for _, file := range try.To(filepath.Glob("../../../" + pattern)) {
			k := &kind{name: filepath.Base(file), sealed: true, counted: strings.HasSuffix(file, ".parquet"), pack: alone, file: try.To(os.ReadFile(file))}
			k.entries = []entry{{"", string(k.file)}}
			packed := slices.Contains([]string{".zip", ".gz", ".tgz", ".bz2", ".xz", ".xlsx", ".parquet"}, filepath.Ext(file))
			if packed && k.read(k.file).err == nil { // others hold no molecules
				list = append(list, k)
			}
		}
	}
	fuzz(f, list)
}

// The programs xz and bzip2 packed what is in two.tar; BACA_UPDATE=1 packs it anew.
func TestFixtures(t *testing.T) {
	i := slices.IndexFunc(kinds(), func(k *kind) bool { return k.name == "two.tar" })
	tar := kinds()[i].file
	bunzip := func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }
	for file, open := range map[string]func(io.Reader) (io.Reader, error){"two.tar.xz": unpack.XZ, "two.tar.bz2": bunzip} {
		if os.Getenv("BACA_UPDATE") != "" {
			c := exec.Command(map[string]string{"two.tar.xz": "xz", "two.tar.bz2": "bzip2"}[file], "-1")
			c.Stdin = bytes.NewReader(tar)
			try.Check(os.WriteFile("testdata/"+file, try.To(c.Output()), 0o666))
		}
		if got := try.To(io.ReadAll(try.To(open(try.To(os.Open("testdata/" + file)))))); !bytes.Equal(got, tar) {
			t.Errorf("%s holds another tar than two.tar", file)
		}
	}
}
