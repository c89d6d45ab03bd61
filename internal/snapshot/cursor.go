package snapshot

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// A key that the engine generated, for a document of an index without primary
// key, is so many bytes: a random start and a counter, whose first byte is zero.
const (
	generatedKey        = 16
	generatedKeyCounter = 8
)

// cursorMark begins the cursor of a generated key: a character for private use,
// so that no document can have it as its key and passes through JSON, addresses and shells.
const cursorMark = "\ue000"

// Cursor returns a key as text from which Keys goes on: the key itself, or for a
// generated one, which is not a text, its bytes written out.
func Cursor(key string) string {
	if utf8.ValidString(key) && (len(key) != generatedKey || key[generatedKeyCounter] != 0) {
		return key
	}
	return cursorMark + hex.EncodeToString([]byte(key))
}

// keyOfCursor returns the key of a cursor; any other text is a key.
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
