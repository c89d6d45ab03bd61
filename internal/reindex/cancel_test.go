package reindex

import (
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/internal/bucket/memory"
)

// I17: a job is cancelled by the time the cancellation is answered, even if the
// node runs it by a record that was replaced: another node took it over before the
// index came back, or the store did not report that it took the last one.
func TestAJobIsCancelledThoughItsRecordWasReplaced(t *testing.T) {
	for name, replace := range map[string]func(*carrier, *unanswered){
		"by another node": func(c *carrier, b *unanswered) {
			newCarrier(c.T, b.Bucket, "b").takeAll()
			c.must(c.registry.Refresh(c.Context()))
			c.generations.Demote(c.entry("books").Index)
		},
		"without an answer": func(c *carrier, b *unanswered) {
			b.off.Store(true)
			if err := c.catchUp(c.Context(), c.find(c.entry("books").Index)); err == nil {
				c.Error("the record was answered")
			}
			b.off.Store(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &unanswered{Bucket: memory.New(nil)}
				c := newCarrier(t, b, "a")
				c.create()
				c.start(Ready)
				replace(c, b)
				stop := c.run()
				defer stop()
				record, err := c.Cancel(t.Context(), c.entry("books").Name.Bare())
				if err != nil || record.Phase != Cancelled {
					t.Errorf("the job is %s, %v", record.Phase, err)
				}
				if c.fills("books@2") {
					t.Error("its target is busy")
				}
			})
		})
	}
}
