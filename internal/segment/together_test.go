package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// TestTermsAddedTogetherAreAddedOneByOne compares the files that Term, Terms and
// Again make of the same documents.
func TestTermsAddedTogetherAreAddedOneByOne(t *testing.T) {
	for seed := range uint64(6) {
		options := FieldOptions{Name: "text", Kind: Terms, Positions: seed%3 == 0, Freqs: seed%3 == 1, Lengths: true}
		write := func(add func(b *Builder, f FieldID, occurrences []Occurrence)) []byte {
			random := rand.New(rand.NewPCG(seed, 3))
			b := NewBuilder()
			f := b.Field(options)
			for range 300 {
				b.StartDoc()
				occurrences := make([]Occurrence, random.IntN(3*AheadTerms))
				for i := range occurrences {
					term := fmt.Append(nil, random.IntN(1+random.IntN(5000)))
					if random.IntN(50) == 0 {
						term = append(bytes.Repeat([]byte("long "), 20), term...)
					}
					occurrences[i] = Occurrence{Term: term, Position: uint32(i * random.IntN(3) * 1000)}
				}
				add(b, f, occurrences)
				b.Length(f, uint32(len(occurrences)))
				b.EndDoc(true)
			}
			fs := vfs.Memory()
			if _, err := b.Finish(fs, "segment"); err != nil {
				t.Fatal(err)
			}
			content, err := fs.ReadFile("segment")
			if err != nil {
				t.Fatal(err)
			}
			return content
		}
		single := write(func(b *Builder, f FieldID, occurrences []Occurrence) {
			for _, o := range occurrences {
				b.Term(f, o.Term, o.Position)
			}
		})
		together := write(func(b *Builder, f FieldID, occurrences []Occurrence) { b.Terms(f, occurrences) })
		known := make(map[string]TermID)
		again := write(func(b *Builder, f FieldID, occurrences []Occurrence) {
			for _, o := range occurrences {
				if id, ok := known[string(o.Term)]; ok {
					b.Again(f, id, o.Position)
				} else {
					known[string(o.Term)] = b.Term(f, o.Term, o.Position)
				}
			}
		})
		if !bytes.Equal(single, together) || !bytes.Equal(single, again) {
			t.Errorf("seed %d: files of %d, %d and %d bytes differ", seed, len(single), len(together), len(again))
		}
	}
}
