package terms

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Field is the read side of one Terms field.
type Field struct {
	opts     Options
	stats    Stats
	list     List // empty for keys
	handles  handleList
	slots    []uint32
	width    int // bits of a slot that hold the number
	prefixes []byte
	lengths  []byte
	postings postings.Reader

	// Of keys only.
	keys    keyList
	filter  filter
	docs    packed // instead of handles: the only document of each key
	hasDocs bool
	keyOrds packed // per document the number of its key plus one, 0 for none

	forms *forms // nil if the segment has none

	trie      lazyTrie
	spellings lazySpellings
	itself    [1]*Field
}

// Open opens the field with the given owner in a segment file with numDocs
// documents.
func Open(file *blockfile.Reader, owner, numDocs uint32, opts Options) (*Field, error) {
	opts.Freqs = opts.Freqs || opts.Positions
	f := &Field{opts: opts}
	f.itself[0] = f
	section := func(part uint16) []byte {
		data, _ := file.Section(blockfile.ID{Owner: owner, Part: part})
		return data
	}
	corrupt := func(part uint16, format string, args ...any) error {
		return blockfile.Corrupt(file.Name(), file.Offset(blockfile.ID{Owner: owner, Part: part}), format, args...)
	}
	info := section(PartInfo)
	var numbers [4]uint64
	for i := range numbers {
		v, n := binary.Uvarint(info)
		if n <= 0 {
			return nil, corrupt(PartInfo, "statistics of terms")
		}
		numbers[i], info = v, info[n:]
	}
	if numbers[0] >= 1<<31 || numbers[1] > uint64(numDocs) {
		return nil, corrupt(PartInfo, "%d terms in %d documents", numbers[0], numbers[1])
	}
	n := int(numbers[0])
	f.stats = Stats{Terms: uint32(n), Docs: uint32(numbers[1]), SumLength: numbers[2], SumFreq: numbers[3]}
	var ok bool
	if opts.Key {
		f.list.offsets = []uint32{0}
		f.keys, ok = newKeyList(section(PartBytes), section(PartOffsets), n)
	} else {
		f.list, ok = NewList(section(PartBytes), section(PartOffsets))
		ok = ok && f.list.Len() == n
	}
	if !ok {
		return nil, corrupt(PartOffsets, "offsets of terms")
	}
	if opts.Key {
		f.filter = filter(bitpack.Uint64s(section(PartFilter)))
		f.docs = packed{section(PartKeyDocs), bitpack.Width32(max(numDocs, 1) - 1)}
		f.keyOrds = packed{section(PartKeys), bits.Len32(uint32(n))}
		if len(f.filter) != filterWords(n) || !f.keyOrds.holds(int(numDocs)) {
			return nil, corrupt(PartFilter, "sizes for %d keys", n)
		}
	} else {
		f.slots = bitpack.Uint32s(section(PartHash))
		f.width = bits.Len32(uint32(n))
		if len(f.slots) != slotCount(n) {
			return nil, corrupt(PartHash, "%d slots for %d terms", len(f.slots), n)
		}
		if f.prefixes = section(PartPrefixes); len(f.prefixes) != n {
			return nil, corrupt(PartPrefixes, "%d prefixes for %d terms", len(f.prefixes), n)
		}
		if f.forms, ok = openForms(section, n); !ok {
			return nil, corrupt(PartFormOffsets, "surface forms")
		}
	}
	_, several := file.Section(blockfile.ID{Owner: owner, Part: PartHandles})
	if f.hasDocs = opts.Key && !several; f.hasDocs {
		if !f.docs.holds(n) {
			return nil, corrupt(PartKeyDocs, "%d bytes of documents for %d keys", len(f.docs.data), n)
		}
	} else {
		if f.handles, ok = newHandleList(section(PartHandles), section(PartHandleData), n, opts.Positions); !ok {
			return nil, corrupt(PartHandles, "handles of %d terms", n)
		}
	}
	if opts.Lengths {
		if f.lengths = section(PartLengths); len(f.lengths) != int(numDocs) {
			return nil, corrupt(PartLengths, "%d lengths for %d documents", len(f.lengths), numDocs)
		}
	}
	f.postings = postings.NewReader(section(PartPostings), opts.Options)
	return f, nil
}

