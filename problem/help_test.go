package problem

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNearestNames(t *testing.T) {
	fields := []string{"id", "title", "subtitle", "year", "variants.sku", "description", "straße"}
	for given, want := range map[string][]string{
		"titel":      {"title"},
		"TITLE":      {"title"},
		"yaer":       {"year"},
		"sku":        {"variants.sku"},
		"desc":       {"description"},
		"sub-title":  {"subtitle"},
		"strase":     {"straße"},
		"ids":        {"id"},
		"x":          nil,
		"":           nil,
		"colour":     nil,
		"subtitle\n": {"subtitle"},
	} {
		if got := Nearest(given, fields); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
	if got := Nearest("field", []string{"field4", "field3", "field2", "field1"}); !slices.Equal(got, []string{"field1", "field2", "field3"}) {
		t.Errorf("got %q", got)
	}
	if got := Nearest(strings.Repeat("x", 1000), []string{strings.Repeat("x", 1000)}); got != nil {
		t.Errorf("long names are compared: %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"title", "titel", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := editDistance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestHelp(t *testing.T) {
	p := DocumentFieldUnknown.At(At("documents[0].titel"), "name", "titel")
	plain := "Leave titel out, or declare it with PUT of the definition: new fields may be added at any time."
	if got := p.Help(); got != plain {
		t.Errorf("got %q", got)
	}
	if got, want := p.AmongNames("titel", "title", "year").Help(), "Did you mean `title`? "+plain; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.AmongNames("field", "field1", "field2", "field3").Help(), "Did you mean `field1`, `field2` or `field3`? "+plain; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.AmongNames("x").Advise("Look elsewhere.").Help(); got != "Look elsewhere." {
		t.Errorf("got %q", got)
	}
}

// TestValuesAreNotTemplates checks that an argument that looks like a template is
// not expanded.
func TestValuesAreNotTemplates(t *testing.T) {
	p := IndexFieldAnalyzerPatternInvalid.New("pattern", "{reason}{name}", "reason", "{pattern}", "name", "f")
	if got, want := p.Message(), "{reason}{name} is not a valid regular expression: {pattern}."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sample holds a value for every argument of messages and remedies.
var sample = map[string]string{
	"actual": "2", "allowed": "GET, OPTIONS", "count": "2", "encoding": "gzip", "expected": "3", "features": "type.object", "field": "price",
	"failures": "nDCG is 0.5000, below 0.9000", "queries": "red lamp", "set": "base", "what": "queries",
	"generation": "2", "id": "k1", "index": "books", "host": "shop.example", "key": "42", "length": "9000", "lat": "91", "limit": "10485760", "line": "7", "column": "12", "live": "3",
	"locale": "tlh", "lon": "0", "matcher": "range", "max": "1000", "method": "GET", "name": "title", "path": "query[0]",
	"origin": "https://example.org", "pattern": "(", "permission": "documents.write", "permissions": "search", "property": "qery", "reason": "it is not closed",
	"resource": "shop", "role": "tag", "roles": "admin, reader, writer", "setting": "dimensions", "shape": "decay", "timeout": "30s",
	"type": "int32", "unit": "EUR", "usage": "sort", "value": "-1", "version": "9", "wait": "1000", "window": "100",
}

var isNo = regexp.MustCompile(`\b(is|are) no\b`)

var open = regexp.MustCompile(`\{[a-zA-Z]+\}`)

// TestEveryCodeRendersMessageAndHelp checks that every code says in whole sentences
// what is wrong and what to do, with every argument filled in;
// docs/reference/errors.md shows them all.
func TestEveryCodeRendersMessageAndHelp(t *testing.T) {
	for _, code := range Codes() {
		p := code.New()
		for name, value := range sample {
			p.With(name, value)
		}
		for what, text := range map[string]string{"message": p.Message(), "help": p.Help()} {
			switch {
			case open.MatchString(text):
				t.Errorf("%s: the %s %q has an argument without sample", code.Name(), what, text)
			case !strings.HasSuffix(text, ".") && code != Validation:
				t.Errorf("%s: the %s %q is not a sentence", code.Name(), what, text)
			case isNo.MatchString(strings.ReplaceAll(text, "There is no ", "")):
				t.Errorf("%s: the %s %q says \"is no\"", code.Name(), what, text)
			}
		}
	}
}
