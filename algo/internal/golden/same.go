package golden

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

// Same compares a text with that of a file in the package's folder, which someone has read line by line for
// truth. With BACA_UPDATE=1 it writes the file: then read what changed.
func Same(t testing.TB, path, got string) {
	t.Helper()
	if os.Getenv("BACA_UPDATE") != "" {
		must.Do(os.WriteFile(path, []byte(got), 0o666))
	}
	compare(t, path, got)
}

// compare fails the test at the first line of a file that differs from that of got.
func compare(t testing.TB, path, got string) {
	t.Helper()
	want := strings.Split(string(must.Have(os.ReadFile(path))), "\n")
	lines := strings.Split(got, "\n")
	for k := range max(len(want), len(lines)) { // beyond the last line both are empty lists
		has, wants := lines[min(k, len(lines)):min(k+1, len(lines))], want[min(k, len(want)):min(k+1, len(want))]
		if !slices.Equal(has, wants) {
			t.Fatalf("%s:%d: %q, want %q", path, k+1, has, wants)
		}
	}
}

// Table is Same for a file of lines with fields between tabs: of gives what follows so many fields of each, or lines that
// begin with a tab.
func Table(t testing.TB, path string, fields int, of func(fields []string) string) {
	t.Helper()
	Same(t, path, completed(t, path, fields, of))
}

// Reference is Table for a file that another program wrote, which BACA_UPDATE does not rewrite.
func Reference(t testing.TB, path string, fields int, of func(fields []string) string) {
	t.Helper()
	compare(t, path, completed(t, path, fields, of))
}

// completed returns the text of a table with the values that the function of computes.
func completed(t testing.TB, path string, fields int, of func(fields []string) string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(string(must.Have(os.ReadFile(path)))) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		given := strings.Split(strings.TrimSuffix(line, "\n"), "\t")[:fields]
		fmt.Fprintln(&b, strings.ReplaceAll(strings.Join(given, "\t")+"\t"+of(given), "\t\n", "\n"))
	}
	if b.Len() == 0 {
		t.Fatalf("%s is empty", path)
	}
	return b.String()
}

// shownBy are patterns of HTML and SVG with what is read of them: neither styles and scripts, nor most tags, nor a
// chart's axes and their numbers, which are grey.
var shownBy = [][2]string{
	{`(?s)<style>.*?</style>|<script.*?</script>|<meta[^>]*>|<noscript>.*?</noscript>|<h2>What not to conclude</h2>\n.*`, ""},
	{`<path d="[^"]*" stroke="(#e6e6e6|#777)"[^>]*/>(<text [^>]*fill="#777"[^>]*>[^<]*</text>)?`, ""},
	{`<text [^>]*text-anchor="middle"[^>]*>`, "axis "}, {`<(rect|path|text) ([^>]*?)/?>`, "\n$1 $2\n"},
	{`<sup>`, "^"}, {`<[^>]*? (data-[^>]*)>`, "\n$1\n"}, {`(stroke|fill|class)="[^"#]*"`, ""},
	{`</(td|th|dt|span|b|sup|strong|button)>`, " | "}, {`</[a-z0-9]+>|/>`, "\n"}, {`<[^>]*>`, ""}, {`(?m)[ |]+$|^\s+`, ""},
}

// Shown returns what a page of HTML says: each line once, with how often it comes.
func Shown(page string) string {
	for _, r := range shownBy {
		page = regexp.MustCompile(r[0]).ReplaceAllString(page, r[1])
	}
	times, list := map[string]int{}, []string(nil)
	for _, line := range strings.Split(page, "\n") {
		if times[line]++; times[line] == 1 && line != "" {
			list = append(list, line)
		}
	}
	for k, line := range list {
		if n := times[line]; n > 1 {
			list[k] += fmt.Sprint(" ×", n)
		}
	}
	return strings.Join(list, "\n")
}

// Pages collects what pages say, to compare with Same.
type Pages struct{ strings.Builder }

// Evil must be escaped in a page.
const Evil = `</title><script>alert("x")</script><img src=x onerror=y>`

// Page adds what a page of HTML says, which makes no tags of Evil.
func (p *Pages) Page(t testing.TB, name, page string) {
	t.Helper()
	Lacks(t, page, "<script>alert", "<img", "<a href", "NaN", "%!")
	fmt.Fprintf(p, "=== %s\n%s\n", name, Shown(page))
}

// Lacks reports texts that are there.
func Lacks(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("there is %q: %s", part, text[max(i-40, 0):min(i+40, len(text))])
		}
	}
}

// Between is a text between two others.
func Between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// Text is what is written of v.
func Text[T any](write func(io.Writer, T) error, v T) string {
	var b strings.Builder
	must.Do(write(&b, v))
	return b.String()
}

// JSON adds the values of an object, a line each, and of lists of long texts how many there are.
func (p *Pages) JSON(name, text string) {
	var values map[string]any
	must.Do(json.Unmarshal([]byte(text), &values))
	fmt.Fprintf(p, "=== %s as JSON\n", name)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if list, ok := values[key].([]any); ok && slices.Contains([]string{"references", "method", "limits", "left_blank"}, key) {
			values[key] = len(list)
		}
		fmt.Fprintf(p, "%s: %s\n", key, strings.ReplaceAll(string(must.Have(json.Marshal(values[key]))), `},{`, "},\n\t{"))
	}
}
