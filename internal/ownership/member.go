package ownership

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

const (
	copyAge      = 3 * time.Second  // age of the copy that requests are routed by
	justNow      = time.Nanosecond  // age of a copy that was read after it was requested
	claimWait    = 10 * time.Second // for a claim whose holder may be gone
	unlistedHold = 30 * time.Second // how long a claim ahead of a creation is kept
	leastPause   = 50 * time.Millisecond
)

// Options configure a Member.
type Options struct {
	Node      string
	Address   string        // scheme://host:port for writes of other nodes; empty: none
	Lease     time.Duration // a session without a beat for this long is over
	Candidate bool          // this node may write
	RootKey   string        // fingerprint of its root key, which all nodes share; empty: none
	// Reclaim says that no other node runs under the same name: the node takes back
	// at once what an earlier run held.
	Reclaim bool
	// Clock is the time by which sessions of others are watched. nil means a clock
	// that continues while the machine sleeps.
	Clock func() time.Duration
}

// Member is this node's part in the leadership.
type Member struct {
	store    *versioned.Store[leadership]
	options  Options
	id       string // of this run
	log      *slog.Logger
	readTurn chan struct{} // buffered by one: held by the goroutine that reads a copy for all
	shared   sharedRead    // guarded by readTurn

	mu       sync.Mutex
	held     versioned.Object[leadership]
	readAt   time.Duration // when held was last seen to be current
	watch    watch
	beatAt   time.Duration                 // the last stored beat
	claimed  map[registry.ID]time.Duration // the indexes this node writes, and since when
	unwanted map[registry.ID]bool          // to be given up with the next beat
	draining bool
	hasBeat  bool        // a beat of this session was stored
	hasTwin  bool        // another node has the same name, which was logged
	warned   []string    // nodes with another root key that were logged
	isReady  func() bool // nil: always
	hasSpace func() bool // nil: always
	changed  func(gained, lost []registry.ID)

	drain    func(context.Context, registry.ID) // drains an index that is handed over
	handing  sync.WaitGroup                     // drains under way
	leaving  *handover                          // nil: none
	loads    map[registry.ID]load
	joinedAt map[string]time.Duration // when a session was first seen, on the clock of this node
}

// Join begins a session. A node that is not a candidate only watches.
func Join(ctx context.Context, b bucket.Bucket, options Options, log *slog.Logger) (*Member, error) {
	if options.Clock == nil {
		options.Clock = bootTime
	}
	m := &Member{
		store: versioned.New[leadership](b, objectKey, resource), options: options, id: registry.NewID().String(), log: log,
		readTurn: make(chan struct{}, 1),
		watch:    make(watch), claimed: make(map[registry.ID]time.Duration), unwanted: make(map[registry.ID]bool),
		loads: make(map[registry.ID]load), joinedAt: make(map[string]time.Duration),
	}
	if !options.Candidate {
		return m, nil
	}
	if err := m.beat(ctx); err != nil {
		return nil, fmt.Errorf("join the leadership: %w", err)
	}
	return m, nil
}

// OnChange sets the function that is called with indexes that this node begins or
// ceases to write. It is called without locks and must not block. It must be set
// before Run.
func (m *Member) OnChange(changed func(gained, lost []registry.ID)) { m.changed = changed }

// ReadyWhen sets the function that reports whether this node can serve writes.
// Until it can, it keeps what an earlier run held and gets nothing else. The
// function must not block and must be set before Run.
func (m *Member) ReadyWhen(isReady func() bool) { m.isReady = isReady }

// SpaceWhen sets the function that reports whether this node can store writes.
// While it cannot, its indexes go to nodes that can, and it gets no others. The
// function must not block and must be set before Run.
func (m *Member) SpaceWhen(hasSpace func() bool) { m.hasSpace = hasSpace }

func (m *Member) isFull() bool { return m.hasSpace != nil && !m.hasSpace() }

func (m *Member) canServe() bool { return m.isReady == nil || m.isReady() }

