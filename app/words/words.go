// Package words writes numbers as people read them.
package words

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// None stands for a number that is not there.
const None = "–"

// Number has three significant digits, and no exponent where a person can do
// without.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return None
	case math.IsInf(x, 0):
		return strings.Replace(fmt.Sprint(x), "Inf", "∞", 1)
	case x == 0:
		return "0"
	}
	x = Round(x, 3)
	a := math.Abs(x)
	if a < 1e-4 || a >= 1e6 {
		return Minus(strconv.FormatFloat(x, 'g', 3, 64))
	}
	digits := max(2-int(math.Floor(math.Log10(a))), 0)
	return Minus(strconv.FormatFloat(x, 'f', digits, 64))
}

// Minus sets a real minus sign, which is as wide as a digit.
func Minus(s string) string {
	if strings.HasPrefix(s, "-") {
		return "−" + s[1:]
	}
	return s
}

// P is a p-value for people.
func P(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return Number(p)
}

// Count groups thousands with a space that does not break.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return sign + s
}

// Plural is n with a noun: one is its singular, many its plural.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Percent of a share, with two significant digits. A line never ends between them and the sign.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return None
	}
	return strconv.FormatFloat(Round(100*x, 2), 'f', -1, 64) + "\u00a0%"
}

// Size of a file.
func Size(bytes int) string {
	switch {
	case bytes < 1000:
		return Plural(bytes, "byte", "bytes")
	case bytes < 1e6:
		return Number(float64(bytes)/1e3) + " kB"
	}
	return Number(float64(bytes)/1e6) + " MB"
}

// Duration is short and has no more digits than anybody wants.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// Stem is the name of a file without folders and endings.
func Stem(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

// Round keeps that many significant digits.
func Round(x float64, digits int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// Sentences makes a text of warnings, which begin small and have no full stop.
func Sentences(warnings []string) string {
	list := make([]string, len(warnings))
	for i, w := range warnings {
		list[i] = Capital(w) + "."
	}
	return Grouped(strings.Join(list, " "))
}

// long matches a long whole number in a sentence. A name that is a number stands by itself, or before a tag.
var long = regexp.MustCompile(`(^|[ (>])(\d{4,})( [a-z(]|[.,;:)]+(?: |$|<))`)

// Grouped writes the long numbers of sentences as Count does.
func Grouped(text string) string {
	return long.ReplaceAllStringFunc(text, func(found string) string {
		parts := long.FindStringSubmatch(found)
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return found
		}
		return parts[1] + Count(n) + parts[3]
	})
}

// Capital has a text begin with a capital letter, unless it begins with a name as "p_value".
func Capital(text string) string {
	_, n := utf8.DecodeRuneInString(text) // 0 bytes of an empty text
	if n < len(text) && text[n] == '_' {
		return text
	}
	return strings.ToUpper(text[:n]) + text[n:]
}

// Small has a text begin with a small letter, to follow a colon.
func Small(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:n]) + text[n:]
}

// Shorten returns a text of at most n letters, the last of which is … if s has more.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// PEquals is a p-value behind the letter p.
func PEquals(p float64) string {
	if p < 0.001 {
		return "<\u00a00.001"
	}
	return "=\u00a0" + Number(p)
}

// Format is what people call a format of files.
func Format(name string) string {
	called := map[string]string{
		"smi": "SMILES", "tu": "TUDataset", "parquet": "Parquet", "nodelink": "node-link JSON", "graphml": "GraphML",
	}
	return cmp.Or(called[name], strings.ToUpper(name))
}
