package snapshot

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/format"
)

// Parts of a side file. The owner of a section is the position of its segment in
// the directory plus one, or zero for sections of the whole file.
const (
	partDirectory uint16 = 1 // of the file: segment names and their columns
	partKeys      uint16 = 2 // of the file: tracked keys
	partLive      uint16 = 3 // of a segment: bits of its live documents
	partColumns   uint16 = 4 // first overlay of a segment; one part per column

	partDeleted uint16 = 1<<16 - 1 // of a segment, instead of partLive: its deleted documents
)

// The bitset of a large segment grows with the index, and every commit that deletes
// in it writes the whole bitset. If few documents are deleted they are listed
// instead. Version 1 cannot read such lists; it can still read the side files of
// small segments.
const (
	listedFrom  = 1 << 19 // documents in a segment: a bitset of 64 kB
	listedShare = 128     // listed if at most one document in this many is deleted
)

// SideEntry is the state of one segment at one commit.
type SideEntry struct {
	Segment   string // file name
	Documents uint32 // documents and list values in it
	Live      *bitset.Bitset
	Signals   map[string]*Overlay

	deleted []byte // the section that lists the deleted documents; nil: not computed, or too many
}

// SideEntry returns the state of the segment in a file. Only the writer of the
// generation calls it.
func (s *Segment) SideEntry(file string) SideEntry {
	documents := s.Reader.NumDocs()
	entry := SideEntry{Segment: file, Documents: documents, Live: s.Live, Signals: s.signals}
	if s.live != nil && isListed(documents, s.Deleted) {
		if s.live.listed == nil {
			s.live.listed = encodeDeleted(s.Live, uint32(s.Deleted))
		}
		entry.deleted = s.live.listed
	}
	return entry
}

// listDeleted returns the section that lists the deleted documents, or nil when the
// bitset is written.
func (e *SideEntry) listDeleted() []byte {
	if e.deleted != nil || e.Live == nil || e.Documents < listedFrom {
		return e.deleted
	}
	return encodeDeleted(e.Live, e.Documents/listedShare)
}

// isListed reports whether the deleted documents of a segment are listed.
func isListed(documents uint32, deleted int) bool {
	return documents >= listedFrom && deleted <= int(documents/listedShare)
}

// Side is the content of a side file: the state of segments written earlier, and
// the keys that the commit changed while changes are tracked. One with merged keys
// of several commits has no entries.
type Side struct {
	Entries []SideEntry
	Keys    []string // ascending; nil when changes are not tracked
}

// IsEmpty reports whether there is nothing to write.
func (s *Side) IsEmpty() bool { return len(s.Entries) == 0 && s.Keys == nil }

// Entry returns the entry of a segment, nil when the file has none.
func (s *Side) Entry(segment string) *SideEntry {
	for i := range s.Entries {
		if s.Entries[i].Segment == segment {
			return &s.Entries[i]
		}
	}
	return nil
}

// Write writes a side file.
func (s *Side) Write(out io.Writer, name string) (blockfile.Summary, error) {
	version := format.Side.Oldest
	deleted := make([][]byte, len(s.Entries))
	for i, entry := range s.Entries {
		if deleted[i] = entry.listDeleted(); deleted[i] != nil {
			version = format.Side.Version
		}
	}
	w := blockfile.NewWriter(out, name, format.Side.Mark, version)
	w.Section(blockfile.ID{Part: partDirectory}, s.directory())
	if s.Keys != nil {
		w.Section(blockfile.ID{Part: partKeys}, encodeKeys(s.Keys))
	}
	for i, entry := range s.Entries {
		owner := uint32(i + 1)
		switch {
		case deleted[i] != nil:
			w.Section(blockfile.ID{Owner: owner, Part: partDeleted}, deleted[i])
		case entry.Live != nil:
			w.Begin(blockfile.ID{Owner: owner, Part: partLive})
			_, _ = entry.Live.WriteTo(w) // Finish returns the error
		}
		for c, column := range slices.Sorted(maps.Keys(entry.Signals)) {
			w.Section(blockfile.ID{Owner: owner, Part: partColumns + uint16(c)}, encodeOverlay(entry.Signals[column]))
		}
	}
	summary, err := w.Finish()
	if err != nil {
		return summary, fmt.Errorf("write side file: %w", err)
	}
	return summary, nil
}