// Stats returns the statistics of the field.
func (f *Field) Stats() Stats { return f.stats }

// HasPositions reports whether the field keeps positions.
func (f *Field) HasPositions() bool { return f.opts.Positions }

// HasLengths reports whether the field keeps lengths.
func (f *Field) HasLengths() bool { return f.opts.Lengths }

// Lengths returns one length code per document (see DecodeLength), or nil when the
// field keeps none. It must not be changed.
func (f *Field) Lengths() []byte { return f.lengths }

// Len returns the number of terms.
func (f *Field) Len() uint32 { return f.stats.Terms }

// Lookup finds a term by its hash, without walking the dictionary. In a Key field
// it uses the filter and a binary search.
func (f *Field) Lookup(term []byte) (Entry, bool) {
	if ord, ok := f.find(term); ok {
		return f.At(ord), true
	}
	return Entry{}, false
}

func (f *Field) find(term []byte) (uint32, bool) {
	h := Hash(term)
	if f.opts.Key {
		if !f.filter.may(h) {
			return 0, false
		}
		i, found := f.keys.search(term)
		return uint32(i), found
	}
	return f.findHashed(h, term)
}

// findHashed finds a term by its hash. The field must not be a Key field.
func (f *Field) findHashed(h uint64, term []byte) (uint32, bool) {
	i := slotOf(h, len(f.slots))
	tag := uint32(h) << f.width
	mask := uint32(1)<<f.width - 1
	for range len(f.slots) {
		v := f.slots[i]
		if v == 0 {
			return 0, false
		}
		if v&^mask == tag {
			if ord := v&mask - 1; ord < f.stats.Terms && bytes.Equal(f.list.At(int(ord)), term) {
				return ord, true
			}
		}
		if i++; i == len(f.slots) {
			i = 0
		}
	}
	return 0, false
}

// slotsOf stores in into the slots at which searches for terms with the hashes
// start; if such a slot is free, the field does not have the term. All slots are
// loaded in one pass: waiting for one after the other is most of the time of a
// look-up.
func (f *Field) slotsOf(hashes []uint64, into []uint32) {
	for i, h := range hashes {
		into[i] = f.slots[slotOf(h, len(f.slots))]
	}
}

// At returns the entry of term number ord.
func (f *Field) At(ord uint32) Entry {
	if f.hasDocs {
		return Entry{Ord: ord, DocFreq: 1, Postings: postings.Inline(f.docs.at(int(ord)), 0, false)}
	}
	h := f.handles.at(int(ord))
	return Entry{Ord: ord, DocFreq: f.postings.DocFreq(h), Postings: h}
}

// AppendEntries appends the entries of the terms in [from, to). It is faster than
// calling At for each of them.
func (f *Field) AppendEntries(dst []Entry, from, to uint32) []Entry {
	if f.hasDocs {
		for ord := from; ord < to; ord++ {
			dst = append(dst, f.At(ord))
		}
		return dst
	}
	for ord := from; ord < to; {
		var b handlePack
		f.handles.open(&b, int(ord/handleBlock))
		for end := min(to, ord|(handleBlock-1)+1); ord < end; ord++ {
			h := b.at(int(ord % handleBlock))
			dst = append(dst, Entry{Ord: ord, DocFreq: f.postings.DocFreq(h), Postings: h})
		}
	}
	return dst
}

// Term returns the text of term number ord. It must not be changed and is valid as
// long as the segment's reader.
func (f *Field) Term(ord uint32) []byte {
	if f.opts.Key {
		return f.keys.appendAt(nil, int(ord))
	}
	return f.list.At(int(ord))
}

