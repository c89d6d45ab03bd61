package metrics

import "strings"

// Kind is what a meter measures.
type Kind string

// The kinds of meters.
const (
	Timer   Kind = "timer"
	Counter Kind = "counter"
	Gauge   Kind = "gauge"
)

// buckets says which fixed buckets a timer has in mode slo.
type buckets int

const (
	requestBuckets buckets = iota
	storageBuckets
)

// Meter is one row of the table of meters.
type Meter struct {
	Name string // as the interface writes it, with dots
	Kind Kind
	Unit string // base unit; empty when a count has none
	Tags []string
	Help string

	buckets buckets
}

// table is the only list of meters.
var table = []Meter{
	{Name: "service.search", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "End-to-end duration of searches."},
	{Name: "service.search.relaxation", Kind: Counter, Unit: "words", Tags: []string{"reason"}, Help: "Words dropped before a query matched."},
	{Name: "service.search.interpretation", Kind: Counter, Unit: "filters", Tags: []string{"kind"}, Help: "Filters read from typed text."},
	{Name: "service.suggest", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of suggest requests."},
	{Name: "service.facet.values", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of facet values requests."},
	{Name: "service.explain", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of explain requests."},
	{Name: "service.search.pieces", Kind: Counter, Tags: []string{"thread"}, Help: "Segments or facet parts collected, by the thread that did."},
	{Name: "service.write", Kind: Timer, Unit: "seconds", Tags: []string{"operation", "outcome"}, Help: "Duration of document writes."},
	{Name: "service.write.documents", Kind: Counter, Unit: "documents", Tags: []string{"operation"}, Help: "Documents written; a failed request counts none."},
	{Name: "service.write.forwarded", Kind: Counter, Unit: "requests", Tags: []string{"outcome"}, Help: "Writes sent on to the node that writes the index."},
	{Name: "service.commit", Kind: Timer, Unit: "seconds", Tags: []string{"trigger", "outcome"}, Help: "Duration of commits.", buckets: storageBuckets},
	{Name: "service.segment.written", Kind: Counter, Unit: "bytes", Tags: []string{"source"}, Help: "Bytes of segments written, by documents or by merges."},
	{Name: "service.sync.push", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of pushes to shared storage.", buckets: storageBuckets},
	{Name: "service.sync.pull", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of pulls from shared storage.", buckets: storageBuckets},
	{Name: "service.sync.conflict", Kind: Counter, Tags: []string{"operation"}, Help: "Refused pushes and pulls; above zero means concurrent writers."},
	{Name: "service.storage.operation", Kind: Timer, Unit: "seconds", Tags: []string{"operation", "outcome", "status"}, Help: "Duration of calls to shared storage.", buckets: storageBuckets},
	{Name: "service.indexes.open", Kind: Gauge, Unit: "generations", Help: "Generations open on this node."},
	{Name: "service.indexes.owned", Kind: Gauge, Unit: "indexes", Help: "Indexes written by this node."},
	{Name: "service.indexes.total", Kind: Gauge, Unit: "indexes", Help: "Index names as of the last refresh."},
	{Name: "service.index.state", Kind: Gauge, Unit: "generations", Tags: []string{"state"}, Help: "Open generations by synchronization state."},
	{Name: "service.ownership.change", Kind: Counter, Unit: "events", Tags: []string{"direction"}, Help: "Indexes this node began or ceased to write."},
	{Name: "service.registry.refresh.age", Kind: Gauge, Unit: "seconds", Help: "Time since the registry was last read."},
	{Name: "service.indexes.opened", Kind: Counter, Unit: "generations", Tags: []string{"source"}, Help: "Generations opened, by what caused it."},
	{Name: "service.indexes.open.wait", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Time requests waited for a generation to open.", buckets: storageBuckets},
	{Name: "service.index.unhealthy", Kind: Gauge, Tags: []string{"index", "generation", "state"}, Help: "1 for each generation that is not usable."},
	{Name: "service.index.documents", Kind: Gauge, Unit: "documents", Tags: []string{"index", "generation"}, Help: "Documents of a generation this node writes."},
	{Name: "service.index.pending.changes", Kind: Gauge, Unit: "changes", Tags: []string{"index", "generation"}, Help: "Changes not committed yet."},
	{Name: "service.index.pending.age", Kind: Gauge, Unit: "seconds", Tags: []string{"index", "generation"}, Help: "Age of the oldest change not committed yet."},
	{Name: "service.index.disk.bytes", Kind: Gauge, Unit: "bytes", Tags: []string{"index", "generation"}, Help: "Size of a local copy."},
	{Name: "service.disk.used.bytes", Kind: Gauge, Unit: "bytes", Help: "Size of all local copies."},
	{Name: "service.disk.max.bytes", Kind: Gauge, Unit: "bytes", Help: "Configured bound of all local copies; absent without one."},
	{Name: "service.document.cache.hits", Kind: Counter, Help: "Documents found in the cache."},
	{Name: "service.document.cache.misses", Kind: Counter, Help: "Documents not found in the cache."},
	{Name: "service.document.cache.evictions", Kind: Counter, Help: "Documents evicted from the cache."},
	{Name: "service.query.cache.hits", Kind: Counter, Help: "Filters found in the cache."},
	{Name: "service.query.cache.misses", Kind: Counter, Help: "Filters not found in the cache."},
	{Name: "service.query.cache.evictions", Kind: Counter, Help: "Filters evicted from the cache."},
	{Name: "service.query.cache.bytes", Kind: Gauge, Unit: "bytes", Help: "Size of the filter cache."},
	{Name: "service.term.cache.hits", Kind: Counter, Help: "Terms found in the cache."},
	{Name: "service.term.cache.misses", Kind: Counter, Help: "Terms not found in the cache."},
	{Name: "service.term.cache.evictions", Kind: Counter, Help: "Terms evicted from the cache."},
	{Name: "service.typo.cache.hits", Kind: Counter, Unit: "words", Help: "Typo automata reused."},
	{Name: "service.typo.cache.misses", Kind: Counter, Unit: "words", Help: "Typo automata built."},
	{Name: "service.prefix.cache.hits", Kind: Counter, Unit: "words", Help: "Prefix automata reused."},
	{Name: "service.prefix.cache.misses", Kind: Counter, Unit: "words", Help: "Prefix automata built."},
	{Name: "service.facet.cache.hits", Kind: Counter, Help: "Facet counts found in the cache."},
	{Name: "service.facet.cache.misses", Kind: Counter, Help: "Facet counts not found in the cache."},
	{Name: "service.facet.cache.evictions", Kind: Counter, Help: "Facet counts evicted from the cache."},
	{Name: "service.facet.segment.hits", Kind: Counter, Unit: "segments", Help: "Per-segment counts reused."},
	{Name: "service.facet.segment.misses", Kind: Counter, Unit: "segments", Help: "Per-segment counts computed."},
	{Name: "service.facet.state.bytes", Kind: Gauge, Unit: "bytes", Help: "Facet state of open readers."},
	{Name: "service.facet.warm", Kind: Timer, Unit: "seconds", Tags: []string{"outcome"}, Help: "Duration of facet warm-ups.", buckets: storageBuckets},
	{Name: "service.facet.warm.queued", Kind: Gauge, Unit: "indexes", Help: "Indexes waiting for a warm thread."},
	{Name: "service.api.error", Kind: Counter, Unit: "requests", Tags: []string{"code"}, Help: "Failed requests by error code."},
	{Name: "service.auth.failure", Kind: Counter, Unit: "requests", Tags: []string{"reason"}, Help: "Requests refused for their credential."},
	{Name: "service.reindex.active", Kind: Gauge, Unit: "jobs", Tags: []string{"phase"}, Help: "Reindex jobs by phase."},
	{Name: "service.api.panic", Kind: Counter, Help: "Panics caught while a request was served; zero in every healthy run."},
	{Name: "http.server.requests", Kind: Timer, Unit: "seconds", Tags: []string{"method", "uri", "status"}, Help: "Duration of HTTP requests by route."},
}

// Meters returns the table of meters.
func Meters() []Meter { return append([]Meter(nil), table...) }

// PrometheusName returns the name a meter is scraped under, without the
// suffixes of a histogram: dots become underscores, then the unit, then
// _total for a counter.
func (m Meter) PrometheusName() string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit != "" && !strings.HasSuffix(name, "_"+m.Unit) {
		name += "_" + m.Unit
	}
	for _, reserved := range []string{"_total", "_created", "_bucket", "_info"} {
		name = strings.TrimSuffix(name, reserved)
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}
