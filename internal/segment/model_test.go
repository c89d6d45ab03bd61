package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/vfs"
)

// modelDoc is a document in the naive model.
type modelDoc struct {
	root    bool
	text    map[string][]uint32 // term → positions
	length  uint32
	tags    []string // terms with frequencies, no positions
	key     string
	number  *int64
	numbers []int64
	city    string
	labels  []string
	place   *[2]float64
	places  [][2]float64
	vector  []float32
	record  string
}

var modelFields = []FieldOptions{
	{Name: "text", Kind: Terms, Positions: true, Lengths: true},
	{Name: "tags", Kind: Terms, Freqs: true},
	{Name: "key", Kind: Terms, Key: true},
	{Name: "n", Kind: Numbers, Points: true},
	{Name: "ns", Kind: Numbers, Multi: true, Points: true},
	{Name: "city", Kind: Ordinals},
	{Name: "labels", Kind: Ordinals, Multi: true},
	{Name: "place", Kind: Geo, Points: true},
	{Name: "places", Kind: Geo, Multi: true, Points: true},
	{Name: "v", Kind: Vector, Vectors: vectors.Options{Dimensions: 3, Similarity: vectors.Euclidean}},
}

// randomBlock returns a root with its nested documents, children first.
func randomBlock(rng *rand.Rand, number int, words []string, nested bool) []modelDoc {
	var block []modelDoc
	if nested {
		for range rng.IntN(3) {
			d := modelDoc{text: map[string][]uint32{}}
			d.text[words[rng.IntN(len(words))]] = []uint32{0}
			d.length = 1
			if rng.IntN(2) == 0 {
				v := rng.Int64N(50)
				d.number = &v
			}
			block = append(block, d)
		}
	}
	d := modelDoc{root: true, key: fmt.Sprintf("key-%d", number), text: map[string][]uint32{}}
	n := rng.IntN(30)
	if rng.IntN(50) == 0 {
		n = 600
	}
	for at := range n {
		// The product of two random numbers makes some words frequent and most
		// rare.
		w := words[rng.IntN(len(words))*rng.IntN(len(words))/len(words)]
		d.text[w] = append(d.text[w], uint32(at))
	}
	d.text["every"] = append(d.text["every"], uint32(n))
	d.length = uint32(n + 1)
	for range rng.IntN(6) {
		d.tags = append(d.tags, words[rng.IntN(20)])
	}
	if rng.IntN(10) != 0 {
		v := int64(rng.IntN(1000)) * 10
		d.number = &v
	}
	for range rng.IntN(4) {
		d.numbers = append(d.numbers, rng.Int64N(2000)-1000)
	}
	if rng.IntN(5) != 0 {
		d.city = words[rng.IntN(40)]
	}
	for range rng.IntN(4) {
		d.labels = append(d.labels, words[rng.IntN(300)])
	}
	point := func() [2]float64 { return [2]float64{rng.Float64()*180 - 90, rng.Float64()*360 - 180} }
	if rng.IntN(4) != 0 {
		p := point()
		d.place = &p
	}
	for range rng.IntN(3) {
		d.places = append(d.places, point())
	}
	if rng.IntN(3) != 0 {
		d.vector = []float32{rng.Float32(), rng.Float32(), rng.Float32()}
	}
	d.record = fmt.Sprintf(`{"id":%d,"fill":%q}`, number, bytes.Repeat([]byte{byte('a' + number%26)}, rng.IntN(200)))
	return append(block, d)
}

func addModel(b *Builder, docs []modelDoc) {
	var ids []FieldID
	for _, f := range modelFields {
		ids = append(ids, b.Field(f))
	}
	for _, d := range docs {
		b.StartDoc()
		type occurrence struct {
			at   uint32
			word string
		}
		var all []occurrence
		for w, positions := range d.text {
			for _, p := range positions {
				all = append(all, occurrence{p, w})
			}
		}
		sort.Slice(all, func(i, j int) bool { return all[i].at < all[j].at })
		for _, o := range all {
			b.Term(ids[0], []byte(o.word), o.at)
		}
		b.Length(ids[0], d.length)
		for _, w := range d.tags {
			b.Term(ids[1], []byte(w), 0)
		}
		if d.key != "" {
			b.Term(ids[2], []byte(d.key), 0)
		}
		if d.number != nil {
			b.Number(ids[3], -1)
			b.Number(ids[3], *d.number)
		}
		for _, v := range d.numbers {
			b.Number(ids[4], v)
		}
		if d.city != "" {
			b.Ordinal(ids[5], []byte("replaced"))
			b.Ordinal(ids[5], []byte(d.city))
		}
		for _, v := range d.labels {
			b.Ordinal(ids[6], []byte(v))
		}
		if d.place != nil {
			b.Geo(ids[7], d.place[0], d.place[1])
		}
		for _, p := range d.places {
			b.Geo(ids[8], p[0], p[1])
		}
		if d.vector != nil {
			b.Vector(ids[9], d.vector)
		}
		b.Stored([]byte(d.record))
		b.EndDoc(d.root)
	}
}

