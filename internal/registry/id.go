package registry

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// ID is the random id of an index or a generation. It is never used again, so what
// belongs to an id never belongs to something later with the same name.
type ID [16]byte

// NewID returns a fresh id.
func NewID() ID {
	var id ID
	rand.Read(id[:])
	return id
}

// ParseID reads the 32 lower-case hexadecimal digits that String writes.
func ParseID(text string) (ID, error) {
	var id ID
	err := id.UnmarshalText([]byte(text))
	return id, err
}

// Compare orders ids.
func (id ID) Compare(other ID) int { return bytes.Compare(id[:], other[:]) }

// IsZero reports whether the id names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the id as keys and directories write it.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText writes the id as String does.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *ID) UnmarshalText(text []byte) error {
	var read ID
	if len(text) == hex.EncodedLen(len(read)) { // a longer text does not fit
		_, err := hex.Decode(read[:], text)
		if err == nil && read.String() == string(text) {
			*id = read
			return nil
		}
	}
	return fmt.Errorf("%q is not an id", text)
}
