package metrics

import (
	"strconv"
	"time"
)

// Commit times a commit; trigger is changes, interval, merges, explicit or
// freshness.
func (s *Set) Commit(trigger string, ok bool, took time.Duration) {
	s.observe("service.commit", took, trigger, outcome(ok))
}

// SegmentWritten counts the bytes of a written segment; source is flush or merge.
func (s *Set) SegmentWritten(source string, bytes int64) {
	s.count("service.segment.written", int(bytes), source)
}

// SyncPush times a push to shared storage.
func (s *Set) SyncPush(ok bool, took time.Duration) {
	s.observe("service.sync.push", took, outcome(ok))
}

// SyncPull times a pull from shared storage.
func (s *Set) SyncPull(ok bool, took time.Duration) {
	s.observe("service.sync.pull", took, outcome(ok))
}

// SyncConflict counts a refused push or pull.
func (s *Set) SyncConflict(operation string) { s.count("service.sync.conflict", 1, operation) }

// StorageOperation times a call to shared storage; status is the HTTP status, or 0
// without an answer.
func (s *Set) StorageOperation(operation string, ok bool, status int, took time.Duration) {
	s.observe("service.storage.operation", took, operation, outcome(ok), strconv.Itoa(status))
}

// IndexesOpen sets the number of open generations.
func (s *Set) IndexesOpen(generations int) { s.gauge("service.indexes.open", float64(generations)) }

// IndexesOwned sets the number of indexes this node writes.
func (s *Set) IndexesOwned(indexes int) { s.gauge("service.indexes.owned", float64(indexes)) }

// IndexesTotal sets the number of index names.
func (s *Set) IndexesTotal(indexes int) { s.gauge("service.indexes.total", float64(indexes)) }

// OwnershipChange counts an index gained, lost or revoked.
func (s *Set) OwnershipChange(direction string) { s.count("service.ownership.change", 1, direction) }

// RegistryRefreshAge sets the time since the registry was last read.
func (s *Set) RegistryRefreshAge(age time.Duration) {
	s.gauge("service.registry.refresh.age", age.Seconds())
}

// IndexOpened counts an opened generation; source is request, preload or
// background.
func (s *Set) IndexOpened(source string) { s.count("service.indexes.opened", 1, source) }

// OpenWait times a request that waited for a generation to open.
func (s *Set) OpenWait(ok bool, took time.Duration) {
	s.observe("service.indexes.open.wait", took, outcome(ok))
}

// IndexSample is what the gauges show of one open generation.
type IndexSample struct {
	Index, Generation string
	State             string // upper case, such as USABLE
	Writer            bool   // this node writes it
	Documents         int64
	PendingChanges    int64
	PendingAge        time.Duration
	DiskBytes         int64
}

// states are the values of the state tag of service.index.state.
var states = []string{"NEEDS_PULL", "PULLING", "USABLE", "MODIFIED", "PUSHING", "UNSUPPORTED", "INCOMPATIBLE", "CLOSED"}

// Indexes replaces the gauges of all open generations.
func (s *Set) Indexes(samples []IndexSample) {
	if s == nil {
		return
	}
	for _, name := range []string{"service.index.unhealthy", "service.index.documents", "service.index.pending.changes",
		"service.index.pending.age", "service.index.disk.bytes"} {
		s.gauges[name].Reset()
	}
	byState := make(map[string]int)
	for _, sample := range samples {
		byState[sample.State]++
		if sample.State != "USABLE" {
			s.gauge("service.index.unhealthy", 1, sample.Index, sample.Generation, sample.State)
		}
		if !s.options.IndexGauges {
			continue
		}
		s.gauge("service.index.disk.bytes", float64(sample.DiskBytes), sample.Index, sample.Generation)
		if sample.Writer {
			s.gauge("service.index.documents", float64(sample.Documents), sample.Index, sample.Generation)
			s.gauge("service.index.pending.changes", float64(sample.PendingChanges), sample.Index, sample.Generation)
			s.gauge("service.index.pending.age", sample.PendingAge.Seconds(), sample.Index, sample.Generation)
		}
	}
	for _, state := range states {
		s.gauge("service.index.state", float64(byState[state]), state)
	}
}

// DiskUsed sets the size of all local copies.
func (s *Set) DiskUsed(bytes int64) { s.gauge("service.disk.used.bytes", float64(bytes)) }

// phases are the values of the phase tag of service.reindex.active.
var phases = []string{"PENDING", "COPYING", "REPLAYING", "READY", "PROMOTING", "DONE", "FAILED", "CANCELLED"}

// Reindexes replaces the number of jobs by phase, written in upper case.
func (s *Set) Reindexes(byPhase map[string]int) {
	for _, phase := range phases {
		s.gauge("service.reindex.active", float64(byPhase[phase]), phase)
	}
}
