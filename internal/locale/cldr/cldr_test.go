package cldr

import (
	"slices"
	"testing"
)

func TestSymbolsFollowTheLocale(t *testing.T) {
	for _, c := range []struct {
		tag  string
		want Symbols
	}{
		{"en", Symbols{".", ","}},
		{"de", Symbols{",", "."}},
		{"de-CH", Symbols{".", "'"}},
		{"sv-SE", Symbols{",", "\u00a0"}},
		{"fr", Symbols{",", "\u202f"}},
		{"nb", Symbols{",", "\u00a0"}},
		{"", Root()},
		{"tlh", Root()},
	} {
		if got := SymbolsOf(c.tag); got != c.want {
			t.Errorf("%q: %q, want %q", c.tag, got, c.want)
		}
	}
}

func TestCurrencySpellings(t *testing.T) {
	for _, c := range []struct{ code, tag, word string }{
		{"USD", "en", "usd"}, {"USD", "en", "$"}, {"USD", "sv", "us$"}, {"EUR", "de", "€"}, {"EUR", "en", "euros"},
		{"SEK", "sv", "kr"}, {"SEK", "en", ":-"}, {"SEK", "sv-SE", "sek"}, {"GBP", "fr", "£"}, {"JPY", "ja", "円"}, {"NOK", "nb", "kr"},
	} {
		if got := CurrencySpellings(c.code, c.tag); !slices.Contains(got, c.word) {
			t.Errorf("%s in %s is not spelled %q but %q", c.code, c.tag, c.word, got)
		}
	}
	if got := CurrencySpellings("USD", "en"); slices.Contains(got, "dollar") {
		t.Errorf("a part of a name of several words is a spelling: %q", got)
	}
}

func TestUnitSpellings(t *testing.T) {
	for _, c := range []struct{ id, tag, word string }{
		{"kilogram", "en", "kg"}, {"kilogram", "en", "kilograms"}, {"mass-kilogram", "sv", "kilogram"},
		{"liter", "en", "liters"}, {"liter", "sv", "liter"}, {"meter", "fr", "mètres"}, {"centimeter", "de", "zentimeter"},
		{"gigabyte", "en", "gb"}, {"watt", "fi", "wattia"}, {"inch", "en", "in"},
		{"celsius", "en", "degrees celsius"}, {"square-meter", "fr", "mètres carrés"}, {"fluid-ounce", "en", "fl oz"}, {"percent", "es", "por ciento"},
	} {
		if got := UnitSpellings(c.id, c.tag); !slices.Contains(got, c.word) {
			t.Errorf("%s in %s is not spelled %q but %q", c.id, c.tag, c.word, got)
		}
	}
	if got := UnitSpellings("parsnip", "en"); got != nil {
		t.Errorf("what is not a unit is spelled %q", got)
	}
}
