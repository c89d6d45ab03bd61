package query

import "github.com/quiresearch/quire/problem"

// Text holds the members common to text clauses and text matchers. Decoding fills
// in the defaults.
type Text struct {
	Text      string
	Match     TextMatch
	Join      Join
	Prefix    Prefix
	Typos     Typos
	Slop      int
	Relax     Relax
	Interpret Interpret
}

// TextMatch says which words of a text must be found.
type TextMatch string

const (
	MatchAll    TextMatch = "all"
	MatchAny    TextMatch = "any"
	MatchPhrase TextMatch = "phrase"
	MatchUser   TextMatch = "user"
)

// Join says how the parts of a user text combine.
type Join string

const (
	JoinAll Join = "all"
	JoinAny Join = "any"
)

// Prefix says whether the last word may be the start of a longer one.
type Prefix string

const (
	PrefixLastToken Prefix = "last_token"
	PrefixOff       Prefix = "off"
)

// Typos says whether misspellings are tolerated.
type Typos string

const (
	TyposAuto Typos = "auto"
	TyposOff  Typos = "off"
)

// Relax says which words may be dropped when nothing matches.
type Relax string

const (
	RelaxUnmatched Relax = "unmatched"
	RelaxWords     Relax = "words"
	RelaxOff       Relax = "off"
)

// Combine says how the words of a text may be distributed over its fields.
type Combine string

const (
	CombineTerm  Combine = "term"
	CombineField Combine = "field"
)

// NestedScore says how the scores of a document's matching list values are
// combined.
type NestedScore string

const (
	ScoreMax   NestedScore = "max"
	ScoreMin   NestedScore = "min"
	ScoreAvg   NestedScore = "avg"
	ScoreTotal NestedScore = "total"
)

// Interpret says whether quantities and values are interpreted in a user text, and
// on which targets.
type Interpret struct {
	Off     bool
	Targets []Target // empty: every field that declares a unit
}

// Target is a field from which a value is taken: of documents (or list values)
// where When holds. Fallback targets apply to those without a value so far.
// Interpretation, sorts and range facets use targets.
type Target struct {
	At       problem.Path
	Field    string
	When     []Clause
	Fallback []Target
	// WhenText and FallbackText are the JSON as the request spelled it, nil when
	// absent.
	WhenText, FallbackText []byte
}

// PartKind is the kind of a part of a user text.
type PartKind uint8

const (
	LooseWord PartKind = iota
	QuotedPhrase
	ExcludedWord
	ExcludedPhrase
)

// TextPart is one part of a user text. Text excludes quotes and the minus sign;
// Start and End are its byte range in the typed text, including quotes and minus
// sign.
type TextPart struct {
	Kind       PartKind
	Text       string
	Start, End int
	Unclosed   bool // a quotation without a closing quote, which runs to the end of the text
}

// UserParts splits a text by the grammar of user mode: whitespace separates;
// a quote at the start of a part opens a phrase up to the next quote or the
// end; a minus sign directly before a word or quote excludes it; everything
// else is a loose word. Empty quotations are dropped. It never fails.
func UserParts(text string) []TextPart {
	var parts []TextPart
	for i := 0; i < len(text); {
		if size := spaceAt(text, i); size > 0 {
			i += size
			continue
		}
		part := TextPart{Start: i}
		if text[i] == '-' && i+1 < len(text) && spaceAt(text, i+1) == 0 {
			part.Kind = ExcludedWord
			i++
		}
		if text[i] == '"' {
			if part.Kind == ExcludedWord {
				part.Kind = ExcludedPhrase
			} else {
				part.Kind = QuotedPhrase
			}
			i++
			from := i
			for i < len(text) && text[i] != '"' {
				i++
			}
			part.Text = text[from:i]
			if i < len(text) {
				i++
			} else {
				part.Unclosed = true
			}
			part.End = i
			if !blank(part.Text) {
				parts = append(parts, part)
			}
			continue
		}
		from := i
		for i < len(text) && spaceAt(text, i) == 0 {
			i++
		}
		part.Text, part.End = text[from:i], i
		parts = append(parts, part)
	}
	return parts
}

// Words splits a text at whitespace into loose words.
func Words(text string) []TextPart {
	var parts []TextPart
	for i := 0; i < len(text); {
		if size := spaceAt(text, i); size > 0 {
			i += size
			continue
		}
		from := i
		for i < len(text) && spaceAt(text, i) == 0 {
			i++
		}
		parts = append(parts, TextPart{Text: text[from:i], Start: from, End: i})
	}
	return parts
}
