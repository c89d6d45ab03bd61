package snapshot

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/format"
)

type refreshed struct {
	value int64
	has   bool
}

// Compares an overlay built in several steps with a map.
func TestOverlayAgreesWithAMap(t *testing.T) {
	const documents = 5000
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 0))
		want := make(map[uint32]refreshed)
		var overlay *Overlay
		var earlier []*Overlay
		var earlierLen []int
		for range 5 {
			b := NewOverlayBuilder(overlay, documents)
			for range random.IntN(500) {
				doc, value := random.Uint32N(documents), refreshed{random.Int64(), random.IntN(4) > 0}
				if !value.has {
					value.value = 0
				}
				want[doc] = value
				b.Set(doc, value.value, value.has)
			}
			overlay = b.Finish()
			earlier, earlierLen = append(earlier, overlay), append(earlierLen, overlay.Len())
		}
		if overlay.Len() != len(want) {
			t.Fatalf("seed %d: %d values, want %d", seed, overlay.Len(), len(want))
		}
		for doc := range uint32(documents + 2000) {
			value, has, ok := overlay.Get(doc)
			expected, known := want[doc]
			if ok != known || value != expected.value || has != expected.has {
				t.Fatalf("seed %d: document %d: %d %v %v, want %v", seed, doc, value, has, ok, expected)
			}
		}
		for i, o := range earlier {
			count := 0
			o.Each(func(uint32, int64, bool) { count++ })
			if count != earlierLen[i] {
				t.Fatalf("seed %d: overlay %d changed: %d values, had %d", seed, i, count, earlierLen[i])
			}
		}
	}
}

func TestNilOverlayIsEmpty(t *testing.T) {
	var overlay *Overlay
	if _, _, ok := overlay.Get(3); ok || overlay.Len() != 0 {
		t.Fatal("not empty")
	}
	overlay.Each(func(uint32, int64, bool) { t.Fatal("visited") })
}

// compareSets compares sets that may be nil.
var compareSets = cmp.Comparer(func(a, b *bitset.Bitset) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b)
})

func exampleSide() *Side {
	live := bitset.NewFull(3000)
	live.Clear(7)
	b := NewOverlayBuilder(nil, 3000)
	b.Set(5, -9, true)
	b.Set(6, 0, false)
	b.Set(2999, 1<<40, true)
	return &Side{
		Keys: []string{"a", "b\x00", "é"},
		Entries: []SideEntry{
			{Segment: "0000000001.seg", Documents: 3000, Live: live, Signals: map[string]*Overlay{"sales": b.Finish()}},
			{Segment: "0000000002.seg", Documents: 0},
		},
	}
}

func encodeSide(t testing.TB, side *Side) []byte {
	t.Helper()
	var out bytes.Buffer
	summary, err := side.Write(&out, "x.side")
	if err != nil {
		t.Fatal(err)
	}
	if summary.Size != int64(out.Len()) || summary.CRC32C != blockfile.Checksum(out.Bytes()) {
		t.Fatalf("summary %+v of %d bytes", summary, out.Len())
	}
	return out.Bytes()
}

func TestSideFileIsReadAsWritten(t *testing.T) {
	for _, want := range []*Side{exampleSide(), {}, {Keys: []string{}}} {
		got, err := ReadSide("x.side", encodeSide(t, want))
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(want, got, compareSets, cmp.AllowUnexported(Overlay{}, SideEntry{})); difference != "" {
			t.Fatal(difference)
		}
	}
}

// Deleted documents of large segments are listed if there are few. A file without
// such a list has version 1, for readers that know no other version.
func TestDeletedDocumentsOfLargeSegmentsAreListed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		documents uint32
		deleted   int
		listed    bool
	}{
		{listedFrom - 1, 1, false},
		{listedFrom, 1, true},
		{listedFrom + 33, (listedFrom + 33) / listedShare, true},
		{listedFrom + 33, (listedFrom+33)/listedShare + 1, false},
		{3 * listedFrom, 3 * listedFrom, false},
	} {
		live := bitset.NewFull(test.documents)
		live.Clear(0)
		for count := 1; count < test.deleted; {
			if doc := random.Uint32N(test.documents); live.Get(doc) {
				live.Clear(doc)
				count++
			}
		}
		want := exampleSide()
		want.Entries = append(want.Entries, SideEntry{Segment: "0000000003.seg", Documents: test.documents, Live: live})
		content := encodeSide(t, want)
		version := format.Side.Oldest
		if test.listed {
			version = format.Side.Version
		}
		if _, err := blockfile.Open("x.side", content, format.Side.Mark, version, version, blockfile.VerifyAll); err != nil {
			t.Fatalf("%d of %d deleted: %v", test.deleted, test.documents, err)
		}
		if bits := 8 * bitset.WordsFor(test.documents); (len(content) < bits) != test.listed {
			t.Fatalf("%d of %d deleted: %d bytes, the bits alone take %d", test.deleted, test.documents, len(content), bits)
		}
		got, err := ReadSide("x.side", content)
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(want, got, compareSets, cmp.AllowUnexported(Overlay{}, SideEntry{})); difference != "" {
			t.Fatal(difference)
		}
	}
}

