package clustertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/problem"
)

// script makes one machine do everything that a writer does, step by step, and
// records what clients were answered.
func script(c *cluster, m *machine, s *story) {
	ctx := context.Background()
	p := m.process()
	if p == nil {
		return
	}
	if _, _, err := p.node.Put(ctx, node.Put{Name: books, Body: []byte(definition[0])}); err != nil {
		return
	}
	write := func(from, to, version int) {
		for i := from; i < to; i++ {
			key, raw := fmt.Sprint(i), fmt.Sprintf(`{"id":"%d","v":%d}`, i, version)
			if _, err := c.write(ctx, p, books, key, raw); err != nil {
				s.failed(key, raw, err)
			} else {
				s.acknowledged(key, raw)
			}
		}
	}
	write(0, 4, 1)
	_, _ = p.node.Commit(ctx, books)
	write(2, 6, 2)
	_, _, _ = p.node.Put(ctx, node.Put{Name: books, Body: []byte(definition[1])})
	write(5, 7, 3)
	stored, _, err := p.node.PutSettings(ctx, books, nil, []byte(`{"typoExclusions":{"all":{"words":["w"]}}}`))
	if err != nil {
		s.failed(settingsKey, "w", err)
	} else {
		s.acknowledged(settingsKey, word(stored.Settings))
	}
	time.Sleep(16 * time.Second) // hints, refreshes and a sweep
	write(6, 8, 4)
}

// point picks a request of the script, by its number, starting at 1, and its kind.
type point func(number int, request string) bool

func nth(n int) point { return func(number int, _ string) bool { return number == n } }

// about picks requests that put an object of a kind.
func about(kind string) point {
	return func(_ int, request string) bool { return strings.HasPrefix(request, "put "+kind) }
}

// at runs the script with a fate for the first request that picks selects. It
// returns the number of requests and which one was selected.
func at(t *testing.T, picks point, happens fate, empty bool) (requests int, where string) {
	synctest.Test(t, func(t *testing.T) {
		store := NewStore(objectGrace, func(why string) { t.Errorf("request %s: %s", where, why) })
		c := &cluster{t: t, shared: store, log: slog.New(slog.DiscardHandler), sweep: 15 * time.Second}
		s := &simulation{cluster: c, story: newStory(), store: store}
		m := c.add("m0", true)
		defer c.gone.Wait()
		defer func() { m.kill(nothing, rand.New(rand.NewPCG(1, 1))) }()
		if !m.start(Faults{}) {
			t.Fatal("a healthy machine does not start")
		}
		link := m.process().link
		before := link.Requests()
		link.Meet(func(number int, request string) fate {
			if where != "" || !picks(number-before, request) {
				return delivered
			}
			where = fmt.Sprintf("%d (%s)", number-before, request)
			return happens
		})
		done := make(chan struct{})
		c.gone.Go(func() {
			defer close(done)
			script(c, m, &s.story)
		})
		for isOver := false; !isOver && !link.IsCut(); {
			select {
			case <-done:
				isOver = true
			case <-time.After(time.Second):
			}
		}
		requests = link.Requests() - before
		what := nothing
		if empty {
			what = disk
		}
		m.kill(what, rand.New(rand.NewPCG(1, uint64(requests))))
		<-done
		for range 2 { // repeat what is done at the start, too
			if !m.start(Faults{}) {
				t.Fatalf("request %s: the machine does not start again", where)
			}
			p := m.process()
			token, err := c.write(context.Background(), p, books, "last", `{"id":"last","v":0}`)
			if errors.Is(err, problem.IndexNotFound) && len(s.known) == 0 {
				return // it was killed before the index existed
			}
			if err != nil {
				t.Errorf("request %s: nothing can be written after the restart: %v", where, err)
				return
			}
			s.acknowledged("last", `{"id":"last","v":0}`)
			s.t, s.machines = t, c.machines
			s.compare(fmt.Sprintf("request %s:", where), p, books, token)
			m.kill(nothing, rand.New(rand.NewPCG(1, 2)))
		}
	})
	return requests, where
}

