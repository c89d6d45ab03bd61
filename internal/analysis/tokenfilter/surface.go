package tokenfilter

import (
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Surface records the spelling of every word before stemming changes it. Typos
// are measured on this form, so it uses the letters that people mistype: a
// Hangul syllable as its two or three jamo, kana as the sounds of their
// reading.
//
//	documentation  →  documentation
//	한글           →  ㅎㅏㄴㄱㅡㄹ (as conjoining jamo)
//	カメラ         →  kamera
type Surface struct{}

// Apply records the forms. Numbers and symbols have none.
func (Surface) Apply(s *token.Stream) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		switch t.Kind {
		case token.Number, token.Symbol:
		case token.Hangul, token.Kana, token.Ideograph:
			t.SetSurface(s.Keep(AppendSounds(s.Space(3*len(t.Term)), t.Term)))
		default:
			t.SetSurface(t.Term)
		}
	}
}

// Hangul syllables are ordered by lead, vowel and tail.
const (
	firstSyllable, lastSyllable = 0xAC00, 0xD7A3
	firstLead, firstVowel       = 0x1100, 0x1161
	beforeFirstTail             = 0x11A7
	vowels, tails               = 21, 28
)

// AppendSounds appends term with Hangul syllables as jamo and kana as Latin
// sounds; everything else is unchanged.
func AppendSounds(dst, term []byte) []byte {
	var last string
	for len(term) > 0 {
		r, size := utf8.DecodeRune(term)
		sound := ""
		switch {
		case r >= firstSyllable && r <= lastSyllable:
			n := r - firstSyllable
			dst = utf8.AppendRune(dst, firstLead+n/(vowels*tails))
			dst = utf8.AppendRune(dst, firstVowel+n%(vowels*tails)/tails)
			if tail := n % tails; tail != 0 {
				dst = utf8.AppendRune(dst, beforeFirstTail+tail)
			}
		case r == 'ー' && last != "":
			dst = append(dst, last[len(last)-1]) // a long vowel doubles the vowel
			sound = last
		default:
			if sound = soundOf(r); sound == "" {
				dst = append(dst, term[:size]...)
				break
			}
			if isSmallY(r) && len(last) > 1 && last[len(last)-1] == 'i' {
				dst = dst[:len(dst)-1] // き with a small や is kya
			}
			dst = append(dst, sound...)
		}
		last = sound
		term = term[size:]
	}
	return dst
}

// isSmallY reports whether a kana is a small ya, yu or yo.
func isSmallY(r rune) bool {
	if r >= 0x30A1 && r <= 0x30F6 {
		r -= 0x60
	}
	return r == 'ゃ' || r == 'ゅ' || r == 'ょ'
}

// soundOf returns the sound of a kana, "" for any other letter. Katakana have
// the sound of the hiragana 0x60 below them.
func soundOf(r rune) string {
	if r >= 0x30A1 && r <= 0x30F6 {
		r -= 0x60
	}
	if i := int(r) - 0x3041; i >= 0 && i < len(kanaSounds) {
		return kanaSounds[i]
	}
	return ""
}

// kanaSounds are the sounds of hiragana, starting at 0x3041.
var kanaSounds = [...]string{
	"a", "a", "i", "i", "u", "u", "e", "e", "o", "o",
	"ka", "ga", "ki", "gi", "ku", "gu", "ke", "ge", "ko", "go",
	"sa", "za", "si", "zi", "su", "zu", "se", "ze", "so", "zo",
	"ta", "da", "ti", "di", "q", "tu", "du", "te", "de", "to", "do",
	"na", "ni", "nu", "ne", "no",
	"ha", "ba", "pa", "hi", "bi", "pi", "hu", "bu", "pu", "he", "be", "pe", "ho", "bo", "po",
	"ma", "mi", "mu", "me", "mo",
	"ya", "ya", "yu", "yu", "yo", "yo",
	"ra", "ri", "ru", "re", "ro",
	"wa", "wa", "wi", "we", "wo", "n", "vu", "ka", "ke",
}
