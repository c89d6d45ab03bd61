// Package written reads values written as text in files: numbers, dates, truth
// values, geo points and spellings of missing values.
//
// It never guesses between two meanings. What a text leaves open, such as whether
// 1,234 has a decimal comma, is an argument; Marks and DayFirst determine it from
// many texts of one column.
//
// All functions are pure and may be called by any number of goroutines.
package written

import "strings"

// missing holds the texts that stand for no value, in lower case.
var missing = map[string]bool{
	"": true, "null": true, "nil": true, "none": true, "na": true, "n/a": true, "#n/a": true, "nan": true,
	"-": true, "--": true, "–": true, "—": true, `\n`: true, "undefined": true,
}

// IsMissing reports whether a text stands for no value.
func IsMissing(text string) bool {
	if len(text) > 16 {
		return strings.TrimSpace(text) == ""
	}
	return missing[strings.ToLower(strings.TrimSpace(text))]
}

var booleans = map[string]bool{
	"true": true, "false": false, "yes": true, "no": false, "y": true, "n": false, "t": true, "f": false,
	"on": true, "off": false, "ja": true, "nein": false, "oui": true, "non": false, "si": true, "sí": true, "sì": true,
	"sim": true, "não": false, "nej": false, "nee": false, "tak": true, "nie": false, "ano": true, "ne": false,
	"да": true, "нет": false, "wahr": true, "falsch": false, "vrai": true, "faux": false,
	"x": true, "✓": true, "✔": true, "1": true, "0": false,
}

// Boolean reads a truth value in one of several spellings.
func Boolean(text string) (value, ok bool) {
	if len(text) > 16 {
		return false, false
	}
	value, ok = booleans[strings.ToLower(strings.TrimSpace(text))]
	return value, ok
}

// IsDigit reports whether a text is one of the digits 0 and 1, which are also
// numbers.
func IsDigit(text string) bool { return text == "0" || text == "1" }
