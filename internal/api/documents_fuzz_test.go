package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/jsonread"
)

// FuzzBodies sends arbitrary bodies to the endpoints that read documents,
// changes and definitions: the node never fails.
func FuzzBodies(f *testing.F) {
	s := serveDocuments(f, catalogue, Options{})
	path := s.url[strings.Index(s.url, "/v1alpha1"):]
	requests := []struct{ method, path, media string }{
		{"POST", path, "application/json"}, {"POST", path, ndjsonType}, {"POST", path + "?onError=skip", ndjsonType},
		{"POST", path + "/actions/update?missing=skip&onError=skip", "application/json"}, {"POST", path + "/actions/update", ndjsonType},
		{"PUT", path + "/k", "application/json"}, {"PATCH", path + "/k", "application/json"}, {"POST", path + "/actions/delete", "application/json"},
		{"PUT", "/v1alpha1/admin/indexes/other", "application/json"},
	}
	for kind, body := range []string{
		`{"documents":[{"id":"1","name":"jam","n":1,"title":{"fr":"x"},"variants":[{"sku":"a","price":1}],"pop":0.5}]}`,
		"{\"id\":\"1\"}\n\n{\"id\":\n\"2\"}\nnot json", "{\"bogus\":1}\n[]\n{\"id\":\"3\"}",
		`{"documents":[{"id":"k","variants[a].price":2,"title[fr]":null,"variants[]":{"sku":"b"}}]}`, "{\"id\":\"k\",\"pop\":1}\n{\"id\":\"k\",\"n\":2}",
		`{"n":1,"name":"x"}`, `{"name":"y","pop":null}`, `{"keys":["1","2"]}`, catalogue,
	} {
		f.Add(uint8(kind), []byte(body))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		r := requests[int(kind)%len(requests)]
		request := httptest.NewRequest(r.method, r.path, strings.NewReader(string(body)))
		request.Header.Set("Authorization", "Bearer "+rootKey)
		request.Header.Set("Content-Type", r.media)
		recorder := httptest.NewRecorder()
		s.api.ServeHTTP(recorder, request)
		if recorder.Code >= 500 {
			t.Fatalf("%s %s %q: %d %s", r.method, r.path, body, recorder.Code, recorder.Body)
		}
		if answer := recorder.Body.Bytes(); len(answer) > 0 {
			if _, err := jsonread.Check(answer); err != nil {
				t.Fatalf("%s %s %q: no JSON: %s", r.method, r.path, body, answer)
			}
		}
	})
}