func FuzzDecodeDeleted(f *testing.F) {
	f.Add([]byte{3, 0, 200, 1}, uint32(3000))
	f.Fuzz(func(t *testing.T, content []byte, documents uint32) {
		documents %= 1 << 20
		live, ok := decodeDeleted(content, documents)
		if !ok {
			return
		}
		again, ok := decodeDeleted(encodeDeleted(live, documents), documents)
		if !ok || !live.Equal(again) {
			t.Fatal("not stable")
		}
	})
}

func TestDamagedSideFileIsRefused(t *testing.T) {
	listed := bitset.NewFull(listedFrom)
	listed.Clear(7)
	for name, side := range map[string]*Side{
		"bits": exampleSide(),
		"list": {Entries: []SideEntry{{Segment: "0000000001.seg", Documents: listedFrom, Live: listed}}},
	} {
		content := encodeSide(t, side)
		for i := range content {
			damaged := bytes.Clone(content)
			damaged[i] ^= 1 << (i % 8)
			side, err := ReadSide("x.side", damaged)
			if err == nil {
				// Padding between sections is ignored.
				if !bytes.Equal(encodeSide(t, side), content) {
					t.Fatalf("%s: byte %d flipped and read as something else", name, i)
				}
			} else if !errors.Is(err, blockfile.ErrCorrupt) && !errors.Is(err, blockfile.ErrVersion) {
				t.Fatalf("%s: byte %d: %v", name, i, err)
			}
		}
	}
}

// A segment has its live documents as bits or as a list of deleted ones, never
// both.
func TestSideFileWithLiveDocumentsTwiceIsRefused(t *testing.T) {
	live := bitset.NewFull(listedFrom)
	live.Clear(7)
	side := &Side{Entries: []SideEntry{{Segment: "0000000001.seg", Documents: listedFrom, Live: live}}}
	var out bytes.Buffer
	w := blockfile.NewWriter(&out, "x.side", format.Side.Mark, format.Side.Version)
	w.Section(blockfile.ID{Part: partDirectory}, side.directory())
	w.Begin(blockfile.ID{Owner: 1, Part: partLive})
	_, _ = live.WriteTo(w)
	w.Section(blockfile.ID{Owner: 1, Part: partDeleted}, encodeDeleted(live, 1))
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSide("x.side", out.Bytes()); !errors.Is(err, blockfile.ErrCorrupt) {
		t.Errorf("read with %v", err)
	}
}

func FuzzDecodeOverlay(f *testing.F) {
	b := NewOverlayBuilder(nil, 3000)
	b.Set(5, -9, true)
	b.Set(2999, 0, false)
	f.Add(encodeOverlay(b.Finish()), uint32(3000))
	f.Fuzz(func(t *testing.T, content []byte, documents uint32) {
		documents %= 1 << 20
		overlay, ok := decodeOverlay(content, documents)
		if !ok {
			return
		}
		again, ok := decodeOverlay(encodeOverlay(overlay), documents)
		if !ok || cmp.Diff(overlay, again, cmp.AllowUnexported(Overlay{})) != "" {
			t.Fatal("not stable")
		}
	})
}

func FuzzDecodeKeys(f *testing.F) {
	f.Add(encodeKeys([]string{"a", "b"}))
	f.Fuzz(func(t *testing.T, content []byte) {
		if keys, ok := decodeKeys(content); ok {
			if again, ok := decodeKeys(encodeKeys(keys)); !ok || cmp.Diff(keys, again) != "" {
				t.Fatal("not stable")
			}
		}
	})
}
