package terms

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// buildField builds a field in which term number i is in document i.
func buildField(tb testing.TB, words []string, opts Options) *Field {
	tb.Helper()
	return buildFieldOf(tb, words, nil, opts)
}

// buildFieldOf builds a field with surface forms and the numbers of their terms.
func buildFieldOf(tb testing.TB, words []string, forms map[string]uint32, opts Options) *Field {
	tb.Helper()
	var out bytes.Buffer
	file := blockfile.NewWriter(&out, "test", "TEST", 1)
	w := NewWriter(file, 1, opts)
	for i, word := range words {
		w.Begin()
		w.Postings().Add(uint32(i), 1, 0)
		w.Postings().Deltas([]uint32{0})
		if err := w.End([]byte(word)); err != nil {
			tb.Fatal(err)
		}
	}
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		if err := w.Form([]byte(form), forms[form]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Finish(uint32(len(words)), make([]byte, len(words)), uint32(len(words)), 0); err != nil {
		tb.Fatal(err)
	}
	if _, err := file.Finish(); err != nil {
		tb.Fatal(err)
	}
	r, err := blockfile.Open("test", out.Bytes(), "TEST", 1, 1, blockfile.VerifyAll)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := Open(r, 1, uint32(len(words)), opts)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func randomWords(rng *rand.Rand, n int, alphabet string, length int) []string {
	letters := []rune(alphabet)
	set := map[string]bool{}
	for range n {
		word := make([]rune, rng.IntN(length))
		for i := range word {
			word[i] = letters[rng.IntN(len(letters))*rng.IntN(len(letters))/len(letters)]
		}
		set[string(word)] = true
	}
	words := make([]string, 0, len(set))
	for w := range set {
		words = append(words, w)
	}
	sort.Strings(words)
	return words
}

func TestLookUpPrefixAndSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 5, 300, 20_000} {
		words := randomWords(rng, n, "abcdefghé日", 9)
		f := buildField(t, words, Options{})
		testLookUp(t, rng, words, f)
		f.Fuzzy(nil, []byte("a"), FuzzyOptions{Distance: 1}) // stores the children of large nodes
		testLookUp(t, rng, words, f)
		testLookUp(t, rng, words, buildField(t, words, Options{Key: true}))
	}
}

