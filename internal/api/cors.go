package api

import (
	"net/http"

	"github.com/quiresearch/quire/internal/freshness"
)

// answerPreflight sets the CORS headers for an allowed origin and responds to a
// preflight; it reports whether the request is finished. CORS is policy, not
// protection: a browser never sends credentials on its own, and if none are
// required, checkSender refuses other origins.
func (a *API) answerPreflight(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || a.options.CORSOrigins == nil {
		return false
	}
	header := w.Header()
	header.Add("Vary", "Origin")
	if !a.allowsOrigin(origin) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "ETag, Location, Retry-After, "+freshness.Header)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "GET, PUT, POST, PATCH, DELETE")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Encoding, Content-Type, If-Match, If-None-Match, "+freshness.Header)
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
