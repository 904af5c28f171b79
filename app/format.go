package app

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// none stands for a number that is not there.
const none = "–"

// number has three significant digits, and no exponent where a person can do
// without.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return none
	case math.IsInf(x, 0):
		return strings.Replace(fmt.Sprint(x), "Inf", "∞", 1)
	case x == 0:
		return "0"
	}
	x = round(x, 3)
	a := math.Abs(x)
	if a < 1e-4 || a >= 1e6 {
		return minus(strconv.FormatFloat(x, 'g', 3, 64))
	}
	digits := max(2-int(math.Floor(math.Log10(a))), 0)
	return minus(strconv.FormatFloat(x, 'f', digits, 64))
}

// minus sets a real minus sign, which is as wide as a digit.
func minus(s string) string {
	if strings.HasPrefix(s, "-") {
		return "−" + s[1:]
	}
	return s
}

// pText is a p-value for people.
func pText(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return number(p)
}

// count groups thousands with a narrow space.
func count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return sign + s
}

// things counts with the word in its number.
func things(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// percent of a share, with two significant digits.
func percent(x float64) string {
	if math.IsNaN(x) {
		return none
	}
	return strconv.FormatFloat(round(100*x, 2), 'f', -1, 64) + " %"
}

// size of a file.
func size(bytes int) string {
	switch {
	case bytes < 1000:
		return things(bytes, "byte", "bytes")
	case bytes < 1e6:
		return number(float64(bytes)/1e3) + " kB"
	}
	return number(float64(bytes)/1e6) + " MB"
}

// duration is short and has no more digits than anybody wants.
func duration(d time.Duration) string {
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

// stem is the name of a file without folders and endings.
func stem(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}
