package engine

import (
	"fmt"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// The newest state of a key is found by going back in time: the queue for the log,
// the active table, the table being committed, the snapshot. A document is put into
// the next of these before it leaves the one before, so a reader that goes in the
// same order misses nothing. The caller holds the stripe of the key, so that no new
// write comes in.

// newest returns the newest state of the document under a key, and false when there
// is none.
func (g *Generation) newest(key string) (Current, bool, error) {
	current := Current{Key: document.Key(key)}
	var over []signalValue // refreshed later than the state still to be found
	if state, ok := g.queue.find(key); ok {
		over = state.signals
		if op := state.base; op != nil {
			if op.Kind == log.Delete {
				return current, false, nil
			}
			current.signals = mergeSignals(op.signals, over)
			current.source = func() ([]byte, error) { return g.keptSource(op.source) }
			return current, true, nil
		}
	}
	e, over, settled := g.inTables(key, over)
	if e != nil {
		if e.isDelete {
			return current, false, nil
		}
		current.signals = mergeSignals(e.signals, over)
		current.source = func() ([]byte, error) { return g.sourceOf(e) }
		return current, true, nil
	}
	if settled {
		return current, false, nil
	}
	return g.committed(current, over)
}

// inTables finds the newest entry of a key in the tables. settled is true without
// an entry when everything was deleted, so that the snapshot holds none either.
func (g *Generation) inTables(key string, over []signalValue) (found *entry, signals []signalValue, settled bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range []*table{g.active, g.frozen} {
		if t == nil {
			continue
		}
		over = mergeSignals(t.signals[key].values, over)
		if e := t.entries[key]; e != nil {
			return e, over, true
		}
		if t.all {
			return nil, over, true
		}
	}
	return nil, over, false
}

// keptSource returns the JSON of an uncommitted document as if it were committed:
// an index that keeps no source has none to return.
func (g *Generation) keptSource(source []byte) ([]byte, error) {
	if !g.Schema().KeepsSource() {
		return nil, problem.DocumentSourceNotKept.New()
	}
	return source, nil
}

// sourceOf returns the JSON of a document in a table.
func (g *Generation) sourceOf(e *entry) ([]byte, error) {
	g.mu.Lock()
	if source := e.source; source != nil {
		g.mu.Unlock()
		return g.keptSource(source)
	}
	// Only a run that was written drops its sources. A commit that takes over the
	// run may release its reader.
	reader := e.run.reader
	held := reader.Retain()
	g.mu.Unlock()
	if !held {
		current, exists, err := g.committed(Current{Key: document.Key(e.key)}, nil)
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, fmt.Errorf("read document %q: it left its table and is not committed", e.key)
		}
		return current.source()
	}
	defer reader.Release()
	record, err := reader.Stored().Get(nil, e.doc)
	if err != nil {
		return nil, fmt.Errorf("read document %q: %w", e.key, err)
	}
	return sourceOfRecord(g.Schema(), record)
}

// committed completes the state from the snapshot.
func (g *Generation) committed(current Current, over []signalValue) (Current, bool, error) {
	view := g.Snapshot()
	if view == nil {
		return current, false, problem.IndexClosed.New()
	}
	defer view.Release()
	s, doc, ok, err := view.LookupKey(string(current.Key))
	if err != nil || !ok {
		return current, false, err
	}
	current.signals = mergeSignals(g.signalsOf(s, doc), over)
	current.source = func() ([]byte, error) { return g.committedSource(string(current.Key)) }
	return current, true, nil
}

// committedSource returns the JSON of a committed document. Reading it costs more
// than finding it, and most writes do not need it.
func (g *Generation) committedSource(key string) ([]byte, error) {
	view := g.Snapshot()
	if view == nil {
		return nil, problem.IndexClosed.New()
	}
	defer view.Release()
	s, doc, ok, err := view.LookupKey(key)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("read document %q: it is gone", key)
	}
	var record []byte
	if stored := s.Reader.Stored(); stored != nil {
		if record, err = stored.Get(nil, doc); err != nil {
			return nil, fmt.Errorf("read document %q: %w", key, err)
		}
	}
	return sourceOfRecord(g.Schema(), record)
}

// signalsOf returns the signal values of a committed document.
func (g *Generation) signalsOf(s *snapshot.Segment, doc uint32) []signalValue {
	var values []signalValue
	for _, field := range g.Schema().Signals() {
		if value, ok := s.SignalValue(layout.Signal(field.Path), doc); ok {
			values = append(values, signalValue{Field: field.Path, Value: value, Has: true})
		}
	}
	return sortedSignals(values)
}

// Pending returns the changes that wait for a commit and how long the oldest has
// waited.
func (g *Generation) Pending() Pending {
	g.mu.Lock()
	defer g.mu.Unlock()
	var p Pending
	for _, t := range []*table{g.frozen, g.active} {
		if t != nil && t.changes > 0 {
			if p.Changes == 0 {
				p.Since = t.firstAt
			}
			p.Changes += t.changes
		}
	}
	return p
}

// Count returns the number of documents, uncommitted writes included. It looks up
// every changed key, so its cost is proportional to the number of pending changes.
func (g *Generation) Count() (int, error) {
	g.mu.Lock()
	view := g.Snapshot()
	type change struct {
		key      string
		isDelete bool
	}
	var changes []change
	count, all, keyed := 0, false, g.isKeyed()
	for _, t := range []*table{g.active, g.frozen} {
		if t == nil || all {
			continue
		}
		for key, e := range t.entries {
			if t == g.frozen && g.active != nil && g.active.entries[key] != nil {
				continue
			}
			changes = append(changes, change{key, e.isDelete})
		}
		all = t.all
	}
	g.mu.Unlock()
	if view == nil {
		return 0, problem.IndexClosed.New()
	}
	defer view.Release()
	if !all {
		count += view.Documents
	}
	for _, c := range changes {
		if !c.isDelete {
			count++
		}
		if all || !keyed && !c.isDelete {
			continue
		}
		_, _, ok, err := view.LookupKey(c.key)
		if err != nil {
			return 0, err
		}
		if ok {
			count--
		}
	}
	return count, nil
}
