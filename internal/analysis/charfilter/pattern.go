package charfilter

import (
	"fmt"
	"regexp"
	"strings"
)

// MaxPattern bounds the length of a pattern in bytes. The replacement needs no
// bound: what it adds is bounded.
const MaxPattern = 4096

// maxMatches bounds the memory one text takes, in matches and groups of them:
// what follows is left as it is.
const maxMatches = 1 << 18

// PatternReplace replaces what a regular expression matches. The expression
// is of the RE2 kind, so its time is linear in the text.
type PatternReplace struct {
	pattern     *regexp.Regexp
	replacement []byte
	references  int // to groups, at most
}

// NewPatternReplace compiles the filter. The replacement refers to groups as
// $1, ${1} and ${name}; \$ and $$ stand for a dollar sign, \\ for a
// backslash.
func NewPatternReplace(pattern, replacement string) (*PatternReplace, error) {
	if len(pattern) > MaxPattern {
		return nil, fmt.Errorf("pattern longer than %d bytes", MaxPattern)
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	return &PatternReplace{
		pattern:     compiled,
		replacement: template(replacement),
		references:  strings.Count(replacement, "$"),
	}, nil
}

// template writes a replacement for regexp.Expand: $1 followed by letters
// means group 1 and then the letters, as in other engines.
func template(replacement string) []byte {
	var out strings.Builder
	for i := 0; i < len(replacement); i++ {
		c := replacement[i]
		switch {
		case c == '\\' && i+1 < len(replacement):
			i++
			if replacement[i] == '$' {
				out.WriteByte('$')
			}
			out.WriteByte(replacement[i])
		case c == '$' && i+1 < len(replacement) && replacement[i+1]-'0' < 10:
			end := i + 2
			for end < len(replacement) && replacement[end]-'0' < 10 && end < i+3 {
				end++
			}
			out.WriteString("${" + replacement[i+1:end] + "}")
			i = end - 1
		case c == '$' && i+1 < len(replacement) && (replacement[i+1] == '{' || replacement[i+1] == '$'):
			out.WriteByte('$')
			if replacement[i+1] == '$' {
				out.WriteByte('$')
				i++
			}
		case c == '$':
			out.WriteString("$$")
		default:
			out.WriteByte(c)
		}
	}
	return []byte(out.String())
}

// Apply replaces the matches in the text.
func (p *PatternReplace) Apply(t *Text) {
	t.begin()
	text := t.current
	var expanded []byte
	for _, m := range p.pattern.FindAllSubmatchIndex(text, maxMatches/(1+p.pattern.NumSubexp())) {
		start, end := m[0], m[1]
		if p.references*(end-start)+len(p.replacement) > t.limit {
			break
		}
		expanded = p.pattern.Expand(expanded[:0], p.replacement, text, m)
		t.copyTo(start)
		if start == end && len(expanded) == 0 {
			continue
		}
		if !t.replaceTo(end, expanded) {
			break
		}
	}
	t.finish()
}
