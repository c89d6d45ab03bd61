package clustertest

import (
	"context"
	"fmt"
	"time"

	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
)

// chaos decides what goes wrong until the end.
func (s *simulation) chaos() {
	for !s.isOver() {
		time.Sleep(between(s.random, 500*time.Millisecond, 8*time.Second))
		if s.isLong {
			time.Sleep(between(s.random, time.Minute, 20*time.Minute))
		}
		m := s.machines[s.random.IntN(len(s.machines))]
		p := m.process()
		switch what := s.random.IntN(16); {
		case p == nil && s.store.IsLying():
			// It remembers nothing and would believe what it sees.
		case p == nil:
			m.start(s.faults)
		case what < 3:
			how := loss(s.random.IntN(3))
			if s.isGuarded.Load() {
				how = nothing
			}
			m.kill(how, s.random)
		case what < 4:
			m.terminate()
		case what < 7:
			s.pause(p)
		case what < 8:
			s.redefine(p)
		case what < 10:
			s.turnClock(p.clock)
		case what < 11 && s.isGuarded.Load():
		case what < 11:
			m.failSync()
		case what < 13:
			s.mask()
		default:
			s.setFaults()
		}
	}
}

// setFaults changes how often requests go wrong.
func (s *simulation) setFaults() {
	rate := func(n int) int {
		if s.random.IntN(2) == 0 {
			return 0
		}
		return s.random.IntN(n)
	}
	s.faults = Faults{Unavailable: rate(60), Lost: rate(60), Late: rate(40), Undecided: rate(150), Stalled: rate(10), Away: rate(300)}
	for _, m := range s.machines {
		if p := m.process(); p != nil {
			p.link.SetFaults(s.faults)
		}
	}
}

// pause stops a machine for a while, sometimes beyond the grace, so that the log
// may be swept meanwhile (F11, F12). Its clock may or may not stop with it.
func (s *simulation) pause(p *process) {
	pause := between(s.random, time.Second, 40*time.Second)
	isLong := s.random.IntN(12) == 0 && s.length.Load() < int64(time.Hour)
	if isLong {
		pause = 2 * time.Hour
		s.length.Add(int64(pause))
		s.isSlow.Store(true)
	}
	p.link.Pause()
	isFrozen := s.random.IntN(2) == 0
	if isFrozen {
		p.clock.freeze(true)
	}
	s.gone.Go(func() {
		time.Sleep(pause)
		if isLong {
			s.isSlow.Store(false)
		}
		if isFrozen {
			p.clock.freeze(false)
		}
		p.link.Resume()
	})
	if isLong {
		time.Sleep(pause - 10*time.Second)
	}
}

// redefine changes the definition of books, even while it is being taken over
// (F18).
func (s *simulation) redefine(p *process) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if holder, err := s.writer(ctx, p, books.Index); err == nil {
		_, _, _ = holder.node.Put(ctx, node.Put{Name: books, Body: []byte(definition[s.random.IntN(2)])})
	}
}

// turnClock makes a clock leap, or run faster or slower (F13).
func (s *simulation) turnClock(c *clock) {
	if s.random.IntN(2) == 0 {
		c.leap(between(s.random, time.Second, time.Hour))
		return
	}
	c.run([]float64{0.5, 1, 2}[s.random.IntN(3)])
}

// mask replaces the registry or a manifest by something else for a while (F22).
func (s *simulation) mask() {
	key := "registry"
	if all := s.store.Generations(); s.random.IntN(2) == 0 && len(all) > 0 {
		key = fmt.Sprintf("g/%s/manifest", all[s.random.IntN(len(all))])
	}
	kind := Mask(s.random.IntN(5))
	if kind == Older && !s.knowBetter(key) || !s.store.SetMask(key, kind) {
		return
	}
	s.trace.Note("mask", key, int(kind))
	hold := between(s.random, time.Second, 30*time.Second)
	s.gone.Go(func() {
		time.Sleep(hold)
		s.store.Unmask(key)
	})
}

// knowBetter reports whether every running process can tell an older registry from
// the true one. A process that never read it, because it was damaged when the
// process began, or not since the state that is shown, would write to the
// generation that was live then. A manifest is replaced before anything is written,
// which fails when it is older.
func (s *simulation) knowBetter(key string) bool {
	for _, m := range s.machines {
		if p := m.process(); key == "registry" && p != nil && !s.store.KnowsBetter(key, p.link.Given(key)) {
			return false
		}
	}
	return true
}

// heal makes everything work again and starts an empty machine.
func (s *simulation) heal() {
	time.Sleep(30 * time.Second) // masks end by themselves
	if s.peers != nil {
		s.peers.heal()
	}
	for _, m := range s.machines {
		p := m.process()
		if p == nil {
			if !m.start(Faults{}) {
				s.t.Errorf("seed %d: %s does not start in a healthy world", s.seed, m.name)
			}
			continue
		}
		p.link.Resume()
		p.link.SetFaults(Faults{})
		p.link.Slow(0)
		p.clock.freeze(false)
		p.clock.run(1)
	}
	if s.isLong {
		time.Sleep(time.Hour) // files that are on their way slowly arrive
	}
	time.Sleep(2 * time.Minute)
	if fresh := s.add("fresh", true); !fresh.start(Faults{}) {
		s.t.Errorf("seed %d: an empty machine does not start", s.seed)
	}
	time.Sleep(2 * lease)
}

// awaitJob waits for the job under way, which must end in a healthy world.
func (s *simulation) awaitJob() {
	for range 60 {
		p := s.machines[0].process()
		if p == nil {
			return
		}
		if record, err := p.node.Reindex(context.Background(), books); err != nil || record.Phase.IsFinished() {
			return
		}
		time.Sleep(10 * time.Second)
	}
	s.t.Errorf("seed %d: a reindex job does not end in a healthy world", s.seed)
}

// check compares every machine with what clients were told.
func (s *simulation) check() {
	var token string
	const raw = `{"id":"last","v":0}`
	for try := 0; ; try++ {
		p := s.machines[0].process()
		if p == nil {
			return
		}
		var err error
		if token, err = s.write(context.Background(), p, books, "last", raw); err == nil {
			break
		}
		if try == 60 {
			s.t.Errorf("seed %d: nothing can be written in a healthy world: %v", s.seed, err)
			return
		}
		time.Sleep(time.Second)
	}
	s.acknowledged("last", raw)
	for _, m := range s.machines {
		if p := m.process(); p != nil {
			s.compare(m.name, p, books, token)
		}
	}
}

// compare checks what a machine shows against the story.
func (s *simulation) compare(machine string, p *process, name registry.Name, token string) {
	shown, err := p.read(context.Background(), name, token)
	for try := 0; err != nil && try < 60; try++ {
		time.Sleep(time.Second)
		shown, err = p.read(context.Background(), name, token)
	}
	if err != nil {
		s.t.Errorf("seed %d: %s: %v", s.seed, machine, err)
		return
	}
	shown.documents[settingsKey] = ""
	if stored, err := p.node.ReadSettings(context.Background(), name); err == nil {
		shown.documents[settingsKey] = word(stored)
	}
	all := make(map[string]bool)
	for key := range s.known {
		all[key] = true
	}
	for key := range shown.documents {
		all[key] = true
	}
	for key := range all {
		if why := s.wrong(key, shown.documents[key]); why != "" {
			s.t.Errorf("seed %d: %s %s", s.seed, machine, why)
		}
	}
}
