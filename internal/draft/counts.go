package draft

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/written"
)

// textCounts counts what the strings of a column look like.
type textCounts struct {
	bytes, longest, words, spaced, capitals, digits int

	numbers, wholeNumbers, zeros     int // zeros: digits with a leading zero, as in codes
	large                            int // whole numbers beyond 64 bits
	missing                          int // strings that stand for no value
	yes, no, bits                    int
	dates, offsets, points, urls     int
	unpacked                         int // strings that contain a JSON list or object
	epochs                           int
	units                            map[string]int
	marks                            written.Marks
	order                            written.DayFirst
	semicolons, bars, commas, levels separated
	arrows                           separated
}

// separated counts strings that contain a separator.
type separated struct {
	texts, parts, short int                 // parts and short are counted until distinct is full
	distinct            map[uint64]struct{} // at most about maxParts
	first               map[uint64]struct{} // of the first parts
}

func (t *textCounts) add(value string) {
	t.bytes += len(value)
	t.longest = max(t.longest, len(value))
	fields := len(strings.Fields(value))
	t.words += fields
	if fields > 1 {
		t.spaced++
	}
	first, _ := utf8.DecodeRuneInString(value)
	if unicode.IsUpper(first) {
		t.capitals++
	}
	if strings.ContainsAny(value, "0123456789") {
		t.digits++
	}
	if len(value) <= 80 {
		t.addShort(value)
	}
	if isAddress(value) {
		t.urls++
	}
	if len(value) <= 400 {
		t.semicolons.add(value, ";")
		t.bars.add(value, "|")
		t.commas.add(value, ",")
		t.levels.add(value, "/")
		t.arrows.add(value, ">")
	}
}

// addShort counts what a short string could stand for.
func (t *textCounts) addShort(value string) {
	if yes, ok := written.Boolean(value); ok {
		if written.IsDigit(value) {
			t.bits++
		} else if yes {
			t.yes++
		} else {
			t.no++
		}
	}
	pointed, unit, ok := written.Number(value, '.')
	if !ok {
		pointed, unit, ok = written.Number(value, ',')
	}
	if ok {
		t.addNumber(value, pointed, unit)
	}
	if moment, ok := written.Date(value, true); ok {
		t.dates++
		if moment.HasOffset && strings.ContainsAny(value, "Tt") && value[4] == '-' {
			t.offsets++
		}
		t.order.Add(value)
	} else if moment, ok := written.Date(value, false); ok && !moment.HasOffset {
		t.dates++
		t.order.Add(value)
	}
	if _, _, ok := written.Point(value); ok {
		t.points++
	}
}

func (t *textCounts) addNumber(value, literal, unit string) {
	t.numbers++
	t.marks.Add(value)
	if !strings.ContainsAny(literal, ".eE") {
		t.wholeNumbers++
		n, ok := jsonread.Int64([]byte(literal))
		switch {
		case !ok:
			t.large++
		case literal == value && written.LooksEpoch(n):
			t.epochs++
		}
	}
	if digits := strings.TrimLeft(value, "+- "); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' || value[0] == '+' {
		t.zeros++
	}
	if t.units == nil {
		t.units = make(map[string]int)
	}
	if _, known := t.units[unit]; known || len(t.units) < 16 {
		t.units[unit]++
	}
}

func isAddress(value string) bool {
	return strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "data:image/")
}

// shortPart is the maximum length in bytes of an element of a written list.
// After maxParts distinct parts no more strings are split.
const (
	shortPart = 40
	maxParts  = 2000
)

func (s *separated) add(value, separator string) {
	if !strings.Contains(value, separator) {
		return
	}
	s.texts++
	if len(s.distinct) >= maxParts {
		return
	}
	if s.distinct == nil {
		s.distinct, s.first = make(map[uint64]struct{}), make(map[uint64]struct{})
	}
	for i, part := range strings.Split(value, separator) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		s.parts++
		if len(part) <= shortPart && len(strings.Fields(part)) <= 4 {
			s.short++
		}
		hash := maphash.String(seed, part)
		s.distinct[hash] = struct{}{}
		if i == 0 {
			s.first[hash] = struct{}{}
		}
	}
}
