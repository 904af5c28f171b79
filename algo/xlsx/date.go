package xlsx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// days1904 are between the first days of the two systems that number them.
const days1904 = 1462

// A kind says what a number stands for in the cell of a style.
type kind byte

const (
	number   kind = iota
	day           // with a time if it has one
	clock         // time of a day
	duration      // hours, minutes and seconds
)

// show returns the date or time that a number of days stands for, counted from the first day.
func (k kind) show(text []byte, firstDay int) []byte {
	days, err := strconv.ParseFloat(string(text), 64)
	if k == number || err != nil || !(days >= 0 && days < 3e6) {
		return text
	}
	seconds := math.Round((days - math.Floor(days)) * 24 * 60 * 60)
	if k == duration || k == clock && days < 1 {
		n := int(days)*24*60*60 + int(seconds)
		return fmt.Appendf(nil, "%02d:%02d:%02d", n/3600, n/60%60, n%60)
	}
	// Day 60 is the 29th of February 1900, which never was: later days count from one day earlier.
	date := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)+firstDay)
	if days < 60 && firstDay == 0 {
		date = date.AddDate(0, 0, 1)
	}
	return dateText(date.Add(time.Duration(seconds) * time.Second))
}

// dateText leaves out the time at midnight.
func dateText(t time.Time) []byte {
	if t.Hour()+t.Minute()+t.Second() == 0 {
		return t.AppendFormat(nil, time.DateOnly)
	}
	return t.AppendFormat(nil, time.DateTime)
}

// isoDate returns a date in the form of others.
func isoDate(text []byte) []byte {
	for _, form := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(form, string(text)); err == nil {
			return dateText(t.Round(time.Second))
		}
	}
	return text
}

func isTrue(text []byte) bool { return string(text) == "1" || string(text) == "true" }

// addLook notes which numbers are dates.
func (b *Book) addLook(x *xmlReader) error {
	if string(x.name) == "cellXfs" {
		b.inLooks = !x.end
	}
	own := x.starts("numFmt")
	if !own && !(b.inLooks && x.starts("xf")) {
		return nil
	}
	var id, code string
	for x.attr() {
		switch string(x.key) {
		case "numFmtId":
			id = string(x.value)
		case "formatCode":
			code = string(x.value)
		}
	}
	if own {
		b.formats[id] = kindOf(code)
	} else {
		k, ok := b.formats[id]
		if !ok {
			k = builtIn[id]
		}
		b.looks = append(b.looks, k)
	}
	if len(b.looks)+len(b.formats) > maxLooks {
		return fmt.Errorf("more than %d styles and formats: want less", maxLooks)
	}
	return nil
}

// builtIn are the kinds of the formats that every program knows.
var builtIn = map[string]kind{
	"14": day, "15": day, "16": day, "17": day, "18": clock, "19": clock, "20": clock, "21": clock, "22": day,
	"45": clock, "46": duration, "47": clock,
}

// kindOf looks for years, days, hours and so on in a format, outside quotes and brackets.
func kindOf(code string) kind {
	k, month := number, false
	var until byte
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch {
		case until != 0:
			if c == until {
				until = 0
			}
		case c == '"':
			until = '"'
		case c == '[':
			unit, _, _ := strings.Cut(code[i+1:], "]")
			if unit != "" && strings.Trim(unit, "hHmMsS") == "" {
				return duration
			}
			until = ']'
		case strings.IndexByte(`\_*`, c) >= 0:
			i++ // the next character is text
		case strings.IndexByte("ydYD", c) >= 0:
			return day
		case strings.IndexByte("hsHS", c) >= 0:
			k = clock
		case c == 'm' || c == 'M':
			month = true
		}
	}
	if k == number && month {
		return day
	}
	return k
}
