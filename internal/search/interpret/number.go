package interpret

import (
	"math"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/locale/cldr"
)

// signs are the number symbols of a locale, folded.
type signs struct {
	decimal string
	groups  string // any of these characters may separate groups of three digits
}

func signsOf(s cldr.Symbols) signs {
	groups := fold(s.Group)
	switch groups {
	case "’", "'":
		groups = "’'"
	case "":
		groups = "\x00" // none
	}
	return signs{decimal: fold(s.Decimal), groups: groups}
}

// parseNumber parses a whole word as a number, with the symbols of the locale and
// then with those of the root locale. A leading zero before another digit makes it
// no number.
func (v *Vocabulary) parseNumber(word string) (float64, bool) {
	if word == "" {
		return 0, false
	}
	for _, s := range []signs{v.own, v.root, arabic} {
		if n, ok := s.parse(word); ok {
			return n, true
		}
	}
	return 0, false
}

// arabic holds the decimal and grouping signs of Arabic digits.
var arabic = signs{decimal: "٫", groups: "٬"}

func (s signs) parse(word string) (float64, bool) {
	whole, fraction, hasFraction := strings.Cut(word, s.decimal)
	if hasFraction && !digits(fraction) {
		return 0, false
	}
	plain, ok := s.ungroup(whole)
	if !ok || len(plain) > 1 && plain[0] == '0' {
		return 0, false
	}
	text := plain
	if hasFraction {
		text += "." + fraction
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// ungroup removes the group separators from a whole number.
func (s signs) ungroup(whole string) (string, bool) {
	if digits(whole) {
		return whole, true
	}
	var plain strings.Builder
	group, groups := 0, 0
	for _, r := range whole {
		switch {
		case r >= '0' && r <= '9':
			group++
			plain.WriteRune(r)
		case strings.ContainsRune(s.groups, r):
			if group == 0 || group > 3 || groups > 0 && group != 3 {
				return "", false
			}
			group, groups = 0, groups+1
		default:
			return "", false
		}
	}
	return plain.String(), groups > 0 && group == 3
}

func digits(text string) bool {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return false
		}
	}
	return text != ""
}

// literal formats a number as a request would.
func literal(n float64) []byte {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return strconv.AppendInt(nil, int64(n), 10)
	}
	return strconv.AppendFloat(nil, n, 'f', -1, 64)
}
