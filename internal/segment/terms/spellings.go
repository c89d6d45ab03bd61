package terms

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/locale/spelling"
)

// spellings are the strings of a list that have diacritics or signs, as people type
// them without, each with the strings that are typed so:
//
//	list       café  cafè  caña  casa  müller
//	spellings  cafe → café cafè   cana → caña   mueller → müller   muller → müller
//
// They are made from the list in memory on first use. Most lists have few.
type spellings struct {
	list  List
	trie  *trie
	begin []uint32 // by spelling, where its strings begin in ords; one more than spellings
	ords  []uint32 // numbers of strings in the list
}

// lazySpellings makes the spellings of a list on first use, as lazyTrie does.
type lazySpellings struct{ made atomic.Pointer[spellings] }

func (l *lazySpellings) of(list *List) *spellings {
	if l.made.Load() == nil {
		l.made.CompareAndSwap(nil, newSpellings(list))
	}
	return l.made.Load()
}

// spelled is one spelling of a string, as a part of the bytes of all.
type spelled struct {
	key           uint64 // its first eight bytes, which order most
	from, to, ord uint32
}

func newSpellings(list *List) *spellings {
	text, all := spell(list)
	of := func(s spelled) []byte { return text[s.from:s.to] }
	slices.SortFunc(all, func(a, b spelled) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(bytes.Compare(of(a), of(b)), cmp.Compare(a.ord, b.ord))
	})
	s := &spellings{list: List{offsets: []uint32{0}}, ords: make([]uint32, len(all))}
	var prefixes, last []byte
	for i, one := range all {
		s.ords[i] = one.ord
		if this := of(one); i == 0 || !bytes.Equal(this, last) {
			prefixes = append(prefixes, byte(min(commonPrefix(last, this), 255)))
			s.list.bytes = append(s.list.bytes, this...)
			s.list.offsets = append(s.list.offsets, uint32(len(s.list.bytes)))
			s.begin = append(s.begin, uint32(i))
			last = this
		}
	}
	s.begin = append(s.begin, uint32(len(all)))
	s.list.bytes, s.list.offsets, s.begin = slices.Clip(s.list.bytes), slices.Clip(s.list.offsets), slices.Clip(s.begin)
	s.trie = newTrie(&s.list, slices.Clip(prefixes))
	return s
}

// spell returns the spellings of a list in its order, and their bytes.
func spell(list *List) (text []byte, all []spelled) {
	for i := range list.Len() {
		s := list.At(i)
		if !spelling.MayDiffer(s) {
			continue
		}
		for _, wide := range []bool{false, true} {
			with, differs := spelling.Append(text, s, wide)
			if !differs || len(with) > maxSpellings {
				continue
			}
			var key [8]byte
			copy(key[:], with[len(text):])
			all = append(all, spelled{binary.BigEndian.Uint64(key[:]), uint32(len(text)), uint32(len(with)), uint32(i)})
			text = with
		}
	}
	return text, all
}

// maxSpellings bounds the bytes of the spellings of one list. The strings that come
// after are found as typed only.
const maxSpellings = 64 << 20

// near appends a match for each string of which a spelling is within the distance of
// word, if o asks for that. It returns false when Limit stopped it.
func (l *lazySpellings) near(dst []Match, list *List, word []byte, o FuzzyOptions) (matches []Match, complete bool) {
	if !o.Spellings {
		return dst, true
	}
	s := l.of(list)
	if s.list.Len() == 0 {
		return dst, true
	}
	w := newWalk(s.trie)
	defer w.free()
	complete = w.run(word, o)
	for _, m := range w.matches {
		for _, ord := range s.ords[s.begin[m.Ord]:s.begin[m.Ord+1]] {
			dst = append(dst, Match{Entry: Entry{Ord: ord}, Distance: m.Distance})
		}
	}
	return dst, complete
}

// find appends a match for each string that is typed as the word, or as a word that
// starts with it if open is set.
func (s *spellings) find(dst []Match, word []byte, open bool) []Match {
	from, to := 0, 0
	if open {
		from, to = s.list.Prefix(word)
	} else if i, ok := s.list.Search(word); ok {
		from, to = i, i+1
	}
	for _, ord := range s.ords[s.begin[from]:s.begin[to]] {
		dst = append(dst, Match{Entry: Entry{Ord: ord}})
	}
	return dst
}

// Variants appends to dst the terms that people type as word because they leave out
// diacritics and signs, or as a word that starts with it if open is set: each once,
// in the order of terms. The word itself is none.
func (f *Field) Variants(dst []Match, word []byte, open bool) []Match {
	if f.opts.Key {
		return dst
	}
	all := f.spellings.of(&f.list).find(dst, word, open)
	return all[:len(dst)+len(f.entries(all[len(dst):]))]
}

// FormVariants is Variants over the surface forms: it appends their terms.
func (f *Field) FormVariants(dst []Match, word []byte, open bool) []Match {
	if f.forms == nil {
		return dst
	}
	all := f.forms.spellings.of(&f.forms.list).find(dst, word, open)
	return all[:len(dst)+len(f.entriesOfForms(all[len(dst):]))]
}
