package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/chart"
	"baca/algo/decide"
	"baca/app/table"
)

// Lines of the text area, see .code in the style sheet.
const (
	lineHeight  = 22
	linePadding = 10
	gutterLines = 64 // drawn at once, more than the tallest screen has
)

// Gutter draws the visible line numbers of a text, with their status.
func Gutter(text string, r *table.Rows, top int) string {
	lines := linesOf(text)
	shift := numberShift * WideNumbers(text)
	from := max(top/lineHeight-2, 0) + 1
	to := min(from+gutterLines, lines+1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="gutter" aria-hidden="true"><g transform="translate(0 %d)">`, -top)
	for line := from; line < to; line++ {
		y := linePadding + (line-1)*lineHeight
		record, read := slices.BinarySearch(r.Line, int32(line)) // the record that was read from the line, if any
		switch {
		case read && r.Problem(record) != nil:
			fmt.Fprintf(&b, `<rect class="gutter-bad" x="0" y="%d" width="100%%" height="%d"/><path class="gutter-cross" d="M%d %dl8 8m0 -8l-8 8"/>`, y, lineHeight, 34+shift, y+7)
		case read:
			fmt.Fprintf(&b, `<path class="gutter-tick" d="M%d %dl3 3 5 -6"/>`, 34+shift, y+12)
		}
		fmt.Fprintf(&b, `<text class="gutter-number" x="%d" y="%d">%d</text>`, 26+shift, y+15, line)
	}
	b.WriteString(`</g></svg>`)
	return b.String()
}

// linesOf counts lines, also an empty last one.
func linesOf(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// numberShift is a digit's width in a gutter for three digits.
const numberShift = 8

// WideNumbers is the number of digits beyond three in line numbers.
func WideNumbers(text string) int { return max(len(strconv.Itoa(linesOf(text)))-3, 0) }

const barWidth = 72

// Bar shows a score between lowest and highest, with the threshold.
func Bar(x, low, high, threshold float64, v decide.Verdict) string {
	if math.IsNaN(x) {
		return `<svg class="bar-picture" width="72" height="10" aria-hidden="true"></svg>`
	}
	s := chart.Scale{Low: low, High: high, From: 0, To: barWidth}
	mark := ""
	if threshold > low && threshold < high {
		mark = `<path class="bar-mark" d="M` + num(s.At(threshold)) + ` 0V10"/>`
	}
	return `<svg class="bar-picture" width="72" height="10" aria-hidden="true"><rect class="bar-back" y="3" width="72" height="4"/>` +
		`<rect class="` + role(v) + `" y="2" width="` + num(min(max(s.At(x), 2), barWidth)) + `" height="6"/>` + mark + `</svg>`
}

// Interval shows a prediction and its interval, if it has one, between lowest and highest.
func Interval(x, from, to, low, high float64, like decide.Verdict) string {
	s := chart.Scale{Low: low, High: high, From: 0, To: barWidth}
	bar := ""
	if !math.IsNaN(from) {
		bar = `<rect class="` + role(like) + `" x="` + num(s.At(from)) + `" y="3" width="` + num(s.At(to)-s.At(from)) + `" height="4"/>`
	}
	if !math.IsNaN(x) {
		bar += `<path class="bar-mark" d="M` + num(s.At(x)) + ` 0V10"/>`
	}
	return `<svg class="bar-picture interval" width="72" height="10" aria-hidden="true"><path class="bar-axis" d="M0 5H72"/>` + bar + `</svg>`
}

// StageBar is a bar of the part of a stage that is done.
func StageBar(share float64) string {
	return `<svg class="stage-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true"><rect class="stage-done" width="` + num(100*share) + `" height="3"/></svg>`
}

// Share is a bar for a share.
func Share(x float64) string {
	return `<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-back" width="100" height="6"/><rect class="share-part" width="` + num(100*x) + `" height="6"/></svg>`
}
