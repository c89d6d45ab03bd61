// Package searchcount counts the texts searched for in an index, if its owner
// wants that: how often, how long they took, and which find nothing. It stores
// only texts, and nothing about who sent them.
//
// Counts are kept in a sketch of bounded size. A node counts in memory and
// periodically adds its counts to one object per index; a crash loses the
// counts since then. Counts may be used by any number of goroutines.
//
// FORMAT.md describes the object.
package searchcount

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

const resource = "search counts"

// stored is the object of one index.
type stored struct {
	Texts []Text `json:"texts"`

	Unknown jsontext.Value `json:",embed"`
}

// Counts holds the counts of all indexes.
type Counts struct {
	bucket bucket.Bucket

	mu      sync.Mutex
	pending map[registry.ID]*Sketch // counted here and not stored yet
}

// New returns the counts in a bucket.
func New(b bucket.Bucket) *Counts {
	return &Counts{bucket: b, pending: make(map[registry.ID]*Sketch)}
}

func key(index registry.ID) string { return "searches/" + index.String() }

func (c *Counts) object(index registry.ID) *versioned.Store[stored] {
	return versioned.New[stored](c.bucket, key(index), resource)
}

// Count counts a search. A blank text is not counted.
func (c *Counts) Count(index registry.ID, text string, found bool, took time.Duration) {
	if text = Normalize(text); text == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.pending[index]
	if s == nil {
		s = &Sketch{}
		c.pending[index] = s
	}
	s.Add(text, found, took)
}

// take removes and returns the counts of this node; nil if there are none.
func (c *Counts) take(index registry.ID) *Sketch {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.pending[index]
	delete(c.pending, index)
	return s
}

// putBack merges counts that could not be stored with newer ones.
func (c *Counts) putBack(index registry.ID, s *Sketch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if newer := c.pending[index]; newer != nil {
		s.Merge(newer)
	}
	c.pending[index] = s
}

// Flush stores the counts of this node.
func (c *Counts) Flush(ctx context.Context) error {
	c.mu.Lock()
	indexes := make([]registry.ID, 0, len(c.pending))
	for index := range c.pending {
		indexes = append(indexes, index)
	}
	c.mu.Unlock()
	var failed error
	for _, index := range indexes {
		_, err := c.flush(ctx, index)
		failed = errors.Join(failed, err)
	}
	return failed
}

// flush stores the counts of an index and returns all of its counts.
func (c *Counts) flush(ctx context.Context, index registry.ID) (*Sketch, error) {
	counted := c.take(index)
	var all *Sketch
	_, err := c.object(index).Change(ctx, func(now versioned.Object[stored]) (stored, error) {
		all = sketchOf(now.Value.Texts)
		if counted == nil {
			return stored{}, versioned.ErrUnchanged
		}
		all.Merge(counted)
		return stored{Texts: all.Top(Capacity), Unknown: now.Value.Unknown}, nil
	})
	if err != nil {
		// An unknown outcome is treated as stored: counts are estimates, and nothing
		// must be counted twice.
		if counted != nil && !errors.Is(err, problem.StorageUnknown) {
			c.putBack(index, counted)
		}
		return nil, err
	}
	return all, nil
}

// Read returns the counts of an index, including those of this node.
func (c *Counts) Read(ctx context.Context, index registry.ID) (*Sketch, error) {
	return c.flush(ctx, index)
}

// Delete removes the counts of an index. Other nodes may add counts since their
// last flush.
func (c *Counts) Delete(ctx context.Context, index registry.ID) error {
	c.take(index)
	return versioned.Delete(ctx, c.bucket, key(index), resource)
}
