package engine

import (
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

// A document that is replaced before it is indexed leaves no bytes behind, though
// its batch keeps its entry in memory.
func TestAReplacedDocumentLeavesNoBytes(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	pending := newTable(1, g.pipeline.Load(), 1)
	batch := make([]*operation, 2)
	for i := range batch {
		d, err := read(g, `{"id":"a"}`)
		if err != nil {
			t.Fatal(err)
		}
		if batch[i], err = g.replacement("a", d, nil); err != nil {
			t.Fatal(err)
		}
	}
	room := newEntries(batch)
	replaced, kept := pending.apply(batch[0], &room, time.Now()), pending.apply(batch[1], &room, time.Now())
	g.index(pending, pending.shards[0], replaced)
	g.index(pending, pending.shards[0], kept)
	if replaced.source != nil || replaced.document != nil || kept.source == nil {
		t.Errorf("kept %q of what is replaced, %q of what is not", replaced.source, kept.source)
	}
}

// A builder is written out before the addresses of its postings run out, however
// much memory is left.
func TestABuilderIsBoundedWhateverTheMemory(t *testing.T) {
	const plenty = 1 << 40
	g := &Generation{options: Options{Memory: plenty, Budget: NewBudget(plenty)}}
	if g.isOver(mostBuilder-1, 2) || !g.isOver(mostBuilder, 2) {
		t.Errorf("a builder of %d bytes is not the first that is written out", int64(mostBuilder))
	}
}
