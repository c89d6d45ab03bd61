package segment

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// compare checks every answer of a segment against the documents it was made from.
func compare(t *testing.T, rng *rand.Rand, r *Reader, docs []modelDoc, words []string) {
	t.Helper()
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	for d, want := range docs {
		if root := r.Parents() == nil || r.Parents().Get(uint32(d)); root != want.root {
			t.Fatalf("document %d: root %v", d, root)
		}
		got, err := r.Stored().Get([]byte("x"), uint32(d))
		if err != nil || string(got) != "x"+want.record {
			t.Fatalf("record %d: %q, %v", d, got, err)
		}
	}
	compareTerms(t, rng, r, docs)
	compareNumbers(t, rng, r, docs)
	compareOrdinals(t, r, docs)
	compareGeo(t, rng, r, docs)
	for d, want := range docs {
		row, ok := r.Vectors("v").Of(uint32(d))
		if ok != (want.vector != nil) || ok && !slices.Equal(r.Vectors("v").Vector(row), want.vector) {
			t.Fatalf("vector of %d", d)
		}
	}
}

type modelPosting struct {
	doc       uint32
	positions []uint32
}

func compareTerms(t *testing.T, rng *rand.Rand, r *Reader, docs []modelDoc) {
	t.Helper()
	text, tags, keys := map[string][]modelPosting{}, map[string]map[uint32]uint32{}, map[string]uint32{}
	var sum uint64
	for d, doc := range docs {
		for w, positions := range doc.text {
			text[w] = append(text[w], modelPosting{uint32(d), positions})
		}
		for _, w := range doc.tags {
			if tags[w] == nil {
				tags[w] = map[uint32]uint32{}
			}
			tags[w][uint32(d)]++
		}
		if doc.key != "" {
			keys[doc.key] = uint32(d)
		}
		sum += uint64(doc.length)
	}
	f := r.Terms("text")
	if int(f.Len()) != len(text) {
		t.Fatalf("%d terms, want %d", f.Len(), len(text))
	}
	var it postings.Iterator
	var last string
	for ord := range f.Len() {
		w := string(f.Term(ord))
		if ord > 0 && w <= last {
			t.Fatalf("%q after %q", w, last)
		}
		last = w
		e, ok := f.Lookup([]byte(w))
		if !ok || e.Ord != ord || int(e.DocFreq) != len(text[w]) {
			t.Fatalf("look-up of %q: %+v, %v", w, e, ok)
		}
		comparePostings(t, rng, f, e, &it, text[w], docs)
	}
	for _, w := range []string{"", "nothing", last + "x"} {
		if _, ok := f.Lookup([]byte(w)); ok {
			t.Fatalf("%q found", w)
		}
	}
	for d, doc := range docs {
		if f.Lengths()[d] != terms.EncodeLength(doc.length) {
			t.Fatalf("length of %d", d)
		}
	}
	tf := r.Terms("tags")
	for w, want := range tags {
		e, ok := tf.Lookup([]byte(w))
		if !ok || int(e.DocFreq) != len(want) {
			t.Fatalf("tag %q: %+v", w, e)
		}
		tf.Iterator(&it, e)
		for it.NextBlock() {
			for i, d := range it.Docs() {
				if it.Freqs()[i] != want[d] {
					t.Fatalf("tag %q in %d", w, d)
				}
			}
		}
	}
	for k, want := range keys {
		e, ok := r.Terms("key").Lookup([]byte(k))
		if doc, _, inline := e.Postings.Inlined(); !ok || !inline || doc != want {
			t.Fatalf("key %q: %v, want %d", k, e, want)
		}
	}
}

