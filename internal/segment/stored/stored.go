// Package stored keeps one byte string per document in compressed blocks.
//
// A Writer takes the records of all documents in order. A Reader returns single
// records: it unpacks the block of a record and caches a few unpacked blocks,
// because the documents of a page and of repeated searches are in few blocks. A
// Reader is safe for concurrent use.
//
// Invariants:
//
//	SD1  Every document belongs to exactly one block; blocks are in the order
//	     of documents.
//	SD2  A block holds about 4 KiB, or one larger record, or any number of
//	     equal records.
//
// The bytes are described in FORMAT.md.
package stored

// Parts of the records in the segment file; they follow the file's own parts.
const (
	PartData = iota + 17
	PartBlocks
)

const (
	// blockBytes is a compromise: larger blocks pack better, smaller ones read
	// faster. A page of ten hits unpacks ten blocks: with 4 KiB that takes a third
	// of the time of 16 KiB, and an index of commit messages is 2 % larger.
	blockBytes = 4 << 10
	// blockRecords bounds the work of unpacking a block of small records for one of
	// them: reading ten records is twice as fast as with 1,024, which pack a tenth
	// smaller. List values have no records of their own: blockDocs bounds them.
	blockRecords = 128
	blockDocs    = 1024
	// maxSame is the longest record for a block of equal records.
	maxSame = 256
	// maxBlock bounds the memory that a damaged index can request.
	maxBlock = 1 << 30
)

// sameFlag marks, in the raw size, a block whose records are all the same: the
// block is that record, not packed.
const sameFlag = 1 << 31

// entryWords is the number of words per block: first document and raw size, then
// the offset.
const entryWords = 2
