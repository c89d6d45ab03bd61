package decompound

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/vellum"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

// Frequency splits compounds by the frequency of their parts (Koehn and Knight,
// "Empirical Methods for Compound Splitting", 2003): of all ways to split a
// word into a sequence of known words, joined by the linking letters of the
// language, it chooses the one with the highest geometric mean of frequencies.
// It needs no dictionary of compounds and no patterns. For example, with the
// rank of each word in parentheses, low for frequent ones:
//
//	bundesfinanzminister = bundes (520) + finanz (560) + minister (490)   mean 523
//	                     = bund + finanz + minister, linked by es         mean 510  ← parts
//	                     = bundes + finanzminister (590)                  mean 555
//
// A word stays whole if no split has only frequent parts, or if it is itself
// more frequent than the mean of its parts: Verein is not ver and ein.
type Frequency struct {
	links   []string // allowed between two parts
	endings []string // of inflection, which cannot be the last part of a compound
	short   []string // words of fewer than minPart characters that are parts nevertheless
	minPart int      // in characters
	readers sync.Pool
}

// Limits of Frequency, in characters and ranks. A rank is -100 times the
// decimal logarithm of the frequency.
const (
	minFrequencyPart = 4
	minShort         = 2
	maxFrequencyWord = 48
	maxSplitParts    = 4
	partRank         = 600 // maximum rank of a part: one word in a million
	shortRank        = 450 // of a listed short word
	wholeMargin      = 100 // how much more frequent than its parts a word must be to stay whole
)

// NewFrequency returns a splitter for words with their ranks in the format of
// WriteRanks. A part has at least minPart characters, and never fewer than
// four. Links may occur between two parts; endings are words or look like
// words, but are inflections at the end of a word. Short lists the words below
// minPart that are parts nevertheless, such as Tür and Bus.
func NewFrequency(words []byte, links, endings, short []string, minPart int) (*Frequency, error) {
	fst, err := vellum.Load(words)
	if err != nil {
		return nil, fmt.Errorf("word frequencies: %w", err)
	}
	s := &Frequency{links: links, endings: endings, short: short, minPart: max(minPart, minFrequencyPart)}
	s.readers.New = func() any {
		reader, err := fst.Reader()
		if err != nil {
			return err
		}
		return reader
	}
	if err, failed := s.readers.Get().(error); failed {
		return nil, fmt.Errorf("word frequencies: %w", err)
	}
	return s, nil
}

// split is the best way to split the beginning of a word into a given number of
// parts.
type split struct {
	rank     int // sum of the ranks of the parts
	from, to int // of the last part without its link; to is 0 if there is no split
}

// splits is the table of a dynamic program for one word: best[i][n] splits its
// first i characters into n parts.
type splits struct {
	word    []byte
	length  int   // of the word in characters
	offsets []int // byte offsets of its characters and its end
	best    [maxFrequencyWord + 1][maxSplitParts + 1]split
}

// AppendParts appends the start and end of every part of word, in bytes, pair
// by pair. It appends nothing for a word that is not a compound.
func (s *Frequency) AppendParts(dst []int, word []byte) []int {
	length := utf8.RuneCount(word)
	if length < minWord || length > maxFrequencyWord || !utf8.Valid(word) {
		return dst
	}
	list, ok := s.readers.Get().(*vellum.Reader)
	if !ok {
		return dst
	}
	defer s.readers.Put(list)
	var offsets [maxFrequencyWord + 1]int
	t := splits{word: word, length: length, offsets: offsets[:0]}
	for at := range string(word) {
		t.offsets = append(t.offsets, at)
	}
	t.offsets = append(t.offsets, len(word))

	for from := 0; from+minShort <= length; from++ {
		if from > 0 && !t.isReached(from) {
			continue
		}
		for to := from + minShort; to <= min(length, from+maxPart); to++ {
			part := word[t.offsets[from]:t.offsets[to]]
			if from == 0 && to == length || to == length && slices.Contains(s.endings, string(part)) {
				continue
			}
			rank, ok := s.rank(list, part, to-from)
			if !ok || rank > partRank {
				continue
			}
			t.extend(from, to, rank, s.links)
		}
	}
	parts, mean := t.lowestMean()
	if parts == 0 {
		return dst
	}
	if whole, ok := rankOf(list, word); ok && whole+wholeMargin < mean {
		return dst
	}
	begin := len(dst)
	dst = t.append(dst, parts)
	return appendJoined(dst, begin, list, word)
}