func TestKeysWithSeveralDocumentsKeepTheirPostings(t *testing.T) {
	var out bytes.Buffer
	file := blockfile.NewWriter(&out, "test", "TEST", 1)
	w := NewWriter(file, 1, Options{Key: true})
	for i := range 40 {
		w.Begin()
		w.Postings().Add(uint32(i), 1, 0)
		if i == 20 {
			w.Postings().Add(90, 1, 0)
		}
		if err := w.End(fmt.Appendf(nil, "key-%03d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(100, nil, 41, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := blockfile.Open("test", out.Bytes(), "TEST", 1, 1, blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(r, 1, 100, Options{Key: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		e, ok := f.Lookup(fmt.Appendf(nil, "key-%03d", i))
		want := uint32(1)
		if i == 20 {
			want = 2
		}
		if !ok || e.DocFreq != want {
			t.Fatalf("key %d: %+v %v", i, e, ok)
		}
		if f.KeyOrd(uint32(i)) != i {
			t.Fatalf("document %d has key %d", i, f.KeyOrd(uint32(i)))
		}
	}
	if f.KeyOrd(90) != 20 || f.KeyOrd(91) != -1 {
		t.Fatalf("documents 90 and 91 have keys %d and %d", f.KeyOrd(90), f.KeyOrd(91))
	}
	if f.PrefetchKeys([]uint32{91}) != 0 || f.PrefetchKeys([]uint32{3, 91, 90}) == 0 {
		t.Fatal("prefetching loads the keys of other documents than it was asked for")
	}
}

// FuzzKeyList reads arbitrary bytes as a list of keys and must not panic.
func FuzzKeyList(f *testing.F) {
	var keys keyWriter
	for i := range 90 {
		keys.add(fmt.Appendf(nil, "key-%03d", i))
	}
	keys.flush()
	data, offsets := keys.data.open, bitpack.Uint32s(keys.offsets.open)
	f.Add(data, uint16(offsets[1]), uint16(offsets[2]))
	f.Add([]byte{1, 'a', 9, 200, 1}, uint16(2), uint16(4))
	f.Fuzz(func(t *testing.T, data []byte, a, b uint16) {
		l, ok := newKeyList(data, bitpack.Bytes32([]uint32{0, uint32(a), uint32(b), uint32(len(data))}), 90)
		if !ok {
			return
		}
		for i := range 90 {
			l.prefetch(i)
			key := l.appendAt(nil, i)
			l.search(key)
			l.prefix(key)
		}
	})
}

func TestKeysOfEveryAlphabetComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for which := range alphabets {
		letters := alphabets[which].of
		if letters == "" {
			letters = "aé日 \x01\xff"
		}
		for _, fixed := range []bool{true, false} {
			set := map[string]bool{}
			for range 500 {
				length := 12
				if !fixed {
					length = rng.IntN(300) * rng.IntN(2)
				}
				key := []byte([]string{"", "repository-"}[rng.IntN(2)])
				for range length {
					key = append(key, letters[rng.IntN(len(letters))])
				}
				set[string(key)] = true
			}
			words := slices.Sorted(maps.Keys(set))
			f := buildField(t, words, Options{Key: true})
			testLookUp(t, rng, words, f)
			for doc, word := range words {
				if key, ok := f.AppendKey(nil, uint32(doc)); !ok || string(key) != word {
					t.Fatalf("document %d has key %q, want %q", doc, key, word)
				}
			}
		}
	}
}

func testLookUp(t *testing.T, rng *rand.Rand, words []string, f *Field) {
	t.Helper()
	if f.Stats().Terms != uint32(len(words)) {
		t.Fatalf("%d terms", f.Stats().Terms)
	}
	for i, w := range words {
		if got := string(f.Term(uint32(i))); got != w {
			t.Fatalf("term %d is %q, want %q", i, got, w)
		}
		e, ok := f.Lookup([]byte(w))
		if !ok || e.Ord != uint32(i) || e.DocFreq != 1 {
			t.Fatalf("%q: %+v %v", w, e, ok)
		}
		if _, ok := f.Lookup([]byte(w + "!")); ok {
			t.Fatalf("%q found", w+"!")
		}
	}
	for range 200 {
		key := ""
		if len(words) > 0 {
			key = words[rng.IntN(len(words))]
			key = key[:rng.IntN(len(key)+1)]
		}
		at := sort.SearchStrings(words, key)
		if ord, found := f.Search([]byte(key)); int(ord) != at || found != (at < len(words) && words[at] == key) {
			t.Fatalf("search %q: %d %v", key, ord, found)
		}
		to := at
		for to < len(words) && len(words[to]) >= len(key) && words[to][:len(key)] == key {
			to++
		}
		if a, b := f.Prefix([]byte(key)); int(a) != at || int(b) != to {
			t.Fatalf("prefix %q: %d–%d, want %d–%d", key, a, b, at, to)
		}
	}
}

func TestFuzzyAgreesWithLookingAtEveryTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for round := range 15 {
		alphabet := []string{"ab", "abcdefgh", "aé日x", "ab\x00c\uFFFD", "abc\x00"}[round%5]
		words := randomWords(rng, 9000, alphabet, 12)
		f := buildField(t, words, Options{})
		for range 40 {
			word := []rune(words[rng.IntN(len(words))])
			for range rng.IntN(3) {
				if len(word) > 0 {
					word[rng.IntN(len(word))] = []rune(alphabet)[rng.IntN(len([]rune(alphabet)))]
				}
			}
			o := FuzzyOptions{Distance: uint8(rng.IntN(3)), PrefixLength: rng.IntN(4), Open: rng.IntN(2) == 0, Limit: 1 << 40}
			m := newMatcher([]byte(string(word)), o)
			var want []string
			for i, w := range words {
				if d, ok := m.match([]byte(w)); ok {
					want = append(want, fmt.Sprint(i, d))
				}
			}
			found, complete := f.Fuzzy(nil, []byte(string(word)), o)
			var got []string
			for _, m := range found {
				got = append(got, fmt.Sprint(m.Ord, m.Distance))
				if m.DocFreq != 1 {
					t.Fatal("entry not filled in")
				}
			}
			if !complete || !slices.Equal(got, want) {
				t.Fatalf("%q with %+v: %d terms, want %d", string(word), o, len(got), len(want))
			}
		}
	}
}

