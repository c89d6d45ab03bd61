package clustertest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

var (
	seeds   = flag.Int("seeds", 60, "seeds to simulate")
	first   = flag.Uint64("first", 1, "first seed")
	verbose = flag.Bool("log", false, "show the log of the nodes")
)

// TestMain runs a deployment once before the tests, which run in bubbles of
// virtual time: what the process shares must not be made inside one of them.
func TestMain(m *testing.M) {
	flag.Parse()
	c := &cluster{shared: memory.New(nil), log: slog.New(slog.DiscardHandler)}
	one := c.add("warm", true)
	ctx := context.Background()
	if !one.start(Faults{}) {
		panic("the first node does not start")
	}
	p := one.process()
	_, _, err := p.node.Put(ctx, node.Put{Name: books, Body: []byte(definition[0])})
	if err == nil {
		var token string
		if token, err = c.write(ctx, p, books, `{"id":"a","v":1}`); err == nil {
			_, err = p.read(ctx, books, token)
		}
	}
	if err != nil {
		panic(err)
	}
	p.end()
	os.Exit(m.Run())
}

// F2 F7 F8 F9 F11 F12 F14 F15 F16 F17 F18 F19 F25 F26 F28 F29: several nodes,
// any faults.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		*seeds = min(*seeds, 10)
	}
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { simulate(t, seed) })
		})
		if t.Failed() {
			return
		}
	}
}

// story is what clients were told.
type story struct {
	mu       sync.Mutex
	known    map[string]string   // acknowledged
	possible map[string][]string // sent since, outcome not known
	acks     int
	errors   map[string]int
}

func (s *story) acknowledged(key, raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[key] = raw
	s.possible[key] = nil
	s.acks++
}

func (s *story) unknown(key, raw string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.possible[key] = append(s.possible[key], raw)
	code := "other"
	if p := problem.All(err); len(p) > 0 {
		code = p[0].Code.Name()
	}
	s.errors[code]++
}

// fits reports whether what is shown of a key can be.
func (s *story) fits(key, got string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if got == s.known[key] {
		return true
	}
	for _, raw := range s.possible[key] {
		if got == raw {
			return true
		}
	}
	return false
}

type simulation struct {
	*cluster
	story
	random *rand.Rand // of the one who decides; clients have their own
	faults Faults
	begun  time.Time
	length atomic.Int64 // nanoseconds
	isSlow atomic.Bool  // clients rest: a long time passes
}

func (s *simulation) isOver() bool { return time.Since(s.begun) >= time.Duration(s.length.Load()) }

// rest waits between two requests of a client.
func (s *simulation) rest(d time.Duration) {
	if s.isSlow.Load() {
		d = 5 * time.Minute
	}
	time.Sleep(d)
}

