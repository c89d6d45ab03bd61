package load

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decode returns text as UTF-8 and the name of its encoding, unless it is plain
// UTF-8. A byte order mark is dropped. UTF-16 is recognized by its mark or its
// zero bytes; other text of which most is not UTF-8 is read as Windows-1252, which
// includes Latin-1.
func decode(text *bufio.Reader) (io.Reader, string) {
	head, err := text.Peek(lookAhead)
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = text.Discard(3)
		return text, "UTF-8 with a byte order mark"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return transform.NewReader(text, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), "UTF-16"
	case looksUTF16(head, 1):
		return transform.NewReader(text, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()), "UTF-16"
	case looksUTF16(head, 0):
		return transform.NewReader(text, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()), "UTF-16"
	}
	if err == nil { // the peeked bytes may end inside a character
		head = head[:len(head)-utf8.UTFMax]
		for len(head) > 0 && !utf8.RuneStart(head[len(head)-1]) {
			head = head[:len(head)-1]
		}
		head = head[:max(0, len(head)-1)]
	}
	if isMostlyUTF8(head) {
		return text, ""
	}
	return transform.NewReader(text, charmap.Windows1252.NewDecoder()), "Latin-1 (Windows-1252)"
}

// isMostlyUTF8 reports whether more of the characters beyond ASCII are UTF-8 than not. A
// few bad bytes spoil their rows, not the file: text in Latin-1 hardly ever holds
// characters of UTF-8.
func isMostlyUTF8(text []byte) bool {
	valid, bad := 0, 0
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			valid++
		}
		text = text[size:]
	}
	return bad == 0 || valid > bad
}

// looksUTF16 reports whether most bytes at odd or even offsets are zero, as in
// Latin text in UTF-16.
func looksUTF16(head []byte, parity int) bool {
	head = head[:min(len(head), 1000)]
	zeros, others := 0, 0
	for i, c := range head {
		switch {
		case c == 0 && i%2 == parity:
			zeros++
		case c == 0:
			others++
		}
	}
	return zeros > len(head)/4 && others == 0
}
