package stem

import (
	"strings"
	"unicode/utf8"
)

// serbian is the Serbian stemmer of Snowball, for Serbian, Bosnian and
// Croatian: it converts both scripts to Latin and ijekavian spellings to
// ekavian, and removes the diacritics of the stem.
type serbian struct{ tables func() tables }

const (
	serbianVowels    = "aeiou"
	serbianLetters   = "bvgdzjklmnprstfhcčćšžđ"
	serbianDiacritic = "čćšžđ"
)

// serbianLatin transliterates Cyrillic letters to Latin.
var serbianLatin = map[rune]string{
	'а': "a", 'б': "b", 'в': "v", 'г': "g", 'д': "d", 'ђ': "đ", 'е': "e", 'ж': "ž", 'з': "z", 'и': "i", 'ј': "j",
	'к': "k", 'л': "l", 'љ': "lj", 'м': "m", 'н': "n", 'њ': "nj", 'о': "o", 'п': "p", 'р': "r", 'с': "s", 'т': "t",
	'ћ': "ć", 'у': "u", 'ф': "f", 'х': "h", 'ц': "c", 'ч': "č", 'џ': "dž", 'ш': "š",
}

func (s serbian) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := s.tables()
	w := make([]byte, 0, len(word)+8)
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		if latin, ok := serbianLatin[r]; ok {
			w = append(w, latin...)
		} else {
			w = append(w, word[i:i+size]...)
		}
		i += size
	}
	w = ekavian(w, "ije")
	w = ekavian(w, "je")
	w = []byte(strings.ReplaceAll(string(w), "dj", "đ"))

	plain := true
	for _, r := range string(w) {
		plain = plain && !holds(serbianDiacritic, r)
	}
	r1 := serbianRegion(w)
	cut := func(name string, region bool) bool {
		r, n, ok := t[name].suffix(w, 0)
		if !ok || r.region == 'n' && !plain || region && len(w)-n < r1 {
			return false
		}
		w = append(w[:len(w)-n], r.to...)
		return true
	}
	cut("plain", false)
	if !cut("inflection", true) {
		cut("ending", true)
	}
	return appendWithoutSerbianMarks(dst, w)
}

// ekavian replaces a syllable between two consonants with e.
func ekavian(w []byte, syllable string) []byte {
	for i := 0; i < len(w); {
		at := strings.Index(string(w[i:]), syllable)
		if at < 0 {
			break
		}
		at += i
		next, _ := utf8.DecodeRune(w[at+len(syllable):])
		if at > 0 && holds(serbianLetters, lastRune(w[:at])) && holds(serbianLetters, next) {
			w = append(append(w[:at:at], 'e'), w[at+len(syllable):]...)
			i = at
		} else {
			i = at + 1
		}
	}
	return w
}

// serbianRegion returns the offset after the first vowel, or after the next
// consonant if that is too early; a syllabic r well before the vowel also
// starts the region.
func serbianRegion(w []byte) int {
	r1 := len(w)
	if at, ok := skipTo(w, 0, serbianVowels, true); ok {
		r1 = at
		if utf8.RuneCount(w[:at]) < 2 {
			if at, ok = skipTo(w, at, serbianVowels, false); ok {
				r1 = at
			}
		}
	}
	at, ok := skipTo(w, 0, "r", true)
	if !ok {
		return r1
	}
	if utf8.RuneCount(w[:at]) < 2 {
		if at, ok = skipTo(w, at, "r", false); !ok {
			return r1
		}
	}
	if at < r1 && utf8.RuneCount(w[at:r1]) > 1 {
		return at
	}
	return r1
}

func appendWithoutSerbianMarks(dst, w []byte) []byte {
	for _, r := range string(w) {
		switch r {
		case 'č', 'ć':
			r = 'c'
		case 'š':
			r = 's'
		case 'ž':
			r = 'z'
		case 'đ':
			dst = append(dst, 'd')
			r = 'j'
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