func simulate(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	s := &simulation{random: random, story: story{known: map[string]string{}, possible: map[string][]string{}, errors: map[string]int{}},
		cluster: &cluster{t: t, seed: seed, shared: memory.New(nil), log: slog.New(slog.DiscardHandler)}}
	if *verbose {
		s.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	for i := range 2 + random.IntN(2) {
		s.add(fmt.Sprintf("m%d", i), i < 2)
	}
	for _, m := range s.machines {
		for !m.start(Faults{}) {
			t.Errorf("seed %d: a healthy machine does not start", seed)
		}
	}
	s.create(s.machines[0].process(), books)
	s.begun = time.Now()
	s.length.Store(int64(time.Duration(40+random.IntN(60)) * time.Second))
	var clients sync.WaitGroup
	for i := range 3 {
		own := rand.New(rand.NewPCG(seed, uint64(100+i)))
		clients.Go(func() { s.client(i, own) })
	}
	clients.Go(func() { s.recreate(rand.New(rand.NewPCG(seed, 200))) })
	s.chaos()
	clients.Wait()
	s.heal()
	s.check()
	for _, m := range s.machines {
		m.terminate()
	}
	s.gone.Wait()
	t.Logf("%d writes acknowledged, refused or unknown: %v", s.acks, s.errors)
}

func (s *simulation) create(p *process, name registry.Name) {
	for {
		_, _, err := p.node.Put(context.Background(), node.Put{Name: name, Body: []byte(definition[0])})
		if err == nil || errors.Is(err, problem.IndexAlreadyExists) {
			return
		}
		time.Sleep(time.Second)
	}
}

func (s *simulation) anyProcess(random *rand.Rand) *process {
	return s.machines[random.IntN(len(s.machines))].process()
}

// client writes its own keys one after the other and reads them back.
func (s *simulation) client(number int, random *rand.Rand) {
	version := 0
	for !s.isOver() {
		s.rest(time.Duration(10+random.IntN(300)) * time.Millisecond)
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		version++
		key := fmt.Sprintf("c%d-%d", number, random.IntN(12))
		raw := fmt.Sprintf(`{"id":%q,"v":%d}`, key, version)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		token, err := s.write(ctx, p, books, raw)
		cancel()
		if err != nil {
			s.unknown(key, raw, err)
			continue
		}
		s.acknowledged(key, raw)
		if random.IntN(4) > 0 {
			continue
		}
		reader := s.anyProcess(random)
		if reader == nil {
			continue
		}
		ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
		shown, err := reader.read(ctx, books, token)
		cancel()
		if errors.Is(err, errWentBack) {
			s.t.Errorf("seed %d: %v", s.seed, err)
		}
		if err == nil && shown[key] != raw {
			s.t.Errorf("seed %d: a read with the token of %s shows %q", s.seed, raw, shown[key])
		}
	}
}

// recreate deletes an index and makes it again under the same name: nothing of
// the old one may show (I15).
func (s *simulation) recreate(random *rand.Rand) {
	name := registry.Name{Index: "temporary"}
	for life := 0; !s.isOver(); life++ {
		s.rest(time.Duration(1+random.IntN(8)) * time.Second)
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		holder, err := s.writer(ctx, p, name.Index)
		if err == nil {
			if err := holder.node.Delete(ctx, name); err == nil || errors.Is(err, problem.IndexNotFound) {
				_, _, err = holder.node.Put(ctx, node.Put{Name: name, Body: []byte(definition[0])})
				if err == nil {
					s.live(ctx, holder, name, life)
				}
			}
		}
		cancel()
	}
}

func (s *simulation) live(ctx context.Context, p *process, name registry.Name, life int) {
	raw := fmt.Sprintf(`{"id":"life","v":%d}`, life)
	token, err := s.write(ctx, p, name, raw)
	if err != nil {
		return
	}
	shown, err := p.read(ctx, name, token)
	if err == nil && (len(shown) != 1 || shown["life"] != raw) {
		s.t.Errorf("seed %d: life %d of an index shows %v", s.seed, life, shown)
	}
}

// chaos decides what goes wrong until the end.
func (s *simulation) chaos() {
	rate := func(n int) int {
		if s.random.IntN(2) == 0 {
			return 0
		}
		return s.random.IntN(n)
	}
	for !s.isOver() {
		time.Sleep(time.Duration(500+s.random.IntN(8000)) * time.Millisecond)
		m := s.machines[s.random.IntN(len(s.machines))]
		p := m.process()
		switch what := s.random.IntN(10); {
		case p == nil:
			m.start(s.faults)
		case what < 2:
			m.kill(s.random.IntN(2) == 0)
		case what < 3:
			m.terminate()
		case what < 6:
			pause := time.Duration(1+s.random.IntN(40)) * time.Second
			isLong := s.random.IntN(12) == 0 && s.length.Load() < int64(time.Hour)
			if isLong {
				// Beyond the grace: the log may be swept meanwhile.
				pause = 2 * time.Hour
				s.length.Add(int64(pause))
				s.isSlow.Store(true)
			}
			p.link.Pause()
			s.gone.Go(func() {
				time.Sleep(pause)
				if isLong {
					s.isSlow.Store(false)
				}
				p.link.Resume()
			})
			if isLong {
				time.Sleep(pause - 10*time.Second)
			}
		case what < 7:
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			if holder, err := s.writer(ctx, p, books.Index); err == nil {
				_, _, _ = holder.node.Put(ctx, node.Put{Name: books, Body: []byte(definition[s.random.IntN(2)])})
			}
			cancel()
		default:
			s.faults = Faults{Unavailable: rate(60), Lost: rate(60), Late: rate(40), Undecided: rate(150), Stalled: rate(10)}
			for _, m := range s.machines {
				if p := m.process(); p != nil {
					p.link.SetFaults(s.faults)
				}
			}
		}
	}
}

// heal makes everything work again and starts an empty machine.
func (s *simulation) heal() {
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
	}
	time.Sleep(2 * time.Minute)
	if fresh := s.add("fresh", true); !fresh.start(Faults{}) {
		s.t.Errorf("seed %d: an empty machine does not start", s.seed)
	}
	time.Sleep(2 * lease)
}

// check compares every machine with what clients were told.
func (s *simulation) check() {
	var token string
	for try := 0; ; try++ {
		p := s.machines[0].process()
		if p == nil {
			return
		}
		var err error
		if token, err = s.write(context.Background(), p, books, `{"id":"last","v":0}`); err == nil {
			break
		}
		if try == 60 {
			s.t.Errorf("seed %d: nothing can be written in a healthy world: %v", s.seed, err)
			return
		}
		time.Sleep(time.Second)
	}
	s.known["last"] = `{"id":"last","v":0}`
	for _, m := range s.machines {
		p := m.process()
		if p == nil {
			continue
		}
		shown, err := p.read(context.Background(), books, token)
		for try := 0; err != nil && try < 60; try++ {
			time.Sleep(time.Second)
			shown, err = p.read(context.Background(), books, token)
		}
		if err != nil {
			s.t.Errorf("seed %d: %s: %v", s.seed, m.name, err)
			continue
		}
		for key := range s.known {
			if !s.fits(key, shown[key]) {
				s.t.Errorf("seed %d: %s shows %q for %s, acknowledged %q, possible %q", s.seed, m.name, shown[key], key, s.known[key], s.possible[key])
			}
		}
		for key, raw := range shown {
			if !s.fits(key, raw) {
				s.t.Errorf("seed %d: %s shows %s, which nobody wrote", s.seed, m.name, raw)
			}
		}
	}
}
