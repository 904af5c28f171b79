// Package picture draws the page's SVG (Strip.SVG, Plot.SVG) and says how the page's script draws
// molecules. Pictures serve the page and saved files.
package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo/chart"
	"baca/algo/decide"
)

// An svg writes a picture of parts with roles. On the page a role is a class of the style sheet; in
// a saved file it is attributes in print colours.
type svg struct {
	strings.Builder
	width, height float64
	saved         bool
}

// roles are the attributes of parts in saved pictures.
var roles = map[string]string{
	"paper":      `fill="#ffffff"`,
	"axis":       `stroke="#8a9199" fill="none"`,
	"grid":       `stroke="#e2e4e6" fill="none"`,
	"label":      `fill="#5c636b" font-family="Helvetica, Arial, sans-serif" font-size="11"`,
	"label-end":  `fill="#5c636b" font-family="Helvetica, Arial, sans-serif" font-size="11" text-anchor="end"`,
	"label-mid":  `fill="#5c636b" font-family="Helvetica, Arial, sans-serif" font-size="11" text-anchor="middle"`,
	"known":      `fill="#d3d7db" stroke="#aab0b7"`,
	"inside":     `fill="` + chart.Inside + `"`,
	"borderline": `fill="#767c83"`,
	"outside":    `fill="` + chart.Outside + `"`,
	"undecided":  `fill="none" stroke="#767c83"`,
	"threshold":  `stroke="#1b1d1f" fill="none"`,
	"grip":       `fill="#1b1d1f"`,
	"chosen":     `fill="none" stroke="#1b1d1f"`,
	"line":       `stroke="#1b1d1f" fill="none"`,
	"line-in":    `stroke="` + chart.Inside + `" fill="none"`,
	"line-out":   `stroke="` + chart.Outside + `" fill="none"`,
	"cell":       `fill="` + chart.Inside + `"`,
	"cell-out":   `fill="` + chart.Outside + `"`,
	"map-paper":  `fill="#ffffff" stroke="#e2e4e6"`,
	"map-known":  `fill="#c3c8cd"`,
	"map-near":   `fill="none" stroke="#1b1d1f"`,
}

// newSVG begins a picture with alternative text, empty if redundant.
func newSVG(width, height float64, title string, saved bool) *svg {
	w := &svg{width: width, height: height, saved: saved}
	words := `aria-hidden="true"`
	if title != "" {
		words = `role="img" aria-label="` + escape(title) + `"`
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" %s>`,
		num(width), num(height), num(width), num(height), words)
	if saved {
		w.rect("paper", 0, 0, width, height)
	}
	return w
}

func (w *svg) end() string {
	w.WriteString("</svg>")
	return w.String()
}

// role returns the attributes of a part with a role.
func (w *svg) role(name string) string {
	if w.saved {
		return roles[name]
	}
	return `class="` + name + `"`
}

func (w *svg) rect(role string, x, y, width, height float64) {
	fmt.Fprintf(w, `<rect %s x="%s" y="%s" width="%s" height="%s"/>`, w.role(role), num(x), num(y), num(max(width, 0)), num(max(height, 0)))
}

func (w *svg) circle(role string, x, y, r float64) {
	fmt.Fprintf(w, `<circle %s cx="%s" cy="%s" r="%s"/>`, w.role(role), num(x), num(y), num(r))
}

func (w *svg) line(role string, width, x1, y1, x2, y2 float64) {
	fmt.Fprintf(w, `<path %s stroke-width="%s" d="M%s %sL%s %s"/>`, w.role(role), num(width), num(x1), num(y1), num(x2), num(y2))
}

// path draws points, pairs of x and y; NaN begins a new piece.
func (w *svg) path(role string, width float64, points []float64, closed bool) {
	var d strings.Builder
	pen := "M"
	for i := 0; i+1 < len(points); i += 2 {
		if math.IsNaN(points[i]) || math.IsNaN(points[i+1]) {
			pen = "M"
			continue
		}
		d.WriteString(pen + num(points[i]) + " " + num(points[i+1]))
		pen = "L"
	}
	if d.Len() == 0 {
		return
	}
	if closed {
		d.WriteString("Z")
	}
	fmt.Fprintf(w, `<path %s stroke-width="%s" d="%s"/>`, w.role(role), num(width), d.String())
}

// mark appends a verdict's shape of a radius to a path: verdicts have shapes and colours.
func mark(b *strings.Builder, v decide.Verdict, x, y, r float64) {
	switch v {
	case decide.Outside:
		fmt.Fprintf(b, "M%s %sl%s %sl%s %sl%s %sz", num(x-r), num(y), num(r), num(-r), num(r), num(r), num(-r), num(r))
	case decide.Borderline:
		fmt.Fprintf(b, "M%s %sh%sv%sh%sz", num(x-0.8*r), num(y-0.8*r), num(1.6*r), num(1.6*r), num(-1.6*r))
	default:
		dot(b, x, y, 0.9*r)
	}
}

// dot appends a circle to a path.
func dot(b *strings.Builder, x, y, r float64) {
	fmt.Fprintf(b, "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0", num(x-r), num(y), num(r), num(r), num(2*r), num(r), num(r), num(-2*r))
}

func (w *svg) text(role string, x, y float64, text string) {
	fmt.Fprintf(w, `<text %s x="%s" y="%s">%s</text>`, w.role(role), num(x), num(y), escape(text))
}

// num formats a number with at most two decimals, enough for a screen. It is 0 for one that is not finite.
func num(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	s := strconv.FormatFloat(x, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// escape makes text safe in a picture. Characters that XML cannot write become question marks.
func escape(s string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		switch {
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0xfffe, r == 0xffff:
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?")))
}
