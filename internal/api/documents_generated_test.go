package api

import (
	"flag"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
)

var bodies = flag.Int("bodies", 3000, "how many damaged bodies TestDamagedBodies sends")

// TestDamagedBodies damages good bodies at random: none may fail the node.
func TestDamagedBodies(t *testing.T) {
	s := serveDocuments(t, catalogue, Options{})
	path := s.url[strings.Index(s.url, "/v1alpha1"):]
	good := []struct{ method, path, media, body string }{
		{"POST", path, "application/json", `{"documents":[{"id":"1","name":"jam","n":1,"title":{"fr":"x"},"variants":[{"sku":"a","price":1}],"pop":0.5}]}`},
		{"POST", path + "?onError=skip", ndjsonType, "{\"id\":\"1\"}\n\n{\"id\":\n\"2\",\"title\":{\"en\":\"x\",\"fr\":null}}\n{\"id\":\"3\",\"variants\":[{\"sku\":\"a\"},{\"sku\":\"b\"}]}"},
		{"POST", path + "/actions/update?missing=skip&onError=skip", "application/json", `{"documents":[{"id":"1","variants[a].price":2,"title[fr]":null,"variants[]":{"sku":"b"},"n":3}]}`},
		{"POST", path + "/actions/update", ndjsonType, "{\"id\":\"1\",\"pop\":1}\n{\"id\":\"1\",\"n\":2}"},
		{"PUT", path + "/k", "application/json", `{"n":1,"name":"x","title":"y"}`},
		{"PATCH", path + "/k", "application/json", `{"name":"y","pop":null,"title[fr]":"é"}`},
		{"POST", path + "/actions/delete", "application/json", `{"keys":["1","2"]}`},
		{"POST", path + "/actions/delete", "application/json", `{"query":[{"field":"name","match":{"value":"jam"}}]}`},
		{"PUT", "/v1alpha1/admin/indexes/other", "application/json", catalogue},
	}
	random := rand.New(rand.NewPCG(7, uint64(*bodies)))
	for range *bodies {
		g := good[random.IntN(len(good))]
		body := damage(random, []byte(g.body))
		request := httptest.NewRequest(g.method, g.path, strings.NewReader(string(body)))
		request.Header.Set("Authorization", "Bearer "+rootKey)
		request.Header.Set("Content-Type", g.media)
		recorder := httptest.NewRecorder()
		s.api.ServeHTTP(recorder, request)
		if recorder.Code >= 500 {
			t.Fatalf("%s %s %q: %d %s", g.method, g.path, body, recorder.Code, recorder.Body)
		}
	}
}

// pieces are put into bodies: values of every kind, signs, names that mean
// something, and bytes that are no text.
var pieces = []string{
	`null`, `{}`, `[]`, `""`, `1e999`, `-0`, `"\u0000"`, `"\ud800"`, `{"en":"x"}`, `[[1]]`, `true`, `9223372036854775808`, `"id"`,
	`[`, `]`, `}`, `{`, `,`, `:`, `"`, `\`, "\n", `"a.b"`, `"variants[x=1]"`, `"*"`, `"type"`, `"object"`, `"nested"`, "\xff", `"name"`, `"fields"`,
}

// damage takes pieces out of a body, puts others in and changes bytes.
func damage(random *rand.Rand, body []byte) []byte {
	for range 1 + random.IntN(4) {
		if len(body) == 0 {
			break
		}
		at := random.IntN(len(body))
		end := at + random.IntN(min(len(body)-at, 12)+1)
		piece := pieces[random.IntN(len(pieces))]
		switch random.IntN(4) {
		case 0:
			body = append(body[:at:at], body[end:]...)
		case 1:
			body = append(append(body[:at:at], piece...), body[end:]...)
		case 2:
			body = append(append(body[:at:at], piece...), body[at:]...)
		default:
			body[at] = byte(random.IntN(256))
		}
	}
	return body
}
