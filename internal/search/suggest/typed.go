package suggest

import "unicode/utf8"

// Typed returns the number of characters of a shown text that the typed text
// covers: the shortest start whose normalized form begins with the normalized typed
// text.
func Typed(shown, typed string, normalize func(text string) []byte) int {
	if typed == "" {
		return 0
	}
	covers := func(bytes int) bool { return starts(string(normalize(shown[:bytes])), typed) }
	// Most forms are as long as their text.
	if n := len(typed); n <= len(shown) && atCharacter(shown, n) && covers(n) {
		_, last := utf8.DecodeLastRuneInString(shown[:n])
		if n == last || !covers(n-last) {
			return utf8.RuneCountInString(shown[:n])
		}
	}
	count := 0
	for at := range shown {
		if count > 0 && covers(at) {
			return count
		}
		count++
	}
	return count
}

func atCharacter(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
