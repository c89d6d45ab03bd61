package cli

import (
	"strings"
	"unicode"
)

// printable returns text for a terminal. What documents, files and other
// machines hold must not move the cursor, set titles or turn lines around:
// control characters and those that change the direction of text become U+FFFD.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
