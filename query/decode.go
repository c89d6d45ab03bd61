package query

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// decoder reads one body. Its methods report problems to found and continue.
type decoder struct {
	limits Limits
	found  *problem.List
	// nested is set inside a nested clause.
	nested bool
}

// open parses a body and measures its clauses. It reads a missing body as {}, and
// returns false when nothing more can be read.
func (d *decoder) open(body []byte) (jsonread.Value, bool) {
	return d.parse(orEmpty(body), whole)
}

// whole returns the whole body.
func whole(body jsonread.Value) jsonread.Value { return body }

// parse parses a body and measures the clauses in the part of it that read selects.
// It reports clauses that are nested too deeply as such, even if the body also
// exceeds the nesting limit of JSON.
func (d *decoder) parse(body []byte, read func(jsonread.Value) jsonread.Value) (jsonread.Value, bool) {
	value, ok := jsonread.Parse(body, d.found)
	if !ok {
		raw, err := jsonread.Check(body)
		if !errors.Is(err, jsonread.ErrTooDeep) {
			return value, false
		}
		value = jsonread.New(raw, problem.Path{}, nil)
	}
	if over := measure(read(value), d.limits); over != nil {
		d.found = new(problem.List)
		d.found.Report(over)
		return value, false
	}
	return value, ok
}

// orEmpty returns the body, or {} if it is absent or null.
func orEmpty(body []byte) []byte {
	if jsonread.Blank(body) || string(bytes.TrimSpace(body)) == "null" {
		return []byte("{}")
	}
	return body
}

func newDecoder(limits Limits) *decoder {
	return &decoder{limits: limits, found: &problem.List{}}
}

