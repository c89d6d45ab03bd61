package decompound

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/analysis/stem"
)

// Requirements of Seams on a pattern: the number of words it occurs in, and the
// percentage of its occurrences that are seams.
const (
	leastSeen  = 3
	leastSeams = 60
	leastPart  = 4 // letters of each word at a seam
)

// contexts are the numbers of letters considered before and after a seam.
var contexts = [...][2]int{{2, 1}, {1, 2}, {2, 2}, {3, 2}, {2, 3}}

// Seams returns patterns for the seams of compounds that patterns miss. It
// learns seams from words of the list that are the concatenation of two words
// of the list: if the letters around a seam occur almost only at seams, they
// become a pattern that allows the break.
func Seams(patterns *Patterns, words []string) []string {
	list := make(map[string]bool, len(words))
	for _, w := range words {
		if w = stem.Fold(w); onlyLetters(w) && len(w) <= 4*maxPart {
			list[w] = true
		}
	}
	seams := map[[2]string]int{} // letters before and after a seam → words
	offsets := make([]int, 0, maxWord)
	for w := range list {
		offsets = appendOffsets(offsets[:0], w)
		eachSeam(list, patterns, w, offsets, func(at int) {
			for _, around := range contexts {
				if from, to := at-around[0], at+around[1]; from >= 0 && to < len(offsets) {
					seams[[2]string{w[offsets[from]:offsets[at]], w[offsets[at]:offsets[to]]}]++
				}
			}
		})
	}
	places := map[string]int{} // letters around seams → words that contain them
	for around, n := range seams {
		if n >= leastSeen {
			places[around[0]+around[1]] = 0
		}
	}
	for w := range list {
		offsets = appendOffsets(offsets[:0], w)
		for i := range offsets {
			for size := 3; size <= 5 && i+size < len(offsets); size++ {
				letters := w[offsets[i]:offsets[i+size]]
				if n, ok := places[letters]; ok {
					places[letters] = n + 1
				}
			}
		}
	}
	var learned []string
	for around, n := range seams {
		if n >= leastSeen && n*100 >= leastSeams*places[around[0]+around[1]] && !covered(seams, places, around) {
			learned = append(learned, around[0]+"9"+around[1])
		}
	}
	slices.Sort(learned)
	return learned
}

// covered reports whether a pattern with fewer letters has the same effect.
func covered(seams map[[2]string]int, places map[string]int, around [2]string) bool {
	left, right := around[0], around[1]
	for n := range len(left) + len(right) {
		shorter := [2]string{left[min(n, len(left)):], right}
		if n > len(left) {
			shorter = [2]string{left, right[:len(left)+len(right)-n]}
		}
		if seen := seams[shorter]; shorter != around && seen >= leastSeen && seen*100 >= leastSeams*places[strings.Join(shorter[:], "")] {
			return true
		}
	}
	return false
}

// appendOffsets appends the byte offset of every letter of a word, and its
// length.
func appendOffsets(dst []int, word string) []int {
	for at := range word {
		dst = append(dst, at)
	}
	return append(dst, len(word))
}

// eachSeam calls visit for the seams of a word, counted in letters, that the
// patterns do not allow.
func eachSeam(list map[string]bool, patterns *Patterns, word string, offsets []int, visit func(at int)) {
	var breaks []int
	for at := leastPart; at+leastPart < len(offsets); at++ {
		if !list[word[offsets[at]:]] || !list[word[:offsets[at]]] {
			continue
		}
		if breaks == nil {
			breaks = append(patterns.Breaks(word), 0)
		}
		if !slices.Contains(breaks, at) {
			visit(at)
		}
	}
}
