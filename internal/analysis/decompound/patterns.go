package decompound

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds the characters of a word that is looked at.
const maxWord = 100

// Patterns are hyphenation patterns: letters with digits between them. For
// every place of a word the highest digit of the matching patterns counts; an
// odd one allows a break.
type Patterns struct {
	values  map[string][]byte // letters → digits, one more than letters
	longest int
}

// ReadPatterns reads patterns, one or several to a line. Lines that are empty,
// begin with # or %, or hold a setting of a hyphenation dictionary (a word in
// capitals, a character set) are skipped.
func ReadPatterns(r io.Reader) (*Patterns, error) {
	p := &Patterns{values: make(map[string][]byte)}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' || line[0] == '%' {
			continue
		}
		for pattern := range strings.FieldsSeq(line) {
			if isSetting(pattern) {
				break
			}
			// A change of spelling at the break is written behind a slash.
			pattern, _, _ = strings.Cut(pattern, "/")
			if err := p.add(pattern); err != nil {
				return nil, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read patterns: %w", err)
	}
	if len(p.values) == 0 {
		return nil, fmt.Errorf("read patterns: there are none")
	}
	return p, nil
}

func isSetting(word string) bool {
	return strings.HasPrefix(word, "ISO8859") || strings.HasPrefix(word, "UTF-8") || strings.HasPrefix(word, "LEFTHYPHENMIN") ||
		strings.HasPrefix(word, "RIGHTHYPHENMIN") || strings.HasPrefix(word, "COMPOUND") || strings.HasPrefix(word, "NOHYPHEN") ||
		strings.HasPrefix(word, "NEXTLEVEL") || strings.HasPrefix(word, "microsoft")
}

func (p *Patterns) add(pattern string) error {
	var letters []rune
	digits := []byte{0}
	for _, r := range pattern {
		switch {
		case r >= '0' && r <= '9':
			digits[len(digits)-1] = byte(r - '0')
		case unicode.IsLetter(r) || unicode.IsMark(r) || r == '.' || r == '\'' || r == '’' || r == '-':
			letters = append(letters, unicode.ToLower(r))
			digits = append(digits, 0)
		default:
			return fmt.Errorf("pattern %q holds %q", pattern, r)
		}
	}
	if len(letters) == 0 || len(letters) > maxWord {
		return fmt.Errorf("pattern %q is not well-formed", pattern)
	}
	p.values[string(letters)] = digits
	p.longest = max(p.longest, len(letters))
	return nil
}

// appendBreaks appends the inner places, counted in characters, at which word
// may be broken.
func (p *Patterns) appendBreaks(dst []int, word []byte) []int {
	var runeSpace [maxWord + 2]int
	framed := make([]byte, 0, len(word)+2)
	framed = append(framed, '.')
	framed = append(framed, word...)
	framed = append(framed, '.')
	starts := runeSpace[:0]
	for at := range string(framed) {
		starts = append(starts, at)
	}
	n := len(starts)
	var levels [maxWord + 4]byte
	for i := range starts {
		for j := i + 1; j <= n && j-i <= p.longest; j++ {
			end := len(framed)
			if j < n {
				end = starts[j]
			}
			digits, ok := p.values[string(framed[starts[i]:end])]
			if !ok {
				continue
			}
			for k, d := range digits {
				levels[i+k] = max(levels[i+k], d)
			}
		}
	}
	// levels[i] stands before the i-th character of the framed word.
	for i := 2; i < n-1; i++ {
		if levels[i]%2 == 1 {
			dst = append(dst, i-1)
		}
	}
	return dst
}

// Breaks returns the places at which word may be broken, for tests and tools.
func (p *Patterns) Breaks(word string) []int {
	if utf8.RuneCountInString(word) > maxWord {
		return nil
	}
	return p.appendBreaks(nil, []byte(word))
}
