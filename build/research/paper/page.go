package paper

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A page says what an experiment found: a question, a table or two, an answer, and the command that measures it again.
type page struct {
	title, question string
	tables          []*pageTable
	answer          []string // sentences
}

// text returns the page as Markdown, with the command in its last line.
func (p *page) text(command string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", p.title, p.question)
	for _, t := range p.tables {
		t.write(&b)
	}
	if len(p.answer) > 0 {
		fmt.Fprintf(&b, "%s\n\n", strings.Join(p.answer, "\n"))
	}
	fmt.Fprintln(&b, command)
	return b.Bytes()
}

// A pageTable has rows of cells below a head.
type pageTable struct {
	text string
	head []string
	rows [][]string
	sums []float64 // of the shares in a column, NaN where it has others
}

// tabulate makes a table; cells returns text, counts, or shares as float64, which are shown in percent. A column in which
// no row has anything is left out.
func tabulate[R any](text string, heads []string, rows []R, cells func(R) []any) *pageTable {
	t, all := &pageTable{text: text, rows: make([][]string, len(rows))}, mapped(rows, cells)
	for c, head := range heads {
		shown := mapped(all, func(row []any) string { return shownAs(row[c]) })
		if !slices.ContainsFunc(shown, func(cell string) bool { return cell != none.percent(1) }) {
			continue
		}
		sum := 0.0
		for i, row := range all {
			share, ok := row[c].(float64)
			if !ok {
				share = math.NaN()
			}
			sum += share
			t.rows[i] = append(t.rows[i], shown[i])
		}
		t.head, t.sums = append(t.head, head), append(t.sums, sum)
	}
	return t
}

// shownAs formats a share in percent, and anything else as it is.
func shownAs(x any) string {
	if share, ok := x.(float64); ok {
		return rate(share).percent(1)
	}
	return strings.ReplaceAll(fmt.Sprint(x), "|", "\\|")
}

// mean adds a row with the mean of each column of shares, and returns the table. The first column has names.
func (t *pageTable) mean() *pageTable {
	n := float64(len(t.rows))
	row := []string{"**mean**"}
	for _, sum := range t.sums[1:] {
		text := ""
		if !math.IsNaN(sum) {
			text = "**" + rate(sum/n).percent(1) + "**"
		}
		row = append(row, text)
	}
	t.rows = append(t.rows, row)
	return t
}

// write writes the table, unless it is empty.
func (t *pageTable) write(b *bytes.Buffer) {
	if len(t.head) == 0 {
		return
	}
	if t.text != "" {
		fmt.Fprintf(b, "%s\n\n", t.text)
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, row := range t.rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
}

// distinct returns the different names of rows, in the order in which they first appear.
func distinct[R any](rows []R, name func(R) string) []string {
	names := mapped(rows, name)
	return pick(names, firsts(indices(len(names)), func(i int) string { return names[i] }))
}
