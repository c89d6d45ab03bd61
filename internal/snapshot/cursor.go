package snapshot

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// A generated key, for a document of an index without primary key, has this many
// bytes: a random start and a counter, whose first byte is zero.
const (
	generatedKey        = 16
	generatedKeyCounter = 8
)

// cursorMark begins the cursor of a generated key. It is a private-use character,
// so that no document can have the cursor as its key, and it survives JSON, URLs
// and shells.
const cursorMark = "\ue000"

// Cursor returns a text from which Keys continues after key: the key itself, or the
// hexadecimal form of a generated key, which is not valid text.
func Cursor(key string) string {
	if utf8.ValidString(key) && (len(key) != generatedKey || key[generatedKeyCounter] != 0) {
		return key
	}
	return cursorMark + hex.EncodeToString([]byte(key))
}

// keyOfCursor returns the key of a cursor; any other text is returned as a key.
func keyOfCursor(cursor string) string {
	text, ok := strings.CutPrefix(cursor, cursorMark)
	if !ok || len(text) != 2*generatedKey {
		return cursor
	}
	key, err := hex.DecodeString(text)
	if err != nil {
		return cursor
	}
	return string(key)
}
