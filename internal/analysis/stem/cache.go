package stem

const (
	leastEntries = 256     // 16 KiB: enough for queries
	mostEntries  = 1 << 14 // 1 MiB, which fits in the private cache of a core
	cacheWord    = 30      // longer words are stemmed each time; they are rare
)

// Cache caches the stems of frequent words for all stemmers together. A new
// word replaces the one in its entry; a cache with many misses grows. It has
// one user.
type Cache struct {
	Scratch Scratch
	entries []cacheEntry // length is a power of two
	misses  int          // since the last growth
}

type cacheEntry struct {
	owner   uint8 // number of the stemmer; 0 for an empty entry
	wordLen uint8
	stemLen uint8
	word    [cacheWord]byte
	stem    [cacheWord + 1]byte
}

// AppendStem caches the method of the same name of s. owner distinguishes
// stemmers and is not 0.
func (c *Cache) AppendStem(owner uint8, s Stemmer, dst, word []byte) []byte {
	if len(word) > cacheWord || len(word) == 0 {
		return s.AppendStem(&c.Scratch, dst, word)
	}
	h := hash(owner, word)
	if len(c.entries) > 0 {
		if e := &c.entries[h&uint32(len(c.entries)-1)]; e.owner == owner && string(e.word[:e.wordLen]) == string(word) {
			return append(dst, e.stem[:e.stemLen]...)
		}
	}
	c.misses++
	if c.misses >= 2*len(c.entries) && len(c.entries) < mostEntries {
		c.entries, c.misses = make([]cacheEntry, max(leastEntries, 4*len(c.entries))), 0
	}
	begin := len(dst)
	dst = s.AppendStem(&c.Scratch, dst, word)
	e := &c.entries[h&uint32(len(c.entries)-1)]
	if stem := dst[begin:]; len(stem) <= len(e.stem) {
		e.owner = owner
		e.wordLen = uint8(copy(e.word[:], word))
		e.stemLen = uint8(copy(e.stem[:], stem))
	}
	return dst
}

func hash(owner uint8, word []byte) uint32 {
	h := uint32(owner) * 0x9e3779b1
	for _, c := range word {
		h = (h ^ uint32(c)) * 0x01000193
	}
	return h ^ h>>15
}
