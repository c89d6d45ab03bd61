package localedata

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/quiresearch/quire/internal/analysis/decompound"
	"github.com/quiresearch/quire/internal/analysis/hunspell"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/locale"
)

// Sources are the published files that the data of a locale are built from.
// Empty ones are not used.
type Sources struct {
	Tag       string
	Hunspell  string   // path of a spelling dictionary without .aff and .dic
	Words     []string // word lists: the first column of each line, tabs between columns
	Forms     string   // full forms: form and base form in two columns
	Patterns  string   // hyphenation patterns or a hyphenation dictionary
	Stopwords string   // one word per line
	Licence   string   // text stored next to the data
	Stem      bool     // also take the stems of the spelling dictionary as base forms
}

// Report summarizes the output of Build.
type Report struct {
	Words int
	Forms int
	Seams int // patterns learned from the words
}

// Build writes the folder of a locale into directory.
func Build(directory string, s Sources) (Report, error) {
	var r Report
	if locale.Canonical(s.Tag) != s.Tag || !locale.Supported(s.Tag) && s.Tag != "is" {
		return r, fmt.Errorf("%q is not a supported locale in canonical spelling", s.Tag)
	}
	words, pairs, err := s.read()
	if err != nil {
		return r, err
	}
	if len(words) == 0 && len(pairs) == 0 && s.Patterns == "" && s.Stopwords == "" {
		return r, errors.New("the sources hold no word")
	}
	dir := filepath.Join(directory, s.Tag)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return r, err
	}
	if len(words) > 0 {
		var out bytes.Buffer
		if r.Words, err = decompound.WriteWords(&out, words); err != nil {
			return r, err
		}
		if err := os.WriteFile(filepath.Join(dir, wordsFile), out.Bytes(), 0o644); err != nil {
			return r, err
		}
	}
	if len(pairs) > 0 {
		var out bytes.Buffer
		if r.Forms, err = stem.WriteForms(&out, pairs); err != nil {
			return r, err
		}
		if err := os.WriteFile(filepath.Join(dir, stemmingFile), out.Bytes(), 0o644); err != nil {
			return r, err
		}
	}
	if s.Patterns != "" {
		if r.Seams, err = s.copyPatterns(dir, words); err != nil {
			return r, err
		}
	}
	for name, text := range map[string]string{stopwordsFile: s.Stopwords, "LICENCE": s.Licence} {
		if text == "" {
			continue
		}
		content, err := os.ReadFile(text)
		if err != nil {
			return r, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (s Sources) read() (words []string, pairs [][2]string, err error) {
	if s.Hunspell != "" {
		aff, err := os.ReadFile(s.Hunspell + ".aff")
		if err != nil {
			return nil, nil, err
		}
		dic, err := os.ReadFile(s.Hunspell + ".dic")
		if err != nil {
			return nil, nil, err
		}
		expanded, err := hunspell.Expand(aff, dic)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range expanded {
			words = append(words, w.Form)
			if s.Stem {
				pairs = append(pairs, [2]string{w.Form, w.Stem})
			}
		}
	}
	for _, path := range s.Words {
		columns, err := readColumns(path)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range columns {
			words = append(words, c[0])
		}
	}
	if s.Forms != "" {
		columns, err := readColumns(s.Forms)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range columns {
			if len(c) > 1 {
				pairs = append(pairs, [2]string{c[0], c[1]})
			}
		}
	}
	return words, pairs, nil
}

func readColumns(path string) ([][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for line := range strings.Lines(string(utf8Text(text))) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && line[0] != '#' {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows, nil
}

// copyPatterns checks that patterns are readable and writes them as UTF-8,
// together with patterns for seams between words that they miss. It returns the
// number of added patterns.
func (s Sources) copyPatterns(dir string, words []string) (int, error) {
	text, err := os.ReadFile(s.Patterns)
	if err != nil {
		return 0, err
	}
	text = utf8Text(text)
	patterns, err := decompound.ReadPatterns(bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.Patterns, err)
	}
	seams := decompound.Seams(patterns, words)
	if len(seams) > 0 {
		text = fmt.Appendf(text, "\n# Seams of compounds in the word list\n%s\n", strings.Join(seams, "\n"))
	}
	return len(seams), os.WriteFile(filepath.Join(dir, patternsFile), text, 0o644)
}

// utf8Text converts text in Latin-1, used by older dictionaries, to UTF-8.
func utf8Text(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	out, err := charmap.ISO8859_1.NewDecoder().Bytes(text)
	if err != nil {
		return text // every byte is a character, so there is no error
	}
	return out
}
