package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"baca/algo/fingerprint"
)

// small is a set in a folder of its own: alkanes and alcohols of many lengths, and a row
// that is no molecule.
func small(t *testing.T, rows int) *mix {
	t.Helper()
	data := t.TempDir()
	path := filepath.Join(data, mixName)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(f)
	fmt.Fprintln(packed, "id,source,smiles")
	for i := range rows {
		text := strings.Repeat("C", 1+i%40) + strings.Repeat("O", i%3) + strings.Repeat("N", i/40%2)
		if i == 7 {
			text = "C1CC"
		}
		fmt.Fprintf(packed, "%d,made,%s\n", i, text)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := openMix(filepath.Join(data, mixName))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMix(t *testing.T) {
	m := small(t, 1000)
	if len(m.rows) != 1000 {
		t.Fatalf("%d rows, want 1000", len(m.rows))
	}
	part := m.part(10)
	for i, row := range part {
		if want := fmt.Sprintf("%d,", 100*i+50); !strings.HasPrefix(row, want) {
			t.Errorf("row %d is %s, want %s…", i, row, want)
		}
	}
	if all := m.part(5000); !slices.Equal(all, m.rows) {
		t.Error("more than there are is not all")
	}
	path := filepath.Join(t.TempDir(), mixName)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := m.write(path, part); err != nil {
		t.Fatal(err)
	}
	again, err := openMix(path)
	if err != nil || !slices.Equal(again.rows, part) || again.header != m.header {
		t.Errorf("written and read again: %v, %v", again, err)
	}
	if list, err := m.molecules(part[:1]); err != nil || !slices.Equal(list, []string{"CCCCCCCCCCCOON"}) {
		t.Errorf("the molecules are %q (%v)", list, err)
	}
	if _, err := openMix(filepath.Join(t.TempDir(), mixName)); err == nil {
		t.Error("a set that is not there is read")
	}
}

// The comparison bit by bit finds what a set of bits finds.
func TestNearest(t *testing.T) {
	s, err := newNeighbours(context.Background(), small(t, 2000), 1500)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.folded)+len(s.asked) > 1700 || len(s.asked) < queryCount || s.index.Len() != len(s.folded) {
		t.Fatalf("a bank of %d and %d, %d queries", len(s.folded), s.index.Len(), len(s.asked))
	}
	bits := func(f *folded) map[int]bool {
		set := map[int]bool{}
		for i := range 1024 {
			if f[i/64]>>(i%64)&1 == 1 {
				set[i] = true
			}
		}
		return set
	}
	for _, q := range s.asked[:20] {
		best, own := 0.0, bits(&q)
		for i := range s.folded {
			common, other := 0, bits(&s.folded[i])
			for b := range other {
				if own[b] {
					common++
				}
			}
			best = max(best, float64(common)/float64(len(own)+len(other)-common))
		}
		if got := s.nearest(&q); math.Abs(got-best) > 1e-15 {
			t.Errorf("the nearest has %g, want %g", got, best)
		}
	}
	if f := fold(fingerprint.Print{Keys: []uint32{0, 1, 1023, 1024, 5000}}); f.size() != 4 || f[0] != 3 || f[15] != 1<<63 || f[5000%1024/64]>>(5000%64)&1 != 1 {
		t.Errorf("folded to %x", f)
	}
	found := parse(s.run(), "native", 0)
	if len(found) != 2 || found[0].name != s.name("subtrees") || !(found[0].metrics[nanoseconds] > 0) {
		t.Errorf("the lines give %v", found)
	}
	bank, _, err := s.write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(bank); err != nil || info.Size() != int64(128*len(s.folded)) {
		t.Errorf("the bank is written as %v (%v)", info, err)
	}
}

// Contenders take turns, and one that fails ends the race with what it said.
func TestRace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	var contenders []contender
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name)
		script := "#!/bin/sh\nprintf " + name + " >>" + log + "\n[ \"$*\" = 'score input' ] || { echo bad arguments >&2; exit 1; }\n"
		if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		contenders = append(contenders, contender{name, path})
	}
	r := race{name: "Score/7", args: []string{"input"}, runs: 3}
	for round := range 2 {
		lines, err := r.run(context.Background(), round, contenders)
		if err != nil {
			t.Fatal(err)
		}
		for _, platform := range []string{"a", "b"} {
			found := parse(lines[platform], platform, round)
			if len(found) != 1 || found[0].name != "Score/7" || !(found[0].metrics[best(nanoseconds)] <= found[0].metrics[nanoseconds]) {
				t.Errorf("%s gives %v", platform, found)
			}
		}
	}
	if order, err := os.ReadFile(log); string(order) != "abbaab"+"baabba" {
		t.Errorf("they ran in the order %s (%v)", order, err)
	}
	r.args = []string{"other"}
	if _, err := r.run(context.Background(), 0, contenders); err == nil || !strings.Contains(err.Error(), "bad arguments") {
		t.Errorf("a contender that fails: %v", err)
	}
}

func TestHighestMemory(t *testing.T) {
	if got := highest([]byte("Name:\tbaca\nVmHWM:\t    5120 kB\nVmRSS:\t    1024 kB\n")); got != 5120*1024 {
		t.Errorf("the most memory is %g", got)
	}
	if got := highest(nil); got != 0 {
		t.Errorf("of nothing the most memory is %g", got)
	}
}
