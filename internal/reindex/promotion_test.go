package reindex

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

// run runs jobs until it is stopped.
func (c *carrier) run() (stop func()) {
	ctx, cancel := context.WithCancel(c.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Jobs.Run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// I17: a promotion that happened is reported, although the end of the job could not
// be recorded; it is recorded later.
func TestAPromotionWhoseEndIsNotRecordedIsToldToBeMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &unrecorded{Bucket: memory.New(nil)}
		c := newCarrier(t, b, "a")
		c.create()
		c.write("books", `{"id":"1","v":1}`)
		one := c.start(Ready)
		b.phase.Store(Done)
		stop := c.run()
		defer stop()
		if byJob, err := c.Promote(t.Context(), c.entry("books@2")); !byJob || err != nil {
			t.Errorf("the promotion: %t, %v", byJob, err)
		}
		if !c.isPromoted(one) {
			t.Error("the target is not live")
		}
		b.phase.Store(Phase(""))
		<-one.ended
		if record, err := c.Record(t.Context(), c.entry("books").Name.Bare()); err != nil || record.Phase != Done {
			t.Errorf("the job is %s, %v", record.Phase, err)
		}
	})
}

// I20: a caller that promotes through a job that another node took over is told
// that the target is busy.
func TestAPromotionByAJobThatWasTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		first := newCarrier(t, b, "a")
		first.create()
		first.start(Ready)
		newCarrier(t, b, "b").takeAll()
		stop := first.run()
		defer stop()
		if byJob, err := first.Promote(t.Context(), first.entry("books@2")); !byJob || !errors.Is(err, problem.ReindexTargetBusy) {
			t.Errorf("the promotion: %t, %v", byJob, err)
		}
	})
}
