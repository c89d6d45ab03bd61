package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// field compiles a field clause. It checks that the matcher fits the type, then
// that the field has the usage, then that the values fit.
func (c *Compiler) field(clause *query.FieldClause, in scope, origin Origin) (Node, error) {
	at := clause.At.Field("field")
	f, err := c.resolve(clause.Field, in, at)
	if err != nil {
		return nil, err
	}
	origin.Field = f.Path
	if text, ok := clause.Match.(*query.TextMatcher); ok {
		if f.Type != definition.String {
			return nil, typeUnsupported(clause, f)
		}
		return c.textMatcher(f, text, at, origin)
	}
	origin.Usage = "filter"
	origin.Locale = c.variant(f)
	m := matcher{field: f, variant: origin.Locale, origin: origin}
	if under, ok := clause.Match.(*query.UnderMatcher); ok && f.Type == definition.String {
		if !f.Hierarchy {
			return nil, usageUnsupported(at, f, "hierarchy")
		}
		return m.under(under), nil
	}
	if !takes(f.Type, clause.Match) {
		return nil, typeUnsupported(clause, f)
	}
	if !f.Filter {
		return nil, usageUnsupported(at, f, "filter")
	}
	switch match := clause.Match.(type) {
	case *query.AnyMatcher:
		return &Term{Origin: origin, Structure: layout.Exists, Text: layout.ExistsTerm(f.Path, m.variant)}, nil
	case *query.DistanceMatcher:
		return m.distance(match)
	case *query.PrefixMatcher:
		return m.prefix(match)
	}
	if f.Type == definition.String || f.Type == definition.Boolean {
		return m.terms(clause.Match)
	}
	return m.numbers(clause.Match)
}

func typeUnsupported(clause *query.FieldClause, f *definition.ResolvedField) error {
	return problem.SearchMatcherTypeUnsupported.At(clause.Match.Path(), "type", f.Type, "matcher", clause.Match.Type())
}

// takes reports whether a matcher that reads the filter usage supports values of a
// type.
func takes(t definition.Type, m query.Matcher) bool {
	switch m.(type) {
	case *query.AnyMatcher:
		return t != definition.Vector && t != definition.Object
	case *query.EqualsMatcher, *query.InMatcher:
		return t == definition.String || t == definition.Boolean || t == definition.Timestamp || t.IsNumber()
	case *query.RangeMatcher, *query.RangesMatcher:
		return t == definition.String || t == definition.Timestamp || t.IsNumber()
	case *query.PrefixMatcher:
		return t == definition.String
	case *query.DistanceMatcher:
		return t == definition.GeoPoint
	}
	return false
}

// matcher compiles matchers of one field.
type matcher struct {
	field   *definition.ResolvedField
	variant string
	origin  Origin
}

func (m *matcher) invalid(at problem.Path, expected string) error {
	return problem.SearchValueInvalid.At(at, "name", m.field.Path, "expected", expected)
}

// fold returns a literal in the form in which values are compared. A literal longer
// than any value is not truncated and so equals none.
func (m *matcher) fold(text string) string {
	return layout.Fold(m.variant, text, m.field.CaseFolding)
}

func (m *matcher) structure() string { return layout.Filter(m.field.Path, m.variant) }

func (m *matcher) under(match *query.UnderMatcher) Node {
	m.origin.Usage = "hierarchy"
	path, ok := layout.LevelPath(match.Level, m.field.Separator)
	if !ok {
		return &Nothing{m.origin}
	}
	m.origin.Word = match.Level
	return &Term{Origin: m.origin, Structure: layout.Hierarchy(m.field.Path, m.variant), Text: m.fold(path)}
}

