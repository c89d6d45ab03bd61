package ownership

import (
	"maps"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/registry"
)

// Nodes that each write their share of the indexes may still differ in how much
// they write. Every node publishes the loads of its indexes. A node whose load is
// far above that of the least loaded candidate offers the busiest of its indexes
// that makes the two more alike; a candidate that is not above its share of indexes
// takes an offer, one at a time; the offering node drains the index and the next
// round moves it. An index moves only if twice its load fits into the difference,
// so it does not come back.

// leastGap is the least difference of loads at which anything is offered.
const leastGap = 2

// loadOf returns the load of a session: the sum of the buckets of its indexes.
func (l leadership) loadOf(id string) int {
	sum := 0
	for index, holder := range l.Claims {
		if holder == id {
			sum += l.Loads[index]
		}
	}
	return sum
}

// share returns how many indexes a session may write before it is above its share
// among the candidates.
func (l leadership) share(candidates []string) int {
	total := 0
	for _, holder := range l.Claims {
		if slices.Contains(candidates, holder) {
			total++
		}
	}
	return (total + len(candidates) - 1) / max(len(candidates), 1)
}

// fits reports whether an index may go from one session to another by its load.
func (l leadership) fits(index registry.ID, from, to string) bool {
	gap := l.loadOf(from) - l.loadOf(to)
	return gap >= leastGap && l.Loads[index] > 0 && 2*l.Loads[index] <= gap
}

// tradeOffers is the part of a round that concerns loads: it publishes those of
// this node, drops stale offers, makes one and takes one. The caller must hold mu.
func (m *Member) tradeOffers(next *leadership) {
	m.writeLoads(next)
	candidates := next.candidates(func(id string) bool {
		return id != m.id && m.watch.isOver(*next, id, m.readAt, m.options.Lease)
	})
	share := next.share(candidates)
	mayOffer := !m.draining && m.drain != nil && m.leaving == nil && len(next.held(m.id)) <= share
	mayTake := !m.draining && m.canServe() && !m.isFull() && m.options.Address != "" && m.leaving == nil && len(next.held(m.id)) <= share
	for _, index := range slices.SortedFunc(maps.Keys(next.Offers), registry.ID.Compare) {
		holder, taker := next.Claims[index], next.Offers[index]
		if taker != "" && !slices.Contains(candidates, taker) || taker == m.id && m.draining {
			taker, next.Offers[index] = "", ""
		}
		switch {
		case !slices.Contains(candidates, holder), holder == m.id && m.draining,
			holder == m.id && taker == "" && !m.fitsAny(next, index, candidates):
			delete(next.Offers, index)
		case holder == m.id:
			mayOffer = false
		case taker == m.id:
			mayTake = false
		}
	}
	if mayTake {
		m.takeOffer(next)
	}
	if mayOffer {
		m.makeOffer(next, candidates)
	}
}

// writeLoads writes the loads of the indexes that this node writes.
func (m *Member) writeLoads(next *leadership) {
	at := m.options.Clock()
	for index, holder := range next.Claims {
		if holder != m.id {
			continue
		}
		if b := m.loads[index].bucket(at); b > 0 {
			next.Loads[index] = b
		} else {
			delete(next.Loads, index)
		}
	}
	maps.DeleteFunc(next.Loads, func(index registry.ID, _ int) bool {
		_, claimed := next.Claims[index]
		return !claimed
	})
}

// fitsAny reports whether an index of this node fits any other candidate.
func (m *Member) fitsAny(next *leadership, index registry.ID, candidates []string) bool {
	return slices.ContainsFunc(candidates, func(id string) bool {
		isSettled := m.options.Clock()-m.joinedAt[id] >= m.options.Lease
		return id != m.id && isSettled && next.Sessions[id].Address != "" && !next.Sessions[id].Full && next.fits(index, m.id, id)
	})
}

// makeOffer offers the busiest index that fits another candidate.
func (m *Member) makeOffer(next *leadership, candidates []string) {
	var best registry.ID
	for index := range next.held(m.id) {
		b, most := next.Loads[index], next.Loads[best]
		if (b > most || b == most && index.Compare(best) > 0) && m.fitsAny(next, index, candidates) {
			best = index
		}
	}
	if next.Loads[best] > 0 {
		next.Offers[best] = ""
	}
}

// takeOffer takes one offer of another node that is still open.
func (m *Member) takeOffer(next *leadership) {
	for _, index := range slices.SortedFunc(maps.Keys(next.Offers), registry.ID.Compare) {
		if holder := next.Claims[index]; next.Offers[index] == "" && holder != m.id && next.fits(index, holder, m.id) {
			next.Offers[index] = m.id
			return
		}
	}
}

// taken returns an index of this node that another candidate takes. The caller must
// hold mu.
func (m *Member) taken() (index registry.ID, to string, ok bool) {
	offers := m.held.Value.Offers
	for _, index := range slices.SortedFunc(maps.Keys(offers), registry.ID.Compare) {
		to := offers[index]
		if _, lives := m.held.Value.Sessions[to]; lives && !m.isOver(to) && m.held.Value.Claims[index] == m.id {
			return index, to, true
		}
	}
	return index, "", false
}

// inherit begins the load of an index with what its last holder stored. The caller
// must hold mu.
func (m *Member) inherit(index registry.ID, bucket int) {
	if bucket > 0 {
		middle := 1.5 * math.Exp2(float64(bucket-1))
		m.loads[index] = load{count: middle, at: m.options.Clock()}
	}
}
