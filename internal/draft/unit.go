package draft

import (
	"slices"
	"strings"
)

// units maps the words for units and currencies in column names and next to
// numbers to the identifiers of the API.
var units = map[string]string{
	"eur": "EUR", "€": "EUR", "euro": "EUR", "euros": "EUR", "usd": "USD", "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD",
	"gbp": "GBP", "£": "GBP", "chf": "CHF", "jpy": "JPY", "¥": "JPY", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zł": "PLN",
	"czk": "CZK", "kč": "CZK", "inr": "INR", "₹": "INR", "cny": "CNY", "cad": "CAD", "aud": "AUD", "brl": "BRL", "r$": "BRL", "huf": "HUF",
	"try": "TRY", "₺": "TRY", "uah": "UAH", "₴": "UAH", "krw": "KRW", "₩": "KRW",
	"mg": "milligram", "g": "gram", "gram": "gram", "grams": "gram", "kg": "kilogram", "kgs": "kilogram", "lb": "pound", "lbs": "pound", "oz": "ounce", "t": "tonne",
	"mm": "millimeter", "cm": "centimeter", "m": "meter", "km": "kilometer", "ft": "foot", "inch": "inch", "inches": "inch", "mi": "mile", "miles": "mile",
	"ml": "milliliter", "cl": "centiliter", "l": "liter", "liter": "liter", "litre": "liter", "gal": "gallon",
	"m²": "square-meter", "sqm": "square-meter", "km²": "square-kilometer", "ha": "hectare", "m³": "cubic-meter",
	"w": "watt", "kw": "kilowatt", "kwh": "kilowatt-hour", "v": "volt", "a": "ampere", "hz": "hertz", "mhz": "megahertz", "ghz": "gigahertz",
	"kb": "kilobyte", "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte", "bytes": "byte",
	"s": "second", "sec": "second", "seconds": "second", "ms": "millisecond", "min": "minute", "minutes": "minute", "h": "hour", "hours": "hour", "days": "day",
	"°c": "celsius", "c": "celsius", "°f": "fahrenheit", "%": "percent", "percent": "percent", "km/h": "kilometer-per-hour", "kmh": "kilometer-per-hour",
}

// bareUnits may end a name without brackets, as in price_eur. Letters that are
// also words or parts of names, such as a and t, are excluded.
var bareUnits = []string{"eur", "euro", "usd", "gbp", "chf", "sek", "nok", "dkk", "pln", "czk", "inr", "cad", "aud", "brl", "huf",
	"kg", "lbs", "oz", "mm", "cm", "km", "ml", "kw", "kwh", "hz", "mhz", "ghz", "kb", "mb", "gb", "tb", "bytes", "sqm", "kmh", "grams", "percent", "minutes", "seconds"}

// noCurrency is the code of ISO 4217 for no currency. With it, searches read "under 100"
// on prices whose currency the documents do not name.
const noCurrency = "XXX"

// isCurrency reports whether a unit of the API is one of the currencies above.
func isCurrency(unit string) bool { return len(unit) == 3 && unit == strings.ToUpper(unit) }

// unitBeside returns the unit that a word next to a number stands for, "" if it is none.
func unitBeside(word string) string {
	word = strings.TrimSuffix(word, ".")
	if len(word) == 1 && strings.Contains("GHMST", word) { // 1.2M is not meters, and 5G not grams
		return ""
	}
	return units[strings.ToLower(word)]
}

// kinds are units of one kind: numbers beside one of them are wrong in a field with another.
var kinds = [][]string{
	{"milligram", "gram", "kilogram", "pound", "ounce", "tonne"},
	{"millimeter", "centimeter", "meter", "kilometer", "foot", "inch", "mile"},
	{"milliliter", "centiliter", "liter", "gallon", "cubic-meter"},
	{"square-meter", "square-kilometer", "hectare"},
	{"watt", "kilowatt"},
	{"hertz", "megahertz", "gigahertz"},
	{"byte", "kilobyte", "megabyte", "gigabyte", "terabyte"},
	{"millisecond", "second", "minute", "hour", "day"},
	{"celsius", "fahrenheit"},
	{"EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK", "INR", "CNY", "CAD", "AUD", "BRL", "HUF", "TRY", "UAH", "KRW"},
}

// sharedSigns are signs of several currencies.
var sharedSigns = map[string][]string{"$": {"USD", "CAD", "AUD", "BRL"}, "¥": {"JPY", "CNY"}}

// OtherUnit returns the unit that a word next to a number stands for if it is of the same
// kind as a unit, but not the same. It returns "" otherwise.
func OtherUnit(word, unit string) string {
	other := unitBeside(word)
	if other == "" || other == unit || slices.Contains(sharedSigns[word], unit) {
		return ""
	}
	for _, kind := range kinds {
		if slices.Contains(kind, unit) && slices.Contains(kind, other) {
			return other
		}
	}
	return ""
}

// headerUnit returns the unit stated in a column name, and the word for it:
// "Price (EUR)", "weight_kg", "Preis in €".
func headerUnit(name string) (unit, word string) {
	lower := strings.ToLower(strings.TrimSpace(name))
	for _, brackets := range []string{"()", "[]"} {
		if open := strings.LastIndex(lower, brackets[:1]); open >= 0 && strings.HasSuffix(lower, brackets[1:]) {
			inner := strings.TrimPrefix(strings.TrimSpace(lower[open+1:len(lower)-1]), "in ")
			if unit := units[inner]; unit != "" {
				return unit, strings.TrimSpace(name[open+1 : len(name)-1])
			}
		}
	}
	for word, unit := range units {
		if strings.HasSuffix(lower, " in "+word) || strings.ContainsAny(word, "€£₹") && strings.HasSuffix(lower, word) {
			return unit, word
		}
	}
	all := words(name)
	if len(all) > 1 && slices.Contains(bareUnits, all[len(all)-1]) {
		return units[all[len(all)-1]], all[len(all)-1]
	}
	return "", ""
}

// unit returns the unit of numbers, and the words that name it: in the header, otherwise
// next to the numbers.
func (c *column) unit() (unit, why string) {
	if unit, word := headerUnit(c.name); unit != "" {
		return unit, "header names " + word
	}
	if unit, word := c.valueUnit(); unit != "" {
		return unit, "values stand beside " + word
	}
	return "", ""
}

// findPrice returns the column with the prices of the documents if no column has a
// currency, nil otherwise. Of several columns it returns the one with the most telling
// name. A number without a currency is read on a single field only.
func (f *deciding) findPrice() *column {
	var found *column
	best, hasCurrency := unranked, false
	var walk func(c *columns)
	walk = func(c *columns) {
		for _, one := range c.ordered {
			switch f.kind(one) {
			case kindObject:
				walk(one.inside)
			case kindNumber:
				unit, _ := one.unit()
				hasCurrency = hasCurrency || isCurrency(unit)
				if at := rank(one.name, priceNames); at < best && unit == "" && one != f.key {
					found, best = one, at
				}
			}
		}
	}
	walk(f.root)
	if hasCurrency {
		return nil
	}
	return found
}

// withoutUnit removes a bracketed unit from a name, so that "Price (EUR)"
// becomes price.
func withoutUnit(name string) string {
	if open := strings.LastIndexAny(name, "(["); open > 0 && strings.HasSuffix(name, ")") || open > 0 && strings.HasSuffix(name, "]") {
		if unit, _ := headerUnit(name); unit != "" {
			return strings.TrimSpace(name[:open])
		}
	}
	return name
}
