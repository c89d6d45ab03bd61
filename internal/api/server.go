package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// API serves the requests of one node.
type API struct {
	node      *node.Node
	searcher  *search.Searcher
	records   *snapshot.Records // nil: no cache
	authority *auth.Authority
	ownership Ownership // nil if this node writes every index
	health    *Health
	metrics   *metrics.Set
	options   Options
	limits    query.Limits
	log       *slog.Logger

	router         router
	transport      *http.Transport
	servingCheck   time.Duration // interval between liveness checks of a node that a request was forwarded to
	longestSilence time.Duration // of such a node
	takeoverWait   time.Duration // for a node that accepts connections
	maxFailed      int           // bound on the bytes of refused entries in a response
	reserved       *reservations
	description    description
	codecs         codecs
	buffers        answerBuffers
}

// Components are the collaborators of an API. Records, Metrics and Ownership
// may be nil.
type Components struct {
	Node      *node.Node
	Searcher  *search.Searcher
	Records   *snapshot.Records
	Authority *auth.Authority
	Ownership Ownership
	Health    *Health
	Metrics   *metrics.Set
	Log       *slog.Logger
}

// New returns an API whose routes are bound to their handlers.
func New(c Components, options Options) *API {
	a := &API{node: c.Node, searcher: c.Searcher, records: c.Records, authority: c.Authority, ownership: c.Ownership, health: c.Health, metrics: c.Metrics, options: options, log: c.Log,
		transport: forwardTransport(options.Dial), servingCheck: servingCheck, longestSilence: longestSilence, takeoverWait: takeoverWait, maxFailed: maxFailed, reserved: newReservations(maxReserved)}
	a.limits = options.Limits
	if a.limits == (query.Limits{}) {
		a.limits = query.DefaultLimits()
	}
	handlers := a.handlers()
	for _, route := range routes {
		route.handler = handlers[route.Operation]
		if route.handler == nil {
			continue
		}
		a.bind(&route)
	}
	return a
}

func (a *API) bind(route *Route) {
	route.parameters = parameters(route.Path)
	switch {
	case !route.IsVersioned():
	case route.Lines:
		route.offers = jsonAndNDJSON
	default:
		route.offers = onlyJSON
	}
	a.router.add(route)
}
