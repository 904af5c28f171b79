package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo/molecule/smiles"
	"baca/build/internal/testset"
	"baca/web"
	"baca/weights"
)

// A molecule has one row: however it is written, whatever stands beside it, in any order,
// as often as it is there, with any seed, number of cores.
func TestOneMoleculeOneRow(t *testing.T) {
	testset.Model(t, weights.Default)
	dir := t.TempDir()
	list, err := csv.NewReader(bytes.NewReader(web.Examples())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type line struct{ name, smiles string }
	var lines []line
	for _, row := range list[1:] {
		lines = append(lines, line{strings.ReplaceAll(row[0], " ", "_"), row[2]})
	}
	file := func(name string, lines []line) string {
		var b strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&b, "%s %s\n", l.smiles, l.name)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	command := func(args ...string) []byte {
		t.Helper()
		var out, stderr bytes.Buffer
		if status := run(nil, args, nil, &out, &stderr); status != 0 {
			t.Fatalf("baca %v: exit status %d\n%s", args, status, &stderr)
		}
		return out.Bytes()
	}
	// answers are score, p-value and verdict by name.
	answersOf := func(data []byte) map[string][]string {
		t.Helper()
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for _, row := range rows[1:] {
			if before := of[row[0]]; before != nil && !slices.Equal(before, row[2:5]) {
				t.Errorf("two copies of %s: %v and %v", row[0], before, row[2:5])
			}
			of[row[0]] = row[2:5]
		}
		return of
	}
	plain := file("plain.smi", lines)
	want := answersOf(command("score", plain))
	if len(want) != len(lines) {
		t.Fatalf("%d rows of %d", len(want), len(lines))
	}
	check := func(what string, data []byte, of int) {
		t.Helper()
		got := answersOf(data)
		if len(got) != of {
			t.Errorf("%s: %d rows of %d", what, len(got), of)
		}
		for name, row := range got {
			if !slices.Equal(row, want[name]) {
				t.Errorf("%s: %s is %v, want %v", what, name, row, want[name])
			}
		}
	}
	all := len(lines)
	for _, more := range [][]string{{"--workers", "1"}, {"--workers", "2", "--seed", "7"}, {"--by", "both"}} {
		check(strings.Join(more, " "), command(append([]string{"score", plain}, more...)...), all)
	}
	rng := rand.New(rand.NewPCG(6, 6))
	copies := slices.Concat(lines, lines, lines)
	rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	check("three copies in any order", command("score", file("copies.smi", copies)), all)
	for _, i := range []int{0, 40, all - 1} {
		check("by itself", command("score", file("one.smi", lines[i:i+1])), 1)
	}

	var written, canonical []line
	changed := 0
	for _, l := range lines {
		m, err := smiles.Parse(l.smiles)
		if err != nil {
			t.Fatal(err)
		}
		c, _, _ := smiles.Canonical(m)
		parts := strings.Split(smiles.Write(c), ".")
		slices.Reverse(parts)
		written, canonical = append(written, line{l.name, smiles.Write(m)}), append(canonical, line{l.name, strings.Join(parts, ".")})
		if canonical[len(canonical)-1].smiles != l.smiles {
			changed++
		}
	}
	if changed < all/2 {
		t.Errorf("only %d of %d molecules are written otherwise", changed, all)
	}
	check("written again", command("score", file("written.smi", written)), all)
	check("canonical SMILES, fragments reversed", command("score", file("canonical.smi", canonical)), all)
}
