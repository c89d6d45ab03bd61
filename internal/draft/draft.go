// Package draft guesses a definition from documents: the types of their
// fields, what each is used for, the key, and the language of the text.
//
// A Drafter takes documents one by one and remembers counts and a few samples,
// not the documents. Finish returns the definition, a reason for every guess,
// and how each member of a document becomes a value of its field.
//
//	drafter := draft.New(draft.Options{})
//	for _, document := range documents {
//		drafter.Add(document)
//	}
//	drafted := drafter.Finish()
//
// Without Convert the definition takes the documents as they are: a date
// without an offset stays a string, since the interface refuses it as a
// timestamp. With Convert, texts that read as numbers, dates, truth values,
// geo points or lists are drafted as such, and the caller converts them by Columns.
//
// Invariants:
//
//	DR1  definition.Parse accepts every drafted definition.
//	DR2  Memory is bounded: maxColumns columns, maxDistinct values and maxSample
//	     bytes of text each.
//
// A Drafter is used by one goroutine at a time.
package draft

import (
	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/jsonread"
)

// Options say what is known beside the documents.
type Options struct {
	// Convert drafts what texts read as, not only what they are.
	Convert bool
	// Lacks reports whether the node lacks data that fields of a locale need.
	// Nil: it lacks none.
	Lacks func(tag string) bool
}

// Bounds of what is looked at.
const (
	EnoughDocuments = 10_000   // from which more would not change a guess
	EnoughBytes     = 16 << 20 // of documents

	maxColumns  = 1000
	maxDistinct = 20_000
	maxSample   = 16 << 10
	maxDepth    = 8
)

// Drafter gathers what documents hold.
type Drafter struct {
	options Options
	root    *columns
	bytes   int
	count   int // of columns, in all objects
	dropped int // members beyond maxColumns
	isLate  bool
	chosen  map[string]string
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

// Add looks at one document: a JSON object that jsonread.Check accepted. Nothing
// of it is kept.
func (d *Drafter) Add(document []byte) {
	d.bytes += len(document)
	d.root.add(document)
}

// AddLate looks at a document behind the sample for members that no document of
// the sample has; the others are passed over. It is much faster than Add.
func (d *Drafter) AddLate(document []byte) {
	if !d.isLate {
		d.isLate = true
		d.root.freeze()
	}
	d.root.add(document)
}

// SetLacks changes which language data the node lacks, once that is known.
func (d *Drafter) SetLacks(lacks func(tag string) bool) { d.options.Lacks = lacks }

// Choose settles a question: the answer is one of its choices.
func (d *Drafter) Choose(q Question, answer string) { d.chosen[q.Kind+"\x00"+q.Column] = answer }

// Draft is a drafted definition with its reasons.
type Draft struct {
	Fields    Fields
	Reasons   []Reason
	Columns   []*Column  // how members of documents become fields
	Questions []Question // what the documents leave open, and was defaulted
	Key       string     // the field of the primary key; empty when no field can be it
	Title     string     // the field that names a document, if one does
}

// Reason says why a field is drafted as it is.
type Reason struct {
	Field  string `json:"field"`
	Name   string `json:"name,omitempty"` // of the member, where the field needed another name
	Reason string `json:"reason"`
}

// The kinds of questions.
const (
	AskDecimal  = "decimal"  // is 1,234 more than a thousand, or little more than one?
	AskDayFirst = "dayFirst" // is 01/02 the first of February?
)

// Question is a guess that the documents do not decide.
type Question struct {
	Kind    string
	Column  string
	Text    string
	Choices []string // the first is the default
}

// MarshalDefinition returns the definition as a body that creates an index.
func (d *Draft) MarshalDefinition() ([]byte, error) {
	return json.Marshal(struct {
		Fields Fields `json:"fields"`
	}{d.Fields})
}

// text returns the content of a JSON string.
func text(raw []byte) string { return jsonread.String(raw) }
