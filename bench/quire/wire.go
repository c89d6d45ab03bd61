package main

import (
	"net/http"
	"strings"

	"github.com/quiresearch/quire/bench/wire"
)

// dial connects to the server for requests that are measured.
func (r *remote) dial() (*wire.Conn, error) { return wire.Dial(strings.TrimPrefix(r.url, "http://")) }

// post asks one of the operations of the index. The answer is valid until the next.
func post(w *wire.Conn, operation string, body []byte) ([]byte, error) {
	return w.Send(http.MethodPost, "/v1alpha1/indexes/"+remoteIndex+"/"+operation, "application/json", body)
}
