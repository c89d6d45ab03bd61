package charfilter

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// machine runs a regular expression as a Pike VM: it follows all ways to match
// at once, in order of priority, one code point after the other. A way is a
// thread of the VM. (https://swtch.com/~rsc/regexp/regexp2.html)
//
// It finds the same matches as package regexp, and counts its steps. Package
// regexp cannot be interrupted, and finding successive matches may take
// quadratic time: x*y|x on a text of x reads to the end to find each x. A
// worked example, a(b|bc)c? on "xabc":
//
//	x: no way begins here
//	a: the way that begins here waits for b, twice: for b and for bc
//	b: the first way may end or read c; it matched "ab", so the ways of lower
//	   priority are dropped, and its own c? goes on, because it is greedy
//	c: the match is "abc"
type machine struct {
	prog     *syntax.Prog
	prefix   []byte // prefix of every match
	anchored bool   // matches begin only at the start of the text
	groups   int    // number of entries of a match

	seen    []uint32 // by instruction: value of at when it was last reached
	at      uint32
	ways    []uint32 // instructions that read a code point or match, by priority
	starts  []int    // groups of each element of ways
	waiting []uint32 // instructions after the last code point, by priority
	waits   []int    // groups of each element of waiting
	current []int    // groups of the way being followed
	found   []int
}

func newMachine(prog *syntax.Prog, prefix string, groups int) *machine {
	return &machine{
		prog: prog, prefix: []byte(prefix), groups: groups,
		anchored: prog.StartCond()&syntax.EmptyBeginText != 0,
		seen:     make([]uint32, len(prog.Inst)),
		current:  make([]int, groups),
		found:    make([]int, groups),
	}
}

// each calls visit with the groups of at most most non-overlapping matches,
// until visit returns false or no steps are left. An empty match does not touch
// the previous match.
func (m *machine) each(text []byte, most int, left *int64, visit func(groups []int) bool) {
	behind := -1 // end of the previous match
	for pos := 0; pos <= len(text) && most > 0; {
		groups, ok := m.find(text, pos, left)
		if !ok || groups == nil {
			return
		}
		start, end := groups[0], groups[1]
		if end > pos {
			pos = end
		} else if _, width := utf8.DecodeRune(text[pos:]); width > 0 {
			pos += width
		} else {
			pos = len(text) + 1
		}
		isTouching := start == end && end == behind
		behind = end
		if isTouching {
			continue
		}
		most--
		if !visit(groups) {
			return
		}
	}
}

// find returns the groups of the first match at or after pos, nil if there is
// none. They are valid until the next call. It subtracts its steps from left
// and reports false if they do not suffice.
func (m *machine) find(text []byte, pos int, left *int64) (groups []int, ok bool) {
	m.waiting, m.waits = m.waiting[:0], m.waits[:0]
	matched := false
	previous := rune(-1)
	if pos > 0 {
		previous, _ = utf8.DecodeLastRune(text[:pos])
	}
	for {
		if *left < 0 {
			return nil, false
		}
		if len(m.waiting) == 0 {
			if matched || m.anchored && pos > 0 {
				break
			}
			if skipped := bytes.Index(text[pos:], m.prefix); skipped < 0 {
				break
			} else if skipped > 0 {
				pos += skipped
				previous, _ = utf8.DecodeLastRune(text[:pos])
			}
		}
		r, width := rune(-1), 0
		if pos < len(text) {
			r, width = utf8.DecodeRune(text[pos:])
		}
		m.follow(pos, syntax.EmptyOpContext(previous, r), !matched, left)
		matched = m.step(r, pos, left) || matched
		if pos == len(text) {
			break
		}
		pos, previous = pos+width, r
	}
	if !matched {
		return nil, true
	}
	return m.found, true
}

// follow turns the waiting instructions, and a match that begins here, into
// ways.
func (m *machine) follow(pos int, context syntax.EmptyOp, begins bool, left *int64) {
	m.at++
	if m.at == 0 { // the counter wrapped around
		clear(m.seen)
		m.at = 1
	}
	m.ways, m.starts = m.ways[:0], m.starts[:0]
	for i, pc := range m.waiting {
		copy(m.current, m.waits[i*m.groups:])
		m.reach(pc, pos, context, left)
	}
	if begins {
		for i := range m.current {
			m.current[i] = -1
		}
		m.current[0] = pos
		m.reach(uint32(m.prog.Start), pos, context, left)
	}
}

// reach follows an instruction to those that read a code point or match.
func (m *machine) reach(pc uint32, pos int, context syntax.EmptyOp, left *int64) {
	for {
		if m.seen[pc] == m.at {
			return
		}
		m.seen[pc] = m.at
		*left--
		switch in := &m.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.reach(in.Out, pos, context, left)
			pc = in.Arg
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^context != 0 {
				return
			}
			pc = in.Out
		case syntax.InstNop:
			pc = in.Out
		case syntax.InstCapture:
			if int(in.Arg) >= m.groups {
				pc = in.Out
				continue
			}
			before := m.current[in.Arg]
			m.current[in.Arg] = pos
			m.reach(in.Out, pos, context, left)
			m.current[in.Arg] = before
			return
		case syntax.InstFail:
			return
		default:
			m.ways = append(m.ways, pc)
			m.starts = append(m.starts, m.current...)
			*left -= int64(m.groups / 16)
			return
		}
	}
}

// step reads a code point and reports whether a way matched before it. Ways of
// lower priority than a matching one are dropped.
func (m *machine) step(r rune, pos int, left *int64) bool {
	m.waiting, m.waits = m.waiting[:0], m.waits[:0]
	for i, pc := range m.ways {
		*left--
		in := &m.prog.Inst[pc]
		groups := m.starts[i*m.groups : (i+1)*m.groups]
		if in.Op == syntax.InstMatch {
			copy(m.found, groups)
			m.found[1] = pos
			return true
		}
		if r >= 0 && in.MatchRune(r) {
			m.waiting = append(m.waiting, in.Out)
			m.waits = append(m.waits, groups...)
		}
	}
	return false
}
