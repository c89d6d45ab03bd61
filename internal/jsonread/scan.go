package jsonread

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// The functions of this file read checked JSON. On anything else their results are
// meaningless, but they stay within the given bytes.

// MemberIterator walks the members of a raw object.
type MemberIterator struct {
	raw   []byte
	next  int
	name  []byte
	value []byte
}

// Members returns an iterator over a raw object. Anything that is not an object has
// no members.
func Members(raw []byte) MemberIterator {
	if len(raw) == 0 || raw[0] != '{' {
		return MemberIterator{}
	}
	return MemberIterator{raw: raw, next: 1}
}

// Next moves to the next member and reports whether there is one.
func (it *MemberIterator) Next() bool {
	i := skipSpace(it.raw, it.next)
	if i < len(it.raw) && it.raw[i] == ',' {
		i = skipSpace(it.raw, i+1)
	}
	if i >= len(it.raw) || it.raw[i] != '"' {
		return false
	}
	end := stringEnd(it.raw, i)
	it.name = it.raw[i:end]
	i = skipSpace(it.raw, end)
	if i < len(it.raw) { // the colon
		i = skipSpace(it.raw, i+1)
	}
	end = valueEnd(it.raw, i)
	it.value = it.raw[i:end:end]
	it.next = end
	return true
}

// RawName returns the name with its quotes and escapes.
func (it *MemberIterator) RawName() []byte { return it.name }

// Name returns the name. Without escapes it is a slice of the text; with
// escapes it is decoded into scratch, whose memory is reused.
func (it *MemberIterator) Name(scratch *[]byte) []byte { return Text(it.name, scratch) }

// Value returns the raw value.
func (it *MemberIterator) Value() []byte { return it.value }

// Start returns the offset of the value in the object.
func (it *MemberIterator) Start() int { return it.next - len(it.value) }

// End returns the offset of the end of the value in the object.
func (it *MemberIterator) End() int { return it.next }

// ItemIterator walks the elements of a raw list.
type ItemIterator struct {
	raw   []byte
	next  int
	value []byte
}

// Items returns an iterator over a raw list. Anything that is not a list has no
// elements.
func Items(raw []byte) ItemIterator {
	if len(raw) == 0 || raw[0] != '[' {
		return ItemIterator{}
	}
	return ItemIterator{raw: raw, next: 1}
}

// Next moves to the next element and reports whether there is one.
func (it *ItemIterator) Next() bool {
	i := skipSpace(it.raw, it.next)
	if i < len(it.raw) && it.raw[i] == ',' {
		i = skipSpace(it.raw, i+1)
	}
	if i >= len(it.raw) || it.raw[i] == ']' {
		return false
	}
	end := valueEnd(it.raw, i)
	it.value = it.raw[i:end:end]
	it.next = end
	return true
}

// Value returns the raw element.
func (it *ItemIterator) Value() []byte { return it.value }

// Text returns the text of a raw JSON string. Without escapes it is a slice of raw;
// with escapes it is decoded into scratch, whose memory is reused.
func Text(raw []byte, scratch *[]byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	*scratch = AppendText((*scratch)[:0], raw)
	return *scratch
}

// String returns the text of a raw JSON string as a copy.
func String(raw []byte) string {
	var scratch []byte
	return string(Text(raw, &scratch))
}

// AppendText appends the decoded text of a raw JSON string.
func AppendText(to, raw []byte) []byte {
	if len(raw) < 2 {
		return to
	}
	inner := raw[1 : len(raw)-1]
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 || i+1 >= len(inner) {
			return append(to, inner...)
		}
		to = append(to, inner[:i]...)
		switch c := inner[i+1]; c {
		case 'b':
			to = append(to, '\b')
		case 'f':
			to = append(to, '\f')
		case 'n':
			to = append(to, '\n')
		case 'r':
			to = append(to, '\r')
		case 't':
			to = append(to, '\t')
		case 'u':
			r := hexRune(inner[i+2:])
			i += 4
			if utf16.IsSurrogate(r) && len(inner) >= i+4 && inner[i+2] == '\\' && inner[i+3] == 'u' {
				if joined := utf16.DecodeRune(r, hexRune(inner[i+4:])); joined != utf8.RuneError {
					r = joined
					i += 6
				}
			}
			to = utf8.AppendRune(to, r)
		default:
			to = append(to, c)
		}
		if i+2 > len(inner) {
			return to
		}
		inner = inner[i+2:]
	}
}