func (s *Side) directory() []byte {
	out := binary.AppendUvarint(nil, uint64(len(s.Entries)))
	for _, entry := range s.Entries {
		out = appendText(out, entry.Segment)
		out = binary.AppendUvarint(out, uint64(entry.Documents))
		out = binary.AppendUvarint(out, uint64(len(entry.Signals)))
		for _, column := range slices.Sorted(maps.Keys(entry.Signals)) {
			out = appendText(out, column)
		}
	}
	return out
}

// ReadSide decodes a side file. The result does not share memory with content.
// Damage is an error that wraps blockfile.ErrCorrupt.
func ReadSide(name string, content []byte) (*Side, error) {
	file, err := blockfile.Open(name, content, format.Side.Mark, format.Side.Oldest, format.Side.Version, blockfile.VerifyAll)
	if err != nil {
		return nil, fmt.Errorf("read side file: %w", err)
	}
	directory, ok := file.Section(blockfile.ID{Part: partDirectory})
	if !ok {
		return nil, blockfile.Corrupt(name, 0, "no directory")
	}
	side := new(Side)
	if keys, ok := file.Section(blockfile.ID{Part: partKeys}); ok {
		if side.Keys, ok = decodeKeys(keys); !ok {
			return nil, blockfile.Corrupt(name, file.Offset(blockfile.ID{Part: partKeys}), "keys")
		}
	}
	in := input{rest: directory}
	for i := range in.count() {
		entry := SideEntry{Segment: in.text(), Documents: uint32(in.number(1 << 32))}
		owner := uint32(i + 1)
		columns := in.count()
		if in.bad {
			break
		}
		if live, ok := file.Section(blockfile.ID{Owner: owner, Part: partLive}); ok {
			if entry.Live, ok = bitset.FromBytes(live, entry.Documents); !ok {
				return nil, blockfile.Corrupt(name, file.Offset(blockfile.ID{Owner: owner, Part: partLive}), "live documents")
			}
		}
		if deleted, ok := file.Section(blockfile.ID{Owner: owner, Part: partDeleted}); ok {
			if entry.Live != nil {
				return nil, blockfile.Corrupt(name, file.Offset(blockfile.ID{Owner: owner, Part: partDeleted}), "live documents twice")
			}
			if entry.Live, ok = decodeDeleted(deleted, entry.Documents); !ok {
				return nil, blockfile.Corrupt(name, file.Offset(blockfile.ID{Owner: owner, Part: partDeleted}), "deleted documents")
			}
		}
		for c := range columns {
			id := blockfile.ID{Owner: owner, Part: partColumns + uint16(c)}
			column := in.text()
			values, ok := file.Section(id)
			if !ok || in.bad {
				return nil, blockfile.Corrupt(name, file.Offset(id), "column %d", c)
			}
			overlay, ok := decodeOverlay(values, entry.Documents)
			if !ok {
				return nil, blockfile.Corrupt(name, file.Offset(id), "values of %q", column)
			}
			if entry.Signals == nil {
				entry.Signals = make(map[string]*Overlay)
			}
			entry.Signals[column] = overlay
		}
		side.Entries = append(side.Entries, entry)
	}
	if in.bad || len(in.rest) != 0 {
		return nil, blockfile.Corrupt(name, 0, "directory")
	}
	return side, nil
}

// encodeDeleted encodes the documents that are not in live, each as its distance
// from the number after the previous one. It returns nil when there are more than
// limit.
func encodeDeleted(live *bitset.Bitset, limit uint32) []byte {
	out := make([]byte, 0, 64)
	next := uint32(0)
	for doc := live.NextAbsent(0); doc < live.Len(); doc = live.NextAbsent(next) {
		if limit == 0 {
			return nil
		}
		limit--
		out = binary.AppendUvarint(out, uint64(doc-next))
		next = doc + 1
	}
	return out
}

