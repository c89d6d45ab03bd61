package ownership

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// sharedRead is the outcome of the last read, for all callers.
type sharedRead struct {
	isKnown bool
	began   time.Duration
	err     error
}

// refresh reads the leadership when the copy is older than age. Callers that accept
// a copy share a read, even one that fails.
func (m *Member) refresh(ctx context.Context, age time.Duration) error {
	if _, fresh := m.copy(age); fresh {
		return nil
	}
	if age <= 0 {
		return m.read(ctx)
	}
	asked := m.options.Clock()
	select {
	case m.readTurn <- struct{}{}:
		defer func() { <-m.readTurn }()
	case <-ctx.Done():
		return problem.IndexerLeadershipUnreadable.New().Because(ctx.Err())
	}
	if _, fresh := m.copy(age); fresh { // another call read it
		return nil
	}
	if last := m.shared; last.isKnown && last.began >= asked {
		if last.err != nil {
			return problem.IndexerLeadershipUnreadable.New().Because(last.err)
		}
		return nil // the leadership does not exist
	}
	began := m.options.Clock()
	err := m.read(ctx)
	// A cancelled read says nothing to others.
	m.shared = sharedRead{isKnown: err == nil || ctx.Err() == nil, began: began, err: err}
	return err
}

// read reads the leadership.
func (m *Member) read(ctx context.Context) error {
	held, _ := m.copy(0)
	found, _, err := m.store.ReadUnless(ctx, held)
	if err != nil {
		return problem.IndexerLeadershipUnreadable.New().Because(err)
	}
	if !found.Exists() && held.Exists() {
		return problem.IndexerLeadershipUnreadable.New().Because(errors.New("the leadership is gone"))
	}
	m.see(found)
	return nil
}

// copy returns the copy of the leadership and whether it is younger than age.
func (m *Member) copy(age time.Duration) (versioned.Object[leadership], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, m.held.Exists() && m.options.Clock()-m.readAt < age
}

// Holder returns the node that writes an index, from a copy a few seconds old, and
// false when no node does.
func (m *Member) Holder(ctx context.Context, index registry.ID) (Candidate, bool, error) {
	return m.holder(ctx, index, copyAge)
}

func (m *Member) holder(ctx context.Context, index registry.ID, age time.Duration) (Candidate, bool, error) {
	if err := m.refresh(ctx, age); err != nil {
		return Candidate{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, ok := m.held.Value.Claims[index]
	if !ok || id != m.id && m.isOver(id) {
		return Candidate{}, false, nil
	}
	return m.candidate(id), true, nil
}

// Writer returns the address for a write of an index that this node does not hold:
// that of the node that does, or of the candidate that every node picks for it. It
// is empty when there is none.
func (m *Member) Writer(ctx context.Context, index registry.ID, name string) (address string, err error) {
	holder, ok, err := m.Holder(ctx, index)
	if err == nil && !ok && !index.IsZero() {
		// An existing index is written by its creator, and the copy may be too old
		// to show that.
		holder, ok, err = m.holder(ctx, index, justNow)
	}
	if err != nil {
		return "", err
	}
	if ok {
		return holder.Address, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var reachable, full []string
	for _, id := range m.held.Value.candidates(m.isOver) {
		if s := m.held.Value.Sessions[id]; s.Address != "" && id != m.id && s.Full {
			full = append(full, s.Address)
		} else if s.Address != "" && id != m.id {
			reachable = append(reachable, s.Address)
		}
	}
	if len(reachable) == 0 {
		reachable = full // they report what is wrong
	}
	if len(reachable) == 0 {
		return "", nil
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return reachable[int(hash.Sum32()%uint32(len(reachable)))], nil
}

// isOver reports whether a session is over. The caller must hold mu.
func (m *Member) isOver(id string) bool {
	return id != m.id && m.watch.isOver(m.held.Value, id, m.readAt, m.options.Lease)
}

func (m *Member) candidate(id string) Candidate {
	s := m.held.Value.Sessions[id]
	return Candidate{Node: s.Node, Address: s.Address, ExpiresAt: m.watch[id].wall.Add(m.options.Lease).UTC()}
}

// Table returns which node writes what, from a copy a few seconds old. names
// returns the name of an index, and false for one that is not listed.
func (m *Member) Table(ctx context.Context, names func(registry.ID) (string, bool)) (Table, error) {
	if err := m.refresh(ctx, copyAge); err != nil {
		return Table{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	table := Table{Candidates: []Candidate{}, Claims: []Claim{}}
	for _, id := range m.held.Value.candidates(m.isOver) {
		table.Candidates = append(table.Candidates, m.candidate(id))
	}
	for index, id := range m.held.Value.Claims {
		name, listed := names(index)
		if _, ok := m.held.Value.Sessions[id]; !ok || !listed || m.isOver(id) {
			continue
		}
		c := m.candidate(id)
		table.Claims = append(table.Claims, Claim{Index: name, Node: c.Node, Address: c.Address, ExpiresAt: c.ExpiresAt})
	}
	slices.SortFunc(table.Claims, func(a, b Claim) int { return strings.Compare(a.Index, b.Index) })
	return table, nil
}

// Peers returns the addresses of the other nodes that take part and can be reached,
// in the order of their sessions.
func (m *Member) Peers(ctx context.Context) ([]string, error) {
	if err := m.refresh(ctx, copyAge); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, id := range m.held.Value.candidates(m.isOver) {
		if address := m.held.Value.Sessions[id].Address; address != "" && id != m.id {
			all = append(all, address)
		}
	}
	return all, nil
}