// Run beats three times a lease until ctx ends. The interval counts from the start
// of the previous round.
func (m *Member) Run(ctx context.Context) {
	if !m.options.Candidate {
		return
	}
	defer m.handing.Wait()
	tick := time.NewTicker(max(m.options.Lease/3, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		round, cancel := context.WithTimeout(ctx, m.options.Lease)
		if err := m.beat(round); err == nil {
			m.balance(ctx)
		} else if ctx.Err() == nil {
			m.log.Error("cannot renew the leadership", "node", m.options.Node, "error", err)
		}
		cancel()
	}
}

// change applies a change to the leadership and takes the result over. Nodes that
// began together also beat together, so a change that loses the race is retried for
// as long as ctx allows: a node that stops retrying loses its lease.
func (m *Member) change(ctx context.Context, apply func(next *leadership) error) error {
	for attempt := 0; ; attempt++ {
		err := m.tryChange(ctx, apply)
		if !errors.Is(err, problem.StorageConflict) || !m.pause(ctx, attempt) {
			return err
		}
	}
}

// pause waits before a change is retried, for a time that differs by node and
// attempt, and reports whether there is time for another attempt.
func (m *Member) pause(ctx context.Context, attempt int) bool {
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, m.id, attempt)
	wait := min(leastPause<<min(attempt, 8), m.options.Lease/12)
	timer := time.NewTimer(wait * time.Duration(1+hash.Sum32()%1024) / 1024)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// tryChange is one attempt of change.
func (m *Member) tryChange(ctx context.Context, apply func(next *leadership) error) error {
	written, err := m.store.Change(ctx, func(now versioned.Object[leadership]) (leadership, error) {
		m.see(now)
		next := now.Value.clone()
		if known, _ := m.copy(0); now.Version < known.Version || !now.Exists() {
			m.restore(&next)
		}
		if err := apply(&next); err != nil {
			return leadership{}, err
		}
		return next, nil
	})
	if err != nil {
		return err
	}
	m.see(written)
	return nil
}

// restore adds what this node writes, and no other node claims, to a leadership
// that begins anew or that was replaced by an older one.
func (m *Member) restore(next *leadership) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = versioned.Object[leadership]{}
	for index := range m.claimed {
		if _, isClaimed := next.Claims[index]; !isClaimed {
			next.Claims[index] = m.id
		}
	}
	if _, ok := next.Sessions[m.id]; !ok && len(m.claimed) > 0 {
		next.Sessions[m.id] = session{Node: m.options.Node, Address: m.options.Address}
	}
}

// see takes over a state that was read or written, unless a newer one is held.
func (m *Member) see(found versioned.Object[leadership]) {
	m.mu.Lock()
	at := m.options.Clock()
	m.readAt = at
	if found.Version < m.held.Version || !found.Exists() {
		m.mu.Unlock()
		return
	}
	m.held = found
	m.watch.see(found.Value, at, time.Now())
	for id := range found.Value.Sessions {
		if _, known := m.joinedAt[id]; !known {
			m.joinedAt[id] = at
		}
	}
	maps.DeleteFunc(m.joinedAt, func(id string, _ time.Duration) bool {
		_, lives := found.Value.Sessions[id]
		return !lives
	})
	ours := found.Value.held(m.id)
	var gained, lost []registry.ID
	for index := range ours {
		if _, ok := m.claimed[index]; !ok {
			m.claimed[index] = at
			m.inherit(index, found.Value.Loads[index])
			gained = append(gained, index)
		}
	}
	for index := range m.claimed {
		if !ours[index] {
			delete(m.claimed, index)
			delete(m.loads, index)
			lost = append(lost, index)
		}
	}
	slices.SortFunc(gained, registry.ID.Compare)
	slices.SortFunc(lost, registry.ID.Compare)
	changed := m.changed
	m.mu.Unlock()
	if changed != nil && len(gained)+len(lost) > 0 {
		changed(gained, lost)
	}
}

// beat renews the session with everything it holds (OW2), ends sessions that are
// over and takes their claims.
func (m *Member) beat(ctx context.Context) error {
	began := m.options.Clock()
	var twin *session // of another node that has the same name
	err := m.change(ctx, func(next *leadership) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		own, isKept := next.Sessions[m.id]
		twin = nil
		own.Node, own.Address, own.RootKey = m.options.Node, m.options.Address, m.options.RootKey
		isReady := m.canServe()
		if !isReady {
			own.Address = "" // nothing is handed over to it, no write is sent to it
		}
		own.Beat++
		own.Full = m.isFull()
		next.Sessions[m.id] = own
		heir := m.id
		if m.draining {
			heir = ""
		}
		for id, s := range next.Sessions {
			earlier := m.options.Reclaim && s.Node == m.options.Node
			// A stopping node leaves expired sessions to nodes that take their
			// claims: a claim of no node is finished by no node.
			if id != m.id && (earlier || isReady && !m.draining && m.watch.isOver(*next, id, m.readAt, m.options.Lease)) {
				m.log.Info("a session is over", "node", s.Node)
				if earlier && m.hasBeat && !isKept {
					twin = &s // it is not an earlier run of this node: it ended this session
				}
				next.remove(id, heir)
			}
		}
		for index, holder := range next.Claims {
			if _, ok := next.Sessions[holder]; !ok {
				delete(next.Claims, index)
			}
			if holder == m.id && m.unwanted[index] {
				delete(next.Claims, index)
			}
		}
		m.moveDrained(next)
		m.tradeOffers(next)
		return nil
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.beatAt, m.hasBeat = began, true
	clear(m.unwanted)
	if twin != nil && !m.hasTwin {
		m.log.Error("another node has the same name: each takes the indexes of the other; give them different values of SERVICE_NODE_ID, and directories of their own",
			"node", m.options.Node, "address", m.options.Address, "other", twin.Address)
	}
	m.hasTwin = twin != nil
	if others := m.otherRootKeys(); !slices.Equal(others, m.warned) {
		m.warned = others
		if len(others) > 0 {
			m.log.Error("NODES OF THIS BUCKET HAVE ANOTHER ROOT KEY: a request that one of them accepts is refused by the others",
				"node", m.options.Node, "others", others)
		}
	}
	return nil
}

// OtherRootKeys returns the names of the nodes that share the bucket and have
// another root key than this one, as far as it knows.
func (m *Member) OtherRootKeys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.otherRootKeys()
}

