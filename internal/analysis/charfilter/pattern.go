package charfilter

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// MaxPattern bounds the length of a pattern in bytes. The replacement needs no
// limit, because the text it adds is bounded.
const MaxPattern = 4096

// maxMatches bounds the replacements in one text, counted in matches and their
// groups; the rest of the text is left unchanged.
const maxMatches = 1 << 18

// quickSteps bounds the steps package regexp may take for a text given to it.
// It is faster than a machine but cannot be interrupted.
const quickSteps = 1 << 22

// PatternReplace replaces the matches of a regular expression in RE2 syntax.
// The time for one match is proportional to the text and the expression; the
// time for all matches together is bounded by Text.Steps.
type PatternReplace struct {
	pattern     *regexp.Regexp
	replacement []byte
	references  int // upper bound of the references to groups
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

// IsQuick reports whether a text of this length takes no counted steps: it goes
// to package regexp if the worst case, the whole text and the whole expression
// for each match, stays below quickSteps.
func (p *PatternReplace) IsQuick(length int) bool {
	return float64(length)*float64(length)*float64(len(p.prog.Inst)) <= quickSteps
}

// template converts a replacement for regexp.Expand: $1 followed by letters
// means group 1 followed by the letters, as in other engines.
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

// Grown returns the maximum length of the output for a text of this length.
func (p *PatternReplace) Grown(length int) int {
	return length*(1+p.references) + (length+1)*len(p.replacement)
}

// Apply replaces the matches in the text. When the steps of the text are used
// up, the rest is left unchanged.
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
