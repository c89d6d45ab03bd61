package server

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestConnectionsLeaveDescriptorsForFiles(t *testing.T) {
	for _, c := range []struct {
		configured  int
		descriptors uint64
		want        int
	}{{10000, 1 << 20, 10000}, {10000, 1024, 480}, {10000, 128, 32}, {10000, 64, 16}, {8, 128, 8}, {10000, 0, 10000}, {10000, ^uint64(0), 10000}} {
		if got := boundConnections(c.configured, c.descriptors); got != c.want {
			t.Errorf("%d of %d descriptors: %d, want %d", c.configured, c.descriptors, got, c.want)
		}
	}
}

// F39: connections that clients keep open without using them do not keep other
// clients out.
func TestAnIdleConnectionMakesRoom(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	limited := limitConnections(listener, 2)
	limited.patience = time.Millisecond
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ConnState: limited.note}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limited) }()
	for range 10 {
		silent, err := net.Dial("tcp", listener.Addr().String()) // which sends nothing
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		client := &http.Client{Transport: &http.Transport{}} // its own connection, which it keeps
		defer client.CloseIdleConnections()
		answer, err := client.Get("http://" + listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	<-ended
}
