package match

import "github.com/quiresearch/quire/internal/bitset"

// mask is the set of documents that may be hits.
type mask struct {
	documents     uint32
	live, parents []uint64 // nil: all
	domain        step     // matches the list values of a path, in a scan of these
}

func (m *mask) window(base uint32, in *Bits) {
	*in = Bits{}
	in.Fill(0, min(Span, m.documents-base))
	if m.domain != nil {
		var all Bits
		all, *in = *in, Bits{}
		m.domain.run(base, &all, in, nil)
	}
	var some Bits
	if m.live != nil {
		some.Load(m.live, base)
		in.And(&some)
	}
	if m.parents != nil {
		some.Load(m.parents, base)
		in.And(&some)
	}
}

// has reports whether a document may be a hit. It ignores domain.
func (m *mask) has(doc uint32) bool {
	if m.live != nil && m.live[doc>>6]>>(doc&63)&1 == 0 {
		return false
	}
	return m.parents == nil || m.parents[doc>>6]>>(doc&63)&1 != 0
}

// isFull reports whether every document may be a hit.
func (m *mask) isFull() bool { return m.live == nil && m.parents == nil && m.domain == nil }

// narrow removes the documents that are deleted or list values. It ignores domain.
func (m *mask) narrow(base uint32, set *Bits) {
	var some Bits
	if m.live != nil {
		some.Load(m.live, base)
		set.And(&some)
	}
	if m.parents != nil {
		some.Load(m.parents, base)
		set.And(&some)
	}
}

// narrowWide is narrow for a wide window.
func (m *mask) narrowWide(base uint64, words *wide) {
	if m.live != nil {
		bitset.AndWords(words[:], m.live[base/64:])
	}
	if m.parents != nil {
		bitset.AndWords(words[:], m.parents[base/64:])
	}
}
