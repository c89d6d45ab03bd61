package generations

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
)

// usageName is the file in the directory of a copy that records how much it is
// used.
const usageName = "usage"

// usage is how much a copy is used. The count halves with time.
type usage struct {
	LastUsed time.Time `json:"lastUsed"`
	Count    float64   `json:"count"`
}

// at returns the count at a later time.
func (u usage) at(now time.Time, halfLife time.Duration) float64 {
	if halfLife <= 0 || now.Before(u.LastUsed) {
		return u.Count
	}
	return u.Count * math.Exp2(-float64(now.Sub(u.LastUsed))/float64(halfLife))
}

func (s *Set) readUsage(generation registry.ID) usage {
	var u usage
	content, err := s.fs.ReadFile(s.storage(generation).Directory + "/" + usageName)
	if err != nil || json.Unmarshal(content, &u) != nil {
		return usage{}
	}
	return u
}

// noteUse counts an open of a copy. Losing a count does no harm.
func (s *Set) noteUse(generation registry.ID, halfLife time.Duration) {
	now := time.Now().UTC()
	u := usage{LastUsed: now, Count: 1 + s.readUsage(generation).at(now, halfLife)}
	content, err := json.Marshal(u)
	if err == nil {
		err = vfs.ReplaceUnsynced(s.fs, s.storage(generation).Directory+"/"+usageName, content)
	}
	if err != nil {
		s.options.Log.Debug("the use of a copy was not noted", "generation", generation, "error", err)
	}
}

// Budget bounds the space of copies.
type Budget struct {
	MaxSize  int64         // 0: no bound
	MinIdle  time.Duration // copies used more recently are kept, unless the disk runs full
	Reserve  uint64        // bytes of the disk to keep free; 0: the smaller of 1 GiB and 5 %
	HalfLife time.Duration // of the count that ranks copies
}

// closedCopy is a directory that nothing here has open.
type closedCopy struct {
	generation registry.ID
	size       int64
	usage
}

// shrink removes closed copies, least used first, until the copies take a tenth
// less than the budget. The bucket holds them in full: what was acknowledged is in
// its log.
func (s *Set) shrink(ctx context.Context, b Budget) error {
	if b.MaxSize <= 0 {
		return nil
	}
	total, closed, err := s.closedCopies(b, b.MinIdle)
	if err != nil || total <= b.MaxSize {
		return err
	}
	for _, one := range closed {
		if total <= b.MaxSize-b.MaxSize/10 {
			break
		}
		isDropped, err := s.dropCopy(ctx, one.generation)
		if err != nil {
			return err
		}
		if isDropped {
			total -= one.size
		}
	}
	if total > b.MaxSize {
		s.options.Log.Warn("the disk budget is exceeded and nothing can be removed", "used", total, "budget", b.MaxSize)
	}
	return nil
}

// freeSpace removes closed copies, least used first, while less of the disk is free
// than its reserve: writes, which are then refused, matter more than copies that
// can be fetched again.
func (s *Set) freeSpace(ctx context.Context, b Budget) error {
	free, total, err := s.fs.Free()
	if err != nil || total == 0 {
		return err
	}
	reserve := b.Reserve
	if reserve == 0 {
		reserve = min(1<<30, total/20)
	}
	if free >= reserve {
		return nil
	}
	_, closed, err := s.closedCopies(b, 0)
	if err != nil {
		return err
	}
	for _, one := range closed {
		if free >= reserve+reserve/10 {
			break
		}
		isDropped, err := s.dropCopy(ctx, one.generation)
		if err != nil {
			return err
		}
		if isDropped {
			free += uint64(one.size)
		}
	}
	return nil
}

// closedCopies returns the size of all copies and, least used first, those that
// nothing here has open or used for a while.
func (s *Set) closedCopies(b Budget, idle time.Duration) (total int64, closed []closedCopy, err error) {
	local, err := s.Local()
	if err != nil {
		return 0, nil, err
	}
	now := time.Now()
	for _, generation := range local {
		size := sizeOf(s.fs, s.storage(generation).Directory)
		total += size
		u := s.readUsage(generation)
		if !s.isInUse(generation) && now.Sub(u.LastUsed) >= idle {
			closed = append(closed, closedCopy{generation, size, u})
		}
	}
	slices.SortFunc(closed, func(a, c closedCopy) int {
		x, y := a.at(now, b.HalfLife), c.at(now, b.HalfLife)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return a.LastUsed.Compare(c.LastUsed)
	})
	return total, closed, nil
}

func (s *Set) isInUse(generation registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.at(generation)
	return h.current != nil || h.departure != nil
}

// dropCopy removes the directory of a closed copy and reports whether it did. It
// keeps a copy that the bucket does not hold in full (I22). An open that comes
// meanwhile waits.
func (s *Set) dropCopy(ctx context.Context, generation registry.ID) (bool, error) {
	if !s.isStored(ctx, generation) {
		return false, nil
	}
	s.mu.Lock()
	h := s.at(generation)
	if s.closed || h.current != nil || h.departure != nil {
		s.mu.Unlock()
		return false, nil
	}
	now := &departure{over: make(chan struct{})}
	h.departure = now
	s.fire(ctx, h, drop)
	s.mu.Unlock()
	defer s.leave(h, now)
	if err := s.removeFiles(generation); err != nil {
		return false, err
	}
	s.options.Log.Info("removed a local copy to keep the disk budget", "generation", generation)
	return true, nil
}

// isStored reports whether the bucket holds at least what the local copy does.
func (s *Set) isStored(ctx context.Context, generation registry.ID) bool {
	local, err := manifest.Read(s.fs, s.storage(generation).Directory)
	if err != nil {
		return true // not a copy
	}
	remote := s.remote.of(generation)
	lack, err := remote.Check(ctx, local)
	if err == nil && lack.IsNothing() {
		var stored replication.Held
		if stored, err = remote.ReadSoon(ctx, ""); err == nil && !stored.Manifest.Precedes(local) {
			return true
		}
	}
	s.options.Log.Warn("keeping a local copy beyond the disk budget: its copy in the bucket is incomplete", "generation", generation, "error", err)
	return false
}

// spaceInterval is how often the free space of the disk is checked.
const spaceInterval = 10 * time.Second

// KeepBudget shrinks the copies at an interval, and when the disk runs full, until
// ctx ends.
func (s *Set) KeepBudget(ctx context.Context, b Budget, interval time.Duration) {
	if interval <= 0 {
		interval = time.Hour
	}
	budget, space := time.NewTicker(interval), time.NewTicker(spaceInterval)
	defer budget.Stop()
	defer space.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-budget.C:
			err = s.shrink(ctx, b)
		case <-space.C:
			err = s.freeSpace(ctx, b)
		}
		if err != nil {
			s.options.Log.Error("cannot keep the disk budget", "error", err)
		}
	}
}
