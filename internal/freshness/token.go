// Package freshness encodes the states that freshness tokens name.
//
// A token is one byte of format version and a message, written as unpadded
// base64url. The message is a sequence of fields, each a tag byte, a length and
// that many bytes. Readers skip fields with unknown tags, so that later versions
// can add some. FORMAT.md lists them.
//
// A token names its index by the random id of the index, which is never used
// again: a later index of the same name is another index. Everything but the
// index is optional.
//
// Tokens are hostile input: Parse accepts any text and never panics. Values
// are immutable.
package freshness

import (
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/problem"
)

// Header is the header that carries a token when a message has no body.
const Header = "X-Service-Freshness"

// longestToken bounds the characters of a token; longer texts are rejected unread.
// A token of this version has at most 172.
const longestToken = 1024

const (
	tagIndexID    = 1
	tagIndexName  = 2
	tagGeneration = 3
	tagSequence   = 4
	tagSettings   = 5
)

// ID is the random id of an index or a generation.
type ID = [16]byte

// Token names a state of an index.
type Token struct {
	Index      ID     // the index; always present
	IndexName  string // what the index is called, for messages
	Generation ID     // zero when the token names no generation
	Sequence   uint64 // the commit of Generation; zero when none is named
	Settings   uint64 // the revision of the search settings; zero when none is named
}

// IsZero reports whether t names nothing.
func (t Token) IsZero() bool { return t == Token{} }

// String returns the token as clients see it.
func (t Token) String() string {
	message := make([]byte, 0, 128)
	message = append(message, byte(format.Token.Version))
	message = appendField(message, tagIndexID, t.Index[:])
	message = appendField(message, tagIndexName, []byte(t.IndexName))
	if t.Generation != (ID{}) {
		message = appendField(message, tagGeneration, t.Generation[:])
		if t.Sequence > 0 {
			message = appendField(message, tagSequence, binary.AppendUvarint(nil, t.Sequence))
		}
	}
	if t.Settings > 0 {
		message = appendField(message, tagSettings, binary.AppendUvarint(nil, t.Settings))
	}
	return base64.RawURLEncoding.EncodeToString(message)
}

func appendField(message []byte, tag byte, value []byte) []byte {
	message = append(message, tag, byte(len(value)))
	return append(message, value...)
}

// Parse reads a token. at is where the request carries it: the path of a body
// property or the name of the header. The problem is
// search:freshness:version_unsupported for a token of another format version and
// search:freshness:invalid for anything else that is not a token.
func Parse(text string, at problem.Path) (Token, error) {
	if text == "" || len(text) > longestToken {
		return Token{}, problem.SearchFreshnessInvalid.At(at)
	}
	message, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(message) == 0 {
		return Token{}, problem.SearchFreshnessInvalid.At(at)
	}
	if message[0] != byte(format.Token.Version) {
		// Text that merely happens to decode is not a token of another version:
		// that would still be a sequence of fields that names an index.
		if _, err := parseFields(message[1:]); err != nil {
			return Token{}, problem.SearchFreshnessInvalid.At(at)
		}
		return Token{}, problem.SearchFreshnessVersionUnsupported.At(at, "version", int(message[0]))
	}
	token, err := parseFields(message[1:])
	if err != nil {
		return Token{}, problem.SearchFreshnessInvalid.At(at)
	}
	return token, nil
}

var errMessage = errors.New("no message of a freshness token")

func parseFields(message []byte) (Token, error) {
	var t Token
	last := byte(0)
	for len(message) > 0 {
		if len(message) < 2 || len(message)-2 < int(message[1]) {
			return Token{}, errMessage
		}
		tag, value := message[0], message[2:2+int(message[1])]
		message = message[2+int(message[1]):]
		if tag <= last {
			return Token{}, errMessage
		}
		last = tag
		if !t.setField(tag, value) {
			return Token{}, errMessage
		}
	}
	if t.Index == (ID{}) || (t.Sequence > 0 && t.Generation == (ID{})) {
		return Token{}, errMessage
	}
	return t, nil
}

func (t *Token) setField(tag byte, value []byte) bool {
	switch tag {
	case tagIndexID:
		return setID(&t.Index, value)
	case tagIndexName:
		t.IndexName = string(value)
		return isNameText(value)
	case tagGeneration:
		return setID(&t.Generation, value)
	case tagSequence:
		return setNumber(&t.Sequence, value)
	case tagSettings:
		return setNumber(&t.Settings, value)
	}
	return true
}

func setID(id *ID, value []byte) bool {
	return copy(id[:], value) == len(id) && len(value) == len(id) && *id != (ID{})
}

// setNumber accepts only the shortest form of a number above zero.
func setNumber(n *uint64, value []byte) bool {
	v, size := binary.Uvarint(value)
	if size != len(value) || size <= 0 || v == 0 || (size > 1 && value[size-1] == 0) {
		return false
	}
	*n = v
	return true
}

// isNameText keeps anything that is not an index name out of error messages.
func isNameText(value []byte) bool {
	if len(value) > 64 {
		return false
	}
	for _, c := range value {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
