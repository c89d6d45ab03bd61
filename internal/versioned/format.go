package versioned

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/format"
)

const ancestors = 32

// envelope is what the bucket stores around a value.
type envelope struct {
	Format   uint32         `json:"format"`
	WriteID  string         `json:"writeId"`
	Version  uint64         `json:"version"`
	Ancestry []string       `json:"ancestry"`
	CRC32C   string         `json:"crc32c"`
	Value    jsontext.Value `json:"value"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers everything that must not be trusted in a damaged object.
func (e *envelope) checksum() string {
	sum := crc32.Checksum(fmt.Appendf(nil, "%d %s %d %s ", e.Format, e.WriteID, e.Version, strings.Join(e.Ancestry, ",")), castagnoli)
	return fmt.Sprintf("%08x", crc32.Update(sum, castagnoli, e.Value))
}

// successor returns the object that replaces o, with a fresh write id.
func (o Object[T]) successor(value T) Object[T] {
	next := Object[T]{Value: value, Version: o.Version + 1, writeID: newWriteID()}
	if o.writeID != "" {
		next.ancestry = append(next.ancestry, o.writeID)
		next.ancestry = append(next.ancestry, o.ancestry[:min(len(o.ancestry), ancestors-1)]...)
	}
	return next
}

func newWriteID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

func encode[T any](o Object[T]) ([]byte, error) {
	value, err := json.Marshal(o.Value, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	e := envelope{Format: format.Object.Version, WriteID: o.writeID, Version: o.Version, Ancestry: o.ancestry, Value: value}
	e.CRC32C = e.checksum()
	return json.Marshal(e, json.Deterministic(true))
}

// Decode returns the value in the bytes of a stored object, or ErrCorrupt when they
// are damaged.
func Decode[T any](content []byte) (T, error) {
	found, err := decode[T](content)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return found.Value, err
}

func decode[T any](content []byte) (Object[T], error) {
	var e envelope
	if err := json.Unmarshal(content, &e, json.RejectUnknownMembers(true)); err != nil {
		return Object[T]{}, err
	}
	if e.Format != format.Object.Version {
		return Object[T]{}, fmt.Errorf("format version %d", e.Format)
	}
	if e.WriteID == "" || e.CRC32C != e.checksum() {
		return Object[T]{}, fmt.Errorf("checksum %q does not fit the content", e.CRC32C)
	}
	if e.Version == 0 {
		return Object[T]{writeID: e.WriteID}, errors.New("its place was reserved for a write that did not follow yet")
	}
	o := Object[T]{Version: e.Version, writeID: e.WriteID, ancestry: e.Ancestry}
	if err := json.Unmarshal(e.Value, &o.Value); err != nil {
		return Object[T]{}, err
	}
	return o, nil
}
