package stem

import "bytes"

// English is Porter 2, the English stemmer of Snowball 3, applied after
// removing a possessive 's. It works on bytes in place, because most texts are
// in English.
type English struct{}

// AppendStem appends the stem of word.
func (English) AppendStem(_ *Scratch, dst, word []byte) []byte {
	word = withoutPossessive(word)
	if len(word) < 3 {
		return append(dst, word...)
	}
	if stem, ok := englishExceptions(word); ok {
		return append(dst, stem...)
	}
	if word[0] == '\'' {
		word = word[1:]
	}
	begin := len(dst)
	dst = appendStraight(dst, word)
	e := english{b: dst[begin:]}
	e.markYs()
	e.markRegions()
	e.step1a()
	e.step1b()
	e.step1c()
	e.step2()
	e.step3()
	e.step4()
	e.step5()
	if e.hasY {
		for i, c := range e.b {
			if c == 'Y' {
				e.b[i] = 'y'
			}
		}
	}
	// Shortened in place, or moved when it grew: append handles both.
	return append(dst[:begin], e.b...)
}

// appendStraight appends word with straight apostrophes.
func appendStraight(dst, word []byte) []byte {
	for i := bytes.IndexByte(word, 0xE2); i >= 0; i = bytes.IndexByte(word, 0xE2) {
		if hasPrefix(word[i:], "’") {
			dst = append(append(dst, word[:i]...), '\'')
			word = word[i+len("’"):]
		} else {
			dst = append(dst, word[:i+1]...)
			word = word[i+1:]
		}
	}
	return append(dst, word...)
}

// withoutPossessive removes 's, s' and ' from the end of word.
func withoutPossessive(word []byte) []byte {
	n := len(word)
	switch {
	case n > 3 && word[n-1] == 's' && string(word[n-4:n-1]) == "’":
		return word[:n-4]
	case n > 3 && string(word[n-3:]) == "’":
		return word[:n-3]
	case n > 2 && word[n-1] == '\'':
		n--
		if n > 2 && word[n-1] == 's' && word[n-2] == '\'' {
			n -= 2
		}
		return word[:n]
	case n > 2 && word[n-1] == 's' && word[n-2] == '\'':
		return word[:n-2]
	}
	return word
}

// englishExceptions returns the stem of words that the rules stem wrongly.
func englishExceptions(word []byte) (string, bool) {
	if len(word) > 6 {
		return "", false
	}
	switch string(word) {
	case "skis":
		return "ski", true
	case "skies":
		return "sky", true
	case "idly":
		return "idl", true
	case "gently":
		return "gentl", true
	case "ugly":
		return "ugli", true
	case "early":
		return "earli", true
	case "only":
		return "onli", true
	case "singly":
		return "singl", true
	case "sky", "news", "howe", "atlas", "cosmos", "bias", "andes":
		return string(word), true
	}
	return "", false
}

