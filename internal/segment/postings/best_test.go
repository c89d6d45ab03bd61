package postings

import (
	"bytes"
	"testing"
)

// The best documents are sorted by descending score; those of equal scores by
// frequency and then by length.
func TestBestAreInOrder(t *testing.T) {
	var b best
	b.setAverage(10)
	b.add([]uint32{0, 0, 0, 4, 0, 40, 4}, []byte{3, 9, 3, 3, 1, 3, 200})
	b.prepare()
	b.norms[9] = b.norms[3] // equal scores
	b.norms[200] = 5 * b.norms[3]
	want := []byte{6, 1, bestFreq, 3, 1, 5, 3, 1, 1, 1, 2, 1, 3, 1, 1, 9, 1, 5, 200}
	if got := b.appendTo(nil); !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
