package layout

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/quiresearch/quire/internal/locale"
)

// Float returns the sortable number of a float. The numbers order like the floats,
// and negative zero equals zero.
func Float(v float64) int64 {
	if v == 0 {
		return 0 // negative zero too
	}
	bits := int64(math.Float64bits(v))
	return bits ^ (bits>>63)&math.MaxInt64
}

// FloatOf returns the float of a sortable number.
func FloatOf(n int64) float64 {
	return math.Float64frombits(uint64(n ^ (n>>63)&math.MaxInt64))
}

// Bool returns the sortable number of a boolean: false before true.
func Bool(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// BoolTerm returns the filter term of a boolean.
func BoolTerm(v bool) string {
	if v {
		return "1"
	}
	return "0"
}

// AppendNumberKey appends eight bytes that order like the numbers; facets of
// numbers, timestamps and booleans count these keys.
func AppendNumberKey(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n)^(1<<63))
}

// NumberOfKey returns the number of a key made by AppendNumberKey, and false
// when the key has another length.
func NumberOfKey(key []byte) (int64, bool) {
	if len(key) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(key) ^ (1 << 63)), true
}

// Fold returns the form in which filters compare a string: lower case by the rules
// of the variant's language if folding is set, else unchanged. The variant "" uses
// the root rules.
func Fold(variant, value string, folding bool) string {
	if !folding {
		return value
	}
	return locale.Lower(variant, value)
}

// MaxTerm bounds the bytes of a filter term, an exact value and a facet value.
// Documents with longer ones are rejected.
const MaxTerm = 8191

// Cut truncates a value to MaxTerm bytes without splitting a character. Only
// documents accepted before longer values were rejected need it.
func Cut(value string) string {
	if len(value) <= MaxTerm {
		return value
	}
	end := MaxTerm
	for end > 0 && value[end]&0xC0 == 0x80 {
		end--
	}
	return value[:end]
}

// LevelPaths returns every prefix of a hierarchical value as a level path, the top
// level first. It ignores empty segments; a value of only separators has no levels.
func LevelPaths(value, separator string) []string {
	var paths []string
	path := ""
	for segment := range strings.SplitSeq(value, separator) {
		if segment == "" {
			continue
		}
		// A segment may contain LevelSeparator itself when the field declares another
		// separator; it is escaped by a character that sorts low.
		segment = strings.ReplaceAll(segment, LevelSeparator, "\x01")
		if path != "" {
			path += LevelSeparator
		}
		path += segment
		paths = append(paths, path)
	}
	return paths
}

// LevelPath returns the level path that a typed path names, and false when it names
// none.
func LevelPath(typed, separator string) (string, bool) {
	paths := LevelPaths(typed, separator)
	if len(paths) == 0 {
		return "", false
	}
	return paths[len(paths)-1], true
}

// ShowLevelPath returns a level path with the separator of its field.
func ShowLevelPath(path, separator string) string {
	path = strings.ReplaceAll(path, LevelSeparator, separator)
	return strings.ReplaceAll(path, "\x01", LevelSeparator)
}
