package charfilter

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func apply(text string, filters ...Filter) (*Text, string) {
	t := &Text{Steps: 1 << 26}
	t.Reset(text)
	for _, f := range filters {
		f.Apply(t)
	}
	return t, string(t.Bytes())
}

func pattern(t testing.TB, expression, replacement string) Filter {
	t.Helper()
	f, err := NewPatternReplace(expression, replacement)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHTMLStripKeepsText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                             "plain",
		"<p class='wide'>bold <b>mo</b>ve":  "\nbold move",
		"a<br>b<br/>c":                      "a\nb\nc",
		"x<!-- <b>no</b> -->y":              "xy",
		"<script>var a = '<p>';</script>z":  "\nz",
		"<STYLE type=x>p{}</STYLE >z":       "\nz",
		"<script>never closed":              "never closed",
		"1 < 2 && 3 > 2":                    "1 < 2 && 3 > 2",
		"caf&eacute; &amp; t&#233;a &#x41;": "café & téa A",
		"&nbsp;&unknown; &amp &":            " &unknown; &amp &",
		"<a href=\"x>y\">link</a>":          "link",
		"<!doctype html>ok":                 "ok",
		"<![CDATA[data]]>":                  "data]]>",
		"a <b <i>c":                         "a <b c",
		"<!-- open":                         "<!-- open",
		"<":                                 "<",
		"</":                                "</",
		"</p":                               "</p",
	} {
		if _, got := apply(in, HTMLStrip{}); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMappingTakesTheLongestKey(t *testing.T) {
	m := NewMapping(map[string]string{"a": "1", "ab": "2", "abc": "3", "&": " and ", "-": "", "": "never"})
	for in, want := range map[string]string{
		"abcd": "3d", "abx": "2x", "aab": "12", "R&B": "R and B", "wi-fi": "wifi", "none": "none", "": "",
	} {
		if _, got := apply(in, m); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPatternReplaceExpandsGroups(t *testing.T) {
	for _, c := range []struct{ pattern, replacement, in, want string }{
		{"[0-9]+", " ", "abc123def", "abc def"},
		{"(\\w+)@(\\w+)", "$2 at $1x", "me@home", "home at mex"},
		{"(?P<n>b)", "<${n}>", "abc", "a<b>c"},
		{"b", "\\$1$$", "abc", "a$1$c"},
		{"b", "$", "abc", "a$c"},
		{"x*", "-", "abc", "-a-b-c-"},
		{"^a", "b", "aaa", "baa"},
		{"z", "y", "aaa", "aaa"},
	} {
		if _, got := apply(c.in, pattern(t, c.pattern, c.replacement)); got != c.want {
			t.Errorf("%s to %s in %q: %q, want %q", c.pattern, c.replacement, c.in, got, c.want)
		}
	}
	if _, err := NewPatternReplace("(", ""); err == nil {
		t.Error("( compiles")
	}
	if _, err := NewPatternReplace(strings.Repeat("a", MaxPattern+1), ""); err == nil {
		t.Error("a pattern without bound compiles")
	}
}

func TestOriginalNamesTheStretchAWordCameFrom(t *testing.T) {
	filters := []Filter{HTMLStrip{}, NewMapping(map[string]string{"ß": "ss", "-": ""}), pattern(t, "x+", "yy")}
	text := "<p>gro&szlig;e <b>wi-fi</b> axxxb</p> end"
	result, out := apply(text, filters...)
	for word, want := range map[string]string{
		"grosse": "gro&szlig;e", "wifi": "wi-fi", "ayyb": "axxxb", "end": "end", "ss": "&szlig;", "fi": "fi",
	} {
		at := strings.Index(out, word)
		if at < 0 {
			t.Fatalf("%q is not in %q", word, out)
		}
		start, end := result.Original(int32(at), int32(at+len(word)))
		if got := text[start:end]; got != want {
			t.Errorf("%q came from %q, want %q", word, got, want)
		}
	}
}

func TestGrowthIsBounded(t *testing.T) {
	double := pattern(t, ".", "$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0")
	text := strings.Repeat("a", 100_000)
	_, out := apply(text, double)
	if len(out) > 8*len(text)+MaxGrowth {
		t.Errorf("%d bytes of %d", len(out), len(text))
	}
	all := pattern(t, "(?s).*", strings.Repeat("$0", 1000))
	if _, out := apply(text, all); len(out) > 8*len(text)+MaxGrowth {
		t.Errorf("%d bytes of %d", len(out), len(text))
	}
}

func TestOpeningsWithoutEndAreReadOnce(t *testing.T) {
	for _, opening := range []string{"<!--", "<!", "<script>", "<a b='", "&", "<a "} {
		apply(strings.Repeat(opening, 1<<18), HTMLStrip{})
	}
}

func FuzzFilters(f *testing.F) {
	f.Add("<p>gro&szlig;e <b>wi-fi</b>", "a", "b", "[a-c]+", "$0x")
	f.Add("<script>", "&", "<", "(x)|y", "${1}")
	f.Fuzz(func(t *testing.T, text, key, value, expression, replacement string) {
		replace, err := NewPatternReplace(expression, replacement)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		result, out := apply(text, HTMLStrip{}, NewMapping(map[string]string{key: value}), replace)
		last := int32(0)
		for i := range out {
			_, size := utf8.DecodeRuneInString(out[i:])
			start, end := result.Original(int32(i), int32(i+size))
			if start < last || start > end || int(end) > len(text) {
				t.Fatalf("%q to %q: %d gives %d to %d", text, out, i, start, end)
			}
			last = start
		}
	})
}

func TestLongKeysThatNearlyFitAreBounded(t *testing.T) {
	key := strings.Repeat("a", 1<<16)
	text := strings.Repeat("a", 1<<16-1) + "b"
	if _, out := apply(text, NewMapping(map[string]string{key: "x"})); out != text {
		t.Error("the text changed")
	}
}
