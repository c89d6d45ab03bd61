package locale

import (
	"slices"
	"testing"
)

func TestTagsAreSortedAndCanonical(t *testing.T) {
	if !slices.IsSorted(tags) {
		t.Error("tags are not sorted")
	}
	for _, tag := range tags {
		if Canonical(tag) != tag {
			t.Errorf("Canonical(%q) = %q", tag, Canonical(tag))
		}
		if !Supported(tag) {
			t.Errorf("%q is listed and not supported", tag)
		}
	}
}

func TestCanonicalWritesTagsOneWay(t *testing.T) {
	for in, want := range map[string]string{
		"en": "en", "EN": "en", "zh-hant": "zh-Hant", "ZH-HANT-tw": "zh-Hant-TW", "SV-se": "sv-SE",
		"es-419": "es-419", "de-u-CO-phonebk": "de-u-co-phonebk", "": "", "-": "-", "no-nynorsk": "no-nynorsk",
	} {
		if got := Canonical(in); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSupportedNeedsRulesOfItsOwn(t *testing.T) {
	for _, tag := range []string{"en", "EN", "zh-hant", "ckb", "nb"} {
		if !Supported(tag) {
			t.Errorf("%q is not supported", tag)
		}
	}
	for _, tag := range []string{"", "xx", "en-GB", "sv-SE", "english", "zh-Hans", "e", "en-"} {
		if Supported(tag) {
			t.Errorf("%q is supported", tag)
		}
	}
}

func TestResolveWidensAndNeverNarrows(t *testing.T) {
	for _, c := range []struct {
		wanted   string
		declared []string
		want     string
	}{
		{"sv-SE", []string{"en", "sv"}, "sv"},
		{"SV", []string{"en", "sv"}, "sv"},
		{"nb", []string{"no"}, "no"},
		{"nn-NO", []string{"en", "no"}, "no"},
		{"nb-NO", []string{"nb", "no"}, "nb"},
		{"no", []string{"nb", "nn"}, ""},
		{"nb", []string{"nn"}, ""},
		{"zh-TW", []string{"zh", "zh-Hant"}, "zh-Hant"},
		{"zh-hk", []string{"zh"}, "zh"},
		{"zh-MO", []string{"zh-hant"}, "zh-hant"},
		{"zh-Hant-TW", []string{"zh-Hant"}, "zh-Hant"},
		{"zh-Hant", []string{"zh"}, "zh"},
		{"zh", []string{"zh-Hant"}, ""},
		{"da", []string{"no", "en"}, ""},
		{"", []string{"en"}, ""},
		{"en", nil, ""},
	} {
		got, ok := Resolve(c.wanted, c.declared)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Resolve(%q, %q) = %q, %v, want %q", c.wanted, c.declared, got, ok, c.want)
		}
	}
}

func TestLowerFollowsTheLocale(t *testing.T) {
	for _, c := range []struct{ tag, in, want string }{
		{"en", "ISTANBUL", "istanbul"},
		{"tr", "ISTANBUL", "ıstanbul"},
		{"tr-TR", "İZMİR", "izmir"},
		{"en", "İzmir", "izmir"},
		{"el", "ΟΔΟΣ", "οδοσ"},
		{"el", "οδος", "οδοσ"},
		{"sv", "ÅÄÖ", "åäö"},
		{"en", "plain", "plain"},
	} {
		if got := Lower(c.tag, c.in); got != c.want {
			t.Errorf("Lower(%q, %q) = %q, want %q", c.tag, c.in, got, c.want)
		}
	}
}

func TestEveryLocaleHasStopwords(t *testing.T) {
	for _, tag := range tags {
		words := Stopwords(tag)
		switch {
		case tag == "ko" || tag == "is":
			if len(words) != 0 {
				t.Errorf("%s has %d built-in stopwords", tag, len(words))
			}
		case len(words) < 30:
			t.Errorf("%s has %d stopwords", tag, len(words))
		}
	}
	if Stopwords("xx") != nil || Stopwords("../locale") != nil {
		t.Error("stopwords of nothing")
	}
}
