package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/s3"
)

// pipes is a network of one host inside a test, on the clock of the test.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
	close       func()
}

func newPipes() *pipes {
	p := &pipes{connections: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.connections <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.close(); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// storeOf returns a store whose requests handle answers, and the number of
// requests.
func storeOf(t *testing.T, handle http.HandlerFunc) (*s3.Store, *atomic.Int64) {
	t.Helper()
	network, requests := newPipes(), new(atomic.Int64)
	serving, end := context.WithCancel(context.Background())
	server := &http.Server{BaseContext: func(net.Listener) context.Context { return serving }, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Etag", `"e"`)
		handle(w, r)
	})}
	go func() { _ = server.Serve(network) }()
	transport := &http.Transport{DialContext: network.dial}
	t.Cleanup(func() {
		end()
		transport.CloseIdleConnections()
		_ = server.Close()
		time.Sleep(time.Second) // of the test: a server lingers for half of it
	})
	store, err := s3.New(s3.Options{URL: "http://store.example", Bucket: "b", Credentials: s3.Static("a", "s", ""), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return store, requests
}

// standStill keeps a request open until its caller goes away.
func standStill(r *http.Request) { <-r.Context().Done() }

// within is far longer than any permitted stall, and far shorter than forever.
const within = 3 * time.Minute

const text = "what the object holds"

// F9: a store that takes a request and then sends nothing, or nothing more, does
// not hold up its callers. Reads are sent again.
func TestAnAnswerThatStopsComingIsAskedForAgain(t *testing.T) {
	half := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = io.WriteString(w, text[:8])
		_ = http.NewResponseController(w).Flush()
		standStill(r)
	}
	listed := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "<ListBucketResult><Contents>")
		_ = http.NewResponseController(w).Flush()
		standStill(r)
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { standStill(r) }
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = io.WriteString(w, text[:8])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	read := func(s *s3.Store) error {
		got, _, err := bucket.ReadAll(context.Background(), s, "k", "", 100)
		if err == nil && string(got) != text {
			err = fmt.Errorf("read %q", got)
		}
		return err
	}
	list := func(s *s3.Store) error { _, err := s.List(context.Background(), "", ""); return err }
	for _, c := range []struct {
		name   string
		stands http.HandlerFunc
		ask    func(*s3.Store) error
		well   string
	}{
		{"body", half, read, text}, {"cut body", cut, read, text}, {"header", silent, read, text},
		{"listing", listed, list, "<ListBucketResult></ListBucketResult>"}, {"header of a listing", silent, list, "<ListBucketResult></ListBucketResult>"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				store, requests := storeOf(t, c.stands)
				if err := c.ask(store); !errors.Is(err, bucket.ErrUnknown) {
					t.Errorf("%v", err)
				}
				if n := requests.Load(); n != 3 {
					t.Errorf("asked for %d times", n)
				}
				if took := time.Since(began); took > within {
					t.Errorf("it took %s", took)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				var first atomic.Bool
				store, _ := storeOf(t, func(w http.ResponseWriter, r *http.Request) {
					if !first.Swap(true) {
						c.stands(w, r)
						return
					}
					_, _ = io.WriteString(w, c.well)
				})
				if err := c.ask(store); err != nil {
					t.Errorf("asked for again: %v", err)
				}
			})
		})
	}
}

// A write that a store stops reading, or does not answer, ends as unknown. It is
// sent once: only the caller knows the rules for repeating it.
func TestAWriteThatStandsStillIsNotKnown(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"taken in part": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1000))
			standStill(r)
		},
		"not answered": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			standStill(r)
		},
		"answered in part": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "<Error>")
			_ = http.NewResponseController(w).Flush()
			standStill(r)
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				store, requests := storeOf(t, handle)
				_, err := store.PutIf(t.Context(), "k", bucket.Bytes(make([]byte, 1<<20)), bucket.Absent())
				if !errors.Is(err, bucket.ErrUnknown) {
					t.Errorf("put: %v", err)
				}
				if _, err := store.Delete(t.Context(), "k", bucket.Always); !errors.Is(err, bucket.ErrUnknown) {
					t.Errorf("delete: %v", err)
				}
				if n := requests.Load(); n != 2 {
					t.Errorf("%d requests were sent", n)
				}
				if took := time.Since(began); took > within {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// A transfer that makes progress may take as long as it needs, in either direction,
// and so may a slow reader.
func TestSlowIsNotStandingStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := make([]byte, 100_000)
		store, _ := storeOf(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				part := make([]byte, 4096)
				for {
					if _, err := r.Body.Read(part); err != nil {
						return
					}
					time.Sleep(2 * time.Second)
				}
			}
			for at := 0; at < len(large); at += 10_000 {
				_, _ = w.Write(large[at : at+10_000])
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Second)
			}
		})
		if _, err := store.PutIf(t.Context(), "k", bucket.Bytes(large), bucket.Absent()); err != nil {
			t.Errorf("put: %v", err)
		}
		object, err := store.Get(t.Context(), "k", "")
		if err != nil {
			t.Fatal(err)
		}
		defer object.Body.Close()
		got := 0
		for part := make([]byte, 9000); ; {
			n, err := object.Body.Read(part)
			if got += n; err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		if got != len(large) {
			t.Errorf("%d bytes", got)
		}
	})
}

// A caller that goes away gets its own error, and nothing is sent again.
func TestACallerThatLeavesEndsARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, requests := storeOf(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
			standStill(r)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := bucket.ReadAll(ctx, store, "k", "", 100); err == nil || errors.Is(err, bucket.ErrUnknown) {
			t.Errorf("%v", err)
		}
		if n := requests.Load(); n != 1 {
			t.Errorf("asked for %d times", n)
		}
	})
}
