package api

import (
	"context"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
)

// maxGathered is the number of changes applied in one group. Each of 512
// changes waits for the locks of its index as long as a single one, and the
// delay of the response is not noticeable.
const maxGathered = 512

// refreshing applies consecutive changes of signals in groups. Other changes in
// between are applied one by one, in order.
type refreshing struct {
	stopsAtMissing bool // a key without a document ends the request

	gathered []Entry
	read     document.Refreshes
	wanted   []engine.Refresh
}

// gather buffers an entry until more of the body is needed or maxGathered
// entries are buffered.
func (b *batch) gather(ctx context.Context, entry Entry, work entryWork) error {
	b.refreshing.gathered = append(b.refreshing.gathered, entry)
	if len(b.refreshing.gathered) < maxGathered {
		return nil
	}
	return b.takeGathered(ctx, work)
}

// takeGathered processes the buffered entries.
func (b *batch) takeGathered(ctx context.Context, work entryWork) error {
	if b.refreshing == nil {
		return nil
	}
	rest := b.refreshing.gathered
	b.refreshing.gathered = rest[:0]
	for len(rest) > 0 {
		done, err := b.refreshing.run(ctx, b, rest)
		if err != nil {
			return err
		}
		for i, refresh := range b.refreshing.wanted[:done] {
			if refresh.Found {
				b.processed++
			} else if err := b.one(ctx, rest[i], work); err != nil {
				return err
			}
		}
		if rest = rest[done:]; len(rest) == 0 {
			return nil
		}
		if err := b.one(ctx, rest[0], work); err != nil {
			return err
		}
		rest = rest[1:]
	}
	return nil
}

// run writes the refreshes at the start of entries and returns how many it
// completed; wanted records which of them found a document.
func (r *refreshing) run(ctx context.Context, b *batch, entries []Entry) (done int, err error) {
	r.read.Clear()
	reader := b.readers.current
	for i := 0; reader != nil && i < len(entries) && reader.ReadRefresh(entries[i].Raw, &r.read); i++ {
	}
	if r.read.Len() == 0 {
		return 0, nil
	}
	r.wanted = r.wanted[:0]
	r.read.Each(func(key document.Key, signals []document.Signal) {
		r.wanted = append(r.wanted, engine.Refresh{Key: key, Signals: signals})
	})
	b.reached = true
	err = writeDocument(ctx, b.write, func(schema *definition.Schema, s *engine.WriteStream) error {
		if schema != reader.Schema() {
			return nil // they are read again one by one
		}
		done, err = s.RefreshAll(ctx, r.wanted, r.stopsAtMissing)
		return err
	})
	return done, err
}

// one processes a single entry.
func (b *batch) one(ctx context.Context, entry Entry, work entryWork) error {
	b.position, b.line = entry.Position, entry.Line
	raw := entry.Raw
	if b.isStream && !entry.isChecked {
		var err error
		if raw, err = b.checker.Check(raw); err != nil {
			return b.malformed(entry, err)
		}
	}
	return b.entry(ctx, raw, work)
}
