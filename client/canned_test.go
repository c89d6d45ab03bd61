package client_test

import (
	"io"
	"net/http"
)

type oneAnswer struct{}

const asked = `{"query":[{"type":"text","text":"dispossesed","match":"user"}],"filters":[{"field":"year","match":{"type":"range","gte":1970}}]}`

const notFound = `{"code":"index:not_found","message":"No index or generation is called boks.","help":"` + notFoundHelp + `","errors":[
	{"code":"index:not_found","message":"No index or generation is called boks.","arguments":{"name":"boks"},"help":"` + notFoundHelp + `"}]}`

const notFoundHelp = "Did you mean `books`? Check the name; GET /v1alpha1/admin/indexes lists the indexes the key can see."

func (oneAnswer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1alpha1/indexes/boks/search" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, notFound)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if string(body) != asked || r.URL.Path != "/v1alpha1/indexes/books/search" || r.Header.Get("Authorization") != "Bearer key" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = io.WriteString(w, `{"hits":[{"id":"2","score":1,"document":{"id":"2","title":"The Dispossessed"}}],"total":{"count":1,"exact":true}}`)
}