func (m *matcher) distance(match *query.DistanceMatcher) (Node, error) {
	switch {
	case !(math.Abs(match.Lat) <= 90):
		return nil, m.invalid(match.At.Field("lat"), "a latitude from -90 to 90")
	case !(math.Abs(match.Lon) <= 180):
		return nil, m.invalid(match.At.Field("lon"), "a longitude from -180 to 180")
	case !(match.Radius > 0) || math.IsInf(match.Radius, 1):
		return nil, m.invalid(match.At.Field("radius"), "a radius above 0")
	}
	return &Distance{Origin: m.origin, Structure: layout.Geo(m.field.Path, m.variant), Lat: match.Lat, Lon: match.Lon, Radius: match.Radius}, nil
}

func (m *matcher) prefix(match *query.PrefixMatcher) (Node, error) {
	text, ok := match.Value.Text()
	if !ok {
		return nil, m.invalid(match.At.Field("value"), "text")
	}
	m.origin.Word = text
	return &TermRange{Origin: m.origin, Structure: m.structure(), Intervals: []TermInterval{prefixInterval(m.fold(text))}}, nil
}

// prefixInterval returns the range of the terms that start with a prefix.
func prefixInterval(prefix string) TermInterval {
	interval := TermInterval{From: &prefix}
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xFF {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
		to := string(end)
		interval.To, interval.ToExclusive = &to, true
	}
	return interval
}

// terms compiles equals, in, range and ranges on strings and booleans.
func (m *matcher) terms(match query.Matcher) (Node, error) {
	switch match := match.(type) {
	case *query.EqualsMatcher:
		term, err := m.term(match.Value, match.At.Field("value"))
		if err != nil {
			return nil, err
		}
		if m.origin.Word = term; m.field.Type == definition.Boolean {
			m.origin.Word = match.Value.String() // its term is 0 or 1
		}
		return &Term{Origin: m.origin, Structure: m.structure(), Text: term}, nil
	case *query.InMatcher:
		set := &TermSet{Origin: m.origin, Structure: m.structure()}
		for i, value := range match.Values {
			term, err := m.term(value, match.At.Field("values").Item(i))
			if err != nil {
				return nil, err
			}
			set.Terms = append(set.Terms, term)
		}
		slices.Sort(set.Terms)
		set.Terms = slices.Compact(set.Terms)
		return set, nil
	case *query.RangeMatcher:
		return m.termRanges([]query.Range{match.Range})
	case *query.RangesMatcher:
		return m.termRanges(match.Ranges)
	}
	return nil, m.invalid(match.Path(), "another matcher")
}

func (m *matcher) term(value query.Literal, at problem.Path) (string, error) {
	if m.field.Type == definition.Boolean {
		v, ok := value.Bool()
		if !ok {
			return "", m.invalid(at, "true or false")
		}
		return layout.BoolTerm(v), nil
	}
	text, ok := value.Text()
	if !ok {
		return "", m.invalid(at, "text")
	}
	return m.fold(text), nil
}

func (m *matcher) termRanges(ranges []query.Range) (Node, error) {
	node := &TermRange{Origin: m.origin, Structure: m.structure()}
	for _, r := range ranges {
		var interval TermInterval
		for _, b := range boundsOf(r) {
			term, err := m.term(b.value, b.at)
			if err != nil {
				return nil, err
			}
			if b.lower {
				interval.From, interval.FromExclusive = &term, b.exclusive
			} else {
				interval.To, interval.ToExclusive = &term, b.exclusive
			}
		}
		node.Intervals = append(node.Intervals, interval)
	}
	return node, nil
}

type bound struct {
	value            query.Literal
	at               problem.Path
	lower, exclusive bool
}

func boundsOf(r query.Range) []bound {
	from, to := "gte", "lt"
	if r.From {
		from = "from"
	}
	if r.To {
		to = "to"
	}
	var all []bound
	for _, b := range []bound{
		{r.Gte, r.At.Field(from), true, false}, {r.Gt, r.At.Field("gt"), true, true},
		{r.Lte, r.At.Field("lte"), false, false}, {r.Lt, r.At.Field(to), false, true},
	} {
		if b.value.Kind() != query.NoLiteral {
			all = append(all, b)
		}
	}
	return all
}

