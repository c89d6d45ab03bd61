package replication

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
)

// I13, I16: tracked keys are merged in the bucket too. A node that takes the
// generation over has every key, also after the sweep deleted what was merged, and
// the files of earlier manifests stay for a grace period.
func TestANewWriterHasEveryTrackedKey(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	must(t, a.g.StartTracking(t.Context()))
	var want []string
	for i := range 40 {
		must(t, a.add(i, i+1))
		must(t, a.commit())
		want = append(want, fmt.Sprintf("%04d", i))
		c.now = c.now.Add(time.Second)
	}
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files != 0 {
		t.Fatalf("swept %+v within the grace, %v", swept, err)
	}
	if got := a.g.Changes(a.g.Sequence()); !slices.Equal(got, want) {
		t.Errorf("the writer reports %v", got)
	}
	c.now = c.now.Add(grace + publishLimit + time.Second)
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files < 20 {
		t.Fatalf("swept %+v, %v", swept, err)
	}
	sides := 0
	listing, err := d.bucket.List(t.Context(), "g/"+d.id+"/seg/", "")
	must(t, err)
	for _, entry := range listing.Entries {
		if strings.HasSuffix(entry.Key, ".side") {
			sides++
		}
	}
	if sides > 14 {
		t.Errorf("the bucket holds %d side files", sides)
	}
	b := d.open()
	if got := b.g.Changes(b.g.Sequence()); !slices.Equal(got, want) {
		t.Errorf("the new writer reports %v", got)
	}
	for i := range 20 {
		must(t, b.add(i, i+1))
		must(t, b.commit())
	}
	if got := b.g.Changes(b.g.Sequence()); !slices.Equal(got, want) {
		t.Errorf("after more commits it reports %v", got)
	}
}