// appendJoined appends adjacent parts that form a word together, if there are
// more than two parts: jernbane of jern, bane and station.
func appendJoined(dst []int, begin int, list *vellum.Reader, word []byte) []int {
	end := len(dst)
	for i := begin; i+5 < end || i > begin && i+3 < end; i += 2 {
		from, to := dst[i], dst[i+3]
		if rank, ok := rankOf(list, word[from:to]); ok && rank <= partRank {
			dst = append(dst, from, to)
		}
	}
	return dst
}

// extend appends a part to every split that ends where the part begins, with
// and without a link after it.
func (t *splits) extend(from, to, rank int, links []string) {
	for n := 1; n <= maxSplitParts; n++ {
		before := 0
		switch {
		case from == 0 && n > 1, from > 0 && t.best[from][n-1].to == 0:
			continue
		case from > 0:
			before = t.best[from][n-1].rank
		}
		improve(&t.best[to][n], split{before + rank, from, to})
		if t.length-to <= minShort {
			continue
		}
		for _, link := range links {
			end := t.offsets[to] + len(link)
			if end >= len(t.word) || string(t.word[t.offsets[to]:end]) != link {
				continue
			}
			behind := to + utf8.RuneCountInString(link)
			improve(&t.best[behind][n], split{before + rank, from, to})
		}
	}
}

func improve(best *split, with split) {
	if best.to == 0 || with.rank < best.rank {
		*best = with
	}
}

// isReached reports whether a split ends after this many characters and may
// have another part.
func (t *splits) isReached(characters int) bool {
	for n := 1; n < maxSplitParts; n++ {
		if t.best[characters][n].to > 0 {
			return true
		}
	}
	return false
}

// lowestMean returns the number of parts of the split of the whole word with
// the lowest mean rank, preferring fewer parts; 0 if there is no split into at
// least two.
func (t *splits) lowestMean() (parts, mean int) {
	for n := 2; n <= maxSplitParts; n++ {
		if best := t.best[t.length][n]; best.to > 0 && (parts == 0 || best.rank/n < mean) {
			parts, mean = n, best.rank/n
		}
	}
	return parts, mean
}

// append appends the parts of the split of the whole word into this many parts,
// in order.
func (t *splits) append(dst []int, parts int) []int {
	begin, end := len(dst), t.length
	for range 2 * parts {
		dst = append(dst, 0)
	}
	for n := parts; n > 0; n-- {
		best := t.best[end][n]
		dst[begin+2*n-2], dst[begin+2*n-1] = t.offsets[best.from], t.offsets[best.to]
		end = best.from
	}
	return dst
}

// rank returns the rank of a part of length characters and reports whether it
// is a part.
func (s *Frequency) rank(list *vellum.Reader, part []byte, length int) (int, bool) {
	if length >= s.minPart {
		return rankOf(list, part)
	}
	return shortRank, slices.Contains(s.short, string(part))
}

func rankOf(list *vellum.Reader, word []byte) (int, bool) {
	rank, ok, err := list.Get(word)
	return int(rank), ok && err == nil
}

// WriteRanks writes words with their ranks in the format that NewFrequency
// reads, folded and sorted, and returns their number. If two words fold to the
// same form, the more frequent one wins; words that cannot be parts are left
// out.
func WriteRanks(w io.Writer, ranks map[string]int) (int, error) {
	kept := make(map[string]int)
	for word, rank := range ranks {
		folded := stem.Fold(word)
		n := utf8.RuneCountInString(folded)
		if n < minFrequencyPart || n > maxFrequencyWord || !onlyLetters(folded) {
			continue
		}
		if best, ok := kept[folded]; !ok || rank < best {
			kept[folded] = rank
		}
	}
	b, err := vellum.New(w, nil)
	if err != nil {
		return 0, err
	}
	for _, word := range slices.Sorted(maps.Keys(kept)) {
		if err := b.Insert([]byte(word), uint64(kept[word])); err != nil {
			return 0, fmt.Errorf("insert %q: %w", word, err)
		}
	}
	return len(kept), b.Close()
}
