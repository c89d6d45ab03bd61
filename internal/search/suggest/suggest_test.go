package suggest

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func index() *Index {
	return build([]Value{{[]byte("Adidas"), ""}, {[]byte("Adidas Originals"), ""}, {[]byte("Asics"), ""}, {[]byte("red"), "Rouge"}, {[]byte("rouge"), "Crimson"}}, strings.ToLower)
}

func names(matches []Match) string {
	var all []string
	for _, m := range matches {
		text := string(m.Value.Value)
		if m.ByLabel {
			text += "*"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestPrefixFindsValuesAndLabels(t *testing.T) {
	for text, want := range map[string]string{
		"adi": "Adidas, Adidas Originals", "originals": "", "rou": "red*, rouge", "c": "rouge*", "": "Adidas, Adidas Originals, Asics, red*, rouge*",
	} {
		if got := names(index().Prefix(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNearForgivesOneMistake(t *testing.T) {
	for text, want := range map[string]string{
		"adixas": "Adidas, Adidas Originals", "addas": "Adidas, Adidas Originals", "adiddas": "Adidas, Adidas Originals",
		"aiddas": "Adidas, Adidas Originals", "xdidas": "", "axixas": "", "asisc": "Asics", "crinso": "rouge*",
	} {
		if got := names(index().Near(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTypedCountsShownCharacters(t *testing.T) {
	fold := func(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ß", "ss") }
	for _, c := range []struct {
		shown, typed string
		want         int
	}{{"Adidas", "adi", 3}, {"Straße", "strass", 5}, {"Straße", "stras", 5}, {"Straße", "strasse", 6}, {"x", "", 0}} {
		if got := Typed(c.shown, c.typed, fold); got != c.want {
			t.Errorf("%v: got %d", c, got)
		}
	}
}

func FuzzNear(f *testing.F) {
	f.Add("adidas", "adixas")
	f.Fuzz(func(t *testing.T, value, text string) {
		x := build([]Value{{Value: []byte(value)}}, func(s string) string { return s })
		x.Near(text)
		x.Prefix(text)
	})
}

func build(values []Value, normalize func(string) string) *Index {
	x, err := Build(context.Background(), values, normalize)
	if err != nil {
		panic(err)
	}
	return x
}

func TestBuildEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, []Value{{Value: []byte("a")}}, strings.ToLower); err == nil {
		t.Error("built after the end")
	}
}
