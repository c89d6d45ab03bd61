package bucket

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Lister builds the listing of a store that visits its keys one by one.
type Lister struct {
	prefix, delimiter string
	entries           []Entry
	prefixes          map[string]bool
}

// NewLister returns a lister of the keys below a prefix. With a delimiter it folds
// the keys that contain it after the prefix.
func NewLister(prefix, delimiter string) *Lister {
	return &Lister{prefix: prefix, delimiter: delimiter, prefixes: make(map[string]bool)}
}

// Takes reports whether the listing has an entry of its own for a key. It records a
// folded key.
func (l *Lister) Takes(key string) bool {
	rest, ok := strings.CutPrefix(key, l.prefix)
	if !ok || l.delimiter == "" {
		return ok
	}
	at := strings.Index(rest, l.delimiter)
	if at >= 0 {
		l.prefixes[l.prefix+rest[:at+len(l.delimiter)]] = true
	}
	return at < 0
}

// Add adds the entry of a key for which Takes returned true.
func (l *Lister) Add(e Entry) { l.entries = append(l.entries, e) }

// Finish returns the listing, sorted by key.
func (l *Lister) Finish(date time.Time) Listing {
	listing := Listing{Entries: l.entries, Date: date}
	slices.SortFunc(listing.Entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	for common := range l.prefixes {
		listing.Prefixes = append(listing.Prefixes, common)
	}
	slices.Sort(listing.Prefixes)
	return listing
}

// ReadBody returns the bytes that a PutIf stores, for stores that hold them in
// memory, after the checks that precede any condition.
func ReadBody(ctx context.Context, key string, body Body) ([]byte, error) {
	if !ValidKey(key) {
		return nil, fmt.Errorf("put %q: not a valid key", key)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	content, err := body.Read()
	if err != nil {
		return nil, fmt.Errorf("put %s: %w", key, err)
	}
	return content, nil
}
