package api

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Health holds the state that the health endpoints report. It may be used by
// any number of goroutines.
type Health struct {
	mu            sync.Mutex
	registryRead  bool
	preloaded     bool
	refreshed     time.Time
	refreshWithin time.Duration
	isRefreshing  func() bool // nil: unknown
	atRisk        func() int  // nil: unknown
	warnings      func() []string
	isWritable    func() bool // nil: unknown
	hasSpace      func() bool // nil: unknown
	now           func() time.Time
}

// NewHealth returns the health of a node that refreshes its registry at the
// given interval and has not read it yet.
func NewHealth(refreshInterval time.Duration) *Health {
	return &Health{refreshWithin: max(4*refreshInterval, time.Minute), refreshed: time.Now(), now: time.Now}
}

// RegistryRead records that the registry has been read. This is never reset.
func (h *Health) RegistryRead() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.registryRead = true
}

// Preloaded records that the indexes to open at startup are open, or that the
// node no longer waits for them.
func (h *Health) Preloaded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.preloaded = true
}

// AliveWhile sets the function that reports whether a refresh pass is in
// progress, which counts as alive however long it takes.
func (h *Health) AliveWhile(isRefreshing func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isRefreshing = isRefreshing
}

// AtRiskBy sets the function that counts the generations written here whose
// last commit attempt failed or whose objects are missing from the bucket.
func (h *Health) AtRiskBy(count func() int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.atRisk = count
}

// WarnOf sets the function that returns warnings about the credentials of the
// node. Warnings are shown but do not make the node unhealthy.
func (h *Health) WarnOf(warnings func() []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warnings = warnings
}

// DiskBy sets the functions that report whether the directory of the node is
// writable and whether its disk has space.
func (h *Health) DiskBy(isWritable, hasSpace func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isWritable, h.hasSpace = isWritable, hasSpace
}

// Refreshed records the end of a refresh pass, successful or not.
func (h *Health) Refreshed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refreshed = h.now()
}

type healthBody struct {
	Status string        `json:"status"`
	Checks []healthCheck `json:"checks"`
}

type healthCheck struct {
	Name   string         `json:"name"`
	Status string         `json:"status"`
	Data   map[string]any `json:"data,omitempty"`
}

func (h *Health) ready() []healthCheck {
	h.mu.Lock()
	defer h.mu.Unlock()
	checks := []healthCheck{
		{Name: "index-registry", Status: up(h.registryRead)},
		{Name: "index-preload", Status: up(h.preloaded)},
	}
	if h.warnings != nil {
		if warnings := h.warnings(); len(warnings) > 0 {
			checks = append(checks, healthCheck{Name: "root-key", Status: up(true), Data: map[string]any{"warnings": warnings}})
		}
	}
	if h.isWritable != nil && !h.isWritable() {
		// Indexes that are not open yet cannot be opened.
		checks = append(checks, healthCheck{Name: "data-directory", Status: up(false)})
	}
	return checks
}

func (h *Health) live() []healthCheck {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := h.now().Sub(h.refreshed)
	isAlive := age <= h.refreshWithin || h.isRefreshing != nil && h.isRefreshing()
	return []healthCheck{{Name: "index-refresh", Status: up(isAlive),
		Data: map[string]any{"secondsSinceRefresh": int64(age.Seconds())}}}
}

// safety reports whether changes written here reach the storage. It does not
// affect readiness: searches continue, and acknowledged writes are in the log.
func (h *Health) safety() []healthCheck {
	h.mu.Lock()
	count, hasSpace := h.atRisk, h.hasSpace
	h.mu.Unlock()
	var checks []healthCheck
	if count != nil {
		risky := count()
		checks = append(checks, healthCheck{Name: "index-storage", Status: up(risky == 0), Data: map[string]any{"generationsAtRisk": risky}})
	}
	if hasSpace != nil {
		checks = append(checks, healthCheck{Name: "disk-room", Status: up(hasSpace())})
	}
	return checks
}

func up(ok bool) string {
	if ok {
		return "UP"
	}
	return "DOWN"
}

func healthResponse(checks ...healthCheck) *Response {
	body := healthBody{Status: "UP", Checks: checks}
	response := OK(nil)
	for _, check := range checks {
		if check.Status != "UP" {
			body.Status = "DOWN"
			response.Status = http.StatusServiceUnavailable
		}
	}
	response.Body = body
	return response.With("Cache-Control", "no-store")
}

func (a *API) healthAll(context.Context, *Request) (*Response, error) {
	return healthResponse(slices.Concat(a.health.ready(), a.health.live(), a.health.safety())...), nil
}

func (a *API) healthReady(context.Context, *Request) (*Response, error) {
	return healthResponse(a.health.ready()...), nil
}

func (a *API) healthLive(context.Context, *Request) (*Response, error) {
	return healthResponse(a.health.live()...), nil
}

// scrapeMetrics responds with the meters in the Prometheus text format.
func (a *API) scrapeMetrics(_ context.Context, r *Request) (*Response, error) {
	if a.metrics == nil {
		return &Response{Status: http.StatusOK, JSON: []byte{}, ContentType: "text/plain"}, nil
	}
	recorder := &recorded{header: make(http.Header), status: http.StatusOK}
	request := r.HTTP.Clone(r.HTTP.Context())
	request.Header.Del("Accept-Encoding") // the length is stated below
	a.metrics.Handler().ServeHTTP(recorder, request)
	return &Response{Status: recorder.status, JSON: recorder.body.Bytes(), ContentType: recorder.header.Get("Content-Type")}, nil
}

// recorded buffers a response in memory.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorded) Header() http.Header         { return r.header }
func (r *recorded) WriteHeader(status int)      { r.status = status }
func (r *recorded) Write(p []byte) (int, error) { return r.body.Write(p) }