func comparePostings(t *testing.T, rng *rand.Rand, f *terms.Field, e terms.Entry, it *postings.Iterator, want []modelPosting, docs []modelDoc) {
	t.Helper()
	f.Iterator(it, e)
	at := 0
	for it.NextBlock() {
		if it.FirstDoc() != it.Docs()[0] || it.LastDoc() != it.Docs()[len(it.Docs())-1] || it.Count() != len(it.Docs()) {
			t.Fatal("bounds of a block")
		}
		block, group, term := slices.Clone(it.BlockImpacts()), slices.Clone(it.GroupImpacts()), slices.Clone(it.TermImpacts())
		for i, d := range it.Docs() {
			w := want[at]
			if d != w.doc || int(it.Freqs()[i]) != len(w.positions) || !slices.Equal(it.AppendPositions(nil, i), w.positions) {
				t.Fatalf("posting %d: %d × %d, want %v", at, d, it.Freqs()[i], w)
			}
			length := f.Lengths()[d]
			for _, list := range []postings.Impacts{block, group, term} {
				if !covers(list, len(w.positions), length) {
					t.Fatalf("impacts %v do not cover %d × %d", list, len(w.positions), length)
				}
			}
			at++
		}
	}
	if at != len(want) || it.Err() != nil {
		t.Fatalf("%d postings, want %d: %v", at, len(want), it.Err())
	}
	// Seek to ascending targets.
	f.Iterator(it, e)
	for target := uint32(0); ; target += 1 + rng.Uint32N(60) {
		i := sort.Search(len(want), func(i int) bool { return want[i].doc >= target })
		doc, index := it.Seek(target)
		if i == len(want) {
			if doc != postings.NoMoreDocs {
				t.Fatalf("seek %d: %d", target, doc)
			}
			break
		}
		if doc != want[i].doc || int(it.FreqAt(index)) != len(want[i].positions) {
			t.Fatalf("seek %d: %d, want %d", target, doc, want[i].doc)
		}
		target = max(target, doc)
	}
	// Windows of bits.
	f.Iterator(it, e)
	size := 64 * (1 + rng.Uint32N(40))
	words := make([]uint64, size/64)
	i := 0
	for base := uint32(0); base < uint32(len(docs)); base += size {
		clear(words)
		it.IntoBitset(words, base)
		n := 0
		for ; i < len(want) && want[i].doc < base+size; i++ {
			d := want[i].doc - base
			if words[d/64]>>(d%64)&1 == 0 {
				t.Fatalf("bit of %d not set", want[i].doc)
			}
			n++
		}
		if bitset.CountWords(words) != n {
			t.Fatalf("window at %d: %d bits, want %d", base, bitset.CountWords(words), n)
		}
	}
}

func covers(list postings.Impacts, freq int, length byte) bool {
	for _, p := range list {
		if (int(p.Freq) >= freq || p.Freq == 255) && p.Length <= length {
			return true
		}
	}
	return false
}

// blockOf returns the documents of a block.
func blockOf(block, documents int) []uint32 {
	var ids []uint32
	for d := block * columns.BlockSize; d < min((block+1)*columns.BlockSize, documents); d++ {
		ids = append(ids, uint32(d))
	}
	return ids
}

func compareNumbers(t *testing.T, rng *rand.Rand, r *Reader, docs []modelDoc) {
	t.Helper()
	c, cs := r.Numbers("n"), r.Numbers("ns")
	out := make([]int64, columns.BlockSize)
	for b := range c.NumBlocks() {
		ids := blockOf(b, len(docs))
		c.Values(ids, out, -7)
		lo, hi, some := c.BlockBounds(b)
		for i, d := range ids {
			got := out[i]
			want := docs[d].number
			v, ok := c.Get(d)
			if ok != (want != nil) || !ok && got != -7 || ok && (v != *want || got != v || !some || v < lo || v > hi) {
				t.Fatalf("number of %d: %d %v, block %d", d, v, ok, got)
			}
			values := slices.Clone(docs[d].numbers)
			slices.Sort(values)
			if all := cs.AppendAll(nil, d); !slices.Equal(all, slices.Compact(values)) {
				t.Fatalf("numbers of %d: %v, want %v", d, all, values)
			}
		}
	}
	list := []uint32{}
	for range 50 {
		list = append(list, rng.Uint32N(uint32(len(docs))))
	}
	c.Values(list, out, -9)
	for i, d := range list {
		if want := docs[d].number; want == nil && out[i] != -9 || want != nil && out[i] != *want {
			t.Fatalf("values of %d", d)
		}
	}
	for range 20 {
		lo := rng.Int64N(11000) - 500
		hi := lo + rng.Int64N(3000)
		compareRange(t, r, docs, lo, hi)
	}
	compareRange(t, r, docs, -1<<63, 1<<63-1)
	compareRange(t, r, docs, 5, 4)
}

