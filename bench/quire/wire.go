package main

import (
	"net/http"
	"strings"

	"github.com/quiresearch/quire/bench/wire"
)

// dial opens a connection to the server for measured requests.
func (r *remote) dial() (*wire.Conn, error) { return wire.Dial(strings.TrimPrefix(r.url, "http://")) }

// post calls one of the operations of the index. The response is valid until
// the next call.
func post(w *wire.Conn, operation string, body []byte) ([]byte, error) {
	return w.Send(http.MethodPost, "/v1alpha1/indexes/"+remoteIndex+"/"+operation, "application/json", body)
}
