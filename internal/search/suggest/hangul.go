package suggest

import (
	"strings"
	"unicode/utf8"
)

// Unicode orders Hangul syllables as leads × vowels × tails, so the syllables that a
// half-typed one may become are adjacent:
//
//	ㅎ  →  하 to 힣
//	구  →  구, 국, 굮 to 궇
const (
	firstSyllable, lastSyllable = 0xAC00, 0xD7A3
	firstLead, lastLead         = 0x1100, 0x1112
	perLead, perVowel           = 588, 28
)

// openSyllable returns the text before the last character of a normalized text, and the
// first and last syllable that this character may become. It reports false if the
// character is neither a consonant nor a syllable without a final consonant.
func openSyllable(text string) (head string, first, last rune, ok bool) {
	r, size := utf8.DecodeLastRuneInString(text)
	head = text[:len(text)-size]
	switch {
	case r >= firstLead && r <= lastLead:
		first = firstSyllable + (r-firstLead)*perLead
		return head, first, first + perLead - 1, true
	case r >= firstSyllable && r <= lastSyllable && (r-firstSyllable)%perVowel == 0:
		return head, r, r + perVowel - 1, true
	}
	return "", 0, 0, false
}

// starts reports whether a form starts with the normalized typed text, whose last
// syllable may be half typed.
func starts(form, typed string) bool {
	if strings.HasPrefix(form, typed) {
		return true
	}
	head, first, last, ok := openSyllable(typed)
	if !ok || !strings.HasPrefix(form, head) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(form[len(head):])
	return r >= first && r <= last
}
