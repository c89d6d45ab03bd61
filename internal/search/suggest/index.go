// Package suggest finds the values of a field that start with the typed text, also
// by their labels, and those one typo away.
//
// An Index holds the normalized forms of the values of one field in one locale;
// values are identified by numbers in the order of the values. Prefix and Near
// return ranges of entries. They use binary search in the order of forms and never
// walk over the entries they find. A Ranking adds the count of each value; Top
// returns the most common values of ranges:
//
//	ranking := index.Order(counts)
//	for _, match := range ranking.Top(index.Near("runing"), 5, nil) {…}
//
// Both are immutable; any number of goroutines may use them.
package suggest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"unicode/utf8"
)

// MinTypoLength is the minimum number of code points of a text that tolerates
// typos.
const MinTypoLength = 5

// Index finds values by the start of their normalized form.
type Index struct {
	forms  []byte   // of the entries, concatenated
	ends   []uint32 // end of each entry's form; entries are sorted by form
	owners []uint32 // value of each entry, doubled; odd when the form is that of its label
	values int
}

// Range is a range of adjacent entries, excluding To.
type Range struct{ From, To int }

// Build returns the index of count values. text returns a value and its label, ""
// without one; normalize returns their forms, each valid until the next call. Build
// stops with the error of the context when that ends.
func Build(ctx context.Context, count int, text func(value int) (string, string), normalize func(text string) []byte) (*Index, error) {
	x := &Index{values: count}
	type entry struct{ start, end, owner uint32 }
	entries := make([]entry, 0, count)
	var forms []byte
	add := func(text string, owner int) {
		start := len(forms)
		forms = append(forms, normalize(text)...)
		entries = append(entries, entry{uint32(start), uint32(len(forms)), uint32(owner)})
	}
	for i := range count {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		value, label := text(i)
		add(value, 2*i)
		if label != "" {
			add(label, 2*i+1)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(bytes.Compare(forms[a.start:a.end], forms[b.start:b.end]), cmp.Compare(a.owner, b.owner))
	})
	x.forms, x.ends, x.owners = make([]byte, 0, len(forms)), make([]uint32, len(entries)), make([]uint32, len(entries))
	for i, e := range entries {
		x.forms = append(x.forms, forms[e.start:e.end]...)
		x.ends[i], x.owners[i] = uint32(len(x.forms)), e.owner
	}
	return x, nil
}

// Bytes returns the approximate memory in use.
func (x *Index) Bytes() int { return len(x.forms) + 8*len(x.ends) }

// Len returns the number of values.
func (x *Index) Len() int { return x.values }

func (x *Index) form(entry int) []byte {
	start := uint32(0)
	if entry > 0 {
		start = x.ends[entry-1]
	}
	return x.forms[start:x.ends[entry]]
}

// All returns every entry.
func (x *Index) All() []Range { return []Range{{0, len(x.ends)}} }

// Prefix returns the entries whose form starts with the normalized text. The last
// Hangul syllable of the text may be half typed.
func (x *Index) Prefix(text string) []Range {
	found := []Range{x.below(Range{0, len(x.ends)}, 0, text)}
	if head, first, last, ok := openSyllable(text); ok {
		found = append(found, x.between(head+string(first), head+string(last)))
	}
	return joined(found)
}

// between returns the entries whose form starts with a text from first to last,
// inclusive. Both have the same length.
func (x *Index) between(first, last string) Range {
	from := sort.Search(len(x.ends), func(i int) bool { return compareStart(x.form(i), first) >= 0 })
	to := from + sort.Search(len(x.ends)-from, func(i int) bool { return compareStart(x.form(from+i), last) > 0 })
	return Range{from, to}
}

// below returns the entries of a range that continue with text after the offset.
// All forms of the range must share their bytes before the offset.
func (x *Index) below(in Range, offset int, text string) Range {
	from := in.From + sort.Search(in.To-in.From, func(i int) bool {
		return compareStart(x.form(in.From + i)[offset:], text) >= 0
	})
	to := from + sort.Search(in.To-from, func(i int) bool {
		return compareStart(x.form(from + i)[offset:], text) > 0
	})
	return Range{from, to}
}

// compareStart compares the first len(text) bytes of a form with text.
func compareStart(form []byte, text string) int {
	n := min(len(form), len(text))
	if string(form[:n]) == text[:n] {
		return cmp.Compare(n, len(text))
	}
	if string(form[:n]) < text[:n] {
		return -1
	}
	return 1
}

// Near returns the entries whose form starts with a reading of the normalized text
// at most one edit away: a character inserted, dropped or replaced, or two
// neighbours swapped. The first character must match.
func (x *Index) Near(text string) []Range {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return nil
	}
	var found []Range
	same := x.below(Range{0, len(x.ends)}, 0, text[:size])
	for at := size; at < len(text) && same.From < same.To; {
		_, size := utf8.DecodeRuneInString(text[at:])
		behind := text[at+size:]
		found = append(found, x.below(same, at, behind)) // dropped
		if behind != "" {
			_, second := utf8.DecodeRuneInString(behind)
			found = append(found, x.below(same, at, behind[:second]+text[at:at+size]+behind[second:])) // swapped
		}
		x.eachNext(same, at, func(next Range, offset int) {
			found = append(found, x.below(next, offset, behind))    // replaced
			found = append(found, x.below(next, offset, text[at:])) // inserted
		})
		same = x.below(same, at, text[at:at+size])
		at += size
	}
	return joined(append(found, same))
}

// eachNext calls take for the entries of a range, grouped by their character at the
// offset, with the offset after it.
func (x *Index) eachNext(in Range, offset int, take func(next Range, offset int)) {
	for at := in.From; at < in.To; {
		rest := x.form(at)[offset:]
		if len(rest) == 0 {
			at++
			continue
		}
		_, size := utf8.DecodeRune(rest)
		next := x.below(Range{at, in.To}, offset, string(rest[:size]))
		take(next, offset+size)
		at = next.To
	}
}

// joined returns ranges in order, with overlapping ones merged.
func joined(ranges []Range) []Range {
	ranges = slices.DeleteFunc(ranges, func(r Range) bool { return r.From >= r.To })
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	all := ranges[:0]
	for _, r := range ranges {
		if n := len(all); n > 0 && r.From <= all[n-1].To {
			all[n-1].To = max(all[n-1].To, r.To)
		} else {
			all = append(all, r)
		}
	}
	return all
}
