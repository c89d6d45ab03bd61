// Package locale knows the supported languages: their tags, which variant
// serves which tag, their lower case, and their stopwords.
//
// Supported lists the locales that analysis has rules for. analysis.Builder
// knows whether this node also has the data that some of them need.
//
// Everything here is a table or a pure function and may be used by any
// goroutine.
package locale

import (
	"slices"
	"strings"
)

// Default is the locale of values for which none is declared.
const Default = "en"

// tags are the canonical tags with rules, sorted.
var tags = []string{
	"ar", "bg", "bn", "bs", "ca", "ckb", "cs", "da", "de", "el", "en", "es", "et", "eu",
	"fa", "fi", "fr", "ga", "gl", "gu", "hi", "hr", "hu", "hy", "id", "is", "it", "ja",
	"kn", "ko", "lt", "lv", "ml", "mr", "ms", "nb", "ne", "nl", "nn", "no", "or", "pa",
	"pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "ur",
	"vi", "zh", "zh-Hant",
}

// broader maps a tag to the broader language that can stand in for it.
var broader = map[string]string{
	"nb":    "no",
	"nn":    "no",
	"zh-TW": "zh-Hant",
	"zh-HK": "zh-Hant",
	"zh-MO": "zh-Hant",
}

// compounding are the locales with compounds to split.
var compounding = []string{"da", "de", "fi", "is", "nb", "nl", "nn", "no", "sv"}

// Tags returns the canonical tags with rules, sorted. The caller owns the
// slice.
func Tags() []string { return slices.Clone(tags) }

// Supported reports whether analysis has rules for exactly this tag, in any
// case. A tag below a supported one, such as sv-SE, has none of its own.
func Supported(tag string) bool {
	_, found := slices.BinarySearch(tags, Canonical(tag))
	return found
}

// Compounding reports whether the compounds of a locale are split if the data
// for it exist.
func Compounding(tag string) bool {
	return slices.Contains(compounding, Canonical(tag))
}

// DataTag returns the tag whose folder of locale data serves tag: no uses that
// of nb.
func DataTag(tag string) string {
	tag = Canonical(tag)
	if tag == "no" {
		return "nb"
	}
	return tag
}

// Canonical returns a tag in its stored spelling: the language in lower case, a
// script capitalized, a region in upper case. Text that is not a tag is
// returned in lower case and is not supported.
func Canonical(tag string) string {
	if isCanonicalLanguage(tag) {
		return tag
	}
	parts := strings.Split(tag, "-")
	for i, part := range parts {
		part = strings.ToLower(part)
		switch {
		case i == 0:
		case len(part) == 1: // what follows a singleton is an extension
			for j := i; j < len(parts); j++ {
				parts[j] = strings.ToLower(parts[j])
			}
			return strings.Join(parts, "-")
		case len(part) == 4 && part[0] > '9':
			part = strings.ToUpper(part[:1]) + part[1:]
		case len(part) == 2:
			part = strings.ToUpper(part)
		}
		parts[i] = part
	}
	return strings.Join(parts, "-")
}

func isCanonicalLanguage(tag string) bool {
	for i := range len(tag) {
		if tag[i]-'a' >= 26 {
			return false
		}
	}
	return true
}

// Resolve returns the declared tag that serves wanted: the tag itself,
// otherwise the tag without its last subtag, and so on; at each step it also
// tries the broader language. It never narrows. The result is spelled as
// declared.
func Resolve(wanted string, declared []string) (string, bool) {
	for tag := Canonical(wanted); tag != ""; {
		if found, ok := find(tag, declared); ok {
			return found, true
		}
		if wider, ok := broader[tag]; ok {
			if found, ok := find(wider, declared); ok {
				return found, true
			}
		}
		cut := strings.LastIndexByte(tag, '-')
		if cut < 0 {
			break
		}
		tag = tag[:cut]
	}
	return "", false
}

// ResolveSupported returns the supported tag that serves wanted.
func ResolveSupported(wanted string) (string, bool) { return Resolve(wanted, tags) }

func find(tag string, declared []string) (string, bool) {
	for _, d := range declared {
		if d == tag || Canonical(d) == tag {
			return d, true
		}
	}
	return "", false
}
