package api

import (
	"log/slog"
	"net/http"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/metrics"
)

// API answers the requests of one node.
type API struct {
	authority *auth.Authority
	ownership Ownership // nil when this node writes every index
	health    *Health
	metrics   *metrics.Set
	options   Options
	log       *slog.Logger

	router      router
	transport   *http.Transport
	description description
}

// Components are what an API works with. Metrics and Ownership may be nil.
type Components struct {
	Authority *auth.Authority
	Ownership Ownership
	Health    *Health
	Metrics   *metrics.Set
	Log       *slog.Logger
}

// New returns an API whose routes are bound to their handlers.
func New(c Components, options Options) *API {
	a := &API{authority: c.Authority, ownership: c.Ownership, health: c.Health, metrics: c.Metrics, options: options, log: c.Log,
		transport: forwardTransport()}
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
	case route.Permission == "":
	case route.Lines:
		route.offers = jsonAndNDJSON
	default:
		route.offers = onlyJSON
	}
	a.router.add(route)
}
