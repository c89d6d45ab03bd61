package jsonread

import (
	"encoding/binary"
	"math/bits"
)

// PlainMembers walks the members of an unchecked object as long as they are plain:
// names and strings of printable ASCII without escapes, and numbers without
// exponents. If IsWhole returns true after the walk, the text is one object that
// Check accepts, provided no name occurs twice.
type PlainMembers struct {
	raw  []byte
	next int
	end  int // offset after the object, 0 until the walk gets there
}

// Plain starts a walk.
func Plain(raw []byte) PlainMembers { return PlainMembers{raw: raw} }

// IsWhole reports whether the walk reached the end of the object and of the text.
func (p *PlainMembers) IsWhole() bool { return p.end > 0 && p.end == len(p.raw) }

// Next returns the next name without its quotes and its raw value. It returns false
// at the end and before anything that is not plain.
func (p *PlainMembers) Next() (name, value []byte, ok bool) {
	i := p.member()
	if i < 0 {
		return nil, nil, false
	}
	end := plainTextEnd(p.raw, i)
	if end < 0 {
		return nil, nil, false
	}
	name = p.raw[i+1 : end-1]
	if i = skipSpace(p.raw, end); i == len(p.raw) || p.raw[i] != ':' {
		return nil, nil, false
	}
	i = skipSpace(p.raw, i+1)
	if i < len(p.raw) && p.raw[i] == '"' {
		end = plainTextEnd(p.raw, i)
	} else {
		end = plainNumberEnd(p.raw, i)
	}
	if end < 0 {
		return nil, nil, false
	}
	p.next = end
	return name, p.raw[i:end:end], true
}

// member returns the offset of the next name, or -1 if there is none.
func (p *PlainMembers) member() int {
	opening := byte(',')
	if p.next == 0 {
		opening = '{'
	}
	i := p.next
	if opening == ',' {
		i = skipSpace(p.raw, i)
	}
	switch {
	case i == len(p.raw):
		return -1
	case p.raw[i] == '}' && opening == ',':
		p.end = i + 1
		return -1
	case p.raw[i] != opening:
		return -1
	}
	return skipSpace(p.raw, i+1)
}

// plainTextEnd returns the end of the plain string that starts at i, or -1 if there
// is none.
func plainTextEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i+8 <= len(b); i += 8 {
		if special := specialBytes(binary.LittleEndian.Uint64(b[i:])); special != 0 {
			i += bits.TrailingZeros64(special) / 8
			break
		}
	}
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c > '~' || c == '\\':
			return -1
		}
	}
	return -1
}

// specialBytes returns a mask whose lowest set bit is the high bit of the first of
// eight bytes that ends a plain string or is not plain. Bits of later bytes may be
// wrong. The mask is 0 if all bytes are plain.
func specialBytes(w uint64) uint64 {
	const each = 0x0101010101010101
	control := w - each*' '          // borrows below a space
	quote := (w ^ each*'"') - each   // borrows at a quote
	escape := (w ^ each*'\\') - each // borrows at a backslash
	return (w | (w + each) | control | quote | escape) & (each * 0x80)
}

// plainNumberEnd returns the end of the plain number that starts at i, or -1 if
// there is none.
func plainNumberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	whole := digitsEnd(b, i)
	if whole == i || b[i] == '0' && whole > i+1 {
		return -1
	}
	if whole == len(b) || b[whole] != '.' {
		return whole
	}
	end := digitsEnd(b, whole+1)
	if end == whole+1 {
		return -1
	}
	return end
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// mostPlainNames is the maximum number of names that are compared pairwise.
const mostPlainNames = 16

// isPlainObject reports whether a text without surrounding white space is one
// object of plain members that Check accepts. Many documents are, and jsontext
// takes more than twice as long.
func isPlainObject(text []byte) bool {
	end := PlainObject(text)
	return end > 0 && end == len(text)
}

// PlainObject returns the length of the object of plain members at the start of a
// text, provided Check accepts it. It ignores what follows, and returns 0 if there
// is no such object.
func PlainObject(text []byte) int {
	var names [mostPlainNames][]byte
	count := 0
	members := Plain(text)
	for name, _, ok := members.Next(); ok; name, _, ok = members.Next() {
		if count == len(names) {
			return 0
		}
		for _, other := range names[:count] {
			if len(other) == len(name) && string(other) == string(name) {
				return 0
			}
		}
		names[count] = name
		count++
	}
	return members.end
}
