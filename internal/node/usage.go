package node

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

const (
	usageName     = "usage"
	usageHalfLife = 7 * 24 * time.Hour
	maxUsage      = 10_000 // generations counted; the least used are forgotten
)

// usage counts how much generations are used, so that a starting node first opens
// those that will be asked for. Counts halve every week. They are kept in a file
// beside the generations; if it is lost, counting starts over.
type usage struct {
	fs  vfs.FS
	now func() time.Time

	mu      sync.Mutex
	counts  map[registry.ID]used
	changed bool // since the file was written
}

// used is a count at a point in time.
type used struct {
	Count float64   `json:"count"`
	At    time.Time `json:"at"`
}

func (u used) at(now time.Time) float64 {
	return u.Count * math.Exp2(-float64(now.Sub(u.At))/float64(usageHalfLife))
}

// storedUsage is the file of the counts.
type storedUsage struct {
	Format uint32               `json:"format"`
	Counts map[registry.ID]used `json:"counts"`
}

// readUsage reads the counts of earlier runs; a damaged file counts as none.
func readUsage(fs vfs.FS) *usage {
	u := &usage{fs: fs, now: time.Now, counts: make(map[registry.ID]used)}
	var found storedUsage
	content, err := fs.ReadFile(usageName)
	if err == nil && json.Unmarshal(content, &found) == nil && found.Format == format.Notes.Version && found.Counts != nil {
		u.counts = found.Counts
	}
	return u
}

// note counts one use of a generation.
func (u *usage) note(generation registry.ID) {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.counts[generation] = used{Count: u.counts[generation].at(now) + 1, At: now}
	u.changed = true
}

// most returns the generations ordered by use, most used first. Those never used
// keep their order at the end.
func (u *usage) most(all []registry.Entry) []registry.Entry {
	now := u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	ordered := slices.Clone(all)
	slices.SortStableFunc(ordered, func(a, b registry.Entry) int {
		return cmp.Compare(u.counts[b.Generation].at(now), u.counts[a.Generation].at(now))
	})
	return ordered
}

// save writes the counts if they changed.
func (u *usage) save() error {
	u.mu.Lock()
	if !u.changed {
		u.mu.Unlock()
		return nil
	}
	u.changed = false
	u.forget()
	content, err := json.Marshal(storedUsage{format.Notes.Version, u.counts})
	u.mu.Unlock()
	if err == nil {
		err = vfs.ReplaceFile(u.fs, usageName, content)
	}
	if err != nil {
		err = errors.Join(errors.New("write the use of generations"), err)
	}
	return err
}

// forget drops the least used generations beyond maxUsage. The caller must hold mu.
func (u *usage) forget() {
	if len(u.counts) <= maxUsage {
		return
	}
	now := u.now()
	all := make([]registry.ID, 0, len(u.counts))
	for id := range u.counts {
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b registry.ID) int { return cmp.Compare(u.counts[b].at(now), u.counts[a].at(now)) })
	for _, id := range all[maxUsage:] {
		delete(u.counts, id)
	}
}
