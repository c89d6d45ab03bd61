package segment

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// A record mostly ends with the key of its document, which is in the dictionary of
// the key field already. It is kept without the key, which is put back when it is
// read: the rest is similar from document to document, and packs to little or
// nothing.

// maxBehind is how far before the end of a record its key may end to be cut out.
const maxBehind = 16

// appendCut appends a record without the last occurrence of key, then one byte: the
// number of bytes after the key, plus one; 0 when nothing was cut out.
func appendCut(dst, record, key []byte) []byte {
	from := max(len(record)-len(key)-maxBehind, 0)
	at := bytes.LastIndex(record[from:], key)
	if at < 0 || len(key) == 0 {
		return append(append(dst, record...), 0)
	}
	at += from
	behind := len(record) - at - len(key)
	dst = append(append(dst, record[:at]...), record[at+len(key):]...)
	return append(dst, byte(behind+1))
}

// Records reads the stored records of a segment. It is safe for concurrent use.
type Records struct {
	packed *stored.Reader
	keys   *terms.Field // nil when the segment has no key field
	file   *blockfile.Reader
	sound  atomic.Bool // check has succeeded
}

// check verifies the checksum of the records before their first use.
func (r *Records) check() error {
	if r.sound.Load() {
		return nil
	}
	if err := r.file.Check(blockfile.ID{Part: stored.PartData}); err != nil {
		return fmt.Errorf("%w: %w", vfs.ErrFault, err)
	}
	r.sound.Store(true)
	return nil
}

// IsPacked reports whether there is a record that is slower to read again than to
// keep.
func (r *Records) IsPacked() bool { return r.packed.IsPacked() }

// Prefetch loads what Get will read of the keys of some documents.
func (r *Records) Prefetch(docs []DocID) {
	if r.keys != nil {
		r.keys.PrefetchKeys(docs)
	}
}

// Get appends the record of a document to dst; nothing if it has none.
func (r *Records) Get(dst []byte, doc DocID) ([]byte, error) {
	if err := r.check(); err != nil {
		return dst, err
	}
	start := len(dst)
	dst, err := r.packed.Get(dst, doc)
	if err != nil || len(dst) == start {
		return dst, err
	}
	behind := int(dst[len(dst)-1]) - 1
	dst = dst[:len(dst)-1]
	if behind < 0 {
		return dst, nil
	}
	if behind > maxBehind || behind > len(dst)-start || r.keys == nil {
		return dst[:start], r.corrupt(doc)
	}
	var tail [maxBehind]byte
	at := len(dst) - behind
	copy(tail[:], dst[at:])
	dst, ok := r.keys.AppendKey(dst[:at], doc)
	if !ok {
		return dst[:start], r.corrupt(doc)
	}
	return append(dst, tail[:behind]...), nil
}

func (r *Records) corrupt(doc DocID) error {
	return blockfile.Corrupt(r.file.Name(), r.file.Offset(blockfile.ID{Part: stored.PartData}), "record of document %d lacks its key", doc)
}
