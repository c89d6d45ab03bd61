package match

import "github.com/quiresearch/quire/internal/search/match/window"

// The arrays of a window, by the names that sinks use.
type (
	Bits = window.Bits
	Sums = window.Sums
)

const (
	// Span is the number of documents of a window.
	Span = window.Span
	// NoMore is what next answers when no document is left.
	NoMore = window.NoMore
)