// english is the state of stemming one word: b is the rest of the word, r1 and
// r2 are the starts of its regions.
type english struct {
	b      []byte
	r1, r2 int
	hasY   bool
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// markYs replaces y with Y where it is a consonant: at the beginning and after
// a vowel.
func (e *english) markYs() {
	for i, c := range e.b {
		if c == 'y' && (i == 0 || isVowel(e.b[i-1])) {
			e.b[i] = 'Y'
			e.hasY = true
		}
	}
}

// markRegions sets r1 after the first consonant that follows a vowel and r2
// after the next such consonant; some prefixes determine r1.
func (e *english) markRegions() {
	e.r1 = e.region(0)
	if n := englishPrefix(e.b); n > 0 {
		e.r1 = n
	}
	e.r2 = e.region(e.r1)
}

func (e *english) region(from int) int {
	i := from
	for i < len(e.b) && !isVowel(e.b[i]) {
		i++
	}
	for i < len(e.b) && isVowel(e.b[i]) {
		i++
	}
	return min(i+1, len(e.b))
}

func englishPrefix(b []byte) int {
	for _, p := range [...]string{"gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter"} {
		if b[0] == p[0] && len(b) >= len(p) && string(b[:len(p)]) == p {
			return len(p)
		}
	}
	return 0
}

func (e *english) ends(suffix string) bool {
	n := len(e.b) - len(suffix)
	return n >= 0 && string(e.b[n:]) == suffix
}

// replace replaces the last n bytes with to.
func (e *english) replace(n int, to string) {
	e.b = append(e.b[:len(e.b)-n], to...)
}

func (e *english) inR1(suffix int) bool { return len(e.b)-suffix >= e.r1 }
func (e *english) inR2(suffix int) bool { return len(e.b)-suffix >= e.r2 }

// hasVowel reports whether b[:n] contains a vowel.
func (e *english) hasVowel(n int) bool {
	for _, c := range e.b[:max(n, 0)] {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// isShort reports whether b ends in a short syllable.
func (e *english) isShort() bool {
	b := e.b
	n := len(b)
	if n >= 3 {
		last := b[n-1]
		if !isVowel(last) && last != 'w' && last != 'x' && last != 'Y' && isVowel(b[n-2]) && !isVowel(b[n-3]) {
			return true
		}
		return string(b[n-min(n, 4):]) == "past"
	}
	return n == 2 && isVowel(b[0]) && !isVowel(b[1])
}

func (e *english) step1a() {
	n := len(e.b)
	if n < 2 {
		return
	}
	switch e.b[n-1] {
	case 's':
		switch {
		case e.ends("sses"):
			e.b = e.b[:n-2]
		case e.ends("ies"):
			e.cutIe()
		case e.b[n-2] == 'u' || e.b[n-2] == 's':
		case e.hasVowel(n - 2):
			e.b = e.b[:n-1]
		}
	case 'd':
		if e.ends("ied") {
			e.cutIe()
		}
	}
}

// cutIe replaces ies and ied with i after two or more letters, otherwise with
// ie.
func (e *english) cutIe() {
	if len(e.b) > 4 {
		e.b = e.b[:len(e.b)-2]
	} else {
		e.b = e.b[:len(e.b)-1]
	}
}

func (e *english) step1b() {
	b := e.b
	n := len(b)
	suffix := 0
	switch {
	case e.ends("eed"):
		suffix = 3
	case e.ends("eedly"):
		suffix = 5
	case e.ends("ed"):
		suffix = 2
	case e.ends("ing"):
		suffix = 3
		if e.isIngWord(n - 3) {
			return
		}
	case e.ends("edly"):
		suffix = 4
	case e.ends("ingly"):
		suffix = 5
	default:
		return
	}
	if b[n-suffix+1] == 'e' && b[n-suffix] == 'e' { // eed, eedly
		if e.inR1(suffix) && !e.isCeedWord(n-suffix) {
			e.b = b[:n-suffix+2]
		}
		return
	}
	if suffix == 3 && n == 5 && b[1] == 'y' && !isVowel(b[0]) { // dying, lying, tying
		e.replace(4, "ie")
		return
	}
	if !e.hasVowel(n - suffix) {
		return
	}
	e.b = b[:n-suffix]
	e.repair()
}

// isIngWord reports whether ing is not an ending of this word; stem is the
// length before it.
func (e *english) isIngWord(stem int) bool {
	switch string(e.b[:stem]) {
	case "inn", "out", "cann", "herr", "earr", "even":
		return true
	}
	return false
}

// isCeedWord reports whether the word is a form of succeed, proceed or exceed.
func (e *english) isCeedWord(stem int) bool {
	switch string(e.b[:stem]) {
	case "succ", "proc", "exc":
		return true
	}
	return false
}

// repair restores the stem after ed or ing was removed: hop(p)ing, hop(e)ing.
func (e *english) repair() {
	n := len(e.b)
	if n < 2 {
		return
	}
	x, y := e.b[n-2], e.b[n-1]
	switch {
	case x == 'a' && y == 't', x == 'b' && y == 'l', x == 'i' && y == 'z':
		e.b = append(e.b, 'e')
	case x == y && isDouble(y):
		if n == 3 && (e.b[0] == 'a' || e.b[0] == 'e' || e.b[0] == 'o') {
			return // add, egg, off
		}
		e.b = e.b[:n-1]
	case n <= e.r1 && e.isShort():
		e.b = append(e.b, 'e')
	}
}

func isDouble(c byte) bool {
	switch c {
	case 'b', 'd', 'f', 'g', 'm', 'n', 'p', 'r', 't':
		return true
	}
	return false
}

func (e *english) step1c() {
	n := len(e.b)
	if n > 2 && (e.b[n-1] == 'y' || e.b[n-1] == 'Y') && !isVowel(e.b[n-2]) {
		e.b[n-1] = 'i'
	}
}
