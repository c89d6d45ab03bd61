package charfilter

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// MaxPattern bounds the length of a pattern in bytes. The replacement needs no
// bound: what it adds is bounded.
const MaxPattern = 4096

// maxMatches bounds the replacements of one text, in matches and groups of them:
// what follows is left as it is.
const maxMatches = 1 << 18

// quickSteps is how many steps package regexp may take at most for a text that is
// left to it. It is quicker than a machine and cannot be stopped.
const quickSteps = 1 << 22

// PatternReplace replaces what a regular expression matches. The expression is of
// the RE2 kind: one match takes time in proportion to the text and the expression,
// and all matches together are bounded by Text.Steps.
type PatternReplace struct {
	pattern     *regexp.Regexp
	replacement []byte
	references  int // to groups, at most
	prog        *syntax.Prog
	prefix      string
	machines    sync.Pool // of *machine
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
	prog, err := compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	p := &PatternReplace{
		pattern:     compiled,
		replacement: template(replacement),
		references:  strings.Count(replacement, "$"),
		prog:        prog,
	}
	p.prefix, _ = compiled.LiteralPrefix()
	p.machines.New = func() any { return newMachine(prog, p.prefix, 2+2*compiled.NumSubexp()) }
	return p, nil
}

func compile(pattern string) (*syntax.Prog, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return syntax.Compile(parsed.Simplify())
}

// IsQuick reports whether a text of so many bytes takes no steps that are counted:
// it is left to package regexp, by the most that may take, for each match the whole
// text and the whole expression.
func (p *PatternReplace) IsQuick(length int) bool {
	return float64(length)*float64(length)*float64(len(p.prog.Inst)) <= quickSteps
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

// Grown returns the most bytes that a text of so many has afterwards.
func (p *PatternReplace) Grown(length int) int {
	return length*(1+p.references) + (length+1)*len(p.replacement)
}

// Apply replaces the matches in the text. When the steps of the text are used up,
// what follows is left as it is.
func (p *PatternReplace) Apply(t *Text) {
	t.begin()
	text := t.current
	var expanded []byte
	replace := func(m []int) bool {
		start, end := m[0], m[1]
		if p.references*(end-start)+len(p.replacement) > t.limit {
			return false
		}
		expanded = p.pattern.Expand(expanded[:0], p.replacement, text, m)
		t.copyTo(start)
		return start == end && len(expanded) == 0 || t.replaceTo(end, expanded)
	}
	most := maxMatches / (1 + p.pattern.NumSubexp())
	if p.IsQuick(len(text)) {
		for _, m := range p.pattern.FindAllSubmatchIndex(text, most) {
			if !replace(m) {
				break
			}
		}
	} else {
		m := p.machines.Get().(*machine)
		m.each(text, most, &t.Steps, replace)
		p.machines.Put(m)
	}
	t.finish()
}
