package decompound

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word that is examined, in characters.
const maxWord = 100

// Patterns are hyphenation patterns: letters with digits between them. At every
// position of a word the highest digit of the matching patterns wins; an odd
// digit allows a break.
type Patterns struct {
	// A trie over the bytes of the letters, with the edges of all nodes in one
	// open-addressing table.
	keys   []uint32 // node<<8 | byte, plus one; 0 means free
	next   []uint32
	digits []string // per node: the digits of the pattern that ends there
}

// ReadPatterns reads patterns, one or more per line. It skips lines that are
// empty, begin with # or %, or contain a setting of a hyphenation dictionary (a
// word in capitals, a character set). If two patterns have the same letters,
// the higher digit wins at every position.
func ReadPatterns(r io.Reader) (*Patterns, error) {
	values := make(map[string][]byte)
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
			// A spelling change at the break follows a slash.
			pattern, _, _ = strings.Cut(pattern, "/")
			if err := addPattern(values, pattern); err != nil {
				return nil, err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read patterns: %w", err)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("read patterns: there are none")
	}
	return newPatterns(values)
}

func isSetting(word string) bool {
	return strings.HasPrefix(word, "ISO8859") || strings.HasPrefix(word, "UTF-8") || strings.HasPrefix(word, "LEFTHYPHENMIN") ||
		strings.HasPrefix(word, "RIGHTHYPHENMIN") || strings.HasPrefix(word, "COMPOUND") || strings.HasPrefix(word, "NOHYPHEN") ||
		strings.HasPrefix(word, "NEXTLEVEL") || strings.HasPrefix(word, "microsoft")
}

// addPattern splits a pattern into letters and digits, with one digit more than
// letters.
func addPattern(values map[string][]byte, pattern string) error {
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
	for i, d := range values[string(letters)] {
		digits[i] = max(digits[i], d)
	}
	values[string(letters)] = digits
	return nil
}

// maxNodes bounds the trie, so that a node and a byte fit into a key.
const maxNodes = 1 << 24

func newPatterns(values map[string][]byte) (*Patterns, error) {
	steps := 0
	for letters := range values {
		steps += len(letters)
	}
	if steps >= maxNodes {
		return nil, fmt.Errorf("read patterns: %d letters are too many", steps)
	}
	// Patterns share prefixes, so a table with this many slots is at most half
	// full in practice; otherwise it doubles.
	size := 1024
	for size < steps {
		size *= 2
	}
	p := &Patterns{keys: make([]uint32, size), next: make([]uint32, size), digits: make([]string, 1)}
	for letters, digits := range values {
		node := uint32(0)
		for i := range len(letters) {
			at, found := p.slot(node, letters[i])
			if !found {
				if 2*len(p.digits) > len(p.keys) {
					p.grow()
					at, _ = p.slot(node, letters[i])
				}
				p.keys[at], p.next[at] = node<<8|uint32(letters[i])+1, uint32(len(p.digits))
				p.digits = append(p.digits, "")
			}
			node = p.next[at]
		}
		p.digits[node] = string(digits)
	}
	return p, nil
}

// slot returns the slot of the edge from a node by a byte, or the free slot
// where it belongs.
func (p *Patterns) slot(node uint32, c byte) (at uint32, found bool) {
	key := node<<8 | uint32(c) + 1
	mask := uint32(len(p.keys) - 1)
	for at = key * 0x9E3779B1 >> 7 & mask; ; at = (at + 1) & mask {
		switch p.keys[at] {
		case key:
			return at, true
		case 0:
			return at, false
		}
	}
}

func (p *Patterns) grow() {
	keys, next := p.keys, p.next
	p.keys, p.next = make([]uint32, 2*len(keys)), make([]uint32, 2*len(keys))
	for i, key := range keys {
		if key != 0 {
			at, _ := p.slot((key-1)>>8, byte(key-1))
			p.keys[at], p.next[at] = key, next[i]
		}
	}
}

// appendBreaks appends the positions inside word, in characters, where it may
// be broken. The word has at most maxWord characters.
func (p *Patterns) appendBreaks(dst []int, word []byte) []int {
	var framedSpace [4*maxWord + 2]byte
	framed := append(framedSpace[:0], '.')
	framed = append(framed, word...)
	framed = append(framed, '.')
	var levels [maxWord + 4]byte
	n := 0 // characters so far
	for at := 0; at < len(framed); {
		node := uint32(0)
		for _, c := range framed[at:] {
			slot, found := p.slot(node, c)
			if !found {
				break
			}
			node = p.next[slot]
			digits := p.digits[node]
			for k := range len(digits) {
				levels[n+k] = max(levels[n+k], digits[k])
			}
		}
		_, size := utf8.DecodeRune(framed[at:])
		at += size
		n++
	}
	// levels[i] belongs before the i-th character of the framed word.
	for i := 2; i < n-1; i++ {
		if levels[i]%2 == 1 {
			dst = append(dst, i-1)
		}
	}
	return dst
}

// Breaks returns the positions where word may be broken, for tests and tools.
func (p *Patterns) Breaks(word string) []int {
	if utf8.RuneCountInString(word) > maxWord {
		return nil
	}
	return p.appendBreaks(nil, bytes.ToValidUTF8([]byte(word), nil))
}
