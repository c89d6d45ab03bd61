package highlight

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is the number of characters of a value that are read.
const MaxText = 10_000

// Options say how fragments are cut and marked.
type Options struct {
	Fragments int
	Length    int // characters
	Pre, Post string
}

// fragment is a range of the text with its marks.
type fragment struct {
	start, end int
	marks      []Mark
	distinct   int
}

// Fragments cuts the text at sentence boundaries near the requested length and
// returns the fragments with marks, those with more distinct words first. It
// returns nil when there are no marks.
func Fragments(text string, marks []Mark, o Options) []string {
	if len(marks) == 0 {
		return nil
	}
	words := slices.Clone(marks)
	joined := join(slices.Clone(marks))
	var found []fragment
	for _, f := range cut(text, o.Length, joined) {
		seen := make(map[int]bool)
		for _, m := range words {
			if m.Start >= f.start && m.End <= f.end {
				seen[m.Word] = true
			}
		}
		for _, m := range joined {
			if m.Start >= f.start && m.End <= f.end {
				f.marks = append(f.marks, m)
			}
		}
		if f.distinct = len(seen); len(f.marks) > 0 {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b fragment) int {
		return cmp.Or(cmp.Compare(b.distinct, a.distinct), cmp.Compare(len(b.marks), len(a.marks)))
	})
	var texts []string
	for _, f := range found[:min(o.Fragments, len(found))] {
		texts = append(texts, f.write(text, o))
	}
	return texts
}

func (f *fragment) write(text string, o Options) string {
	var b strings.Builder
	at := f.start
	for _, m := range f.marks {
		b.WriteString(text[at:m.Start])
		b.WriteString(o.Pre)
		b.WriteString(text[m.Start:m.End])
		b.WriteString(o.Post)
		at = m.End
	}
	b.WriteString(text[at:f.end])
	return strings.TrimSpace(b.String())
}

// cut splits a text into fragments that end at the sentence boundary nearest to
// length, or between words when no boundary is near. It splits no mark.
func cut(text string, length int, marks []Mark) []fragment {
	borders := sentences(text)
	var all []fragment
	for start, next := 0, 0; start < len(text); {
		ideal := advance(text, start, length)
		if ideal == len(text) {
			return append(all, fragment{start: start, end: len(text)})
		}
		for next < len(borders) && borders[next] <= start {
			next++
		}
		end, best := 0, -1
		for i := next; i < len(borders); i++ {
			distance := between(text, borders[i], ideal)
			if best >= 0 && distance > best {
				break
			}
			end, best = borders[i], distance
		}
		if best < 0 || best > length/2 {
			end = wordBorder(text, start, ideal)
		}
		for _, m := range marks {
			if m.Start < end && m.End > end {
				end = m.End
			}
		}
		all = append(all, fragment{start: start, end: end})
		start = end
	}
	return all
}

// advance returns the offset n characters after start.
func advance(text string, start, n int) int {
	for ; n > 0 && start < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[start:])
		start += size
	}
	return start
}

// between returns the number of characters between two offsets.
func between(text string, a, b int) int {
	if a > b {
		a, b = b, a
	}
	return utf8.RuneCountInString(text[a:b])
}

// sentences returns the offsets of the ends of sentences: after a full stop,
// question or exclamation mark followed by space, after their East Asian forms, and
// after line ends.
func sentences(text string) []int {
	var borders []int
	ended := false
	for i, r := range text {
		if ended && unicode.IsSpace(r) {
			borders = append(borders, i+utf8.RuneLen(r))
			ended = false
			continue
		}
		switch r {
		case '.', '!', '?', '…':
			ended = true
		case '。', '！', '？', '\n':
			borders = append(borders, i+utf8.RuneLen(r))
			ended = false
		case '"', '\'', ')', '”', '’', '»':
		default:
			ended = false
		}
	}
	if len(borders) == 0 || borders[len(borders)-1] < len(text) {
		borders = append(borders, len(text))
	}
	return borders
}

// wordBorder returns the offset after the last space before ideal, or ideal itself
// in a text without spaces.
func wordBorder(text string, start, ideal int) int {
	if cut := strings.LastIndexFunc(text[start:ideal], unicode.IsSpace); cut > 0 {
		_, size := utf8.DecodeRuneInString(text[start+cut:])
		return start + cut + size
	}
	return ideal
}

// Clip returns the part of a text that is read.
func Clip(text string) string { return text[:advance(text, 0, MaxText)] }
