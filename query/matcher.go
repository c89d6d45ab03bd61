package query

import "github.com/quiresearch/quire/problem"

// Matcher is the condition of a field clause on a value: a tagged union of the
// *…Matcher types of this package.
type Matcher interface {
	// Path returns the path of the matcher in the request.
	Path() problem.Path
	// Type returns the tag of the matcher as spelled in requests.
	Type() string
	matcher()
}

// EqualsMatcher matches one value.
type EqualsMatcher struct {
	At    problem.Path
	Value Literal
}

// InMatcher matches any of the values; without values it matches nothing.
type InMatcher struct {
	At     problem.Path
	Values []Literal
}

// AnyMatcher matches documents that hold a value.
type AnyMatcher struct {
	At problem.Path
}

// PrefixMatcher matches the start of the whole value.
type PrefixMatcher struct {
	At    problem.Path
	Value Literal
}

// UnderMatcher matches a level of a hierarchy and everything below it.
type UnderMatcher struct {
	At    problem.Path
	Level string
}

// RangeMatcher matches values between bounds.
type RangeMatcher struct {
	At problem.Path
	Range
}

// RangesMatcher matches values in any of the ranges; without ranges it matches
// nothing.
type RangesMatcher struct {
	At     problem.Path
	Ranges []Range
}

// Range has at most one bound on each side; a nil Literal means no bound.
type Range struct {
	At               problem.Path
	Gte, Gt, Lte, Lt Literal
	From, To         bool // gte is spelled from, lt is spelled to
}

// TextMatcher searches for text in the clause's field.
type TextMatcher struct {
	At problem.Path
	Text
}

// DistanceMatcher matches points within a radius of an origin.
type DistanceMatcher struct {
	At               problem.Path
	Lat, Lon, Radius float64 // degrees, degrees, meters
}

func (m *EqualsMatcher) Path() problem.Path   { return m.At }
func (m *InMatcher) Path() problem.Path       { return m.At }
func (m *AnyMatcher) Path() problem.Path      { return m.At }
func (m *PrefixMatcher) Path() problem.Path   { return m.At }
func (m *UnderMatcher) Path() problem.Path    { return m.At }
func (m *RangeMatcher) Path() problem.Path    { return m.At }
func (m *RangesMatcher) Path() problem.Path   { return m.At }
func (m *TextMatcher) Path() problem.Path     { return m.At }
func (m *DistanceMatcher) Path() problem.Path { return m.At }

func (*EqualsMatcher) Type() string   { return "equals" }
func (*InMatcher) Type() string       { return "in" }
func (*AnyMatcher) Type() string      { return "any" }
func (*PrefixMatcher) Type() string   { return "prefix" }
func (*UnderMatcher) Type() string    { return "under" }
func (*RangeMatcher) Type() string    { return "range" }
func (*RangesMatcher) Type() string   { return "ranges" }
func (*TextMatcher) Type() string     { return "text" }
func (*DistanceMatcher) Type() string { return "distance" }

func (*EqualsMatcher) matcher()   {}
func (*InMatcher) matcher()       {}
func (*AnyMatcher) matcher()      {}
func (*PrefixMatcher) matcher()   {}
func (*UnderMatcher) matcher()    {}
func (*RangeMatcher) matcher()    {}
func (*RangesMatcher) matcher()   {}
func (*TextMatcher) matcher()     {}
func (*DistanceMatcher) matcher() {}
