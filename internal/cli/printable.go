package cli

import (
	"strings"
	"unicode"
)

// printable returns text that is safe for a terminal. Text from documents, files and
// other machines must not move the cursor, set titles or reverse lines: control
// characters and those that change the text direction become U+FFFD.
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
