package ownership

import (
	"context"
	"math"
	"math/bits"
	"time"

	"github.com/quiresearch/quire/internal/registry"
)

// Indexes are spread over the candidates: a node that writes more than its share
// hands one at a time to a node that writes less. It first drains the index: it
// refuses new writes, waits for those under way and tries one commit. The next
// round moves the claim; what was not committed is in the log. A node that cannot
// store writes hands over everything, the most written index first.

// loadHalfLife is how fast writes are forgotten when indexes are compared.
const loadHalfLife = 5 * time.Minute

// load counts the writes of an index; the count halves with time.
type load struct {
	count float64
	at    time.Duration // on the clock of this node
}

func (l load) now(at time.Duration) float64 {
	return l.count * math.Exp2(-float64(at-l.at)/float64(loadHalfLife))
}

// bucket returns the bit length of the count: loads of one bucket are equal.
func (l load) bucket(at time.Duration) int { return bits.Len64(uint64(max(0, l.now(at)))) }

// handover is an index on its way to another session.
type handover struct {
	index   registry.ID
	to      string // session
	isOffer bool   // that session took an offer of it
	drained bool
}

// OnHandover sets the function that drains an index that goes to another node. It
// is called without locks on its own goroutine and may take long. It must be set
// before Run; without it nothing is handed over.
func (m *Member) OnHandover(drain func(context.Context, registry.ID)) { m.drain = drain }

// noteWrite counts a write of an index. The caller must hold mu.
func (m *Member) noteWrite(index registry.ID) {
	at := m.options.Clock()
	m.loads[index] = load{count: m.loads[index].now(at) + 1, at: at}
}

// isHandedOver reports whether an index is on its way to another node. The caller
// must hold mu.
func (m *Member) isHandedOver(index registry.ID) bool {
	return m.leaving != nil && m.leaving.index == index
}

// moveDrained gives a drained index to its taker, if that still has a session. The
// caller must hold mu.
func (m *Member) moveDrained(next *leadership) {
	if m.leaving == nil || !m.leaving.drained {
		return
	}
	isWithdrawn := m.leaving.isOffer && next.Offers[m.leaving.index] != m.leaving.to
	if _, lives := next.Sessions[m.leaving.to]; lives && !isWithdrawn && next.Claims[m.leaving.index] == m.id {
		next.Claims[m.leaving.index] = m.leaving.to
	}
	delete(next.Offers, m.leaving.index)
}

// balance chooses an index to hand over and drains it: one that another node takes,
// or any if this node writes more than its share and another less. An earlier
// handover that was drained is over: the index moved with the round, or it stays.
func (m *Member) balance(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.leaving != nil && m.leaving.drained {
		m.leaving = nil
	}
	if m.leaving != nil || m.draining || m.drain == nil {
		return
	}
	index, to, isOffer := m.taken()
	ok := isOffer
	if !ok && m.isFull() {
		index, to, ok = m.unstorable()
	} else if !ok {
		index, to, ok = m.surplus()
	}
	if !ok {
		return
	}
	m.leaving = &handover{index: index, to: to, isOffer: isOffer}
	m.log.Info("handing an index over", "id", index, "node", m.held.Value.Sessions[to].Node)
	leaving := m.leaving
	m.handing.Go(func() {
		m.drain(ctx, index)
		m.mu.Lock()
		defer m.mu.Unlock()
		leaving.drained = true
	})
}

// unstorable returns the index with the most writes of a node that cannot store
// them, and a session that can. The caller must hold mu.
func (m *Member) unstorable() (index registry.ID, to string, ok bool) {
	if to = m.roomiest(m.held.Value); to == "" {
		return index, "", false
	}
	at, most := m.options.Clock(), -1
	for claimed := range m.claimed {
		if b := m.loads[claimed].bucket(at); b > most || b == most && claimed.Compare(index) > 0 {
			index, most = claimed, b
		}
	}
	return index, to, most >= 0
}

// roomiest returns the other session that can be reached, can store writes and
// writes the fewest indexes, or an empty string. The caller must hold mu.
func (m *Member) roomiest(l leadership) (to string) {
	least := 0
	for _, id := range l.candidates(func(id string) bool { return id != m.id && m.watch.isOver(l, id, m.readAt, m.options.Lease) }) {
		if s := l.Sessions[id]; id != m.id && s.Address != "" && !s.Full {
			if held := len(l.held(id)); to == "" || held < least {
				to, least = id, held
			}
		}
	}
	return to
}

// surplus returns the index with the fewest writes, if this node writes more than
// its share, and the session that writes the fewest indexes. The caller must hold
// mu.
func (m *Member) surplus() (index registry.ID, to string, ok bool) {
	candidates := m.held.Value.candidates(m.isOver)
	held := make(map[string]int, len(candidates))
	for _, id := range candidates {
		held[id] = 0
	}
	total := 0
	for _, id := range m.held.Value.Claims {
		if _, lives := held[id]; lives {
			held[id]++
			total++
		}
	}
	if len(candidates) < 2 || total == 0 {
		return index, "", false
	}
	share := (total + len(candidates) - 1) / len(candidates)
	for _, id := range candidates { // in the order of nodes: every node compares alike
		isSettled := m.options.Clock()-m.joinedAt[id] >= m.options.Lease
		if id != m.id && isSettled && m.held.Value.Sessions[id].Address != "" && !m.held.Value.Sessions[id].Full && held[id] < share && (to == "" || held[id] < held[to]) {
			to = id
		}
	}
	if to == "" || held[m.id] <= share || held[m.id]-held[to] < 2 {
		return index, "", false
	}
	at, least := m.options.Clock(), -1
	for claimed := range m.claimed {
		b := m.loads[claimed].bucket(at)
		if least < 0 || b < least || b == least && claimed.Compare(index) > 0 {
			index, least = claimed, b
		}
	}
	return index, to, least >= 0
}
