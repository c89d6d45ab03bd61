// Package judgement holds judgement sets: searches of an index with their
// expected results, and the bounds that a ranking must satisfy.
//
// Decode parses a set strictly from a JSON object, DecodeLines from lines with
// one query each. JSON and Version return the canonical form that is stored,
// Patch applies a change object. A Set is never modified after decoding; any
// number of goroutines may read it.
package judgement

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/query"
)

// Limits of a set.
const (
	MaxQueries = 10_000
	MaxKeys    = 1_000 // of one query: graded keys, and keys of each expectation
	MaxGrade   = 10
	MaxText    = 10_000 // bytes of a text, an id or a key
	MaxBytes   = 16 << 20
)

// Set is a judgement set.
type Set struct {
	Queries []Query
	Bounds  Bounds

	document []byte // canonical JSON
}

// Query is one search with its expected result: Grades, or Expect, or both. A
// known item is a single key with grade 1.
type Query struct {
	ID     string // "" if none was given
	Text   string
	Search []byte // a search request; nil: a text clause over Text with defaults
	Locale string
	Weight float64 // in the means of a set; 1 if none was given
	Grades map[string]float64
	Known  string // "" if grades were given
	Expect *Expectations
}

// Expectations are the requirements on the first hits of a search.
type Expectations struct {
	MustHit    []string
	MustNotHit []string
	Above      [][2]string // the first before the second
	AtLeast    int64       // number of hits in total
}

// Count returns the number of individual expectations.
func (e *Expectations) Count() int {
	if e == nil {
		return 0
	}
	count := len(e.MustHit) + len(e.MustNotHit) + len(e.Above)
	if e.AtLeast > 0 {
		count++
	}
	return count
}

// Bounds are the requirements for accepting a ranking. A nil bound does not
// apply.
type Bounds struct {
	MinNDCG      *float64 // minimum nDCG
	MaxLoss      *float64 // maximum loss of nDCG against the live generation
	Expectations bool     // every expectation is met
}

// JSON returns the set in canonical form: the given members, sorted and without
// nulls. The result must not be modified.
func (s *Set) JSON() []byte { return s.document }

// Version returns 16 hexadecimal digits that depend on the content.
func (s *Set) Version() string {
	sum := sha256.Sum256(s.document)
	return hex.EncodeToString(sum[:8])
}

// AppendLines appends the set as lines: the bounds, if any, followed by one
// query per line.
func (s *Set) AppendLines(to []byte) []byte {
	var queries []byte
	for members := jsonread.Members(s.document); members.Next(); {
		switch jsonread.String(members.RawName()) {
		case "bounds":
			to = append(append(append(to, `{"bounds":`...), members.Value()...), "}\n"...)
		case "queries":
			queries = members.Value()
		}
	}
	for items := jsonread.Items(queries); items.Next(); {
		to = append(append(to, items.Value()...), '\n')
	}
	return to
}

// FoldText returns the form in which texts are compared: composed, in lower
// case, with single spaces.
func FoldText(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(text))), " ")
}

// FirstText returns the text of the first text clause of a search, "" if there
// is none.
func FirstText(s *query.Search) string {
	for _, clause := range s.Query {
		if text, ok := clause.(*query.TextClause); ok {
			return text.Text.Text
		}
	}
	return ""
}

// About returns the names of the expectations that involve a key, as reports
// list unmet expectations.
func (e *Expectations) About(key string) []string {
	if e == nil {
		return nil
	}
	var found []string
	if slices.Contains(e.MustHit, key) {
		found = append(found, MustHit(key))
	}
	if slices.Contains(e.MustNotHit, key) {
		found = append(found, MustNotHit(key))
	}
	for _, pair := range e.Above {
		if slices.Contains(pair[:], key) {
			found = append(found, Above(pair))
		}
	}
	return found
}

// MustHit returns the name of the expectation for a key.
func MustHit(key string) string { return "mustHit " + key }

// MustNotHit returns the name of the expectation for a key.
func MustNotHit(key string) string { return "mustNotHit " + key }

// Above returns the name of the expectation for a pair of keys.
func Above(pair [2]string) string { return "above " + pair[0] + ", " + pair[1] }