func hexRune(digits []byte) rune {
	if len(digits) < 4 {
		return utf8.RuneError
	}
	var r rune
	for _, c := range digits[:4] {
		r <<= 4
		switch {
		case c >= '0' && c <= '9':
			r |= rune(c - '0')
		case c >= 'a' && c <= 'f':
			r |= rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			r |= rune(c-'A') + 10
		}
	}
	return r
}

// Int64 reads a raw JSON number without fraction that fits 64 bits. The value
// counts, not the spelling: 1e3 and 2.0 are whole numbers.
func Int64(raw []byte) (int64, bool) {
	if len(raw) == 0 || len(raw) > 400 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	if n, ok := plainInt64(raw); ok {
		return n, true
	}
	return spelledInt64(raw)
}

// plainInt64 reads an optional sign and up to 18 digits, the usual spelling.
func plainInt64(raw []byte) (int64, bool) {
	digits := raw
	if digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if raw[0] == '-' {
		n = -n
	}
	return n, true
}

// spelledInt64 reads a whole number written with a fraction or an exponent. It
// moves the decimal point through the digits.
func spelledInt64(raw []byte) (int64, bool) {
	negative := raw[0] == '-'
	if negative {
		raw = raw[1:]
	}
	mantissa, exponent := raw, 0
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		e, err := strconv.Atoi(view(raw[i+1:]))
		if err != nil || e > 400 || e < -400 {
			return 0, false
		}
		mantissa, exponent = raw[:i], e
	}
	digits := make([]byte, 0, 48)
	if negative {
		digits = append(digits, '-')
	}
	if point := bytes.IndexByte(mantissa, '.'); point >= 0 {
		digits = append(digits, mantissa[:point]...)
		digits = append(digits, mantissa[point+1:]...)
		exponent -= len(mantissa) - point - 1
	} else {
		digits = append(digits, mantissa...)
	}
	for ; exponent < 0; exponent++ {
		last := len(digits) - 1
		if last < 0 || digits[last] == '-' {
			break
		}
		if digits[last] != '0' {
			return 0, false
		}
		digits = digits[:last]
	}
	if len(digits) == 0 || digits[len(digits)-1] == '-' {
		return 0, true
	}
	for ; exponent > 0; exponent-- {
		digits = append(digits, '0')
	}
	n, err := strconv.ParseInt(view(digits), 10, 64)
	return n, err == nil
}

// Float64 reads a raw JSON number within the range of a double.
func Float64(raw []byte) (float64, bool) {
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	f, err := strconv.ParseFloat(view(raw), 64)
	return f, err == nil
}

// Float32 reads a raw JSON number, rounded to 32 bits. It returns false for a
// number beyond their range.
func Float32(raw []byte) (float32, bool) {
	if len(raw) == 0 || (raw[0] != '-' && (raw[0] < '0' || raw[0] > '9')) {
		return 0, false
	}
	f, err := strconv.ParseFloat(view(raw), 32)
	return float32(f), err == nil
}

// view returns bytes as a string without copying; the string must not outlive them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// stringEnd returns the offset after the string that starts at i.
func stringEnd(b []byte, i int) int {
	i++
	for i < len(b) {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return len(b)
		}
		end := i + quote
		backslashes := 0
		for end-1-backslashes >= i && b[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return len(b)
}

// valueEnd returns the offset after the value that starts at i.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = stringEnd(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(b)
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t', ':':
			return i
		}
		i++
	}
	return i
}
