package stem

const (
	cacheSlots = 4096 // a power of two; 256 KiB, which stays in a core's own cache
	cacheWord  = 30   // longer words are stemmed each time; they are rare
)

// Cache remembers the stems of frequent words, for all stemmers together. A
// new word takes the place of the one in its slot. It has one user.
type Cache struct {
	Scratch Scratch
	slots   *[cacheSlots]slot
}

type slot struct {
	owner   uint8 // number of the stemmer, 0: empty
	wordLen uint8
	stemLen uint8
	word    [cacheWord]byte
	stem    [cacheWord + 1]byte
}

// AppendStem is like the stemmer's own, remembered. owner tells stemmers
// apart and is not 0.
func (c *Cache) AppendStem(owner uint8, s Stemmer, dst, word []byte) []byte {
	if len(word) > cacheWord || len(word) == 0 {
		return s.AppendStem(&c.Scratch, dst, word)
	}
	if c.slots == nil {
		c.slots = new([cacheSlots]slot)
	}
	e := &c.slots[hash(owner, word)&(cacheSlots-1)]
	if e.owner == owner && string(e.word[:e.wordLen]) == string(word) {
		return append(dst, e.stem[:e.stemLen]...)
	}
	begin := len(dst)
	dst = s.AppendStem(&c.Scratch, dst, word)
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
