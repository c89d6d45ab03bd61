// Package stored keeps one byte string per document in compressed blocks.
package stored

// Reader gives the byte strings back.
type Reader struct{}

// Get appends the record of a document to dst; nothing when it has none.
func (r *Reader) Get(dst []byte, doc uint32) ([]byte, error) { return dst, nil }
