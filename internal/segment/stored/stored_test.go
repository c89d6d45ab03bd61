package stored

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
)

// build writes records and opens them.
func build(tb testing.TB, fill func(*Writer)) (*Reader, *blockfile.Reader) {
	tb.Helper()
	var out bytes.Buffer
	file := blockfile.NewWriter(&out, "test", "TEST", 1)
	file.Begin(blockfile.ID{Part: PartData})
	w, err := NewWriter(file)
	if err != nil {
		tb.Fatal(err)
	}
	fill(w)
	docs := w.next
	index, err := w.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	file.Section(blockfile.ID{Part: PartBlocks}, index)
	if _, err := file.Finish(); err != nil {
		tb.Fatal(err)
	}
	f, err := blockfile.Open("test", out.Bytes(), "TEST", 1, 1, blockfile.VerifyAll)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := Open(f, 0, docs)
	if err != nil {
		tb.Fatal(err)
	}
	return r, f
}

func records(n int) [][]byte {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([][]byte, n)
	for i := range out {
		switch rng.IntN(10) {
		case 0:
		case 1:
			out[i] = bytes.Repeat([]byte{byte(i)}, rng.IntN(60_000))
		default:
			out[i] = fmt.Appendf(nil, `{"id":%d,"title":"record number %d of %d"}`, i, i, n)
		}
	}
	return out
}

func TestRecordsComeBackToManyReaders(t *testing.T) {
	want := records(5000)
	r, _ := build(t, func(w *Writer) {
		for _, record := range want {
			w.Add(record)
		}
	})
	var wait sync.WaitGroup
	for g := range uint64(4) {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(g, g))
			for range 3000 {
				doc := rng.Uint32N(uint32(len(want)))
				got, err := r.Get(nil, doc)
				if err != nil || !bytes.Equal(got, want[doc]) {
					t.Errorf("record %d: %d bytes, %v", doc, len(got), err)
					return
				}
			}
		})
	}
	wait.Wait()
	if _, err := r.Get(nil, 5000); err == nil {
		t.Fatal("a document that is not there")
	}
}

func TestBlocksAreCopiedWhole(t *testing.T) {
	want := records(2000)
	first, _ := build(t, func(w *Writer) {
		for _, record := range want {
			w.Add(record)
		}
	})
	copied := 0
	second, _ := build(t, func(w *Writer) {
		w.Add([]byte("before"))
		for b := range first.NumBlocks() {
			packed, from, to, size := first.Block(b)
			if w.Copies(size, to-from) {
				w.AddBlock(packed, to-from, size)
				copied++
				continue
			}
			for _, record := range want[from:to] {
				w.Add(record)
			}
		}
	})
	if copied == 0 {
		t.Fatal("nothing copied")
	}
	for i, record := range want {
		if got, err := second.Get(nil, uint32(i+1)); err != nil || !bytes.Equal(got, record) {
			t.Fatalf("record %d: %v", i, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	_, file := build(f, func(w *Writer) {
		for _, record := range records(20) {
			w.Add(record)
		}
	})
	data, _ := file.Section(blockfile.ID{Part: PartData})
	index, _ := file.Section(blockfile.ID{Part: PartBlocks})
	f.Add(data, index, uint32(20))
	f.Fuzz(func(t *testing.T, data, index []byte, docs uint32) {
		var out bytes.Buffer
		w := blockfile.NewWriter(&out, "fuzz", "TEST", 1)
		w.Section(blockfile.ID{Part: PartData}, data)
		w.Section(blockfile.ID{Part: PartBlocks}, index)
		if _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		file, err := blockfile.Open("fuzz", out.Bytes(), "TEST", 1, 1, blockfile.VerifyAll)
		if err != nil {
			t.Fatal(err)
		}
		docs %= 1 << 16
		r, err := Open(file, 0, docs)
		if err != nil {
			return
		}
		for doc := range min(docs, 50) {
			r.Get(nil, doc)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	want := records(20_000)
	r, _ := build(b, func(w *Writer) {
		for _, record := range want {
			w.Add(record)
		}
	})
	rng := rand.New(rand.NewPCG(2, 2))
	var buf []byte
	for b.Loop() {
		buf, _ = r.Get(buf[:0], rng.Uint32N(20_000))
	}
}
