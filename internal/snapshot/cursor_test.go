package snapshot

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCursorsAreTextAndLeadBack(t *testing.T) {
	generated := "\xff\xfe\x80abcde\x00\x00\x00\x00\x00\x00\x01\x80"
	for _, key := range []string{"a", "07", "ö", "\ue000", "\ue000ab", generated, "abcdefgh\x00\x00\x00\x00\x00\x00\x00\x01", strings.Repeat("x", generatedKey)} {
		cursor := Cursor(key)
		if !utf8.ValidString(cursor) || keyOfCursor(cursor) != key {
			t.Errorf("%q leads by %q to %q", key, cursor, keyOfCursor(cursor))
		}
		if strings.ContainsRune(cursor, 0) {
			t.Errorf("%q has a zero", cursor)
		}
	}
}