func TestFuzzyStopsAtItsLimit(t *testing.T) {
	words := randomWords(rand.New(rand.NewPCG(4, 4)), 20_000, "abcd", 10)
	f := buildField(t, words, Options{})
	found, complete := f.Fuzzy(nil, []byte("ab"), FuzzyOptions{Distance: 2, Open: true, Limit: 100})
	if complete || len(found) > 200 {
		t.Fatalf("%d found, complete %v", len(found), complete)
	}
	long := bytes.Repeat([]byte("a"), 300)
	if _, complete := f.Fuzzy(nil, long, FuzzyOptions{Distance: 2}); !complete {
		t.Fatal("a long word is looked up as it is")
	}
}

func TestLengthCodes(t *testing.T) {
	last := byte(0)
	for n := uint32(0); n < 1<<20; n++ {
		code := EncodeLength(n)
		if code < last {
			t.Fatalf("code falls at %d", n)
		}
		last = code
		if got := DecodeLength(code); got > n || n < 40 && got != n || float64(n-got) > 0.125*float64(n) {
			t.Fatalf("%d is decoded as %d", n, got)
		}
	}
	for code := range 256 {
		if n := DecodeLength(byte(code)); EncodeLength(n) != byte(code) {
			t.Fatalf("code %d is %d, whose code is %d", code, n, EncodeLength(n))
		}
	}
	if EncodeLength(1<<32-1) != 255 {
		t.Fatal("the largest length")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("abcab"), []byte{0, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0}, []byte("ab"))
	f.Fuzz(func(t *testing.T, data, offsets, key []byte) {
		l, ok := NewList(data, offsets)
		if !ok {
			return
		}
		for i := range l.Len() {
			l.At(i)
		}
		l.Search(key)
		l.Prefix(key)
	})
}

func BenchmarkLookup(b *testing.B) {
	words := randomWords(rand.New(rand.NewPCG(1, 1)), 500_000, "etaoinshrdlucmfwypvbgkjqxz", 14)
	f := buildField(b, words, Options{Options: postings.Options{Positions: true}})
	rng := rand.New(rand.NewPCG(5, 5))
	keys := make([][]byte, 4096)
	for i := range keys {
		keys[i] = []byte(words[rng.IntN(len(words))])
	}
	for i := 0; b.Loop(); i++ {
		if _, ok := f.Lookup(keys[i&4095]); !ok {
			b.Fatal("lost")
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlookups/s")
}

func BenchmarkFuzzy(b *testing.B) {
	words := randomWords(rand.New(rand.NewPCG(1, 1)), 500_000, "etaoinshrdlucmfwypvbgkjqxz", 14)
	f := buildField(b, words, Options{})
	for _, d := range []uint8{1, 2} {
		b.Run(fmt.Sprint("distance", d), func(b *testing.B) {
			var found []Match
			rng := rand.New(rand.NewPCG(5, 5))
			for b.Loop() {
				found, _ = f.Fuzzy(found[:0], []byte(words[rng.IntN(len(words))]), FuzzyOptions{Distance: d})
			}
		})
	}
}
