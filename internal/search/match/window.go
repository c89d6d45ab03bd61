package match

import "github.com/quiresearch/quire/internal/search/match/window"

// Bits and Sums are the arrays of a window, under the names that sinks use.
type (
	Bits = window.Bits
	Sums = window.Sums
)

const (
	// Span is the number of documents in a window.
	Span = window.Span
	// NoMore is what next returns when no documents are left.
	NoMore = window.NoMore
)