// addDeleted returns a list of deleted documents extended by more, which must be
// ascending and not in the list yet.
func addDeleted(listed []byte, more []uint32) []byte {
	out := make([]byte, 0, len(listed)+binary.MaxVarintLen32*len(more))
	before, next := uint64(0), uint64(0) // one after the last document read, and written
	for len(listed) > 0 {
		distance, length := binary.Uvarint(listed)
		doc := before + distance
		for len(more) > 0 && uint64(more[0]) < doc {
			out = binary.AppendUvarint(out, uint64(more[0])-next)
			next, more = uint64(more[0])+1, more[1:]
		}
		out = binary.AppendUvarint(out, doc-next)
		before, next, listed = doc+1, doc+1, listed[length:]
	}
	for _, doc := range more {
		out = binary.AppendUvarint(out, uint64(doc)-next)
		next = uint64(doc) + 1
	}
	return out
}

func decodeDeleted(content []byte, documents uint32) (*bitset.Bitset, bool) {
	live := bitset.NewFull(documents)
	next := uint64(0)
	for in := (input{rest: content}); len(in.rest) > 0; {
		doc := next + in.number(1<<32)
		if in.bad || doc >= uint64(documents) {
			return nil, false
		}
		live.Clear(uint32(doc))
		next = doc + 1
	}
	return live, true
}

// encodeOverlay encodes document numbers as distances, each with a flag bit that
// says whether a value follows.
func encodeOverlay(overlay *Overlay) []byte {
	out := make([]byte, 0, binary.MaxVarintLen32+10*overlay.Len()) // distances of up to 63 take one byte, values 8
	out = binary.AppendUvarint(out, uint64(overlay.Len()))
	next := uint32(0)
	overlay.Each(func(doc uint32, value int64, has bool) {
		distance := uint64(doc-next) << 1
		next = doc + 1
		if !has {
			out = binary.AppendUvarint(out, distance)
			return
		}
		out = binary.AppendUvarint(out, distance|1)
		out = binary.LittleEndian.AppendUint64(out, uint64(value))
	})
	return out
}

func decodeOverlay(content []byte, documents uint32) (*Overlay, bool) {
	in := input{rest: content}
	b := NewOverlayBuilder(nil, documents)
	next := uint64(0)
	for range in.count() {
		flagged := in.number(1 << 33)
		doc := next + flagged>>1
		if in.bad || doc >= uint64(documents) {
			return nil, false
		}
		next = doc + 1
		if flagged&1 == 0 {
			b.Set(uint32(doc), 0, false)
			continue
		}
		if len(in.rest) < 8 {
			return nil, false
		}
		b.Set(uint32(doc), int64(binary.LittleEndian.Uint64(in.rest)), true)
		in.rest = in.rest[8:]
	}
	return b.Finish(), !in.bad && len(in.rest) == 0
}

func encodeKeys(keys []string) []byte {
	out := binary.AppendUvarint(nil, uint64(len(keys)))
	for _, key := range keys {
		out = appendText(out, key)
	}
	return out
}

func decodeKeys(content []byte) ([]string, bool) {
	in := input{rest: content}
	count := in.count()
	keys := make([]string, 0, count)
	for range count {
		keys = append(keys, in.text())
	}
	return keys, !in.bad && len(in.rest) == 0 && slices.IsSorted(keys)
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// input decodes numbers and texts. The first malformed one sets bad, and everything
// after it reads as zero.
type input struct {
	rest []byte
	bad  bool
}

func (in *input) number(below uint64) uint64 {
	value, n := binary.Uvarint(in.rest)
	if n <= 0 || value >= below {
		in.bad, in.rest = true, nil
		return 0
	}
	in.rest = in.rest[n:]
	return value
}

// count decodes the number of items that follow, each of at least one byte.
func (in *input) count() int {
	n := in.number(1 << 32)
	if n > uint64(len(in.rest)) {
		in.bad, in.rest = true, nil
		return 0
	}
	return int(n)
}

func (in *input) text() string {
	length := in.number(1 << 32)
	if length > uint64(len(in.rest)) {
		in.bad, in.rest = true, nil
		return ""
	}
	text := string(in.rest[:length])
	in.rest = in.rest[length:]
	return text
}
