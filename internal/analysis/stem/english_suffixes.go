package stem

// suffixRule replaces a suffix. The rules of a step are sorted longest first
// for each last letter; the first matching suffix ends the step, whether its
// condition holds or not.
type suffixRule struct {
	suffix, to string
	only       uint8
}

// Conditions of a rule beyond its region.
const (
	always  = iota
	afterL  // after l
	afterLi // after a letter that can precede li
	afterST // after s or t
	region2 // in the second region
)

// bySuffix groups rules by the last letter of their suffix.
type bySuffix [26][]suffixRule

func orderBySuffix(rules ...suffixRule) *bySuffix {
	var t bySuffix
	for _, r := range rules {
		last := r.suffix[len(r.suffix)-1] - 'a'
		list := t[last]
		at := 0
		for at < len(list) && len(list[at].suffix) >= len(r.suffix) {
			at++
		}
		t[last] = append(list[:at:at], append([]suffixRule{r}, list[at:]...)...)
	}
	return &t
}

func (e *english) rule(t *bySuffix) *suffixRule {
	if len(e.b) == 0 {
		return nil
	}
	last := e.b[len(e.b)-1] - 'a'
	if last >= 26 {
		return nil
	}
	list := t[last]
	for i := range list {
		if e.ends(list[i].suffix) {
			return &list[i]
		}
	}
	return nil
}

var englishStep2 = orderBySuffix(
	suffixRule{"tional", "tion", always}, suffixRule{"enci", "ence", always}, suffixRule{"anci", "ance", always},
	suffixRule{"abli", "able", always}, suffixRule{"entli", "ent", always}, suffixRule{"izer", "ize", always},
	suffixRule{"ization", "ize", always}, suffixRule{"ational", "ate", always}, suffixRule{"ation", "ate", always},
	suffixRule{"ator", "ate", always}, suffixRule{"alism", "al", always}, suffixRule{"aliti", "al", always},
	suffixRule{"alli", "al", always}, suffixRule{"fulness", "ful", always}, suffixRule{"ousli", "ous", always},
	suffixRule{"ousness", "ous", always}, suffixRule{"iveness", "ive", always}, suffixRule{"iviti", "ive", always},
	suffixRule{"biliti", "ble", always}, suffixRule{"bli", "ble", always}, suffixRule{"ogi", "og", afterL},
	suffixRule{"ogist", "og", always}, suffixRule{"fulli", "ful", always}, suffixRule{"lessli", "less", always},
	suffixRule{"li", "", afterLi},
)

var englishStep3 = orderBySuffix(
	suffixRule{"tional", "tion", always}, suffixRule{"ational", "ate", always}, suffixRule{"alize", "al", always},
	suffixRule{"icate", "ic", always}, suffixRule{"iciti", "ic", always}, suffixRule{"ical", "ic", always},
	suffixRule{"ful", "", always}, suffixRule{"ness", "", always}, suffixRule{"ative", "", region2},
)

var englishStep4 = orderBySuffix(
	suffixRule{"al", "", always}, suffixRule{"ance", "", always}, suffixRule{"ence", "", always}, suffixRule{"er", "", always},
	suffixRule{"ic", "", always}, suffixRule{"able", "", always}, suffixRule{"ible", "", always}, suffixRule{"ant", "", always},
	suffixRule{"ement", "", always}, suffixRule{"ment", "", always}, suffixRule{"ent", "", always}, suffixRule{"ism", "", always},
	suffixRule{"ate", "", always}, suffixRule{"iti", "", always}, suffixRule{"ous", "", always}, suffixRule{"ive", "", always},
	suffixRule{"ize", "", always}, suffixRule{"ion", "", afterST},
)

func (e *english) step2() {
	r := e.rule(englishStep2)
	if r == nil || !e.inR1(len(r.suffix)) {
		return
	}
	before := byte(0)
	if n := len(e.b) - len(r.suffix); n > 0 {
		before = e.b[n-1]
	}
	switch r.only {
	case afterL:
		if before != 'l' {
			return
		}
	case afterLi:
		switch before {
		case 'c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't':
		default:
			return
		}
	}
	e.replace(len(r.suffix), r.to)
}

func (e *english) step3() {
	r := e.rule(englishStep3)
	if r == nil || !e.inR1(len(r.suffix)) || r.only == region2 && !e.inR2(len(r.suffix)) {
		return
	}
	e.replace(len(r.suffix), r.to)
}

func (e *english) step4() {
	r := e.rule(englishStep4)
	if r == nil || !e.inR2(len(r.suffix)) {
		return
	}
	n := len(e.b) - len(r.suffix)
	if r.only == afterST && (n == 0 || e.b[n-1] != 's' && e.b[n-1] != 't') {
		return
	}
	e.b = e.b[:n]
}

func (e *english) step5() {
	n := len(e.b)
	if n == 0 {
		return
	}
	switch e.b[n-1] {
	case 'e':
		if e.inR2(1) {
			e.b = e.b[:n-1]
		} else if e.inR1(1) {
			e.b = e.b[:n-1]
			if e.isShort() {
				e.b = e.b[:n]
			}
		}
	case 'l':
		if e.inR2(1) && n > 1 && e.b[n-2] == 'l' {
			e.b = e.b[:n-1]
		}
	}
}
