package written

import (
	"strconv"
	"strings"
	"time"
)

// Moment is a date or a time read from text.
type Moment struct {
	Time      time.Time
	HasOffset bool // the text gives its offset; without one it is read as UTC
	IsOpen    bool // day and month are interchangeable
}

// Date reads a date, with or without a time of day, in one of the usual forms:
// 2024-12-31, 2024/12/31, 31.12.2024, 12/31/2024, 31 Dec 2024, December 31, 2024,
// and those of RFC 3339, RFC 1123 and the C library. If either part could be the
// month, dayFirst decides.
func Date(text string, dayFirst bool) (Moment, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 6 || len(text) > 40 {
		return Moment{}, false
	}
	r := dateReader{rest: text, dayFirst: dayFirst}
	return r.read()
}

// minYear and maxYear are the first and last year accepted in a date.
const (
	minYear = 1000
	maxYear = 2999
)

type dateReader struct {
	rest             string
	dayFirst         bool
	year, month, day int
	isOpen           bool
}

func (r *dateReader) read() (Moment, bool) {
	r.skipWeekday()
	if !r.readNumeric() && !r.readNamed() {
		return Moment{}, false
	}
	hour, minute, second, nanos, ok := r.readTime()
	if !ok {
		return Moment{}, false
	}
	zone, hasOffset, ok := r.readOffset()
	if !ok {
		return Moment{}, false
	}
	if r.year == 0 { // Mon Jan 2 15:04:05 2006: the year is at the end
		r.skipSpace()
		if r.year, ok = r.number(4, 4); !ok {
			return Moment{}, false
		}
	}
	if strings.TrimSpace(r.rest) != "" || r.year < minYear || r.year > maxYear || r.month < 1 || r.month > 12 || r.day < 1 {
		return Moment{}, false
	}
	moment := time.Date(r.year, time.Month(r.month), r.day, hour, minute, second, nanos, zone)
	if moment.Day() != r.day { // such as the 31st of a month of 30 days
		return Moment{}, false
	}
	return Moment{Time: moment, HasOffset: hasOffset, IsOpen: r.isOpen}, true
}

func (r *dateReader) skipSpace() { r.rest = strings.TrimLeft(r.rest, " ") }

func (r *dateReader) cut(prefix string) bool {
	rest, ok := strings.CutPrefix(r.rest, prefix)
	if ok {
		r.rest = rest
	}
	return ok
}

// number reads between least and most digits.
func (r *dateReader) number(least, most int) (int, bool) {
	n := 0
	for n < len(r.rest) && n < most && r.rest[n] >= '0' && r.rest[n] <= '9' {
		n++
	}
	if n < least {
		return 0, false
	}
	value, err := strconv.Atoi(r.rest[:n])
	r.rest = r.rest[n:]
	return value, err == nil
}

func (r *dateReader) startsWithDigit() bool {
	return r.rest != "" && r.rest[0] >= '0' && r.rest[0] <= '9'
}

func (r *dateReader) word() string {
	n := 0
	for n < len(r.rest) && (r.rest[n]|0x20 >= 'a' && r.rest[n]|0x20 <= 'z') {
		n++
	}
	word := r.rest[:n]
	r.rest = r.rest[n:]
	return strings.ToLower(word)
}

var weekdays = map[string]bool{
	"mon": true, "tue": true, "wed": true, "thu": true, "fri": true, "sat": true, "sun": true,
	"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true,
}

func (r *dateReader) skipWeekday() {
	before := r.rest
	if !weekdays[r.word()] {
		r.rest = before
		return
	}
	r.cut(",")
	r.skipSpace()
}

// readNumeric reads 2024-12-31, 31.12.2024 and 12/31/24, with a single kind of
// separator.
func (r *dateReader) readNumeric() bool {
	before := r.rest
	first, ok := r.number(1, 4)
	width := len(before) - len(r.rest)
	if !ok || r.rest == "" || width == 3 {
		r.rest = before
		return false
	}
	mark := r.rest[:1]
	if mark != "-" && mark != "/" && mark != "." {
		r.rest = before
		return false
	}
	r.cut(mark)
	second, ok := r.number(1, 2)
	if !ok || !r.cut(mark) {
		r.rest = before
		return false
	}
	beforeThird := r.rest
	third, ok := r.number(1, 4)
	if !ok {
		r.rest = before
		return false
	}
	if width == 4 {
		r.year, r.month, r.day = first, second, third
		return len(beforeThird)-len(r.rest) <= 2
	}
	switch len(beforeThird) - len(r.rest) {
	case 4:
		r.year = third
	case 2:
		r.year = century(third)
	default:
		r.rest = before
		return false
	}
	r.placeDay(first, second, mark)
	return true
}

// century completes a year of two digits: 69 and later belong to the last century.
func century(year int) int {
	if year >= 69 {
		return 1900 + year
	}
	return 2000 + year
}

func (r *dateReader) placeDay(first, second int, mark string) {
	switch {
	case first > 12 || mark == ".": // with dots, the day comes first everywhere
		r.day, r.month = first, second
	case second > 12:
		r.month, r.day = first, second
	case r.dayFirst:
		r.day, r.month, r.isOpen = first, second, first != second
	default:
		r.month, r.day, r.isOpen = first, second, first != second
	}
}

var months = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	"january": 1, "february": 2, "march": 3, "april": 4, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10,
	"november": 11, "december": 12,
}

