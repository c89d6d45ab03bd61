package judgement

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Decode parses a set. The error contains every problem. The limits are those
// for parsing searches.
func Decode(body []byte, limits query.Limits) (*Set, error) {
	var found problem.List
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return nil, found.Err()
	}
	r := reader{limits: limits, ids: make(map[string]bool), found: &found}
	s := &Set{}
	hasQueries := false
	isObject := value.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "queries":
			hasQueries = !member.IsNull()
			r.queries(member, s)
		case "bounds":
			s.Bounds = readBounds(member)
		default:
			return false
		}
		return true
	})
	if isObject && !hasQueries {
		found.Report(problem.RequestValueRequired.At(problem.At("queries")))
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	// In a search, `"fields":{"title":null}` searches title with its weight.
	if s.document = jsonread.Canonical(value.Raw(), "fields"); len(s.document) > MaxBytes {
		return nil, problem.JudgementsTooMany.New("max", MaxBytes, "what", "bytes in a judgement set")
	}
	return s, nil
}

// DecodeLines parses a set from a sequence of values: queries, and at most one
// object that contains only bounds. next returns nil at the end. Problems are
// those of Decode, with the path queries[i] for the i-th query.
func DecodeLines(next func() ([]byte, error), limits query.Limits) (*Set, error) {
	body, bounds := []byte(`{"queries":[`), []byte(nil)
	for count := 0; ; {
		line, err := next()
		if err != nil {
			return nil, err
		}
		if line == nil {
			break
		}
		checked, err := jsonread.Check(line)
		if err != nil {
			return nil, jsonread.Malformed(line, err)
		}
		if found, ok := boundsOf(checked); ok && bounds == nil {
			bounds = bytes.Clone(found)
			continue
		}
		if len(body)+len(checked) > MaxBytes {
			return nil, problem.JudgementsTooMany.At(problem.At("queries"), "max", MaxBytes, "what", "bytes in a judgement set")
		}
		if count++; count > MaxQueries {
			return nil, problem.JudgementsTooMany.At(problem.At("queries"), "max", MaxQueries, "what", "queries")
		}
		if count > 1 {
			body = append(body, ',')
		}
		body = append(body, checked...)
	}
	body = append(body, ']')
	if bounds != nil {
		body = append(append(body, `,"bounds":`...), bounds...)
	}
	return Decode(append(body, '}'), limits)
}

// boundsOf returns the bounds of a line that contains nothing else.
func boundsOf(line []byte) ([]byte, bool) {
	members := jsonread.Members(line)
	if !members.Next() || jsonread.String(members.RawName()) != "bounds" {
		return nil, false
	}
	found := members.Value()
	return found, !members.Next()
}

type reader struct {
	limits query.Limits
	ids    map[string]bool
	found  *problem.List
}

func (r *reader) queries(v jsonread.Value, s *Set) {
	count := 0
	v.Items(func(_ int, item jsonread.Value) {
		if count++; count <= MaxQueries {
			s.Queries = append(s.Queries, r.query(item))
		}
	})
	if count > MaxQueries {
		v.Report(problem.JudgementsTooMany, "max", MaxQueries, "what", "queries")
	}
}

func (r *reader) query(v jsonread.Value) Query {
	q := Query{Weight: 1}
	var misread parts
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		before := r.found.Len()
		defer func() { misread.add(name, r.found.Len() > before) }()
		switch name {
		case "id":
			q.ID = shortText(member)
		case "text":
			q.Text = shortText(member)
		case "locale":
			q.Locale = shortText(member)
		case "known":
			q.Known = shortText(member)
		case "search":
			r.search(member, &q)
		case "weight":
			weight, ok := member.Number()
			if ok && !(weight > 0 && weight <= 1e6) {
				member.Invalid("expected a number above 0, at most 1000000")
			} else if ok {
				q.Weight = weight
			}
		case "grades":
			q.Grades = readGrades(member)
		case "expect":
			q.Expect = readExpectations(member)
		default:
			return false
		}
		return true
	})
	if isObject {
		r.check(v, &q, misread)
	}
	return q
}

// parts are the two parts that every query has: what is searched for, and what it
// should find.
type parts struct{ search, aim bool }

// add adds the part that a member belongs to if the member was reported.
func (p *parts) add(member string, reported bool) {
	switch member {
	case "text", "search":
		p.search = p.search || reported
	case "known", "grades", "expect":
		p.aim = p.aim || reported
	}
}

