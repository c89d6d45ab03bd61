package tokenfilter

import (
	"testing"
	"unicode/utf8"
)

func TestFoldingTable(t *testing.T) {
	f := folding()
	for in, want := range map[string]string{
		"ABC": "abc", "Straße": "strasse", "ẞ": "ss", "ΣΊΣΥΦΟΣ": "σίσυφοσ", "ς": "σ", "Å": "å", "A\u030a": "å", "ﬀ": "ff", "ǅ": "dž",
		"①": "1", "ｶﾞ": "ガ", "\u00ad": "", "a\u200bb": "ab", "한글": "한글", "\u1112\u1161\u11ab": "한", "Ǆ": "dž", "ŉ": "ʼn", "🇸🇪": "🇸🇪", "❤\ufe0f": "❤",
		"Ꭰ": "Ꭰ", "ꭰ": "Ꭰ", "𐐀": "𐐨", "豈": "豈", "İ": "i̇", "ﷺ": "صلى الله عليه وسلم",
	} {
		if got := string(f.appendFold(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzFoldingIsStable(f *testing.F) {
	f.Add("Straße ǅ ｶﾞ İ A\u030a")
	table := folding()
	f.Fuzz(func(t *testing.T, text string) {
		once := table.appendFold(nil, []byte(text))
		if twice := table.appendFold(nil, once); utf8.ValidString(text) && string(once) != string(twice) {
			t.Errorf("%q: %q, then %q", text, once, twice)
		}
	})
}
