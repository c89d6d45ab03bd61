package segmenter

import (
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome-dict/dict"
)

// lattice finds the cheapest path through a text over the words of a
// morphological dictionary: every word has a cost, and so does every pair of
// adjacent word classes. Long words cost extra, so that compounds are split. A
// lattice is scratch memory with one user at a time.
type lattice struct {
	words []latticeWord
	ends  []int32 // per byte: the last added word that ends there, -1 if none
	best  []wayTo // per left class: the best path to it from the current offset
	path  []int32 // the words of the cheapest path, last first

	origins []int32 // per byte of a respelled text: its offset in the original

	known *morphemes
}

// latticeWord is a word at an offset of the text and the cheapest path to its
// end.
type latticeWord struct {
	start, end int32
	id         int32 // in the dictionary, ^id for unknown words
	cost       int32 // of the path, including the cost of its length
	before     int32 // the preceding word on that path
	sameEnd    int32 // the next word with the same end
	right      int16 // class facing the next word
}

type wayTo struct {
	at     int32 // the offset this was computed for
	cost   int32
	before int32
}

// morphemes is a dictionary with flat tables for frequent lookups.
type morphemes struct {
	*dict.Dict
	repeated []uint8       // per word: how many other words with the same letters follow
	unknown  [256][2]int32 // per kind of character: its first and last unknown word
}

func newMorphemes(d *dict.Dict) *morphemes {
	m := &morphemes{Dict: d, repeated: make([]uint8, len(d.Morphs))}
	for id, n := range d.Index.Dup {
		m.repeated[id] = uint8(n)
	}
	for class, first := range d.UnkDict.Index {
		m.unknown[uint8(class)] = [2]int32{first, first + d.UnkDict.IndexDup[class]}
	}
	return m
}

func newLattice(m *morphemes) *lattice {
	return &lattice{known: m, best: make([]wayTo, m.Connection.Col)}
}

// Extra costs of long words, in characters, as in the search mode of
// morphological analyzers.
const (
	freeIdeographs = 2
	ideographCost  = 3000
	freeOthers     = 7
	otherCost      = 1700
	longestUnknown = 1024
)

// cheapest returns the words of the cheapest path through text, last first.
// They are valid until the next call.
func (l *lattice) cheapest(text []byte) []int32 {
	l.words = l.words[:0]
	l.path = l.path[:0]
	l.ends = l.ends[:0]
	for range len(text) + 1 {
		l.ends = append(l.ends, -1)
	}
	for i := range l.best {
		l.best[i].at = -1
	}
	l.words = append(l.words, latticeWord{before: -1, sameEnd: -1}) // the beginning
	l.ends[0] = 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if l.ends[at] >= 0 {
			any := l.addKnown(text, at)
			class := l.known.CharacterCategory(r)
			if !any || l.known.InvokeList[class] {
				l.addUnknown(text, at, size, class)
			}
		}
		at += size
	}
	for w := l.wayTo(int32(len(text)), 0).before; w > 0; w = l.words[w].before {
		l.path = append(l.path, w)
	}
	return l.path
}

// addKnown adds the dictionary words that start at an offset of text. It
// reports whether there are any.
func (l *lattice) addKnown(text []byte, at int) bool {
	index := l.known.Index.Da
	any := false
	for node, i := 0, at; i < len(text) && text[i] != 0; i++ {
		next := int(index[node].Base) + int(text[i])
		if next < 0 || next >= len(index) || int(index[next].Check) != node {
			break
		}
		node = next
		if leaf := int(index[node].Base); leaf >= 0 && leaf < len(index) && int(index[leaf].Check) == node && index[leaf].Base <= 0 {
			id := -index[leaf].Base
			long := lengthCost(text[at : i+1])
			for last := id + int32(l.known.repeated[id]); id <= last; id++ {
				l.add(at, i+1, id, l.known.Morphs[id], long)
			}
			any = true
		}
	}
	return any
}

// addUnknown adds words that are not in the dictionary: a run of characters of
// one kind, and the run without its last character.
func (l *lattice) addUnknown(text []byte, at, size int, class byte) {
	end, before := at+size, at
	if l.known.GroupList[class] {
		for n := 1; end < len(text) && n < longestUnknown; n++ {
			r, size := rune(text[end]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRune(text[end:])
			}
			if l.known.CharacterCategory(r) != class {
				break
			}
			before = end
			end += size
		}
	}
	long, longBefore := lengthCost(text[at:end]), lengthCost(text[at:before])
	for id := l.known.unknown[class][0]; id <= l.known.unknown[class][1]; id++ {
		if before > at {
			l.add(at, before, ^id, l.known.UnkDict.Morphs[id], longBefore)
		}
		l.add(at, end, ^id, l.known.UnkDict.Morphs[id], long)
	}
}

func (l *lattice) add(start, end int, id int32, m dict.Morph, long int32) {
	way := l.wayTo(int32(start), m.LeftID)
	l.words = append(l.words, latticeWord{
		start: int32(start), end: int32(end), id: id, right: m.RightID,
		cost: way.cost + int32(m.Weight) + long, before: way.before, sameEnd: l.ends[end],
	})
	l.ends[end] = int32(len(l.words) - 1)
}

// wayTo returns the cheapest path to an offset for a following word of class
// left. Words of one class share the result. The first added word wins ties.
func (l *lattice) wayTo(at int32, left int16) wayTo {
	best := &l.best[left]
	if best.at == at {
		return *best
	}
	best.at = at
	row := l.known.Connection.Vec[int(l.known.Connection.Row)*int(left):]
	first := true
	for w := l.ends[at]; w >= 0; w = l.words[w].sameEnd {
		word := &l.words[w]
		if cost := word.cost + int32(row[word.right]); first || cost <= best.cost {
			best.cost, best.before, first = cost, w, false
		}
	}
	return *best
}

// lengthCost returns the extra cost of a long word.
func lengthCost(word []byte) int32 {
	if len(word) <= 3*freeIdeographs {
		return 0
	}
	n, ideographs := int32(0), true
	for _, r := range string(word) {
		n++
		ideographs = ideographs && (r >= 0x4E00 && r <= 0x9FFF || unicode.Is(unicode.Ideographic, r))
	}
	switch {
	case n > freeIdeographs && ideographs:
		return (n - freeIdeographs) * ideographCost
	case n > freeOthers:
		return (n - freeOthers) * otherCost
	}
	return 0
}