// check reports missing and superfluous members of a query. A part that could not be
// read was reported and is not missing.
func (r *reader) check(v jsonread.Value, q *Query, misread parts) {
	refuse := func(reason string) { v.Report(problem.JudgementsQueryInvalid, "reason", reason) }
	hasText, hasSearch := strings.TrimSpace(q.Text) != "", q.Search != nil
	switch {
	case !hasText && !hasSearch && misread.search:
	case !hasText && !hasSearch:
		refuse("it has neither a text nor a search")
	case hasSearch && q.Locale != "":
		refuse("the locale of a search stands in the search")
	}
	switch {
	case misread.aim:
	case q.Grades == nil && q.Known == "" && q.Expect.Count() == 0:
		refuse("it has neither grades nor a known key nor expectations")
	case q.Grades != nil && q.Known != "":
		refuse("it has both grades and a known key")
	case q.Grades != nil && !hasRelevant(q.Grades):
		refuse("no grade is above 0")
	}
	if q.ID != "" && r.ids[q.ID] {
		refuse("its id is that of another query")
	}
	r.ids[q.ID] = true
	if q.Known != "" {
		q.Grades = map[string]float64{q.Known: 1}
	}
}

func hasRelevant(grades map[string]float64) bool {
	for _, g := range grades {
		if g > 0 {
			return true
		}
	}
	return false
}

// search validates the structure of a search request; whether the index can run
// it is determined by the evaluation.
func (r *reader) search(v jsonread.Value, q *Query) {
	if v.IsNull() {
		return
	}
	if v.Kind() != jsonread.ObjectKind {
		v.Invalid("expected an object, found " + v.Kind().String())
		return
	}
	q.Search = v.Raw()
	_, err := query.DecodeSearch(v.Raw(), r.limits)
	for _, p := range problem.All(err) {
		if p.Path == "" || p.Path[0] == '[' {
			p.Path = v.Path().String() + p.Path
		} else {
			p.Path = v.Path().String() + "." + p.Path
		}
		r.found.Report(p)
	}
}

func readGrades(v jsonread.Value) map[string]float64 {
	if v.IsNull() {
		return nil
	}
	grades := make(map[string]float64)
	v.Entries(func(key string, entry jsonread.Value) {
		grade, ok := entry.Number()
		switch {
		case !ok:
		case !(grade >= 0 && grade <= MaxGrade):
			entry.Report(problem.JudgementsGradeOutOfRange, "value", strconv.FormatFloat(grade, 'g', -1, 64))
		case len(key) > MaxText:
			entry.Invalid("the key is too long")
		case len(grades) <= MaxKeys:
			grades[key] = grade
		}
	})
	if len(grades) > MaxKeys {
		v.Report(problem.JudgementsTooMany, "max", MaxKeys, "what", "graded keys of a query")
	}
	return grades
}

func readExpectations(v jsonread.Value) *Expectations {
	if v.IsNull() {
		return nil
	}
	e := &Expectations{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "mustHit":
			e.MustHit = readKeys(member)
		case "mustNotHit":
			e.MustNotHit = readKeys(member)
		case "above":
			e.Above = readPairs(member)
		case "atLeast":
			least, ok := member.Int64()
			if ok && least < 1 {
				member.Invalid("expected a number of hits from 1 on")
			} else if ok {
				e.AtLeast = least
			}
		default:
			return false
		}
		return true
	})
	return e
}

func readKeys(v jsonread.Value) []string {
	var keys []string
	count := 0
	v.Items(func(_ int, item jsonread.Value) {
		if count++; count <= MaxKeys {
			keys = append(keys, shortText(item))
		}
	})
	if count > MaxKeys {
		v.Report(problem.JudgementsTooMany, "max", MaxKeys, "what", "keys of an expectation")
	}
	return keys
}

func readPairs(v jsonread.Value) [][2]string {
	var pairs [][2]string
	count := 0
	v.Items(func(_ int, item jsonread.Value) {
		if count++; count > MaxKeys {
			return
		}
		if keys := readKeys(item); len(keys) == 2 {
			pairs = append(pairs, [2]string(keys))
		} else if item.Kind() == jsonread.ListKind {
			item.Invalid("expected two keys")
		}
	})
	if count > MaxKeys {
		v.Report(problem.JudgementsTooMany, "max", MaxKeys, "what", "pairs of an expectation")
	}
	return pairs
}

func readBounds(v jsonread.Value) Bounds {
	var b Bounds
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "minNdcg":
			b.MinNDCG = readShare(member)
		case "maxLoss":
			b.MaxLoss = readShare(member)
		case "expectations":
			b.Expectations, _ = member.Bool()
		default:
			return false
		}
		return true
	})
	return b
}

func readShare(v jsonread.Value) *float64 {
	share, ok := v.Number()
	if !ok {
		return nil
	}
	if math.IsNaN(share) || share < 0 || share > 1 {
		v.Report(problem.JudgementsBoundOutOfRange, "value", strconv.FormatFloat(share, 'g', -1, 64))
		return nil
	}
	return &share
}

func shortText(v jsonread.Value) string {
	text, ok := v.Text()
	if ok && len(text) > MaxText {
		v.Invalid("the text is longer than " + strconv.Itoa(MaxText) + " bytes")
		return ""
	}
	return text
}