// readNamed reads 31 Dec 2024, 31-Dec-24, Dec 31, 2024 and Jan 2 with the year at
// the end.
func (r *dateReader) readNamed() bool {
	before := r.rest
	day, dayCame := r.number(1, 2)
	if dayCame {
		for _, ending := range []string{"st", "nd", "rd", "th", "."} {
			if r.cut(ending) {
				break
			}
		}
		r.skipMark()
	}
	r.month = months[r.word()]
	if r.month == 0 {
		r.rest = before
		return false
	}
	r.cut(".")
	r.skipMark()
	if !dayCame {
		var ok bool
		if day, ok = r.number(1, 2); !ok || r.startsWithDigit() { // May 2024 has no day
			return false
		}
		for _, ending := range []string{"st", "nd", "rd", "th"} {
			if r.cut(ending) {
				break
			}
		}
		r.cut(",")
		r.skipSpace()
	}
	r.day = day
	width := len(r.rest)
	year, ok := r.number(4, 4)
	switch {
	case ok:
		r.year = year
	case !dayCame && strings.Contains(r.rest, ":"): // the C library's form
		return true
	default:
		if year, ok = r.number(2, 2); !ok || width-len(r.rest) != 2 {
			return false
		}
		r.year = century(year)
	}
	return true
}

func (r *dateReader) skipMark() {
	if !r.cut("-") {
		r.cut(",")
		r.skipSpace()
	}
}

// readTime reads 15:04, 15:04:05.123 and 3:04 PM. No time means midnight.
func (r *dateReader) readTime() (hour, minute, second, nanos int, ok bool) {
	before := r.rest
	if !r.cut("T") && !r.cut("t") {
		r.cut(",")
		r.skipSpace()
	}
	hour, ok = r.number(1, 2)
	if !ok || !r.cut(":") {
		r.rest = before
		return 0, 0, 0, 0, true
	}
	if minute, ok = r.number(2, 2); !ok {
		return 0, 0, 0, 0, false
	}
	if r.cut(":") {
		if second, ok = r.number(2, 2); !ok {
			return 0, 0, 0, 0, false
		}
		if nanos, ok = r.fraction(); !ok {
			return 0, 0, 0, 0, false
		}
	}
	hour, ok = r.halfDay(hour)
	return hour, minute, second, nanos, ok && hour < 24 && minute < 60 && second < 60
}

func (r *dateReader) fraction() (nanos int, ok bool) {
	if !r.cut(".") && !r.cut(",") {
		return 0, true
	}
	before := len(r.rest)
	nanos, ok = r.number(1, 9)
	for digits := before - len(r.rest); digits < 9; digits++ {
		nanos *= 10
	}
	return nanos, ok
}

// halfDay applies AM or PM to an hour.
func (r *dateReader) halfDay(hour int) (int, bool) {
	before := r.rest
	r.skipSpace()
	switch r.word() {
	case "am":
		return hour % 12, hour >= 1 && hour <= 12
	case "pm":
		return hour%12 + 12, hour >= 1 && hour <= 12
	}
	r.rest = before
	return hour, true
}

// readOffset reads Z, UTC, GMT, +0100 and +01:00.
func (r *dateReader) readOffset() (zone *time.Location, hasOffset, ok bool) {
	before := r.rest
	r.skipSpace()
	sign := 0
	switch {
	case r.cut("Z"), r.cut("z"), r.cut("UTC"), r.cut("GMT"):
		return time.UTC, true, true
	case r.cut("+"):
		sign = 1
	case r.cut("-"):
		sign = -1
	default:
		r.rest = before
		return time.UTC, false, true
	}
	hours, ok := r.number(2, 2)
	if !ok || hours > 23 {
		return nil, false, false
	}
	r.cut(":")
	minutes, given := r.number(2, 2)
	if given && minutes > 59 {
		return nil, false, false
	}
	return time.FixedZone("", sign*(hours*60+minutes)*60), true, true
}

// Bounds of counts of seconds since 1970. Years before 1990 are excluded, because
// too many other numbers look like them.
const (
	epochLeast = 631152000  // 1990
	epochMost  = 4102444800 // 2100
)

// LooksEpoch reports whether a whole number may count seconds or milliseconds since
// 1970.
func LooksEpoch(n int64) bool {
	return n >= epochLeast && n < epochMost || n >= epochLeast*1000 && n < epochMost*1000
}

// Epoch converts a count since 1970 to a time. A number that would lie beyond the
// year 2100 in seconds counts milliseconds.
func Epoch(n int64) (time.Time, bool) {
	switch {
	case n > -epochMost && n < epochMost:
		return time.Unix(n, 0).UTC(), true
	case n > -epochMost*1000 && n < epochMost*1000:
		return time.UnixMilli(n).UTC(), true
	}
	return time.Time{}, false
}

// Timestamp formats a time as the interface accepts it.
func Timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.999Z07:00") }

// DayFirst counts the evidence in the dates of a column for the order of day and
// month.
type DayFirst struct{ day, month, open int }

// Add counts one date and ignores a text that is not a date.
func (d *DayFirst) Add(text string) {
	asDay, isDay := Date(text, true)
	asMonth, isMonth := Date(text, false)
	switch {
	case !isDay || !isMonth:
	case asDay.IsOpen || asMonth.IsOpen:
		d.open++
	case strings.ContainsRune(text, '/') || strings.ContainsRune(text, '-'):
		d.addDecided(text)
	}
}

// addDecided counts which part is too large for a month.
func (d *DayFirst) addDecided(text string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, "/-")
	first, err := strconv.Atoi(text[:end])
	switch {
	case err != nil || end > 2: // the year comes first
	case first > 12:
		d.day++
	default:
		d.month++
	}
}

// Decide reports whether days come first, which is the default. decided is false if
// dates leave the order open and none decides it.
func (d *DayFirst) Decide() (dayFirst, decided bool) {
	if d.month > d.day {
		return false, true
	}
	return true, d.day > 0 || d.open == 0
}

// HasOrder reports whether there were dates for which the order matters.
func (d *DayFirst) HasOrder() bool { return d.day+d.month+d.open > 0 }
