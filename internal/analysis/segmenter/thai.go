package segmenter

import (
	"unicode"
	"unicode/utf8"
)

type thai struct{ words *trie }

func newThai() (*thai, error) {
	words, err := loadTrie("th", packedThai)
	if err != nil {
		return nil, err
	}
	return &thai{words: words}, nil
}

// AppendBreaks appends the ends of words in a run of a script without spaces.
// Scripts other than Thai have no word list, so each of their clusters is a
// word.
func (t *thai) AppendBreaks(dst []int, run []byte) []int {
	base := 0
	for len(run) > 0 {
		end, isThai := 0, false
		count := 0
		for end < len(run) && count < maxRun {
			r, size := utf8.DecodeRune(run[end:])
			if is := unicode.Is(unicode.Thai, r); end == 0 {
				isThai = is
			} else if is != isThai && !unicode.Is(unicode.M, r) {
				break
			}
			end += size
			count++
		}
		if isThai {
			dst = t.thai(dst, run[:end], base)
		} else {
			dst = clusters(dst, run[:end], base)
		}
		run, base = run[end:], base+end
	}
	return dst
}

// clusters breaks before every character that is not a combining mark.
func clusters(dst []int, run []byte, base int) []int {
	for at := 0; at < len(run); {
		_, size := utf8.DecodeRune(run[at:])
		at += size
		for at < len(run) {
			r, size := utf8.DecodeRune(run[at:])
			if !unicode.Is(unicode.M, r) {
				break
			}
			at += size
		}
		dst = append(dst, base+at)
	}
	return dst
}

// follows matches characters that never begin a word: vowels written after or
// around a consonant, and marks. leads matches vowels that belong to the
// consonant after them.
func follows(r rune) bool {
	return r >= 0x0E30 && r <= 0x0E3A || r >= 0x0E45 && r <= 0x0E4E
}

func leads(r rune) bool { return r >= 0x0E40 && r <= 0x0E44 }

// thai finds the path with the fewest characters outside known words and, among
// those, the fewest words.
func (t *thai) thai(dst []int, run []byte, base int) []int {
	var runes []rune
	var offsets []int
	for at := 0; at < len(run); {
		r, size := utf8.DecodeRune(run[at:])
		runes, offsets = append(runes, r), append(offsets, at)
		at += size
	}
	offsets = append(offsets, len(run))
	n := len(runes)
	may := func(i int) bool {
		return i == n || i == 0 || !follows(runes[i]) && !leads(runes[i-1])
	}
	const infinite = 1 << 30
	costs, steps, known := make([]int, n+1), make([]int, n+1), make([]bool, n+1)
	for i := 1; i <= n; i++ {
		costs[i] = infinite
	}
	for i := range n {
		if costs[i] == infinite || !may(i) {
			continue
		}
		next := i + 1
		for !may(next) {
			next++
		}
		if cost := costs[i] + 1000*(next-i) + 1; cost < costs[next] {
			costs[next], steps[next], known[next] = cost, i, false
		}
		node := uint32(0)
		for j := i; j < n; j++ {
			if node = t.words.step(node, runes[j]); node == 0 {
				break
			}
			if _, ok := t.words.cost(node); ok && may(j+1) && costs[i]+1 < costs[j+1] {
				costs[j+1], steps[j+1], known[j+1] = costs[i]+1, i, true
			}
		}
	}
	var ends []int
	for at := n; at > 0; at = steps[at] {
		// Adjacent unknown clusters form one word.
		if len(ends) == 0 || known[at] || known[ends[len(ends)-1]] {
			ends = append(ends, at)
		}
	}
	for i := len(ends) - 1; i >= 0; i-- {
		dst = append(dst, base+offsets[ends[i]])
	}
	return dst
}
