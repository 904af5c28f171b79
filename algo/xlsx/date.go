package xlsx

import (
	"archive/zip"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"
)

// days1904 are between the first days of the two systems that number them.
const days1904 = 1462

// date returns the day, and the time if it has one, that a number stands for.
func (s *sheet) date(text string) string {
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || !(days >= 0 && days < 3e6) {
		return text
	}
	// Day 60 is the 29th of February 1900, which never was: later days count from one day earlier.
	day := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days)+s.firstDay)
	if days < 60 && s.firstDay == 0 {
		day = day.AddDate(0, 0, 1)
	}
	seconds := math.Round((days - math.Floor(days)) * 24 * 60 * 60)
	day = day.Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return day.Format(time.DateOnly)
	}
	return day.Format(time.DateTime)
}

// dateStyles tells which styles of cells show dates; a workbook may have no styles.
func dateStyles(archive *zip.Reader) ([]bool, error) {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := decode(archive, "xl/styles.xml", maxPart, &styles); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	own := map[int]bool{}
	for _, f := range styles.Formats {
		own[f.ID] = showsDate(f.Code)
	}
	dates := make([]bool, len(styles.Cells))
	for i, c := range styles.Cells {
		dates[i] = 14 <= c.Format && c.Format <= 17 || c.Format == 22 || own[c.Format]
	}
	return dates, nil
}

// showsDate looks for a year or a day in a format, outside quotes and brackets.
func showsDate(code string) bool {
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
			until = ']'
		case c == '\\':
			i++
		case strings.IndexByte("ydYD", c) >= 0:
			return true
		}
	}
	return false
}
