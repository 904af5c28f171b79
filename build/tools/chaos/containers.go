//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"baca/build/internal/try"
)

// containers are files of the molecules of a.csv and b.csv, and the command lines that make them. With sums set,
// checksums reveal any damage.
var containers = []struct {
	name, by string
	sums     bool
}{
	{"in.zip", "zip -q in.zip a.csv b.csv", true},
	{"in.tar", "tar -cf in.tar a.csv b.csv", false},
	{"in.tar.gz", "tar -czf in.tar.gz a.csv b.csv", true},
	{"in.tar.xz", "tar -cJf in.tar.xz a.csv b.csv", true},
	{"in.tar.bz2", "tar -cjf in.tar.bz2 a.csv b.csv", true},
	{"in.json", `baca score --to jsonl a.csv | sed '1s/^/[/; $!s/$/,/; $s/$/]/' > in.json`, false},
	{"in.parquet", "baca score --out in.parquet a.csv", false},
	{"in.xlsx", `mkdir -p xl/_rels &&
		echo '<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet r:id="a"/></sheets></workbook>' > xl/workbook.xml &&
		echo '<Relationships><Relationship Id="a" Target="a.xml"/></Relationships>' > xl/_rels/workbook.xml.rels &&
		awk -F, 'BEGIN {print "<sheetData>"} {print "<row>"; for (i = 1; i <= NF; i++) print "<c t=\"str\"><v>" $i "</v></c>"; print "</row>"} END {print "</sheetData>"}' a.csv > xl/a.xml &&
		zip -qr in.xlsx xl`, true},
}

// readers are the verbs that read $IN.
var readers = map[string]string{
	"score":     "baca score --model model.msgpack $IN",
	"trust":     "baca trust --model errors.msgpack --predicted yhat $IN",
	"report":    "baca report --model model.msgpack --out out/r.html $IN",
	"train":     "baca train $IN --epochs 1 --background none --out out/m.msgpack",
	"compare":   "baca compare $IN b.csv",
	"split":     "baca split $IN",
	"suggest":   "baca suggest --model model.msgpack -n 3 $IN",
	"drift":     "baca drift --model model.msgpack $IN",
	"calibrate": "baca model calibrate model.msgpack --holdout $IN --out out/m.msgpack",
}

// damaged adds a target for each reader, and returns their names.
func damaged() (names []string) {
	for verb, line := range readers {
		name := verb + " of a container"
		targets[name] = &target{steps: "IN=${IN:-a.csv}; " + line + " > out/rows", gives: "rows"}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// damages are what happens to files.
var damages = []struct {
	name string
	do   func(rng *rand.Rand, data []byte) []byte
}{
	{"one bit", func(rng *rand.Rand, data []byte) []byte { return flip(rng, data, 1) }},
	{"eight bits", func(rng *rand.Rand, data []byte) []byte { return flip(rng, data, 8) }},
	{"a cut", func(rng *rand.Rand, data []byte) []byte { return data[:rng.IntN(len(data))] }},
	{"a cut at the end", func(rng *rand.Rand, data []byte) []byte { return data[:len(data)-1-rng.IntN(20)] }},
	{"a gap", func(rng *rand.Rand, data []byte) []byte {
		at := rng.IntN(len(data) - 100)
		return slices.Delete(data, at, at+1+rng.IntN(99))
	}},
	{"no quote", func(rng *rand.Rand, data []byte) []byte {
		at := rng.IntN(len(data) / 2)
		return append(data[:at:at], bytes.Replace(data[at:], []byte{'"'}, nil, 2)...)
	}},
}

func flip(rng *rand.Rand, data []byte, bits int) []byte {
	for range bits {
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	}
	return data
}

// tallied finds how many records a run read, and how many it refused or scored of them; told, what it said of others.
var (
	tallied = regexp.MustCompile(`(\d+) read, (\d+ \w+)`)
	told    = regexp.MustCompile(`(?m)^(warning: |in\.|refused: .*\b(resume|lost|skip|not read))`)
)

// damageInput damages a container. The reader must refuse it, or say which records it did not read, or give what the whole
// container gives. What no checksum covers may change, but not the number of records.
func (f *fault) damageInput() (outcome int) {
	in := containers[f.rng.IntN(len(containers))]
	how := damages[f.rng.IntN(len(damages))]
	read := func() (rows string, r *run) {
		r = f.wait(f.start(f.dir, "cat", "export IN="+in.name, f.target.steps))
		data, _ := os.ReadFile(f.out("rows"))
		return string(data), r
	}
	f.fresh()
	want, clean := read()
	if clean.err != nil {
		lose("%s is not read: %s", in.name, clean.messages())
	}
	f.fresh()
	f.note("%s in %s", how.name, in.name)
	path := filepath.Join(f.dir, in.name)
	data := try.To(os.ReadFile(path))
	harmed := how.do(f.rng, slices.Clone(data))
	try.Check(os.WriteFile(path, harmed, 0o666))
	got, r := read()
	before, after := tallied.FindStringSubmatch(clean.messages()), tallied.FindStringSubmatch(r.messages())
	switch said := r.messages(); {
	case r.err != nil && r.shell.ProcessState.ExitCode() == 1 && strings.HasPrefix(lastLine(said), "baca: "):
		return refused
	case r.err != nil:
		lose("%w: %s", r.err, said)
	case got == want && fmt.Sprint(before) == fmt.Sprint(after), told.MatchString(said):
	case before == nil || after == nil || before[1] != after[1] || in.sums && before[2] == after[2]:
		lose("success, though rows differ: %v, then %v: %s", before, after, said)
	}
	return survived
}
