// Package cldr knows how people of a locale write numbers, currencies and
// units: the decimal and grouping signs, and the spellings by which a currency
// code or a unit identifier is named.
//
// The table comes from the Common Locale Data Repository, version 48.2
// (Unicode License v3, see LICENSE beside the table), made by the command in
// generate/. It is unpacked on first use and shared; everything is safe for
// concurrent use.
package cldr

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed table.zst
var packed []byte

// Symbols are the signs inside numbers.
type Symbols struct {
	Decimal string
	Group   string
}

type entry struct {
	parent     string
	symbols    Symbols
	currencies map[string][]string
	units      map[string][]string
}

var table = sync.OnceValue(func() map[string]*entry {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // options are constant
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		panic(err) // the table is part of the program
	}
	all := make(map[string]*entry)
	var current *entry
	for line := range strings.SplitSeq(string(text), "\n") {
		parts := strings.Split(line, "\t")
		switch parts[0] {
		case "L":
			current = &entry{parent: parts[2], symbols: Symbols{parts[3], parts[4]},
				currencies: make(map[string][]string), units: make(map[string][]string)}
			all[parts[1]] = current
		case "C":
			current.currencies[parts[1]] = parts[2:]
		case "U":
			current.units[parts[1]] = parts[2:]
		}
	}
	return all
})

// chain lists a tag and what it widens to, "und" last.
func chain(tag string) []*entry {
	all := table()
	var found []*entry
	for tag != "" && all[tag] == nil {
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			tag = "und"
			break
		}
		tag = tag[:i]
	}
	for e := all[tag]; e != nil; e = all[e.parent] {
		found = append(found, e)
	}
	if len(found) == 0 {
		found = append(found, all["und"])
	}
	return found
}

// SymbolsOf returns the signs of a locale; an unknown one has those of root.
func SymbolsOf(tag string) Symbols { return chain(tag)[0].symbols }

// Root returns the signs of no particular locale.
func Root() Symbols { return table()["und"].symbols }

// earlierNames are identifiers of earlier versions, and those that people write,
// with the names that the table has.
var earlierNames = map[string]string{
	"permillion": "part-per-1e6", "part-per-million": "part-per-1e6", "part-per-billion": "part-per-1e9",
	"liter-per-100-kilometers": "liter-per-100-kilometer",
}

func unitName(id string) (string, bool) {
	_, short, _ := strings.Cut(id, "-")
	for _, name := range []string{id, short, earlierNames[id], earlierNames[short]} {
		for _, tag := range []string{"en", "und"} {
			if _, ok := table()[tag].units[name]; ok {
				return name, true
			}
		}
	}
	return "", false
}

// CurrencySpellings returns the words by which a locale, English and root name
// a currency, folded (NFKC, case): the code, symbols and one-word names.
func CurrencySpellings(code, tag string) []string {
	spellings := []string{strings.ToLower(code)}
	if code == "SEK" {
		spellings = append(spellings, ":-")
	}
	return gather(spellings, tag, func(e *entry) []string { return e.currencies[code] })
}

// UnitSpellings returns the words by which a locale and English name a unit,
// folded (NFKC, case): narrow, short and long forms of one word. A unit per another
// also has forms of several words, with a space between two. It is empty for an
// identifier that does not name a unit.
func UnitSpellings(id, tag string) []string {
	name, ok := unitName(id)
	if !ok {
		return perSpellings(id, tag)
	}
	return gather(nil, tag, func(e *entry) []string { return e.units[name] })
}

// perSpellings makes the spellings of a unit per another that the table does not
// have of those of the two: "g/l" for gram-per-liter.
func perSpellings(id, tag string) []string {
	of, per, ok := strings.Cut(id, "-per-")
	if !ok || strings.Contains(per, "-per-") {
		return nil
	}
	var spellings []string
	for _, above := range UnitSpellings(of, tag) {
		for _, below := range UnitSpellings(per, tag) {
			spellings = append(spellings, above+"/"+below)
		}
	}
	return spellings
}

// gather takes the nearest entry of the locale's chain that says something,
// then English, then root.
func gather(spellings []string, tag string, of func(*entry) []string) []string {
	for _, t := range []string{tag, "en", "und"} {
		if t == "" {
			continue
		}
		for _, e := range chain(t) {
			if own := of(e); own != nil {
				spellings = append(spellings, own...)
				break
			}
		}
	}
	slices.Sort(spellings)
	spellings = slices.Compact(spellings)
	if len(spellings) > 0 && spellings[0] == "" {
		spellings = spellings[1:]
	}
	return spellings
}