// step returns the step between tested requests: short runs skip some.
func step() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// F1 F16: the process is killed at every request it sends, before and after the
// store has it, around creation, claim, log, cut, upload, manifest, hints, sweep
// and settings. Its disk stays or is gone (F2).
func TestKilledAtEveryRequest(t *testing.T) {
	for _, cut := range []fate{cutBefore, cutAfter} {
		requests, _ := at(t, nth(0), delivered, false)
		for number := 1; number <= requests; number += step() {
			at(t, nth(number), cut, number%2 == 0)
			if t.Failed() {
				return
			}
		}
	}
}

// F7: every answer about every kind of object is lost once.
func TestEveryAnswerIsLostOnce(t *testing.T) {
	requests, _ := at(t, nth(0), delivered, false)
	for number := 1; number <= requests && !t.Failed(); number += step() {
		at(t, nth(number), lost, false)
	}
	// Requests of several goroutines change places from run to run.
	for _, kind := range []string{"registry", "leadership", "g", "settings"} {
		if _, where := at(t, about(kind), lost, false); where == "" {
			t.Errorf("nothing was put about %s", kind)
		}
	}
}

// F9: half of all conditional writes cannot be decided, and requests are refused
// and stall; work continues.
func TestStormsDoNotStopTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewStore(objectGrace, func(why string) { t.Error(why) })
		c := &cluster{t: t, seed: 9, shared: store, log: slog.New(slog.DiscardHandler)}
		m := c.add("m0", true)
		if !m.start(Faults{}) {
			t.Fatal("a healthy machine does not start")
		}
		p := m.process()
		if _, _, err := p.node.Put(t.Context(), node.Put{Name: books, Body: []byte(definition[0])}); err != nil {
			t.Fatal(err)
		}
		p.link.SetFaults(Faults{Undecided: 500, Unavailable: 150, Stalled: 20})
		begun, acknowledged := time.Now(), 0
		for i := 0; acknowledged < 10 && time.Since(begun) < time.Hour; i++ {
			if _, err := c.write(t.Context(), p, books, fmt.Sprint(i), fmt.Sprintf(`{"id":"%d","v":1}`, i)); err == nil {
				acknowledged++
			} else {
				time.Sleep(100 * time.Millisecond) // a write may be refused at once while the previous one is undecided
			}
		}
		if acknowledged < 10 {
			t.Errorf("%d writes were acknowledged in %v", acknowledged, time.Since(begun))
		}
		p.link.SetFaults(Faults{})
		m.terminate()
	})
}

// F13: whatever the clocks of two nodes show, nothing acknowledged is lost and one
// of them writes.
func TestClocksDecideNothing(t *testing.T) {
	for _, turn := range []func(one, other *clock){
		func(one, _ *clock) { one.leap(time.Hour) },
		func(_, other *clock) { other.leap(time.Hour) },
		func(one, other *clock) { one.run(0.5); other.run(2) },
		func(one, other *clock) { one.run(2); other.run(0.5) },
		func(one, _ *clock) { one.freeze(true) },
		func(one, other *clock) { one.freeze(true); other.run(2) },
	} {
		synctest.Test(t, func(t *testing.T) {
			store := NewStore(objectGrace, func(why string) { t.Error(why) })
			c := &cluster{t: t, seed: 13, shared: store, log: slog.New(slog.DiscardHandler)}
			s := &simulation{cluster: c, story: newStory(), store: store}
			one, other := c.add("m0", true), c.add("m1", true)
			if !one.start(Faults{}) || !other.start(Faults{}) {
				t.Fatal("a healthy machine does not start")
			}
			s.create(one.process(), books)
			for i := range 60 {
				if i == 20 {
					turn(one.process().clock, other.process().clock)
				}
				key, raw := fmt.Sprint(i%7), fmt.Sprintf(`{"id":"%d","v":%d}`, i%7, i)
				if _, err := c.write(t.Context(), c.machines[i%2].process(), books, key, raw); err != nil {
					s.failed(key, raw, err)
				} else {
					s.acknowledged(key, raw)
				}
				time.Sleep(time.Second)
			}
			if s.acks < 30 {
				t.Errorf("%d of 60 writes were acknowledged: %v", s.acks, s.errors)
			}
			s.check()
			one.terminate()
			other.terminate()
		})
	}
}
