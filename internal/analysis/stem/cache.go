package stem

const (
	leastSlots = 256     // 16 KiB: enough for queries
	mostSlots  = 1 << 14 // 1 MiB, which stays in a core's own cache
	cacheWord  = 30      // longer words are stemmed each time; they are rare
)

// Cache remembers the stems of frequent words, for all stemmers together. A
// new word takes the place of the one in its slot; a cache that meets many new
// words grows. It has one user.
type Cache struct {
	Scratch Scratch
	slots   []slot // their number is a power of two
	misses  int    // since the cache grew
}

type slot struct {
	owner   uint8 // number of the stemmer, 0: empty
	wordLen uint8
	stemLen uint8
	word    [cacheWord]byte
	stem    [cacheWord + 1]byte
}

// AppendStem is like the stemmer's own, remembered. owner keeps stemmers
// apart and is not 0.
func (c *Cache) AppendStem(owner uint8, s Stemmer, dst, word []byte) []byte {
	if len(word) > cacheWord || len(word) == 0 {
		return s.AppendStem(&c.Scratch, dst, word)
	}
	h := hash(owner, word)
	if len(c.slots) > 0 {
		if e := &c.slots[h&uint32(len(c.slots)-1)]; e.owner == owner && string(e.word[:e.wordLen]) == string(word) {
			return append(dst, e.stem[:e.stemLen]...)
		}
	}
	c.misses++
	if c.misses >= 2*len(c.slots) && len(c.slots) < mostSlots {
		c.slots, c.misses = make([]slot, max(leastSlots, 4*len(c.slots))), 0
	}
	begin := len(dst)
	dst = s.AppendStem(&c.Scratch, dst, word)
	e := &c.slots[h&uint32(len(c.slots)-1)]
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
