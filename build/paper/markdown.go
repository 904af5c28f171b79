package paper

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// A markdown is a report.
type markdown struct{ bytes.Buffer }

func (m *markdown) text(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// A field of a table is its text, and what the line of means counts it as, NaN for
// nothing.
type field struct {
	text   string
	number float64
}

func words(format string, args ...any) field { return field{fmt.Sprintf(format, args...), math.NaN()} }

// percents is a mean with its deviation.
func percents(mean, std float64) field { return field{percentOf(mean, std), mean} }

// tableOf begins a table.
func (m *markdown) tableOf(head ...string) *tabular {
	m.text("| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	return &tabular{to: m, sums: make([]float64, len(head))}
}

// A tabular is a table whose columns of numbers may get a line of means.
type tabular struct {
	to   *markdown
	sums []float64
	rows int
}

func (t *tabular) row(fields ...field) {
	t.to.WriteString("|")
	for i, f := range fields {
		t.to.text(" %s |", f.text)
		t.sums[i] += f.number
	}
	t.to.WriteString("\n")
	t.rows++
}

// mean ends the table with the means, where there are any.
func (t *tabular) mean() {
	fields := []field{words("**mean**")}
	for _, s := range t.sums[1:] {
		f := words("")
		if !math.IsNaN(s) {
			f = words("**%.1f**", 100*s/float64(t.rows))
		}
		fields = append(fields, f)
	}
	t.row(fields...)
	t.to.WriteString("\n")
}
