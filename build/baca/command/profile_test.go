package command

import (
	"bytes"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/weights"
)

// BenchmarkCommand is what people do with the command, single graphs above all: `make profile`
// makes a profile of it by which the compiler can optimise. It reads the molecules of the built-in
// background.
func BenchmarkCommand(b *testing.B) {
	testset.Model(b, weights.Default)
	text := try.To(io.ReadAll(weights.Background()))
	dir := b.TempDir()
	file := func(name string, rows int) string {
		var list strings.Builder
		list.WriteString("id,smiles\n")
		for i, line := range strings.SplitN(string(text), "\n", rows+1)[:rows] {
			list.WriteString(strconv.Itoa(i) + "," + line + "\n")
		}
		path := filepath.Join(dir, name)
		testset.Write(b, path, list.String())
		return path
	}
	all, some := file("all.csv", 5000), file("some.csv", 200)
	for _, job := range []struct {
		name  string
		times int
		args  []string
	}{
		{"alone", 12, []string{"score", all}},
		{"batch", 1, []string{"score", "--by", "batch", some}},
		{"explain", 1, []string{"score", "--explain", some}},
	} {
		b.Run(job.name, func(b *testing.B) {
			for b.Loop() {
				for range job.times {
					var stderr bytes.Buffer
					if status := run(nil, job.args, nil, io.Discard, &stderr); status != 0 {
						b.Fatalf("baca %v: exit status %d\n%s", job.args, status, &stderr)
					}
				}
			}
		})
	}
}
