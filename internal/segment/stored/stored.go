// Package stored keeps one byte string per document in compressed blocks.
//
// A Writer takes the records of all documents in order. A Reader gives single
// ones back: it unpacks the block that holds the record and keeps a few
// unpacked blocks, since the documents of a page and of repeated searches lie
// in few. Any number of goroutines may use a Reader.
//
// Invariants:
//
//	SD1  Every document belongs to exactly one block; blocks are in the order
//	     of documents.
//	SD2  A block holds about 4 KiB, or one larger record, or any number of
//	     equal ones.
//
// The bytes are described in FORMAT.md.
package stored

// Parts of the records in the segment file; they follow the file's own.
const (
	PartData = iota + 17
	PartBlocks
)

const (
	// blockBytes is a compromise: larger packs better, smaller reads faster. A
	// page of ten hits unpacks ten blocks: with 4 KiB that takes a third of the
	// time it takes with 16, and an index of commit messages is 2 % larger.
	blockBytes = 4 << 10
	// blockRecords bounds the work of unpacking a block of small records for
	// one: reading ten is twice as fast as with 1,024, which pack a tenth
	// smaller. List values have no records of their own: blockDocs bounds them.
	blockRecords = 128
	blockDocs    = 1024
	// maxSame is the longest record that a block of equal ones is made of.
	maxSame = 256
	// maxBlock bounds what a damaged index may ask for.
	maxBlock = 1 << 30
)

// sameFlag marks, in the raw size, a block whose records are all the same: it
// is that record, not packed.
const sameFlag = 1 << 31

// entryWords describe a block: first document and raw size, then the offset.
const entryWords = 2
