package registry

import (
	"strings"

	"github.com/quiresearch/quire/problem"
)

const (
	longestIndexName      = 64
	longestGenerationName = 32
)

// Name is what a request addresses: an index, or one of its generations. The zero
// Generation means the live generation.
type Name struct {
	Index      string
	Generation string
}

// ParseName reads "index" or "index@generation". The first @ splits, so a
// second one makes the generation part invalid.
func ParseName(text string) (Name, error) {
	index, generation, named := strings.Cut(text, "@")
	if !IsIndexName(index) {
		return Name{}, problem.IndexNameInvalid.New("name", shown(index))
	}
	if named && !isGenerationName(generation) {
		return Name{}, problem.IndexGenerationNameInvalid.New("name", shown(generation))
	}
	return Name{Index: index, Generation: generation}, nil
}

// IsReserved reports whether no index may be created under a name because paths of
// the interface use the word. An index of that name from an earlier version
// continues to work.
func IsReserved(index string) bool { return index == "actions" }

// shown makes any bytes that a caller sent fit for a message.
func shown(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// HasGeneration reports whether the name carries a generation.
func (n Name) HasGeneration() bool { return n.Generation != "" }

// Bare returns the name without its generation.
func (n Name) Bare() Name { return Name{Index: n.Index} }

// At returns the name of a generation of the same index.
func (n Name) At(generation string) Name {
	return Name{Index: n.Index, Generation: generation}
}

// String returns the name as requests write it.
func (n Name) String() string {
	if n.Generation == "" {
		return n.Index
	}
	return n.Index + "@" + n.Generation
}

// IsIndexName reports whether text is a whole index name.
func IsIndexName(text string) bool {
	return text != "" && CouldBeginIndexName(text)
}

// isGenerationName reports whether text is a whole generation name.
func isGenerationName(text string) bool {
	return text != "" && CouldBeginGenerationName(text)
}

// CouldBeginIndexName reports whether some index name starts with text.
func CouldBeginIndexName(text string) bool { return begins(text, longestIndexName) }

// CouldBeginGenerationName reports whether some generation name starts with
// text.
func CouldBeginGenerationName(text string) bool { return begins(text, longestGenerationName) }

func begins(text string, longest int) bool {
	if len(text) > longest {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case (c == '_' || c == '-') && i > 0:
		default:
			return false
		}
	}
	return true
}
