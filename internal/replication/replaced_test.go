package replication

import (
	"context"
	"errors"
	"path"
	"testing"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

// overtaken is a store that loses the answer to a put of a manifest, and replaces the
// manifest before the writer asks again.
type overtaken struct {
	bucket.Bucket
	replace func() // nil: the store answers
}

func (o *overtaken) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	written, err := o.Bucket.PutIf(ctx, key, body, condition)
	if replace := o.replace; replace != nil && path.Base(key) == "manifest" && err == nil {
		o.replace = nil
		replace()
		return bucket.Written{}, bucket.ErrUnknown
	}
	return written, err
}

// F7, I17: a manifest that was stored, but replaced by another writer before its own
// writer knew, is not reported as refused. The writer is fenced nevertheless (I8).
func TestAManifestThatWasReplacedMeanwhileWasStored(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := &overtaken{Bucket: memory.New(c.time)}
	d := create(t, store)
	a := d.open()
	must(t, a.add(0, 2))
	wide, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true},"n":{"type":"int32","filter":{}},"m":{"type":"int32","filter":{}}}}`),
		analysis.NewBuilder(analysis.Options{}).Capabilities())
	must(t, err)
	must(t, a.commit())
	var b *node
	store.replace = func() { b = d.open() }
	if err := a.g.SetDefinition(t.Context(), wide); err != nil {
		t.Errorf("a definition that was stored is answered by %v", err)
	}
	if got := b.g.Definition().Version(); got != wide.Version() {
		t.Errorf("the next writer has the definition %s, %s was stored", got, wide.Version())
	}
	if err := a.add(2, 3); !errors.Is(err, problem.IndexReadonly) {
		t.Errorf("the fenced writer answers a write by %v", err)
	}
	must(t, b.add(2, 3))
	if got := b.count(); got != 3 {
		t.Errorf("%d of 3 documents", got)
	}
}
