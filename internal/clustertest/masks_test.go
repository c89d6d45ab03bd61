package clustertest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/registry"
)

// F22: an older registry is shown only while every process has read a newer one. A
// process that began while the registry was damaged never read any, and would write
// to the generation that was live then (seed 5031).
func TestAnOlderRegistryIsShownToThoseWhoKnowBetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewStore(objectGrace, func(why string) { t.Error(why) })
		s := &simulation{story: newStory(), store: store, cluster: &cluster{t: t, shared: store, log: slog.New(slog.DiscardHandler)}}
		start := func(m *machine) {
			t.Helper()
			if !m.start(Faults{}) {
				t.Fatalf("%s does not start", m.name)
			}
		}
		expect := func(when string, want bool) {
			t.Helper()
			if got := s.knowBetter("registry"); got != want {
				t.Errorf("%s: every process knows better: %t", when, got)
			}
		}
		one, two := s.add("m0", true), s.add("m1", true)
		start(one)
		s.create(one.process(), books)
		expect("the one that made an index", true)
		store.SetMask("registry", Empty)
		start(two)
		expect("one that began with a damaged registry", false)
		if !s.knowBetter("g/any/manifest") {
			t.Error("nobody needs to know manifests")
		}
		store.Unmask("registry")
		time.Sleep(10 * time.Second)
		expect("both have read it", true)

		two.process().link.Pause()
		var last registry.Name
		for i := range earlier {
			last = registry.Name{Index: fmt.Sprintf("more%d", i)}
			s.create(one.process(), last)
		}
		expect("one that is behind everything that may be shown", false)
		two.process().link.Resume()
		time.Sleep(10 * time.Second)
		expect("it has caught up", true)

		store.SetMask("registry", Older)
		time.Sleep(10 * time.Second)
		for _, m := range s.machines {
			if _, err := m.process().read(context.Background(), last, ""); err != nil {
				t.Errorf("%s forgets an index that an older registry does not name: %v", m.name, err)
			}
		}
		store.Unmask("registry")
		for _, m := range s.machines {
			m.terminate()
		}
		s.gone.Wait()
	})
}
