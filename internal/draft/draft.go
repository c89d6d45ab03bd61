// Package draft guesses a definition from documents: the types of their fields,
// the usages of each, the key, and the language of the text.
//
// A Drafter takes documents one by one and keeps counts and a few samples, not
// the documents. Finish returns the definition, a reason for every guess, and a
// plan for converting each member of a document to the value of its field.
//
//	drafter := draft.New(draft.Options{})
//	for _, document := range documents {
//		drafter.Add(document)
//	}
//	drafted := drafter.Finish()
//
// Without Convert, the definition accepts the documents as they are: a date
// without an offset stays a string, because the API rejects it as a timestamp.
// With Convert, strings that read as numbers, dates, truth values, geo points
// or lists are drafted as such, and the caller converts them according to
// Columns.
//
// Invariants:
//
//	DR1  definition.Parse accepts every drafted definition.
//	DR2  Memory is bounded: maxColumns columns, each with maxDistinct values and
//	     maxSample bytes of text.
//
// A Drafter is used by one goroutine at a time.
package draft

import (
	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/jsonread"
)

// Options hold knowledge beyond the documents.
type Options struct {
	// Convert drafts what strings can be read as, not only what they are.
	Convert bool
	// Lacks reports whether the node lacks language data that fields of a locale
	// need. Nil: it lacks none.
	Lacks func(tag string) bool
}

// Limits of the sample and of memory.
const (
	EnoughDocuments = 10_000   // more would not change a guess
	EnoughBytes     = 16 << 20 // of documents

	maxColumns  = 1000
	maxDistinct = 20_000
	maxSample   = 16 << 10
	maxDepth    = 8
)

// Drafter collects information about documents.
type Drafter struct {
	options     Options
	root        *columns
	bytes       int
	count       int // columns in all objects
	unfilled    int // of these, the ones without a value
	late        int // of these, the ones of which the sample has no value
	dropped     int // members beyond maxColumns
	isLate      bool
	expectsMore bool
	chosen      map[string]string
}

// New returns a Drafter that has seen nothing.
func New(options Options) *Drafter {
	d := &Drafter{options: options, chosen: make(map[string]string)}
	d.root = d.newColumns(0)
	return d
}

// Documents returns how many documents are in the sample.
func (d *Drafter) Documents() int {
	if d.isLate {
		return d.root.sampled
	}
	return d.root.seen
}

// HasEnough reports whether more documents would hardly change the draft.
func (d *Drafter) HasEnough() bool { return d.root.seen >= EnoughDocuments || d.bytes >= EnoughBytes }

// Add examines one document: a JSON object that jsonread.Check accepted. It
// keeps no reference to the document.
func (d *Drafter) Add(document []byte) {
	d.bytes += len(document)
	d.root.add(document)
}

// LacksValues reports whether the sample has no value of some member.
func (d *Drafter) LacksValues() bool { return d.unfilled+d.late > 0 }

// ExpectMore announces documents that the drafter will not see. A member without a
// value so far is then declared as text instead of being left out.
func (d *Drafter) ExpectMore() { d.expectsMore = true }

// AddLate examines a document after the sample for members of which the sample has no
// value; it skips all others. It is much faster than Add.
func (d *Drafter) AddLate(document []byte) {
	if !d.isLate {
		d.isLate = true
		d.root.freeze()
	}
	d.root.add(document)
}

// SetLacks replaces Options.Lacks once the language data of the node are known.
func (d *Drafter) SetLacks(lacks func(tag string) bool) { d.options.Lacks = lacks }

// Choose answers a question with one of its choices.
func (d *Drafter) Choose(q Question, answer string) { d.chosen[q.Kind+"\x00"+q.Column] = answer }

// Draft is a drafted definition with its reasons.
type Draft struct {
	Fields    Fields
	Reasons   []Reason
	Columns   []*Column  // how members of documents become fields
	Questions []Question // open questions, answered with their default
	Key       string     // the field of the primary key; empty if no field qualifies
	Title     string     // the field that names a document, if any
	LeavesOut bool       // some members exceeded the bounds and have no column
}

// Reason explains why a field is drafted as it is.
type Reason struct {
	Field  string `json:"field"`
	Name   string `json:"name,omitempty"` // of the member, if the field has another name
	Reason string `json:"reason"`
}

// Kinds of questions.
const (
	AskDecimal  = "decimal"  // is 1,234 more than a thousand, or a little more than one?
	AskDayFirst = "dayFirst" // is 01/02 the first of February?
)

// Question is a guess that the documents leave open.
type Question struct {
	Kind    string
	Column  string
	Text    string
	Choices []string // the first is the default
}

// MarshalDefinition returns the definition as the body of a request that
// creates an index.
func (d *Draft) MarshalDefinition() ([]byte, error) {
	return json.Marshal(struct {
		Fields Fields `json:"fields"`
	}{d.Fields})
}

// text returns the content of a JSON string.
func text(raw []byte) string { return jsonread.String(raw) }