// AppendTerm appends the text of term number ord.
func (f *Field) AppendTerm(dst []byte, ord uint32) []byte {
	if f.opts.Key {
		return f.keys.appendAt(dst, int(ord))
	}
	return append(dst, f.list.At(int(ord))...)
}

// AppendKey appends the key of a document in a Key field, and reports whether it
// has one.
func (f *Field) AppendKey(dst []byte, doc uint32) ([]byte, bool) {
	ord := f.KeyOrd(doc)
	if ord < 0 {
		return dst, false
	}
	return f.keys.appendAt(dst, ord), true
}

// PrefetchKeys loads what AppendKey will read for some documents. Each key takes
// three dependent loads, which mostly miss the caches of the processor; those of
// several documents overlap here. The result is meaningless.
//
//go:noinline
func (f *Field) PrefetchKeys(docs []uint32) (loaded uint32) {
	var few [16]int
	for len(docs) > 0 {
		ords := few[:min(len(few), len(docs))]
		for i := range ords {
			ords[i] = f.KeyOrd(docs[i])
		}
		for _, ord := range ords {
			loaded += f.keys.prefetch(ord)
		}
		docs = docs[len(ords):]
	}
	return loaded
}

// KeyOrd returns the number of the key of a document in a Key field, −1 when it has
// none.
func (f *Field) KeyOrd(doc uint32) int {
	if ord := f.keyOrds.at(int(doc)); ord <= f.stats.Terms {
		return int(ord) - 1
	}
	return -1
}

// packed is a sequence of numbers of width bits each.
type packed struct {
	data  []byte
	width int
}

func (p packed) holds(n int) bool { return len(p.data) >= bitpack.Size(n, p.width) }

func (p packed) at(i int) uint32 { return uint32(bitpack.At(p.data, i, p.width)) }

// Search returns the number of terms below key, and whether key itself is a term.
func (f *Field) Search(key []byte) (ord uint32, found bool) {
	if f.opts.Key {
		i, found := f.keys.search(key)
		return uint32(i), found
	}
	i, found := f.list.Search(key)
	return uint32(i), found
}

// Prefix returns the half-open range of terms that start with prefix.
func (f *Field) Prefix(prefix []byte) (from, to uint32) {
	if f.opts.Key {
		a, b := f.keys.prefix(prefix)
		return uint32(a), uint32(b)
	}
	lo, hi, at := 0, f.list.Len(), 0
	if t := f.trie.made.Load(); t != nil { // a walk has built it
		lo, hi, at, _ = t.branches.narrow(hi, prefix)
	}
	if at < len(prefix) {
		lo, hi = f.list.prefixIn(prefix, lo, hi)
	}
	return uint32(lo), uint32(hi)
}

// Iterator positions it before the first block of a term found in this field.
func (f *Field) Iterator(it *postings.Iterator, e Entry) { f.postings.Reset(it, e.Postings) }

// PrefetchPostings loads what Iterator and FewDocs will read first for some terms
// found in this field. Each term is a load that mostly misses the caches of the
// processor; those of several terms overlap here. The result is meaningless.
//
//go:noinline
func (f *Field) PrefetchPostings(entries []Entry) (loaded uint32) {
	for i := range entries {
		loaded += f.postings.Prefetch(entries[i].Postings)
	}
	return loaded
}

// FewDocs stores in into the documents of a term found in this field and returns
// their number, or 0 when an Iterator must read them.
func (f *Field) FewDocs(e Entry, into *postings.FewDocs) int {
	return f.postings.FewDocs(e.Postings, into)
}

// CheckLists describes what is wrong with the common prefixes (TE3) and the surface
// forms (TE5), or returns "" when nothing is.
func (f *Field) CheckLists() string {
	var last []byte
	for ord, n := range f.prefixes {
		term := f.Term(uint32(ord))
		if min(commonPrefix(last, term), 255) != int(n) {
			return fmt.Sprintf("TE3: common prefix of %q", term)
		}
		last = term
	}
	return f.checkForms()
}
