package xlsx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// days1904 is the number of days between the first days of the two date systems.
const days1904 = 1462

// A kind says what a number stands for in the cell of a style.
type kind byte

const (
	number kind = iota
	day         // with a time if it has one
	clock       // of a day or, longer than that, hours of a year
)

const (
	endOfDays   = 3e6 // beyond the last day of spreadsheets, 9999-12-31
	daysOfHours = 366 // longer times are shown as dates
)

// show returns the date or time that a number of days stands for, counted from the first day. It returns the text as it
// is if that stands for no date.
func (k kind) show(text []byte, firstDay int) []byte {
	days, err := strconv.ParseFloat(string(text), 64)
	if k == number || err != nil || !(days >= 0 && days < endOfDays) {
		return text
	}
	seconds := int(math.Round((days - math.Floor(days)) * 24 * 60 * 60))
	if k == clock && days < daysOfHours {
		seconds += int(days) * 24 * 60 * 60
		return fmt.Appendf(nil, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	// Day 60 is the 29th of February 1900, which never was: later days count from one day earlier.
	date := time.Date(1899, 12, 30, 0, 0, seconds, 0, time.UTC).AddDate(0, 0, int(days)+firstDay)
	if days < 60 && firstDay == 0 {
		date = date.AddDate(0, 0, 1)
	}
	return dateText(date)
}

// dateText returns a date and its time, or the date alone at midnight.
func dateText(t time.Time) []byte {
	if t.Hour()+t.Minute()+t.Second() == 0 {
		return t.AppendFormat(nil, time.DateOnly)
	}
	return t.AppendFormat(nil, time.DateTime)
}

// isoDate returns a date that is written in ISO 8601 in the form of dateText, and other texts unchanged.
func isoDate(text []byte) []byte {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, string(text)); err == nil {
			return dateText(t.Round(time.Second))
		}
	}
	return text
}

func isTrue(text string) bool { return text == "1" || text == "true" }

// addLook notes, from a tag of the styles, what kind of numbers a format or the style of a cell has. It fails for too many.
func (b *Book) addLook(x *xmlReader) error {
	switch {
	case string(x.name) == "cellXfs": // the list of styles
		b.inLooks = !x.end
	case x.starts("numFmt"):
		b.formats[x.attr("numFmtId")] = kindOf(x.attr("formatCode"))
	case x.starts("xf") && b.inLooks:
		b.looks = append(b.looks, b.formats[x.attr("numFmtId")])
	}
	if len(b.looks)+len(b.formats) > maxLooks {
		return fmt.Errorf("more than %d styles and formats: want less", maxLooks)
	}
	return nil
}

// builtIn returns the kinds of the formats that every program knows, by id. Others are of numbers.
func builtIn() map[string]kind {
	return map[string]kind{
		"14": day, "15": day, "16": day, "17": day, "18": clock, "19": clock, "20": clock, "21": clock, "22": day,
		"45": clock, "46": clock, "47": clock,
	}
}

// kindOf returns the kind of a format by its letters for years, days, hours and so on, outside quotes and names of colours.
func kindOf(code string) kind {
	k := number
	until := byte(0) // the end of what is skipped, or 0
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
			if unit, _, _ := strings.Cut(code[i+1:], "]"); strings.Trim(unit, "hHmMsS") != "" { // not [h], hours beyond 24
				until = ']'
			}
		case strings.IndexByte(`\_*`, c) >= 0:
			i++ // the next character is text
		case strings.IndexByte("ydYD", c) >= 0:
			return day
		case strings.IndexByte("hsHS", c) >= 0:
			k = clock
		case k == number && (c == 'm' || c == 'M'):
			k = day // months, unless hours or seconds follow
		}
	}
	return k
}
