package interpret

import (
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/query"
)

// bound is the meaning of a form: a comparison with one number, or a range of two.
type bound struct {
	kind     comparison
	value    float64
	to       float64
	isRange  bool
	unit     string
	consumed int
}

// at reads the longest form that starts at word i and returns the number of words
// it takes, 0 when there is none.
func (r *Reader) at(words []string, i int) (Interpretation, int) {
	best := longer(r.opened(words, i), r.compared(words, i))
	best = longer(best, r.hyphened(words, i))
	best = longer(best, r.bare(words, i))
	best = longer(best, r.exact(words, i))
	if best.consumed == 0 {
		return Interpretation{}, 0
	}
	if best.unit == "" && (r.isOtherwise(words, i, i+best.consumed) || r.doubtsYears && best.mayBeYears()) {
		return Interpretation{}, 0
	}
	alternatives := r.choose(best)
	if len(alternatives) == 0 {
		// If no field accepts the spelling here, the number stays text; the words
		// around it may still be interpreted.
		return Interpretation{}, 0
	}
	return Interpretation{Alternatives: alternatives}, best.consumed
}

// isOtherwise reports whether the words around a number without a unit say that it is not
// an amount of money: "under 2 hours", "rating over 4".
func (r *Reader) isOtherwise(words []string, from, to int) bool {
	return to < len(words) && r.others[words[to]] || from > 0 && r.names[words[from-1]]
}

// mayBeYears reports whether numbers are as likely years as amounts of money: "from 1999",
// "1990 to 1995".
func (b bound) mayBeYears() bool {
	return (b.isRange && isYear(b.to) || !b.isRange && b.kind == atLeast) && isYear(b.value)
}

func isYear(n float64) bool { return n >= 1900 && n < 2100 && n == math.Trunc(n) }

// longer returns the form that takes more words, a on a tie.
func longer(a, b bound) bound {
	if b.consumed > a.consumed {
		return b
	}
	return a
}

// opened reads: opener N joiner M.
func (r *Reader) opened(words []string, i int) bound {
	return r.spans(words, i, r.language.opened[words[i]])
}

// bare reads: N joiner M.
func (r *Reader) bare(words []string, i int) bound {
	return r.spans(words, i, r.language.bare)
}

func (r *Reader) spans(words []string, i int, spans []span) bound {
	best := bound{}
	for _, s := range spans {
		if !startsWith(words[i:], s.opener) {
			continue
		}
		at := i + len(s.opener)
		for _, first := range append(r.quantities(words, at), r.unitless(words, at)...) {
			next := at + first.consume
			if !startsWith(words[min(next, len(words)):], s.joiner) {
				continue
			}
			next += len(s.joiner)
			for _, second := range r.quantities(words, next) {
				if b, ok := joined(first, second); ok {
					b.consumed = next + second.consume - i
					best = longer(best, b)
				}
			}
		}
	}
	return best
}

// joined returns the range between two quantities, and false if their units differ.
func joined(first, second quantity) (bound, bool) {
	unit := first.unit
	switch {
	case unit == "":
		unit = second.unit
	case second.unit != "" && second.unit != unit:
		return bound{}, false
	}
	if first.value > second.value {
		return bound{}, false
	}
	return bound{value: first.value, to: second.value, isRange: true, unit: unit}, true
}

// compared reads: comparative N [unit].
func (r *Reader) compared(words []string, i int) bound {
	best := bound{}
	for _, p := range r.language.phrases[words[i]] {
		if !startsWith(words[i:], p.words) {
			continue
		}
		for _, q := range r.quantities(words, i+len(p.words)) {
			best = longer(best, bound{kind: p.kind, value: q.value, unit: q.unit, consumed: len(p.words) + q.consume})
		}
	}
	return best
}

// hyphened reads: N-M as one word, with its unit attached or as a separate word.
func (r *Reader) hyphened(words []string, i int) bound {
	best := bound{}
	try := func(word, unit string, consumed int) {
		for at, sign := range word {
			if sign != '-' && sign != '–' || at == 0 {
				continue
			}
			left, right := word[:at], word[at+len(string(sign)):]
			for _, first := range r.attached(left) {
				for _, second := range r.attached(right) {
					b, ok := joined(first, second)
					if !ok || b.unit != "" && unit != "" && b.unit != unit {
						continue
					}
					if b.unit == "" {
						b.unit = unit
					}
					if b.consumed = consumed; b.consumed > best.consumed || b.consumed == best.consumed && best.unit == "" {
						best = b
					}
				}
			}
		}
	}
	try(words[i], "", 1)
	if i+1 < len(words) {
		if unit, taken := r.unitAt(words, i+1); taken > 0 {
			try(words[i], unit, 1+taken)
		}
		if unit, taken := r.unitAt(words, i); taken > 0 && i+taken < len(words) {
			try(words[i+taken], unit, taken+1)
		}
	}
	return best
}

// exact reads: N unit, unit N, Nunit, unitN.
func (r *Reader) exact(words []string, i int) bound {
	best := bound{}
	for _, q := range r.quantities(words, i) {
		if q.unit != "" {
			best = longer(best, bound{value: q.value, unit: q.unit, consumed: q.consume})
		}
	}
	return best
}

// quantities returns the interpretations of a number that starts at word i.
func (r *Reader) quantities(words []string, i int) []quantity {
	if i >= len(words) {
		return nil
	}
	var all []quantity
	for _, q := range r.attached(words[i]) {
		q.consume = 1
		if q.unit == "" {
			unit, taken := r.unitAt(words, i+1)
			q.unit, q.consume = unit, 1+taken
		}
		all = append(all, q)
	}
	all = append(all, r.attachedApart(words, i)...)
	if unit, taken := r.unitAt(words, i); taken > 0 && i+taken < len(words) {
		if n, ok := r.parseNumber(words[i+taken]); ok {
			all = append(all, quantity{value: n, unit: unit, consume: taken + 1})
		}
	}
	return all
}

