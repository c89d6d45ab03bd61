package columns

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
)

// Docs of every kind of column yields exactly the documents with a value, however
// few they are.
func TestDocsAreThoseWithAValue(t *testing.T) {
	const numDocs = 5003
	for _, oneIn := range []int{1, 2, 100, 3000} {
		for _, multi := range []bool{false, true} {
			for _, distinct := range []int{3, 1000} {
				rng := rand.New(rand.NewPCG(3, uint64(oneIn)))
				var want []uint32
				for doc := range uint32(numDocs) {
					if rng.IntN(oneIn) == 0 && (oneIn == 1 || doc/BlockSize != 2) {
						want = append(want, doc)
					}
				}
				file := finishFile(t, func(out *blockfile.Writer) error {
					numbers, geo := NewNumbersWriter(out, 1, numDocs, multi), NewGeoWriter(out, 2, numDocs, multi)
					for i, doc := range want {
						numbers.Add(doc, int64(i))
						geo.Add(doc, EncodeGeo(1, float64(i%90)))
						if multi {
							numbers.Add(doc, int64(i+1))
						}
					}
					if _, err := numbers.Finish(); err != nil {
						return err
					}
					if err := geo.Finish(); err != nil {
						return err
					}
					ordinals := NewOrdinalsWriter(out, 3, numDocs, multi)
					for i := range distinct {
						ordinals.Value([]byte{byte(i >> 8), byte(i)})
					}
					for i, doc := range want {
						ordinals.Add(doc, uint32(i%distinct))
					}
					return ordinals.Finish()
				})
				numbers, err := OpenNumbers(file, 1, numDocs, multi)
				if err != nil {
					t.Fatal(err)
				}
				geo, err := OpenGeo(file, 2, numDocs, multi)
				if err != nil {
					t.Fatal(err)
				}
				ordinals, err := OpenOrdinals(file, 3, numDocs, multi)
				if err != nil {
					t.Fatal(err)
				}
				for kind, docs := range map[string]iter.Seq[uint32]{"numbers": numbers.Docs(), "geo": geo.Docs(), "ordinals": ordinals.Docs()} {
					if got := slices.Collect(docs); !slices.Equal(got, want) {
						t.Errorf("%s, multi %v, one in %d: %d documents, want %d", kind, multi, oneIn, len(got), len(want))
					}
					for doc := range docs {
						if len(want) == 0 || doc != want[0] {
							t.Errorf("%s begins with %d", kind, doc)
						}
						break
					}
				}
			}
		}
	}
}
