// Package hunspell reads the spelling dictionaries that distributions ship and
// converts them to word lists: every stem with its suffixes applied, up to two
// levels deep. Prefixes and rules for whole compounds are not needed for that
// and are skipped.
//
// It is used to build locale data, never in a node. Expand keeps nothing
// between calls.
package hunspell

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Word is a form and its stem.
type Word struct {
	Form string
	Stem string
}

// dictionary is a parsed affix file.
type dictionary struct {
	flagKind  string // "", "long", "num" or "UTF-8"
	aliases   [][]string
	suffixes  map[string][]suffix
	forbidden string
	needAffix string
}

type suffix struct {
	strip, add string
	flags      []string
	condition  []class
}

// class is one character of a condition.
type class struct {
	any     bool
	negated bool
	letters string
}

// maxForms bounds the forms of one stem.
const maxForms = 2000

// Expand returns the forms of all stems of a dictionary, given the contents of
// its .aff and .dic files. Forbidden stems yield no forms.
func Expand(aff, dic []byte) ([]Word, error) {
	aff, dic = decode(aff, dic)
	d, err := parse(aff)
	if err != nil {
		return nil, err
	}
	var words []Word
	lines := bufio.NewScanner(bytes.NewReader(dic))
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for first := true; lines.Scan(); first = false {
		line := strings.TrimRight(lines.Text(), "\r")
		if _, err := strconv.Atoi(strings.TrimSpace(line)); first && err == nil {
			continue // the number of entries
		}
		if line == "" || line[0] == '\t' || line[0] == '#' {
			continue
		}
		if entry := strings.Fields(line); len(entry) > 0 {
			words = d.expand(words, entry[0])
		}
	}
	return words, lines.Err()
}

// decode converts both files to UTF-8, according to the SET line of the first.
func decode(aff, dic []byte) ([]byte, []byte) {
	for line := range bytes.Lines(aff) {
		name, ok := bytes.CutPrefix(line, []byte("SET "))
		if !ok {
			continue
		}
		switch strings.ToUpper(strings.TrimSpace(string(name))) {
		case "ISO8859-1", "ISO-8859-1":
			return latin(aff), latin(dic)
		}
		break
	}
	return bytes.TrimPrefix(aff, []byte("\ufeff")), bytes.TrimPrefix(dic, []byte("\ufeff"))
}

func latin(text []byte) []byte {
	out, err := charmap.ISO8859_1.NewDecoder().Bytes(text)
	if err != nil {
		return text // every byte is a character, so there is no error
	}
	return out
}

func parse(aff []byte) (*dictionary, error) {
	d := &dictionary{suffixes: make(map[string][]suffix)}
	for line := range bytes.Lines(aff) {
		fields := strings.Fields(string(line))
		if len(fields) < 2 {
			continue
		}
		switch fields[0] {
		case "FLAG":
			d.flagKind = fields[1]
		case "FORBIDDENWORD":
			d.forbidden = fields[1]
		case "NEEDAFFIX":
			d.needAffix = fields[1]
		case "AF":
			if _, err := strconv.Atoi(fields[1]); err == nil && d.aliases == nil {
				d.aliases = [][]string{nil}
				continue
			}
			d.aliases = append(d.aliases, d.flags(fields[1]))
		case "SFX":
			if len(fields) < 4 || len(fields) == 4 && (fields[2] == "Y" || fields[2] == "N") {
				continue
			}
			s, err := d.suffix(fields)
			if err != nil {
				return nil, err
			}
			d.suffixes[fields[1]] = append(d.suffixes[fields[1]], s)
		}
	}
	return d, nil
}

func (d *dictionary) suffix(fields []string) (suffix, error) {
	var s suffix
	if fields[2] != "0" {
		s.strip = fields[2]
	}
	add, flags, ok := strings.Cut(fields[3], "/")
	if add != "0" {
		s.add = add
	}
	if ok {
		s.flags = d.resolve(flags)
	}
	condition := "."
	if len(fields) > 4 {
		condition = fields[4]
	}
	var err error
	if s.condition, err = parseCondition(condition); err != nil {
		return s, fmt.Errorf("suffix %s: %w", fields[1], err)
	}
	return s, nil
}

func parseCondition(text string) ([]class, error) {
	if text == "." {
		return nil, nil
	}
	var classes []class
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		switch runes[i] {
		case '.':
			classes = append(classes, class{any: true})
		case '[':
			end := slices.Index(runes[i:], ']')
			if end < 0 {
				return nil, fmt.Errorf("condition %q has no closing bracket", text)
			}
			letters := string(runes[i+1 : i+end])
			negated := strings.HasPrefix(letters, "^")
			classes = append(classes, class{negated: negated, letters: strings.TrimPrefix(letters, "^")})
			i += end
		default:
			classes = append(classes, class{letters: string(runes[i])})
		}
	}
	return classes, nil
}

func (s suffix) fits(word []rune) bool {
	if len(word) < len(s.condition) {
		return false
	}
	tail := word[len(word)-len(s.condition):]
	for i, c := range s.condition {
		if !c.any && strings.ContainsRune(c.letters, tail[i]) == c.negated {
			return false
		}
	}
	return true
}

// resolve returns flags, resolving the number of an alias.
func (d *dictionary) resolve(text string) []string {
	if d.aliases != nil {
		if n, err := strconv.Atoi(text); err == nil && n > 0 && n < len(d.aliases) {
			return d.aliases[n]
		}
	}
	return d.flags(text)
}

func (d *dictionary) flags(text string) []string {
	switch d.flagKind {
	case "num":
		return strings.Split(text, ",")
	case "long":
		runes := []rune(text)
		var flags []string
		for i := 0; i+1 < len(runes); i += 2 {
			flags = append(flags, string(runes[i:i+2]))
		}
		return flags
	}
	return strings.Split(text, "")
}

func (d *dictionary) expand(words []Word, entry string) []Word {
	stem, flagText, _ := strings.Cut(strings.ReplaceAll(entry, `\/`, "\x00"), "/")
	stem = strings.ReplaceAll(stem, "\x00", "/")
	var flags []string
	if flagText != "" {
		flags = d.resolve(flagText)
	}
	if stem == "" || d.forbidden != "" && slices.Contains(flags, d.forbidden) {
		return words
	}
	first := len(words)
	if d.needAffix == "" || !slices.Contains(flags, d.needAffix) {
		words = append(words, Word{stem, stem})
	}
	return d.suffixed(words, first, stem, stem, flags, 2)
}

func (d *dictionary) suffixed(words []Word, first int, stem, word string, flags []string, depth int) []Word {
	if depth == 0 {
		return words
	}
	runes := []rune(word)
	for _, flag := range flags {
		for _, s := range d.suffixes[flag] {
			if len(words)-first >= maxForms {
				return words
			}
			base, ok := strings.CutSuffix(word, s.strip)
			if !ok || base == "" && s.add == "" || !s.fits(runes) {
				continue
			}
			form := base + s.add
			words = append(words, Word{form, stem})
			words = d.suffixed(words, first, stem, form, s.flags, depth-1)
		}
	}
	return words
}
