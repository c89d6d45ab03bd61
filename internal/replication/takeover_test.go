package replication

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/log"
)

// The example of the package comment: b takes the generation over while a is still
// running and believes that it writes.
func TestATakeoverStepByStep(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	must(t, a.add(0, 1))
	must(t, a.add(1, 2))
	b := d.open()
	if err := a.add(2, 3); err == nil || !errors.Is(a.writer.Err(), engine.ErrFenced) {
		t.Errorf("a write of a was answered by %v, after %v", err, a.writer.Err())
	}
	must(t, b.add(2, 3))

	var got strings.Builder
	for lsn := uint64(1); ; lsn++ {
		batch, err := b.writer.remote.readBatch(t.Context(), lsn)
		if err != nil {
			break
		}
		kind := "add"
		if batch.Operations[0].Kind == log.Fence {
			kind = "fence"
		}
		fmt.Fprintf(&got, "wal/%d  epoch %d  %s\n", lsn, batch.Epoch, kind)
	}
	const want = `wal/1  epoch 1  fence
wal/2  epoch 1  add
wal/3  epoch 1  add
wal/4  epoch 2  fence
wal/5  epoch 2  add
`
	if got.String() != want {
		t.Errorf("the log is\n%swant\n%s", got.String(), want)
	}
	if epoch := b.writer.Manifest().Epoch; epoch != 2 {
		t.Errorf("the manifest has epoch %d", epoch)
	}
}
