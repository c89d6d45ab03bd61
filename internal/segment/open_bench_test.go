package segment

import (
	"fmt"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/vfs"
)

// BenchmarkOpen opens a segment with many fields.
func BenchmarkOpen(b *testing.B) {
	for _, fields := range []int{10, 1000} {
		fs := vfs.Memory()
		builder := NewBuilder()
		for doc := range 200 {
			builder.StartDoc()
			for i := range fields / 2 {
				builder.Term(builder.Field(FieldOptions{Name: fmt.Sprint(i), Kind: Terms, Positions: true}), fmt.Append(nil, doc), 0)
				builder.Number(builder.Field(FieldOptions{Name: fmt.Sprint(i), Kind: Numbers, Points: true}), int64(doc))
			}
			builder.EndDoc(true)
		}
		if _, err := builder.Finish(fs, "s"); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(fields, "fields"), func(b *testing.B) {
			for b.Loop() {
				r, err := Open(fs, "s", blockfile.Trusted)
				if err != nil {
					b.Fatal(err)
				}
				r.Release()
			}
		})
	}
}
