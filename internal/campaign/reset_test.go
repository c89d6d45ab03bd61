package campaign

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// S14: a client that opens streams and resets each at once keeps no other client
// waiting; sooner or later its connection is ended.
func TestRapidReset(t *testing.T) {
	p := start(t, t.TempDir(), quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	connection := dial(t, p)
	if _, err := connection.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(connection, connection)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	var headers bytes.Buffer
	encoder := hpack.NewEncoder(&headers)
	ended := false
	const streams = 20_000
	for i := range uint32(streams) {
		headers.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", "h"}, {":path", "/v1alpha1/admin/indexes"},
			{"authorization", "Bearer " + rootKey}} {
			if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
				t.Fatal(err)
			}
		}
		id := 2*i + 1
		err := errors.Join(
			framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: headers.Bytes(), EndStream: true, EndHeaders: true}),
			framer.WriteRSTStream(id, http2.ErrCodeCancel))
		if err != nil {
			ended = true // by the node, which had enough
			break
		}
		if i%2000 == 0 {
			answer, err := http.Get(p.base + "/q/health/live")
			if err != nil || answer.StatusCode != 200 {
				t.Fatalf("health beside a client that resets streams: %v %v", answer, err)
			}
			answer.Body.Close()
		}
	}
	connection.Close()
	c.must(t, "PUT", "/indexes/x/documents/1", `{"version":1}`)
	c.must(t, "POST", "/indexes/x/search", `{}`)
	t.Logf("ended by the node: %v", ended)
	p.noPanic(t)
}
