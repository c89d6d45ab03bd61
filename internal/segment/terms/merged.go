package terms

import (
	"bytes"
	"math"
	"math/bits"
)

// Merged combines the dictionaries of several fields, so that one walk finds the
// near terms of all of them. Most words of a title occur in bodies too, and two
// walks would go through the same letters twice. It is safe for concurrent use and
// valid as long as the segment's reader.
type Merged struct {
	fields []*Field
	terms  mergedList
	forms  mergedList
}

// Merge merges the dictionaries of fields. It returns nil when one of them is a Key
// field, or when they are too large together.
func Merge(fields []*Field) *Merged {
	m := &Merged{fields: fields}
	terms, forms := make([]*List, len(fields)), make([]*List, len(fields))
	for i, f := range fields {
		if f.opts.Key {
			return nil
		}
		terms[i], forms[i] = &f.list, &List{offsets: []uint32{0}}
		if f.forms != nil {
			forms[i] = &f.forms.list
		}
	}
	if !m.terms.merge(terms) || !m.forms.merge(forms) {
		return nil
	}
	return m
}

// MergedBytes returns an upper bound of the memory of the merged dictionaries of
// fields, without merging them.
func MergedBytes(fields []*Field) (size int64) {
	add := func(l *List) {
		n := int64(l.Len())
		size += int64(len(l.bytes)) + (offsetBytes+prefixBytes)*n + int64(len(fields))*(n/64+1)*memberBytes
	}
	for _, f := range fields {
		add(&f.list)
		if f.forms != nil {
			add(&f.forms.list)
		}
	}
	return size
}

// Memory of a string besides its bytes, and of 64 strings per list.
const (
	offsetBytes = 4
	prefixBytes = 3 // including skips and branches
	memberBytes = 12
)

// Fuzzy appends the result of Fuzzy for the i-th field to the i-th list of dst.
// complete is false when Limit stopped it: searching the fields separately may then
// find more.
func (m *Merged) Fuzzy(dst [][]Match, word []byte, o FuzzyOptions) (complete bool) {
	w := newWalk(m.terms.trie)
	defer w.free()
	w.fields, w.hashed = m.fields, make([][]Match, len(m.fields))
	complete = w.run(word, o)
	for i, f := range m.fields {
		from := len(dst[i])
		all := append(m.terms.appendOf(dst[i], i, w.matches), w.hashed[i]...)
		all, whole := f.spellings.near(all, &f.list, word, o)
		dst[i] = all[:from+len(f.entries(all[from:]))]
		complete = complete && whole
	}
	return complete
}

// FuzzyForms is Fuzzy over the surface forms.
func (m *Merged) FuzzyForms(dst [][]Match, word []byte, o FuzzyOptions) (complete bool) {
	w := newWalk(m.forms.trie)
	defer w.free()
	complete = w.run(word, o)
	for i, f := range m.fields {
		if f.forms == nil {
			continue
		}
		from := len(dst[i])
		all := m.forms.appendOf(dst[i], i, w.matches)
		all, whole := f.forms.spellings.near(all, &f.forms.list, word, o)
		dst[i] = all[:from+len(f.entriesOfForms(all[from:]))]
		complete = complete && whole
	}
	return complete
}

// mergedList is the union of several lists of strings, and which of the lists
// contain each string.
//
//	title   fix      merge     1 0 1
//	body    fix leak           1 1 0
//	list    fix leak merge
type mergedList struct {
	list    List
	trie    *trie
	members []members // by list
}

// merge fills an empty mergedList; it returns false when the lists are too large.
func (m *mergedList) merge(lists []*List) bool {
	total, size := 0, 0
	for _, l := range lists {
		total += l.Len()
		size += len(l.bytes)
	}
	if size > math.MaxUint32 {
		return false
	}
	text, offsets := make([]byte, 0, size), make([]uint32, 1, total+1)
	prefixes := make([]byte, 0, total)
	m.members = make([]members, len(lists))
	next := make([]int, len(lists))
	var last []byte
	for {
		lowest, isFirst := []byte(nil), true
		for i, l := range lists {
			if next[i] == l.Len() {
				continue
			}
			if s := l.At(next[i]); isFirst || bytes.Compare(s, lowest) < 0 {
				lowest, isFirst = s, false
			}
		}
		if isFirst {
			break
		}
		for i, l := range lists {
			isMember := next[i] < l.Len() && bytes.Equal(l.At(next[i]), lowest)
			m.members[i].add(len(prefixes), isMember, next[i])
			if isMember {
				next[i]++
			}
		}
		prefixes = append(prefixes, byte(min(commonPrefix(last, lowest), 255)))
		text = append(text, lowest...)
		offsets = append(offsets, uint32(len(text)))
		last = lowest
	}
	// Strings in several lists were counted more than once.
	m.list = List{bytes: bytes.Clone(text), offsets: append([]uint32(nil), offsets...)}
	m.trie = newTrie(&m.list, prefixes)
	return true
}

// appendOf appends the matches that are in list number i, with their numbers there.
func (m *mergedList) appendOf(dst []Match, i int, found []Match) []Match {
	for _, f := range found {
		if n, ok := m.members[i].rank(int(f.Ord)); ok {
			dst = append(dst, Match{Entry: Entry{Ord: uint32(n)}, Distance: f.Distance})
		}
	}
	return dst
}

// members is a bit per string, and the number of set bits before every 64.
type members struct {
	bits   []uint64
	before []uint32
}

// add appends the bit of string number at, before which n bits are set.
func (m *members) add(at int, isMember bool, n int) {
	if at&63 == 0 {
		m.bits, m.before = append(m.bits, 0), append(m.before, uint32(n))
	}
	if isMember {
		m.bits[at>>6] |= 1 << (at & 63)
	}
}

// rank returns the number of set bits before string number at, and whether its own
// bit is set.
func (m *members) rank(at int) (n int, isMember bool) {
	word := m.bits[at>>6]
	return int(m.before[at>>6]) + bits.OnesCount64(word&(1<<(at&63)-1)), word>>(at&63)&1 != 0
}