// numbers compiles equals, in, range and ranges on numbers and timestamps.
func (m *matcher) numbers(match query.Matcher) (Node, error) {
	node := &NumberRange{Origin: m.origin, Structure: m.structure()}
	switch match := match.(type) {
	case *query.EqualsMatcher:
		n, err := m.number(match.Value, match.At.Field("value"))
		if err != nil {
			return nil, err
		}
		node.Origin.Word = match.Value.String()
		node.Intervals = []Interval{{n, n}}
	case *query.InMatcher:
		for i, value := range match.Values {
			n, err := m.number(value, match.At.Field("values").Item(i))
			if err != nil {
				return nil, err
			}
			node.Intervals = append(node.Intervals, Interval{n, n})
		}
		node.Intervals = joinIntervals(node.Intervals)
	case *query.RangeMatcher:
		return m.numberRanges(node, []query.Range{match.Range})
	case *query.RangesMatcher:
		return m.numberRanges(node, match.Ranges)
	}
	return node, nil
}

func (m *matcher) numberRanges(node *NumberRange, ranges []query.Range) (Node, error) {
	for _, r := range ranges {
		interval, holds := Interval{math.MinInt64, math.MaxInt64}, true
		for _, b := range boundsOf(r) {
			n, err := m.number(b.value, b.at)
			if err != nil {
				return nil, err
			}
			switch {
			case b.lower && b.exclusive && n == math.MaxInt64, !b.lower && b.exclusive && n == math.MinInt64:
				holds = false
			case b.lower && b.exclusive:
				interval.Min = n + 1
			case b.lower:
				interval.Min = n
			case b.exclusive:
				interval.Max = n - 1
			default:
				interval.Max = n
			}
		}
		if holds && interval.Min <= interval.Max {
			node.Intervals = append(node.Intervals, interval)
		}
	}
	node.Intervals = joinIntervals(node.Intervals)
	return node, nil
}

// joinIntervals sorts intervals and joins adjacent and overlapping ones.
func joinIntervals(all []Interval) []Interval {
	slices.SortFunc(all, func(a, b Interval) int { return cmp.Compare(a.Min, b.Min) })
	joined := all[:0]
	for _, i := range all {
		if n := len(joined); n > 0 && (i.Min <= joined[n-1].Max || i.Min == joined[n-1].Max+1) {
			joined[n-1].Max = max(joined[n-1].Max, i.Max)
			continue
		}
		joined = append(joined, i)
	}
	return joined
}

// number converts a literal to the sortable number of the field.
func (m *matcher) number(value query.Literal, at problem.Path) (int64, error) {
	n, expected, ok := Number(m.field.Type, value)
	if !ok {
		return 0, m.invalid(at, expected)
	}
	return n, nil
}

// Number converts a literal to the number by which fields of a type are ordered and
// filtered. When the literal does not fit, expected describes what would.
func Number(t definition.Type, value query.Literal) (n int64, expected string, ok bool) {
	switch {
	case t == definition.Timestamp:
		text, isText := value.Text()
		if !isText {
			return 0, "a timestamp", false
		}
		millis, ok := document.ParseTimestamp(text)
		return millis, "a timestamp with an offset such as 2026-02-01T08:00:00Z", ok
	case t.IsWhole():
		if value.Kind() != query.NumberLiteral {
			return 0, "a whole number", false
		}
		n, ok := jsonread.Int64(value)
		if t == definition.Int32 {
			return n, "a whole number of 32 bits", ok && int64(int32(n)) == n
		}
		return n, "a whole number of 64 bits", ok
	}
	if value.Kind() != query.NumberLiteral {
		return 0, "a number", false
	}
	v, ok := jsonread.Float64(value)
	if t == definition.Float {
		v = float64(float32(v)) // as values of the field are stored
		return layout.Float(v), "a number of 32 bits", ok && !math.IsInf(v, 0)
	}
	return layout.Float(v), "a number", ok
}
