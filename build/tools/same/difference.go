package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"baca/build/internal/try"
)

// varying matches what differs between any two runs, or between any two commits, and has the placeholder for it.
var varying = []struct {
	pattern     *regexp.Regexp
	placeholder string
}{
	{address, "http://127.0.0.1:PORT"},
	{regexp.MustCompile(`HOME/line\d+`), "HOME/lineN"},
	// Progress is written every few seconds, with speeds.
	{regexp.MustCompile(`(?m)^(scoring|reading.*|choosing|drawing a sample): \d+ (graph|%).*\n`), ""},
	{regexp.MustCompile(`(?m)(^pre-training .*\n)+`), "$1"}, // only the last line
	{regexp.MustCompile(`, (\d+ graphs/s|in [\d.ms]+)\b`), ""},
	// The page and the wheel name their program by its hash.
	{regexp.MustCompile(`baca\.[0-9a-f]{16}\.wasm`), "baca.HASH.wasm"},
	{regexp.MustCompile(`(version(?: = |=)")[0-9a-f]{16}"`), `${1}HASH"`},
	{regexp.MustCompile(`data-size="\d+"`), `data-size="SIZE"`},
	{regexp.MustCompile(`baca/bin/baca,.*`), "baca/bin/baca,HASH,SIZE"},
}

// program matches the names of program files.
var program = regexp.MustCompile(`(^|/)baca(\.HASH)?(\.wasm|\.exe)?$`)

const sizeOf = "size of "

// plain returns a text with placeholders for what varies.
func (s *side) plain(text string) string {
	text = strings.NewReplacer(s.home, "HOME", s.tree, "TREE").Replace(text)
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.placeholder)
	}
	return text
}

// difference says how two answers differ. It is empty if they are equal. Sizes of programs may differ, and are printed.
func difference(ctx context.Context, before, now answer) string {
	var b strings.Builder
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, had := before[name]
		next, has := now[name]
		switch {
		case had != has:
			fmt.Fprintf(&b, "%s: there before: %v, there now: %v\n", name, had, has)
		case old != next && strings.HasPrefix(name, sizeOf):
			fmt.Printf("%s: %s, now %s\n", name, old, next)
		case old != next:
			fmt.Fprintf(&b, "%s, %d bytes, now %d:\n%s", name, len(old), len(next), unified(ctx, old, next))
		}
	}
	return b.String()
}

const mostLines = 12 // lines of a difference that are shown

// A longLine is broken after each piece, a comma or tag.
var (
	longLine = regexp.MustCompile(`(?m)^.{200,}$`)
	piece    = regexp.MustCompile(`[,>]`)
)

// unified returns a short diff in the unified form.
func unified(ctx context.Context, before, now string) string {
	dir := try.To(os.MkdirTemp("", "diff"))
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"before": before, "now": now} {
		text = longLine.ReplaceAllStringFunc(text, func(line string) string { return piece.ReplaceAllString(line, "$0\n") })
		try.Check(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	c := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-color", "--text", "-U1", "before", "now")
	c.Dir = dir
	text, _ := c.Output() // exit status 1 says that they differ
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i < 4 || i > 4+mostLines { // names of files, and what is too much
			continue
		}
		line = strings.Map(func(r rune) rune {
			if r == '\t' || unicode.IsPrint(r) {
				return r
			}
			return '·'
		}, line)
		fmt.Fprintf(&b, "%.250s\n", line)
	}
	return b.String()
}