func modelWords(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%03dé%d", i*7919%n, i%10)
		if i%97 == 0 {
			words[i] += "-a-rather-long-term-that-does-not-fit-inline"
		}
	}
	return words
}

func TestBuiltAndMergedSegmentsAgreeWithTheNaiveVersion(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			words := modelWords(2000)
			fs := vfs.Memory()
			if seed == 0 {
				fs = vfs.OS(t.TempDir())
			}
			nested := seed%2 == 1
			sizes := []int{20, 3000, 40, 700}
			var inputs []MergeInput
			var all []modelDoc
			var standings []uint64 // of the remaining documents
			number, standing := 0, uint64(0)
			for i, size := range sizes {
				var docs []modelDoc
				for range size {
					docs = append(docs, randomBlock(rng, number, words, nested)...)
					number++
				}
				r := finish(t, fs, fmt.Sprint("s", i), docs)
				compare(t, rng, r, docs, words)
				standing += rng.Uint64N(3)
				in := MergeInput{Reader: r, First: standing}
				standing += r.EndStanding()
				if seed >= 2 {
					in.Live = bitset.NewFull(uint32(len(docs)))
					kept := docs[:0:0]
					for from := 0; from < len(docs); {
						to := from
						for !docs[to].root {
							to++
						}
						to++
						if rng.IntN(4) == 0 {
							in.Live.Clear(uint32(to - 1))
						} else {
							kept = append(kept, docs[from:to]...)
						}
						from = to
					}
					docs = kept
				}
				if seed >= 4 {
					in, docs = overlay(rng, in, docs)
				}
				inputs = append(inputs, in)
				all = append(all, docs...)
			}
			info, docMap, err := Merge(context.Background(), fs, "merged", inputs)
			if err != nil {
				t.Fatal(err)
			}
			if int(info.Docs) != len(all) || len(docMap) != len(inputs) {
				t.Fatalf("%d documents, want %d", info.Docs, len(all))
			}
			r, err := Open(fs, "merged", blockfile.VerifyAll)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, rng, r, all, words)
			for i, in := range inputs {
				for doc, number := range docMap[i] {
					if number != NoDoc {
						standings = append(standings, in.First-inputs[0].First+uint64(doc))
					}
				}
			}
			compareStandings(t, r, standings)
			// Merge again, with half of the documents deleted.
			live := bitset.New(r.NumDocs())
			half := standings[:0:0]
			for root := range r.NumDocs() {
				if r.Parent(root) == root && rng.IntN(2) == 0 {
					live.Set(root)
					half = append(half, standings[firstChild(r, root):root+1]...)
				}
			}
			if _, _, err := Merge(context.Background(), fs, "again", []MergeInput{{Reader: r, Live: live}}); err != nil {
				t.Fatal(err)
			}
			again, err := Open(fs, "again", blockfile.VerifyAll)
			if err != nil {
				t.Fatal(err)
			}
			compareStandings(t, again, half)
			if err := errors.Join(Check(again), again.Release(), r.Release()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// compareStandings checks the standings of all documents, and FromStanding for
// each.
func compareStandings(t *testing.T, r *Reader, want []uint64) {
	t.Helper()
	if int(r.NumDocs()) != len(want) {
		t.Fatalf("%d documents, want %d", r.NumDocs(), len(want))
	}
	for doc, standing := range want {
		if got := r.Standing(DocID(doc)); got != standing {
			t.Fatalf("document %d stands at %d, want %d", doc, got, standing)
		}
		if got := r.FromStanding(standing); got != DocID(doc) {
			t.Fatalf("from %d on: %d, want %d", standing, got, doc)
		}
		if got := r.FromStanding(standing + 1); got != DocID(doc)+1 {
			t.Fatalf("behind %d: %d, want %d", standing, got, doc+1)
		}
	}
}

// overlay replaces some numbers of live documents.
func overlay(rng *rand.Rand, in MergeInput, docs []modelDoc) (MergeInput, []modelDoc) {
	values := map[DocID]OverlayValue{}
	at := 0
	for d := DocID(0); d < in.Reader.NumDocs(); d++ {
		if !in.Live.Get(in.Reader.Parent(d)) {
			continue
		}
		if rng.IntN(5) == 0 {
			v := rng.Int64N(1 << 40)
			docs[at].number = &v
			values[d] = OverlayValue{Value: v}
			if rng.IntN(3) == 0 {
				docs[at].number = nil
				values[d] = OverlayValue{Missing: true}
			}
		}
		at++
	}
	in.Overlays = map[string]map[DocID]OverlayValue{"n": values}
	return in, docs
}

func finish(t testing.TB, fs vfs.FS, name string, docs []modelDoc) *Reader {
	b := NewBuilder()
	addModel(b, docs)
	info, err := b.Finish(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	if int(info.Docs) != len(docs) {
		t.Fatalf("%d documents, want %d", info.Docs, len(docs))
	}
	r, err := Open(fs, name, blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// firstChild returns the first document of the block of a root, or the root itself
// when nothing is nested in it.
func firstChild(r *Reader, root DocID) DocID {
	if r.parents == nil || root == 0 {
		return root
	}
	return DocID(r.parents.Previous(root-1) + 1)
}
