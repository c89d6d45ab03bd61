package metrics

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// observing is a histogram or, without buckets, a summary of count and total.
type observing interface {
	prometheus.Collector
	WithLabelValues(tags ...string) prometheus.Observer
}

type timer struct {
	observers observing
	maximum   *maximum
}

func newTimer(name, help string, tags []string, bounds []float64) *timer {
	t := &timer{maximum: &maximum{
		description: prometheus.NewDesc(name+"_max", "Longest of the last one to two minutes. "+help, tags, nil),
		series:      make(map[string]*window),
		now:         time.Now,
	}}
	if bounds == nil {
		t.observers = prometheus.NewSummaryVec(prometheus.SummaryOpts{Name: name, Help: help}, tags)
	} else {
		t.observers = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, tags)
	}
	return t
}

func (t *timer) observe(took time.Duration, tags []string) {
	seconds := took.Seconds()
	t.observers.WithLabelValues(tags...).Observe(seconds)
	t.maximum.observe(seconds, tags)
}

// bounds returns the upper bounds of the buckets in seconds, or nil for none.
func bounds(mode HistogramMode, kind buckets) []float64 {
	switch {
	case mode == ModeNone:
		return nil
	case mode == ModeDetailed:
		return percentileBounds(time.Millisecond, 30*time.Second)
	case kind == storageBuckets:
		return []float64{0.01, 0.05, 0.25, 1, 5, 15, 60, 300}
	}
	return []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10}
}

// percentileBounds returns the buckets for estimating percentiles: for every power
// of four, steps of a third of it, in nanoseconds, restricted to the range between
// two durations.
func percentileBounds(from, to time.Duration) []float64 {
	var found []float64
	keep := func(nanoseconds int64) {
		if nanoseconds >= from.Nanoseconds() && nanoseconds <= to.Nanoseconds() {
			found = append(found, float64(nanoseconds)/1e9)
		}
	}
	for _, n := range []int64{1, 2, 3} {
		keep(n)
	}
	for power := int64(4); power <= to.Nanoseconds(); power *= 4 {
		step := power / 3
		for value := power; value < power*4-step; value += step {
			keep(value)
		}
		keep(power*4 - step)
	}
	// from and to are bucket bounds themselves.
	if len(found) == 0 || found[0] > from.Seconds() {
		found = append([]float64{from.Seconds()}, found...)
	}
	if last := found[len(found)-1]; last < to.Seconds() {
		found = append(found, to.Seconds())
	}
	return found
}

// maximum is the gauge of the longest observation. It falls back to zero when
// nothing is observed for two minutes.
type maximum struct {
	description *prometheus.Desc
	now         func() time.Time

	mu     sync.Mutex
	series map[string]*window
}

// window holds the maximum of the minute that began at start and of the minute
// before.
type window struct {
	tags              []string
	start             time.Time
	current, previous float64
}

const windowLength = time.Minute

func (w *window) turn(now time.Time) {
	switch age := now.Sub(w.start); {
	case age >= 2*windowLength:
		w.start, w.current, w.previous = now, 0, 0
	case age >= windowLength:
		w.start, w.current, w.previous = w.start.Add(windowLength), 0, w.current
	}
}

func (m *maximum) observe(value float64, tags []string) {
	key := strings.Join(tags, "\xff")
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.series[key]
	if w == nil {
		w = &window{tags: append([]string(nil), tags...), start: m.now()}
		m.series[key] = w
	}
	w.turn(m.now())
	w.current = max(w.current, value)
}

// Describe sends the description of the gauge.
func (m *maximum) Describe(to chan<- *prometheus.Desc) { to <- m.description }

// Collect sends one value per set of tags.
func (m *maximum) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.series {
		w.turn(m.now())
		to <- prometheus.MustNewConstMetric(m.description, prometheus.GaugeValue, max(w.current, w.previous), w.tags...)
	}
}
