package log

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/quiresearch/quire/internal/format"
)

const batchHeader = 4 + 4 + 16 + 8 + 8 + 16 + 16 + 8 + 4

// ID is a random 128-bit identifier.
type ID [16]byte

// Kind is the effect of an operation. A Fence has no content: it takes the place of
// the record that a deposed writer would write next.
type Kind uint8

// The kinds of operation. Numbers are stored and never reused.
const (
	Add       Kind = 1 // put the document in Body under Key, replacing an earlier one
	Delete    Kind = 2 // remove the document under Key
	Signals   Kind = 3 // set signal values of the document under Key
	DeleteAll Kind = 4 // remove every document
	Fence     Kind = 5 // no effect
)

// Operation is one self-contained change: replaying it needs only the state that it
// is applied to.
type Operation struct {
	Kind Kind
	Key  string
	Head []byte // comes before Body in a batch to be written; a decoded operation has it in Body
	Body []byte
}

// Batch is the unit of group commit: operations that become durable together.
type Batch struct {
	Generation ID
	LSN        uint64
	Epoch      uint64
	Session    ID
	WriteID    ID
	Promised   uint64 // the commit sequence number promised to its writers
	Operations []Operation
}

// OperationSize returns an upper bound of the bytes of an operation in a batch.
func OperationSize(operation Operation) int {
	return 1 + 2*binary.MaxVarintLen32 + len(operation.Key) + len(operation.Head) + len(operation.Body)
}

// Encode returns the bytes of the batch.
func (b *Batch) Encode() []byte {
	size := batchHeader + 4
	for _, operation := range b.Operations {
		size += OperationSize(operation)
	}
	out := append(make([]byte, 0, size), format.Batch.Mark...)
	out = binary.LittleEndian.AppendUint32(out, format.Batch.Version)
	out = append(out, b.Generation[:]...)
	out = binary.LittleEndian.AppendUint64(out, b.LSN)
	out = binary.LittleEndian.AppendUint64(out, b.Epoch)
	out = append(out, b.Session[:]...)
	out = append(out, b.WriteID[:]...)
	out = binary.LittleEndian.AppendUint64(out, b.Promised)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b.Operations)))
	for _, operation := range b.Operations {
		out = append(out, byte(operation.Kind))
		out = binary.AppendUvarint(out, uint64(len(operation.Key)))
		out = append(out, operation.Key...)
		out = binary.AppendUvarint(out, uint64(len(operation.Head)+len(operation.Body)))
		out = append(out, operation.Head...)
		out = append(out, operation.Body...)
	}
	return sealBatch(out)
}

// sealBatch appends the checksum.
func sealBatch(out []byte) []byte {
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// DecodeBatch decodes a batch. The bodies share the memory of content. An error
// wraps ErrCorrupt or ErrVersion.
func DecodeBatch(content []byte) (*Batch, error) {
	if len(content) < batchHeader+4 || string(content[:4]) != format.Batch.Mark {
		return nil, fmt.Errorf("decode batch: %w: not a batch", ErrCorrupt)
	}
	body, sum := content[:len(content)-4], binary.LittleEndian.Uint32(content[len(content)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("decode batch: %w: checksum", ErrCorrupt)
	}
	if version := binary.LittleEndian.Uint32(body[4:]); version != format.Batch.Version {
		return nil, fmt.Errorf("decode batch: %w: %d", ErrVersion, version)
	}
	b := &Batch{
		LSN:      binary.LittleEndian.Uint64(body[24:]),
		Epoch:    binary.LittleEndian.Uint64(body[32:]),
		Promised: binary.LittleEndian.Uint64(body[72:]),
	}
	copy(b.Generation[:], body[8:])
	copy(b.Session[:], body[40:])
	copy(b.WriteID[:], body[56:])
	count := binary.LittleEndian.Uint32(body[80:])
	rest := body[batchHeader:]
	if uint64(count) > uint64(len(rest)) {
		return nil, fmt.Errorf("decode batch: %w: %d operations in %d bytes", ErrCorrupt, count, len(rest))
	}
	b.Operations = make([]Operation, 0, min(count, 4096)) // a damaged batch may claim any count
	for i := range count {
		if len(rest) == 0 {
			return nil, fmt.Errorf("decode batch: %w: operation %d is cut", ErrCorrupt, i)
		}
		operation := Operation{Kind: Kind(rest[0])}
		key, after, ok := cutBytes(rest[1:])
		if ok {
			operation.Key = string(key)
			operation.Body, rest, ok = cutBytes(after)
		}
		if !ok {
			return nil, fmt.Errorf("decode batch: %w: operation %d is cut", ErrCorrupt, i)
		}
		b.Operations = append(b.Operations, operation)
	}
	if len(rest) != 0 {
		return nil, fmt.Errorf("decode batch: %w: %d bytes left over", ErrCorrupt, len(rest))
	}
	return b, nil
}

func cutBytes(from []byte) (value, rest []byte, ok bool) {
	length, n := binary.Uvarint(from)
	if n <= 0 || length > uint64(len(from)-n) {
		return nil, nil, false
	}
	end := n + int(length)
	return from[n:end:end], from[end:], true
}

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Add:
		return "add"
	case Delete:
		return "delete"
	case Signals:
		return "signals"
	case DeleteAll:
		return "delete all"
	case Fence:
		return "fence"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}
