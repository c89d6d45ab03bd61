package client_test

import (
	"io"
	"net/http"
)

type oneAnswer struct{}

const asked = `{"query":[{"type":"text","text":"dispossesed","match":"user"}],"filters":[{"field":"year","match":{"type":"range","gte":1970}}]}`

func (oneAnswer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if string(body) != asked || r.URL.Path != "/v1alpha1/indexes/books/search" || r.Header.Get("Authorization") != "Bearer key" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = io.WriteString(w, `{"hits":[{"id":"2","score":1,"document":{"id":"2","title":"The Dispossessed"}}],"total":{"count":1,"exact":true}}`)
}
