package written

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Number reads a number whose decimal mark is '.' or ','. The other one, spaces and
// apostrophes may group digits by three. A currency symbol or a short unit may
// precede or follow the number and is returned as written.
//
//	Number("1.234,50 €", ',')  gives "1234.50", "€"
//	Number("1,234", '.')       gives "1234", ""
//	Number("1,234", ',')       gives "1.234", ""
//
// The literal is a JSON number.
func Number(text string, decimal byte) (literal, unit string, ok bool) {
	text = strings.TrimSpace(text)
	if plainInteger(text) {
		return text, "", true
	}
	negative := false
	if len(text) > 2 && text[0] == '(' && text[len(text)-1] == ')' { // accounting: (12.50) is negative
		negative, text = true, text[1:len(text)-1]
	}
	text, negative = cutSign(text, negative)
	before, digits, after, ok := splitUnit(text)
	if !ok {
		return "", "", false
	}
	if before != "" { // € -5
		digits, negative = cutSign(digits, negative)
	}
	literal, ok = plainNumber(digits, decimal)
	if !ok || before != "" && after != "" {
		return "", "", false
	}
	if negative {
		literal = "-" + literal
	}
	return literal, before + after, true
}

// plainInteger reports whether a text is a JSON integer.
func plainInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

func cutSign(text string, negative bool) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		return strings.TrimSpace(rest), negative
	}
	for _, minus := range []string{"-", "−"} {
		if rest, ok := strings.CutPrefix(text, minus); ok {
			return strings.TrimSpace(rest), !negative
		}
	}
	return text, negative
}

// maxUnit is the maximum length in bytes of a unit next to a number.
const maxUnit = 12

// splitUnit splits a text into a number and what precedes and follows it.
func splitUnit(text string) (before, digits, after string, ok bool) {
	first := strings.IndexFunc(text, isNumeral)
	last := strings.LastIndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	if first < 0 || last < first {
		return "", "", "", false
	}
	before, digits, after = strings.TrimSpace(text[:first]), text[first:last+1], strings.TrimSpace(text[last+1:])
	if after == "." || after == ",-" || after == ".-" || after == ",–" { // 5,- is a whole amount
		after = ""
	}
	return before, digits, after, (before == "" || isCurrency(before)) && isUnit(after)
}

// isCurrency reports whether a text before a number is a currency: a symbol, with
// or without letters, or a code of three letters.
func isCurrency(text string) bool {
	if len(text) > maxUnit {
		return false
	}
	isCode := len(text) == 3
	for _, r := range text {
		if unicode.Is(unicode.Sc, r) {
			return true
		}
		isCode = isCode && r >= 'A' && r <= 'Z'
	}
	return isCode
}

func isNumeral(r rune) bool {
	return r >= '0' && r <= '9' || r == '.' || r == '-' || r == '+' || r == '−'
}

// isUnit reports whether a text next to a number may be its unit: a currency
// symbol, a percent sign, or a few letters.
func isUnit(text string) bool {
	if len(text) > maxUnit {
		return false
	}
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) && !strings.ContainsRune("%‰°./²³µ", r) {
			return false
		}
	}
	return true
}

// plainNumber converts digits with marks to a JSON number.
func plainNumber(text string, decimal byte) (string, bool) {
	mantissa, exponent, ok := cutExponent(text)
	if !ok {
		return "", false
	}
	whole, fraction, hasFraction := strings.Cut(mantissa, string(decimal))
	if hasFraction && (fraction == "" || !allDigits(fraction)) {
		return "", false
	}
	whole, ok = ungroup(whole, decimal)
	if !ok {
		return "", false
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if hasFraction {
		whole += "." + fraction
	}
	return whole + exponent, true
}

// cutExponent splits an exponent such as e+5 off a number.
func cutExponent(text string) (mantissa, exponent string, ok bool) {
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return text, "", true
	}
	digits := strings.TrimLeft(text[at+1:], "+-")
	return text[:at], text[at:], allDigits(digits) && len(digits) <= 3 && len(text[at+1:])-len(digits) <= 1
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// ungroup removes the marks from digits grouped by three. It returns false for
// anything else, such as two numbers in one text.
func ungroup(text string, decimal byte) (string, bool) {
	if allDigits(text) || text == "" {
		return text, text != "" || decimal == '.'
	}
	var (
		out  strings.Builder
		mark rune
		run  = 0
		size = 0 // of the previous groups
	)
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		i += width
		if r >= '0' && r <= '9' {
			out.WriteRune(r)
			run++
			continue
		}
		isFirst := mark == 0
		if !isGroupMark(r, decimal) || !isFirst && r != mark || isFirst && (run == 0 || run > 3) || !isFirst && run != 3 {
			return "", false
		}
		mark, run = r, 0
		size++
	}
	return out.String(), run == 3 && size > 0
}

func isGroupMark(r rune, decimal byte) bool {
	switch r {
	case ' ', '\u00a0', '\u202f', '\u2009', '\'', '’':
		return true
	case '.', ',':
		return byte(r) != decimal
	}
	return false
}

// Marks counts the evidence in the numbers of a column for their decimal mark.
type Marks struct {
	point, comma, openPoint, openComma int
}

// Add counts one text and ignores a text that is not a number.
func (m *Marks) Add(text string) {
	pointed, _, asPoint := Number(text, '.')
	_, _, asComma := Number(text, ',')
	switch {
	case !asPoint && !asComma:
	case asPoint && !asComma && strings.Contains(pointed, "."):
		m.point++
	case asPoint && !asComma:
		m.point++ // 1,234,567 is grouped by commas
	case asComma && !asPoint:
		m.comma++
	case strings.ContainsRune(text, '.'): // 1.234
		m.openPoint++
	case strings.ContainsRune(text, ','): // 1,234
		m.openComma++
	}
}

// Merge adds the counts of another column.
func (m *Marks) Merge(other Marks) {
	m.point += other.point
	m.comma += other.comma
}

// Decimal returns the decimal mark, which is the point by default, and false if texts
// leave it open and none decides it.
func (m *Marks) Decimal() (mark byte, decided bool) {
	switch {
	case m.comma > m.point:
		return ',', true
	case m.point > 0:
		return '.', true
	}
	return '.', m.openPoint+m.openComma == 0
}

// IsOpen reports whether any text had a mark that could be either.
func (m *Marks) IsOpen() bool { return m.openPoint+m.openComma > 0 }