// unitless returns word i as a number without a unit, for the case that the next word is
// a joiner and not its unit: in "de 1 a 2 kg", "1 a" could also be a year.
func (r *Reader) unitless(words []string, i int) []quantity {
	if i >= len(words) || !hasDigit(words[i]) {
		return nil
	}
	if n, ok := r.parseNumber(words[i]); ok {
		return []quantity{{value: n, consume: 1}}
	}
	return nil
}

// attachedApart returns the interpretations of a number with an attached unit of
// several words: "7l/100 km".
func (r *Reader) attachedApart(words []string, i int) []quantity {
	if !hasDigit(words[i]) {
		return nil
	}
	var all []quantity
	for n := min(r.words, len(words)-i); n > 1; n-- {
		for _, q := range r.attached(strings.Join(words[i:i+n], " ")) {
			if strings.Count(q.unit, " ") == n-1 {
				q.consume = n
				all = append(all, q)
			}
		}
	}
	return all
}

// attached returns the interpretations of one word: a number, or a number with a
// unit before or after it.
func (r *Reader) attached(word string) []quantity {
	if !hasDigit(word) {
		return nil
	}
	if n, ok := r.parseNumber(word); ok {
		return []quantity{{value: n}}
	}
	var all []quantity
	for size := min(r.longest, len(word)-1); size > 0; size-- {
		if unit := word[len(word)-size:]; r.isUnit(unit) {
			if n, ok := r.parseNumber(strings.TrimSuffix(word[:len(word)-size], " ")); ok { // from a no-break space
				all = append(all, quantity{value: n, unit: unit})
			}
		}
		if unit := word[:size]; r.isUnit(unit) {
			if n, ok := r.parseNumber(strings.TrimPrefix(word[size:], " ")); ok {
				all = append(all, quantity{value: n, unit: unit})
			}
		}
	}
	return all
}

// startsWith reports whether folded words start with those of a phrase.
func startsWith(words, phrase []string) bool {
	return len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase)
}

// choose returns the fields on which a form is interpreted.
func (r *Reader) choose(b bound) []Alternative {
	var fields []Field
	if b.unit != "" {
		// A number with a unit of the index that no field here declares is not a bare
		// number.
		units := r.spellings[b.unit]
		for _, f := range r.fields {
			if slices.Contains(units, f.Unit) {
				fields = append(fields, f)
			}
		}
	} else {
		fields = r.currencyFields()
	}
	var all []Alternative
	for _, f := range fields {
		if !f.Filter {
			continue
		}
		if match := b.matcher(f.ResolvedField); match != nil {
			all = append(all, Alternative{Field: f, Match: match})
		}
	}
	return all
}

// currencyFields returns the fields on which a number without a unit is
// interpreted: the only currency field, or all currency targets when they share one
// currency.
func (r *Reader) currencyFields() []Field {
	var fields []Field
	for _, f := range r.fields {
		if isCurrency(f.Unit) {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		if !r.targeted && len(fields) > 1 || f.Unit != fields[0].Unit {
			return nil
		}
	}
	return fields
}

// matcher returns the matcher for the form on a field, or nil if the type of the
// field does not support it.
func (b bound) matcher(f *definition.ResolvedField) query.Matcher {
	if f.Type.IsWhole() {
		return b.wholeMatcher(f.Type)
	}
	if f.Type == definition.Float && (b.value > math.MaxFloat32 || b.isRange && b.to > math.MaxFloat32) {
		return nil
	}
	if b.isRange {
		return &query.RangeMatcher{Range: query.Range{Gte: literal(b.value), Lte: literal(b.to)}}
	}
	if b.kind == equal {
		return &query.EqualsMatcher{Value: literal(b.value)}
	}
	return compareMatcher(b.kind, b.value)
}

func compareMatcher(kind comparison, value float64) query.Matcher {
	var r query.Range
	switch kind {
	case below:
		r.Lt = literal(value)
	case atMost:
		r.Lte = literal(value)
	case above:
		r.Gt = literal(value)
	case atLeast:
		r.Gte = literal(value)
	}
	return &query.RangeMatcher{Range: r}
}

// wholeMatcher moves a bound between two whole numbers to the equivalent whole
// number. An exact fraction and a number outside the type are not interpreted.
func (b bound) wholeMatcher(t definition.Type) query.Matcher {
	lowest, highest := float64(math.MinInt32), float64(math.MaxInt32)
	if t == definition.Int64 {
		lowest, highest = -(1 << 53), 1<<53
	}
	inside := func(n float64) bool { return n >= lowest && n <= highest }
	up, down := math.Ceil(b.value), math.Floor(b.value)
	switch {
	case !inside(up) || !inside(down):
		return nil
	case b.isRange:
		to := math.Floor(b.to)
		if !inside(to) {
			return nil
		}
		return &query.RangeMatcher{Range: query.Range{Gte: literal(up), Lte: literal(to)}}
	case b.kind == equal:
		if up != down {
			return nil
		}
		return &query.EqualsMatcher{Value: literal(up)}
	case b.kind == below || b.kind == atLeast:
		return compareMatcher(b.kind, up)
	}
	return compareMatcher(b.kind, down)
}

// Text returns the text without the parts that interpretations took.
func Text(text string, parts []query.TextPart, taken func(i int) bool) string {
	var kept []string
	for i, part := range parts {
		if !taken(i) {
			kept = append(kept, text[part.Start:part.End])
		}
	}
	return strings.Join(kept, " ")
}