// otherRootKeys is OtherRootKeys; the caller must hold mu.
func (m *Member) otherRootKeys() []string {
	if m.options.RootKey == "" {
		return nil
	}
	var others []string
	for _, s := range m.held.Value.Sessions {
		if s.RootKey != "" && s.RootKey != m.options.RootKey {
			others = append(others, s.Node)
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

// Holds reports whether this node writes an index, as far as it knows.
func (m *Member) Holds(index registry.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.claimed[index]
	return ok
}

// Held returns the indexes this node writes, in order.
func (m *Member) Held() []registry.ID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Keys(m.claimed), registry.ID.Compare)
}

// IsCandidate reports whether this node may write.
func (m *Member) IsCandidate() bool { return m.options.Candidate }

// Doubt reports whether the last beat is older than a lease, so that another node
// may have taken over.
func (m *Member) Doubt() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.options.Clock()-m.beatAt > m.options.Lease
}

// Claim makes this node the owner of an index. It returns indexer:unavailable when
// another node writes it, after waiting a while for one that may be gone and cannot
// be asked, and index:readonly when this node stops writing.
func (m *Member) Claim(ctx context.Context, index registry.ID) error {
	m.mu.Lock()
	_, ours := m.claimed[index]
	draining := m.draining || m.isHandedOver(index)
	if ours && !draining {
		m.noteWrite(index)
	}
	m.mu.Unlock()
	switch {
	case draining:
		return problem.IndexReadonly.New()
	case ours:
		return nil
	case !m.options.Candidate:
		return problem.IndexerUnavailable.New()
	}
	ctx, cancel := context.WithTimeout(ctx, claimWait)
	defer cancel()
	for {
		reachable, err := m.tryClaim(ctx, index)
		if err == nil || reachable || !errors.Is(err, problem.IndexerUnavailable) {
			return err
		}
		timer := time.NewTimer(max(m.options.Lease/6, time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

// tryClaim claims an index unless a session that is not over holds it (OW3).
// reachable is true when that session takes writes of others.
func (m *Member) tryClaim(ctx context.Context, index registry.ID) (reachable bool, err error) {
	err = m.change(ctx, func(next *leadership) error {
		reachable = false
		m.mu.Lock()
		defer m.mu.Unlock()
		holder, held := next.Claims[index]
		switch {
		case held && holder == m.id:
			return versioned.ErrUnchanged
		case held && !m.watch.isOver(*next, holder, m.readAt, m.options.Lease):
			reachable = next.Sessions[holder].Address != ""
			return problem.IndexerUnavailable.New()
		case m.isFull() && m.roomiest(*next) != "":
			reachable = true
			return problem.IndexerUnavailable.New()
		}
		own, ok := next.Sessions[m.id]
		if !ok {
			own = session{Node: m.options.Node, Address: m.options.Address, Beat: 1}
		}
		next.Sessions[m.id] = own
		next.Claims[index] = m.id
		delete(m.unwanted, index)
		return nil
	})
	return reachable, err
}

// Confirm reads the leadership and reports whether this node still writes an index.
func (m *Member) Confirm(ctx context.Context, index registry.ID) (bool, error) {
	if err := m.refresh(ctx, 0); err != nil {
		return false, err
	}
	return m.Holds(index), nil
}

// Prune gives up, with the next beat, indexes that this node writes and nothing
// lists. A claim ahead of a creation is kept for a while.
func (m *Member) Prune(isListed func(registry.ID) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for index, since := range m.claimed {
		if m.options.Clock()-since > unlistedHold && !isListed(index) {
			m.unwanted[index] = true
		}
	}
}

// Drain makes this node claim nothing more. It keeps what it holds until Leave.
func (m *Member) Drain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.draining = true
}

// IsDraining reports whether Drain was called.
func (m *Member) IsDraining() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.draining
}

// Leave ends the session and gives up everything it holds. Run must have ended.
func (m *Member) Leave(ctx context.Context) error {
	if !m.options.Candidate {
		return nil
	}
	m.Drain()
	err := m.change(ctx, func(next *leadership) error {
		next.remove(m.id, "")
		return nil
	})
	if err != nil {
		return fmt.Errorf("leave the leadership: %w", err)
	}
	return nil
}
