// Package decompound splits compounds into the words they consist of.
//
// Hyphenation patterns determine where a word may be broken; every stretch
// between two breaks that is in a word list is a part, also if the list
// contains it only without its last letter, which links it to the next part.
// The patterns alone would split at syllables, the list alone at accidental
// words; together they find the seams. Seams finds patterns for seams that
// published patterns miss.
//
// A Splitter may be used by any number of goroutines. It caches the parts of
// frequent words.
package decompound

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
)

// Limits of words and parts, in characters.
const (
	minWord = 5
	minPart = 3
	maxPart = 30
)

// Splitter splits the compounds of one language.
type Splitter struct {
	patterns *Patterns
	readers  sync.Pool                            // of *vellum.Reader over the word list
	cache    [1 << 13]atomic.Pointer[cachedParts] // by hash of the word
}

// cachedParts is a word and its parts. It never changes.
type cachedParts struct {
	word  string
	parts []int
}

// maxCached is the longest word, in bytes, whose parts are cached.
const maxCached = 64

// New returns a splitter for patterns and a word list in the format of
// WriteWords.
func New(patterns *Patterns, words []byte) (*Splitter, error) {
	fst, err := vellum.Load(words)
	if err != nil {
		return nil, fmt.Errorf("word list: %w", err)
	}
	s := &Splitter{patterns: patterns}
	s.readers.New = func() any {
		reader, err := fst.Reader()
		if err != nil {
			return err
		}
		return reader
	}
	if err, failed := s.readers.Get().(error); failed {
		return nil, fmt.Errorf("word list: %w", err)
	}
	return s, nil
}

// AppendParts appends the start and end of every part of word, in bytes, pair
// by pair. It appends nothing for a word that is not a compound.
func (s *Splitter) AppendParts(dst []int, word []byte) []int {
	if len(word) < minWord || len(word) > maxCached {
		return s.appendParts(dst, word)
	}
	entry := &s.cache[hash(word)%uint32(len(s.cache))]
	if k := entry.Load(); k != nil && k.word == string(word) {
		return append(dst, k.parts...)
	}
	begin := len(dst)
	dst = s.appendParts(dst, word)
	entry.Store(&cachedParts{string(word), append([]int(nil), dst[begin:]...)})
	return dst
}

func hash(word []byte) uint32 {
	h := uint32(0x811c9dc5)
	for _, c := range word {
		h = (h ^ uint32(c)) * 0x01000193
	}
	return h ^ h>>15
}

func (s *Splitter) appendParts(dst []int, word []byte) []int {
	length := utf8.RuneCount(word)
	if length < minWord || length > maxWord || !utf8.Valid(word) {
		return dst
	}
	var offsetSpace [maxWord + 1]int
	offsets := offsetSpace[:0]
	for at := range string(word) {
		offsets = append(offsets, at)
	}
	offsets = append(offsets, len(word))
	var breakSpace [maxWord + 1]int
	breaks := append(breakSpace[:0], 0)
	breaks = s.patterns.appendBreaks(breaks, word)
	breaks = append(breaks, length)
	list, ok := s.readers.Get().(*vellum.Reader)
	if !ok {
		return dst
	}
	defer s.readers.Put(list)
	for i, from := range breaks {
		for _, to := range breaks[i+1:] {
			n := to - from
			if n < minPart || n > maxPart || n == length {
				continue
			}
			switch {
			case has(list, word[offsets[from]:offsets[to]]):
				dst = append(dst, offsets[from], offsets[to])
			case n > minPart && has(list, word[offsets[from]:offsets[to-1]]):
				dst = append(dst, offsets[from], offsets[to-1]) // without the linking letter
			}
		}
	}
	return dst
}

func has(list *vellum.Reader, part []byte) bool {
	_, ok, err := list.Get(part)
	return ok && err == nil
}