// DecodeSearch decodes the body of a search. A missing body is an empty search. The
// error holds every problem of shape. The request keeps slices of body, which must
// not change afterwards.
func DecodeSearch(body []byte, limits Limits) (*Search, error) {
	d := newDecoder(limits)
	s := emptySearch()
	if value, ok := d.open(body); ok {
		d.search(value, s, false)
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// DecodeExplain decodes the body of an explain request: a search of which it reads
// only the members that determine match and score. It does not validate the others.
func DecodeExplain(body []byte, limits Limits) (*Search, error) {
	d := newDecoder(limits)
	s := emptySearch()
	if value, ok := d.parse(orEmpty(body), readByExplain); ok {
		d.search(value, s, true)
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	if s.Hits == nil {
		s.Rescore = explainedRescore(body, limits)
	}
	return s, nil
}

// explainedRescore returns the second pass of an explained search. It returns nil
// when there is none or a search would reject it: an explanation is of the first
// pass and reports the second beside it.
func explainedRescore(body []byte, limits Limits) *Rescore {
	for members := jsonread.Members(orEmpty(body)); members.Next(); {
		if jsonread.String(members.RawName()) != "rescore" {
			continue
		}
		d := newDecoder(limits)
		value := jsonread.New(members.Value(), problem.At("rescore"), d.found)
		alone := jsonread.New(slices.Concat([]byte(`{"rescore":`), members.Value(), []byte(`}`)), problem.Path{}, d.found)
		if value.IsNull() || measure(alone, limits) != nil {
			return nil
		}
		if r := d.rescore(value); d.found.Err() == nil {
			return r
		}
	}
	return nil
}

func emptySearch() *Search {
	return &Search{Limit: DefaultLimit, SignalsMode: SignalsAdd}
}

// explainIgnores reports whether an explanation ignores a member of a search.
func explainIgnores(name string) bool {
	switch name {
	case "limit", "offset", "after", "before", "pages", "sort", "facets", "highlight", "matched",
		"fields", "rescore", "total":
		return true
	}
	return false
}

// readByExplain returns the body without the members that an explanation ignores.
func readByExplain(body jsonread.Value) jsonread.Value {
	kept := []byte{'{'}
	members := jsonread.Members(body.Raw())
	for members.Next() {
		if explainIgnores(jsonread.String(members.RawName())) {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(append(append(kept, members.RawName()...), ':'), members.Value()...)
	}
	return jsonread.New(append(kept, '}'), body.Path(), body.Found())
}

// given records which members of a search were present, and where.
type given struct {
	offset, after, before, signalsMode bool
	pages, matched, rescore            problem.Path
	hasMatched                         bool
}

func (d *decoder) search(body jsonread.Value, s *Search, explain bool) {
	var g given
	body.Members(func(name string, v jsonread.Value) bool {
		if explain && explainIgnores(name) || v.IsNull() && knownInSearch(name) {
			return true
		}
		return d.searchMember(name, v, s, &g)
	})
	if g.signalsMode && !s.HasSignals {
		d.found.Report(problem.SearchSignalModeWithoutSignals.At(problem.At("signalsMode")))
	}
	d.checkPaging(s, &g)
	d.checkHits(s, &g)
}

func (d *decoder) searchMember(name string, v jsonread.Value, s *Search, g *given) bool {
	switch name {
	case "query":
		s.Query, s.QueryText = d.clauses(v), v.Raw()
	case "filters":
		s.Filters, s.FiltersText = d.filters(v), v.Raw()
	case "facets":
		s.Facets = d.facets(v)
	case "sort":
		upTo(v, MaxSorts, func(item jsonread.Value) { s.Sort = append(s.Sort, d.sort(item)) })
	case "signals":
		s.Signals, s.HasSignals = d.signals(v), true
	case "signalsMode":
		g.signalsMode = true
		if word, ok := v.Word(string(SignalsAdd), string(SignalsReplace)); ok {
			s.SignalsMode = SignalsMode(word)
		}
	case "rescore":
		g.rescore = v.Path()
		s.Rescore = d.rescore(v)
	case "locale":
		s.Locale = locale(v)
	case "fields":
		s.Fields, s.HasFields = fieldNames(v), true
	case "highlight":
		s.Highlight = d.highlight(v)
	case "matched":
		g.matched, g.hasMatched = v.Path(), true
		s.Matched = d.matched(v)
	case "hits":
		s.Hits = d.hits(v)
	case "limit":
		if n, ok := d.whole(v, 0, d.limits.MaxLimit, problem.SearchLimitOutOfRange); ok {
			s.Limit = n
		}
	case "offset":
		g.offset = true
		switch n, ok := wholeOf(v); {
		case !ok:
		case n < 0:
			v.Report(problem.SearchOffsetOutOfRange)
		default:
			s.Offset = int(min(n, math.MaxInt32)) // deeper than any page
		}
	case "after":
		g.after = true
		s.After = d.cursor(v)
	case "before":
		g.before = true
		s.Before = d.cursor(v)
	case "pages":
		g.pages = v.Path()
		s.Pages = d.pages(v)
	case "total":
		word, _ := v.Word("estimate", "exact")
		s.ExactTotal = word == "exact"
	case "freshness":
		s.Freshness = d.freshness(v)
	default:
		return false
	}
	return true
}

// knownInSearch reports whether name is a member of a search, which may be null to
// be omitted. Unknown members are rejected even if null.
func knownInSearch(name string) bool {
	switch name {
	case "query", "filters", "facets", "sort", "signals", "signalsMode", "rescore", "locale", "fields",
		"highlight", "matched", "hits", "limit", "offset", "after", "before", "pages", "total", "freshness":
		return true
	}
	return false
}

func (d *decoder) checkPaging(s *Search, g *given) {
	positions := 0
	for _, present := range []bool{g.offset, g.after, g.before} {
		if present {
			positions++
		}
	}
	if positions > 1 {
		d.found.Report(problem.SearchPagingConflicting.New())
	}
	if !g.after && !g.before && s.Offset+s.Limit > d.limits.MaxPageDepth {
		d.found.Report(problem.SearchPagingTooDeep.New("max", d.limits.MaxPageDepth))
	}
	if s.Pages != nil && s.Limit == 0 {
		d.found.Report(problem.SearchPagesWithoutLimit.At(g.pages))
	}
	if r := s.Rescore; r != nil && r.Window > 0 && !g.after && !g.before && s.Offset+s.Limit > r.Window {
		d.found.Report(problem.SearchRescoreWindowTooSmall.At(g.rescore.Field("window"), "window", r.Window))
	}
}

func (d *decoder) freshness(v jsonread.Value) string {
	token := ""
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "atLeast" {
			return false
		}
		var ok bool
		if token, ok = member.Text(); ok && token == "" && !member.IsNull() {
			member.Report(problem.SearchFreshnessInvalid)
		}
		return true
	})
	return token
}

// unbounded is an upper bound too large to be worth naming: the maximum of 32 bits.
const unbounded = -1

// cursor reads a cursor and rejects an empty one.
func (d *decoder) cursor(v jsonread.Value) string {
	text, ok := v.Text()
	if ok && text == "" && !v.IsNull() {
		v.Report(problem.SearchCursorInvalid)
	}
	return text
}

// whole reads a whole number between two bounds and reports code for one outside
// them. The problem names the upper bound unless it is unbounded.
func (d *decoder) whole(v jsonread.Value, low, high int, code *problem.Code) (int, bool) {
	if v.IsNull() {
		return 0, false
	}
	n, ok := wholeOf(v)
	if !ok {
		return 0, false
	}
	switch {
	case high == unbounded && (n < int64(low) || n > math.MaxInt32):
		v.Report(code)
		return 0, false
	case high != unbounded && (n < int64(low) || n > int64(high)):
		v.Report(code, "max", high)
		return 0, false
	}
	return int(n), true
}

// wholeOf reads a whole number and clamps it to 64 bits.
func wholeOf(v jsonread.Value) (int64, bool) {
	if v.Kind() == jsonread.NumberKind {
		switch f, _ := v.Number(); {
		case f >= math.MaxInt64:
			return math.MaxInt64, true
		case f <= math.MinInt64:
			return math.MinInt64, true
		}
	}
	return v.Int64()
}

// number reads a finite number that satisfies fits, and reports code for any other
// number.
func (d *decoder) number(v jsonread.Value, code *problem.Code, fits func(float64) bool) (float64, bool) {
	if v.Kind() == jsonread.NumberKind {
		f, ok := jsonread.Float64(v.Raw())
		if !ok || !fits(f) {
			v.Report(code)
			return 0, false
		}
		return f, true
	}
	return v.Float()
}

// isWeight reports whether f may be a weight: scores have 32 bits.
func isWeight(f float64) bool  { return f >= 0 && f <= math.MaxFloat32 }
func aboveZero(f float64) bool { return f > 0 }

// locale reads the locale of a request. It rejects the empty tag, which no variant
// covers.
func locale(v jsonread.Value) string {
	tag, ok := v.Text()
	if ok && tag == "" {
		v.Report(problem.SearchLocaleUnsupported, "locale", tag)
	}
	return tag
}

// fieldNames reads a list of field names, each with its path.
func fieldNames(v jsonread.Value) []FieldName {
	var names []FieldName
	upTo(v, MaxListedFields, func(item jsonread.Value) {
		if name, ok := item.Text(); ok {
			names = append(names, FieldName{At: item.Path(), Field: name})
		}
	})
	return names
}