func compareRange(t *testing.T, r *Reader, docs []modelDoc, lo, hi int64) {
	t.Helper()
	single, multi := bitset.New(uint32(len(docs))), bitset.New(uint32(len(docs)))
	r.NumberPoints("n").IntoBitset(lo, hi, single)
	r.NumberPoints("ns").IntoBitset(lo, hi, multi)
	n := uint64(0)
	for d, doc := range docs {
		in := doc.number != nil && *doc.number >= lo && *doc.number <= hi
		if in {
			n++
		}
		if single.Get(uint32(d)) != in {
			t.Fatalf("range %d–%d: document %d", lo, hi, d)
		}
		in = slices.ContainsFunc(doc.numbers, func(v int64) bool { return v >= lo && v <= hi })
		if multi.Get(uint32(d)) != in {
			t.Fatalf("range %d–%d of several: document %d", lo, hi, d)
		}
	}
	if got := r.NumberPoints("n").Count(lo, hi); got != n {
		t.Fatalf("count %d–%d: %d, want %d", lo, hi, got, n)
	}
	if got := r.NumberPoints("n").AppendDocs(nil, lo, hi); len(got) != int(n) {
		t.Fatalf("documents %d–%d: %d, want %d", lo, hi, len(got), n)
	}
}

func compareOrdinals(t *testing.T, r *Reader, docs []modelDoc) {
	t.Helper()
	city, labels := r.Ordinals("city"), r.Ordinals("labels")
	cities, counts := map[string]uint32{}, map[string]uint32{}
	for d, doc := range docs {
		ord, ok := city.Get(uint32(d))
		if ok != (doc.city != "") || ok && string(city.Value(ord)) != doc.city {
			t.Fatalf("city of %d", d)
		}
		if ok {
			cities[doc.city]++
		}
		want := slices.Clone(doc.labels)
		slices.Sort(want)
		want = slices.Compact(want)
		var got []string
		for _, ord := range labels.Append(nil, uint32(d)) {
			got = append(got, string(labels.Value(ord)))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("labels of %d: %q, want %q", d, got, want)
		}
		for _, w := range want {
			counts[w]++
		}
	}
	for _, c := range []struct {
		column *columns.Ordinals
		want   map[string]uint32
	}{{city, cities}, {labels, counts}} {
		if int(c.column.Len()) != len(c.want) {
			t.Fatalf("%d values, want %d", c.column.Len(), len(c.want))
		}
		for w, n := range c.want {
			ord, ok := c.column.Lookup([]byte(w))
			if !ok || c.column.Counts()[ord] != n {
				t.Fatalf("count of %q", w)
			}
		}
	}
	starts := make([]uint32, columns.BlockSize+1)
	for b := 0; b*columns.BlockSize < len(docs); b++ {
		n := labels.Starts(b, starts)
		for i := range n {
			from, to := labels.Range(uint32(b*columns.BlockSize + i))
			if starts[i] != from || starts[i+1] != to {
				t.Fatal("starts and range differ")
			}
		}
	}
}

func compareGeo(t *testing.T, rng *rand.Rand, r *Reader, docs []modelDoc) {
	t.Helper()
	near := func(p [2]float64) columns.Point { return columns.EncodeGeo(p[0], p[1]) }
	for d, doc := range docs {
		p, ok := r.Geo("place").Get(uint32(d))
		if ok != (doc.place != nil) || ok && p != near(*doc.place) {
			t.Fatalf("place of %d", d)
		}
		var want []columns.Point
		for _, p := range doc.places {
			want = append(want, near(p))
		}
		if got := r.Geo("places").Append(nil, uint32(d)); !slices.Equal(got, want) {
			t.Fatalf("places of %d", d)
		}
	}
	for range 12 {
		lat, lon := rng.Float64()*180-90, rng.Float64()*360-180
		metres := rng.Float64() * 4e6
		circle := bitset.New(uint32(len(docs)))
		r.GeoPoints("places").IntoCircle(lat, lon, metres, circle)
		for d, doc := range docs {
			inside := slices.ContainsFunc(doc.places, func(p [2]float64) bool {
				a, o := near(p).Degrees()
				return columns.Haversine(a, o, lat, lon) <= metres
			})
			if circle.Get(uint32(d)) != inside {
				t.Fatalf("document %d: in the circle %v", d, inside)
			}
		}
	}
}
