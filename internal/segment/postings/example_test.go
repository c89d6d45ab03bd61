package postings

import "fmt"

// frequencies scores a document by the frequency of the term.
type frequencies struct{}

func (frequencies) Part(frequency uint32, _ uint8) float32 { return float32(frequency) }
func (frequencies) Small() []float32                       { return nil }

// The even documents below 1,200 contain a term, document 600 nine times and the
// others once. They take three blocks. A block keeps the (frequency, length) pairs
// that none of its documents exceeds, so a search for scores above 5 skips the
// documents of the first and the last block.
func Example() {
	var out section
	w := NewWriter(&out, Options{Freqs: true})
	w.Begin()
	for doc := uint32(0); doc < 1200; doc += 2 {
		frequency := uint32(1)
		if doc == 600 {
			frequency = 9
		}
		w.Add(doc, frequency, 20)
	}
	handle, err := w.End()
	if err != nil {
		panic(err)
	}

	r := NewReader(out.Bytes(), Options{Freqs: true})
	fmt.Println(r.DocFreq(handle), "documents in", out.Len(), "bytes")
	var it Iterator
	r.Reset(&it, handle)
	for it.NextBlock() {
		best := it.BlockMax(frequencies{})
		fmt.Printf("block %d: %d documents up to %d, impacts %v", it.Block(), it.Count(), it.LastDoc(), it.BlockImpacts())
		if best > 5 {
			fmt.Printf(": %v …", it.Docs()[:3]) // decoded here
		}
		fmt.Println()
	}
	r.Reset(&it, handle)
	doc, index := it.Seek(601)
	fmt.Printf("the first document not before 601 is %d, number %d of block %d\n", doc, index, it.Block())
	// Output:
	// 600 documents in 257 bytes
	// block 0: 256 documents up to 510, impacts [{1 20}]
	// block 1: 256 documents up to 1022, impacts [{9 20}]: [512 514 516] …
	// block 2: 88 documents up to 1198, impacts [{1 20}]
	// the first document not before 601 is 602, number 45 of block 1
}
