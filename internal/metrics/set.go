// Package metrics holds the meters of the service. The table in meters.go is
// the only list of them; a Set registers each under its Prometheus name in a
// registry of its own.
//
// Components take a *Set and call the method of a meter. A nil *Set measures
// nothing, so tests and library users pass none.
//
// A Set may be used by any number of goroutines.
package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// HistogramMode says how timers publish their distribution.
type HistogramMode string

// The modes of SERVICE_METRICS_HISTOGRAM_MODE.
const (
	ModeSLO      HistogramMode = "slo"      // fixed buckets
	ModeDetailed HistogramMode = "detailed" // percentile buckets
	ModeNone     HistogramMode = "none"     // count, total and maximum only
)

// Options configure a Set. The zero value has fixed buckets and no per-index
// series.
type Options struct {
	Mode           HistogramMode
	IndexGauges    bool // per-index gauges service.index.*
	IndexTimers    bool // index tag on the timers of searches
	MaxURITags     int  // distinct uri values of http.server.requests; 0 means 200
	DiskMaxBytes   int64
	WithoutRuntime bool // leave out the meters of the Go runtime
}

// indexTimers are the timers that can carry the index tag.
var indexTimers = []string{"service.search", "service.suggest", "service.facet.values", "service.explain"}

// Set is every meter of a node.
type Set struct {
	registry *prometheus.Registry
	options  Options
	timers   map[string]*timer
	counters map[string]*prometheus.CounterVec
	gauges   map[string]*prometheus.GaugeVec
	caches   map[string]*Cache

	mu   sync.Mutex
	uris map[string]bool // uri values of http.server.requests seen so far
}

// New returns a Set with every meter of the table registered.
func New(o Options) *Set {
	if o.MaxURITags == 0 {
		o.MaxURITags = 200
	}
	s := &Set{
		registry: prometheus.NewRegistry(),
		options:  o,
		timers:   make(map[string]*timer),
		counters: make(map[string]*prometheus.CounterVec),
		gauges:   make(map[string]*prometheus.GaugeVec),
		caches:   make(map[string]*Cache),
		uris:     make(map[string]bool),
	}
	for _, m := range table {
		s.register(m)
	}
	for _, name := range []string{"document.cache", "query.cache", "term.cache", "typo.cache", "prefix.cache", "facet.cache", "facet.segment"} {
		s.caches[name] = s.newCache(name)
	}
	for _, name := range []string{"service.query.cache.bytes", "service.facet.state.bytes", "service.facet.warm.queued"} {
		s.gauge(name, 0)
	}
	if o.DiskMaxBytes > 0 {
		s.gauge("service.disk.max.bytes", float64(o.DiskMaxBytes))
	}
	if !o.WithoutRuntime {
		s.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	return s
}

func (s *Set) register(m Meter) {
	name, tags := m.PrometheusName(), m.Tags
	switch m.Kind {
	case Timer:
		if s.options.IndexTimers && slices.Contains(indexTimers, m.Name) {
			tags = append(slices.Clone(tags), "index")
		}
		t := newTimer(name, m.Help, tags, bounds(s.options.Mode, m.buckets))
		s.timers[m.Name] = t
		s.registry.MustRegister(t.observers, t.maximum)
	case Counter:
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: m.Help}, tags)
		s.counters[m.Name] = c
		s.registry.MustRegister(c)
		if len(tags) == 0 {
			c.WithLabelValues() // a counter without tags exists from the start
		}
	case Gauge:
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: m.Help}, tags)
		s.gauges[m.Name] = g
		s.registry.MustRegister(g)
	}
}

// Handler serves scrapes in the Prometheus text format.
func (s *Set) Handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{Registry: nil})
}

func (s *Set) observe(name string, took time.Duration, tags ...string) {
	if s == nil {
		return
	}
	s.timers[name].observe(took, tags)
}

func (s *Set) count(name string, n int, tags ...string) {
	if s == nil || n <= 0 {
		return
	}
	s.counters[name].WithLabelValues(tags...).Add(float64(n))
}

func (s *Set) gauge(name string, value float64, tags ...string) {
	if s == nil {
		return
	}
	s.gauges[name].WithLabelValues(tags...).Set(value)
}

// Outcome is how a request ended.
type Outcome string

// The outcomes of a request.
const (
	Success   Outcome = "success"
	Failure   Outcome = "error"
	Abandoned Outcome = "abandoned" // the client did not wait for the answer
)

func outcome(ok bool) string {
	if ok {
		return "success"
	}
	return "error"
}

// HTTPRequest times a request by its route.
func (s *Set) HTTPRequest(method, uri string, status int, took time.Duration) {
	if s == nil {
		return
	}
	switch method {
	case "GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS":
	default:
		method = "OTHER" // the client chooses the word; keep the number of series small
	}
	s.mu.Lock()
	if !s.uris[uri] {
		if len(s.uris) >= s.options.MaxURITags {
			uri = "UNKNOWN"
		} else {
			s.uris[uri] = true
		}
	}
	s.mu.Unlock()
	s.observe("http.server.requests", took, method, uri, strconv.Itoa(status))
}

// searchTags returns the tags of a search timer.
func (s *Set) searchTags(ended Outcome, index string) []string {
	if s != nil && s.options.IndexTimers {
		return []string{string(ended), index}
	}
	return []string{string(ended)}
}
