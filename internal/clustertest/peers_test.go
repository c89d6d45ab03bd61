package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/freshness"
)

// F14: in some runs requests are HTTP requests to any node, which forwards those
// that another node must answer, over a network that fails on its own while both
// nodes reach the bucket.

// serve makes a process take HTTP requests, from clients and from other machines.
func (m *machine) serve(ctx context.Context, p *process) {
	c := m.cluster
	authority, err := auth.Open(ctx, p.link, auth.Options{Mode: auth.ModeNone}, c.log)
	if err != nil {
		c.t.Errorf("seed %d: open the keys: %v", c.seed, err)
		return
	}
	p.api = api.New(api.Components{Node: p.node, Authority: authority, Ownership: p.node, Health: api.NewHealth(time.Minute), Log: c.log},
		api.Options{MaxBodySize: 1 << 20, MaxStreamBodySize: 1 << 20, Dial: c.peers.dialer(m.name)})
	listener := c.peers.listen(m.name)
	server := &http.Server{Handler: p.api, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	c.gone.Go(func() { _ = server.Serve(listener) })
}

const documents = "/indexes/books/documents"

// answered is the status and code of an answer, or the lack of one.
type answered struct {
	status int // 0: none came
	code   string
}

func (a *answered) Error() string { return fmt.Sprintf("%d %s", a.status, a.code) }

// isOpen reports whether the request may have been executed, or may yet be.
func (a *answered) isOpen() bool {
	return a.status == 0 || a.status == http.StatusBadGateway || a.code == "storage:unknown"
}

// isUndelivered reports whether a request may be on its way to another node for a
// while although its sender was answered.
func isUndelivered(err error) bool {
	var got *answered
	return errors.As(err, &got) && (got.status == 0 || got.status == http.StatusBadGateway)
}

// send sends a request to a process and decodes the answer into a value.
func (p *process) send(ctx context.Context, method, path, body string, into any) (err error) {
	request := httptest.NewRequestWithContext(ctx, method, "/v1alpha1"+path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	if body == "" {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	if token, ok := into.(*atLeast); ok {
		request.Header.Set(freshness.Header, token.token)
	}
	recorder := httptest.NewRecorder()
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		} else if cause != nil {
			err = &answered{}
		}
	}()
	p.api.ServeHTTP(recorder, request)
	if ctx.Err() != nil {
		return &answered{} // the client has left
	}
	if recorder.Code >= http.StatusBadRequest {
		refused := &answered{status: recorder.Code}
		var said struct{ Code string }
		if json.Unmarshal(recorder.Body.Bytes(), &said) == nil {
			refused.code = said.Code
		}
		return refused
	}
	return json.Unmarshal(recorder.Body.Bytes(), into)
}

// atLeast is a document, read at the state of a token.
type atLeast struct {
	token    string
	Document json.RawMessage
}

// post writes a document, or deletes it when raw is empty, and returns the token.
func (p *process) post(ctx context.Context, key, raw string) (string, error) {
	var done struct{ Freshness string }
	if raw == "" {
		err := p.send(ctx, "POST", documents+"/actions/delete", fmt.Sprintf(`{"keys":[%q]}`, key), &done)
		return done.Freshness, err
	}
	err := p.send(ctx, "POST", documents, fmt.Sprintf(`{"documents":[%s]}`, raw), &done)
	return done.Freshness, err
}

// update changes a document if it exists, and reports whether it does: an answer
// that nothing was changed needs no log record (I23).
func (p *process) update(ctx context.Context, raw string) (isThere bool, err error) {
	var done struct{ Updated int }
	err = p.send(ctx, "POST", documents+"/actions/update?missing=skip", fmt.Sprintf(`{"documents":[%s]}`, raw), &done)
	return done.Updated > 0, err
}

// get returns a document at the state of a token, or an empty string when there is
// none.
func (p *process) get(ctx context.Context, key, token string) (string, error) {
	shown := atLeast{token: token}
	err := p.send(ctx, "GET", documents+"/"+key, "", &shown)
	var got *answered
	if errors.As(err, &got) && got.code == "document:not_found" {
		return "", nil
	}
	return string(shown.Document), err
}

// visit is one turn of a client that uses HTTP: it writes one of its keys, updates
// it and reads it back.
func (s *simulation) visit(p *process, key, raw string, random *rand.Rand) {
	ask := func(do func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return do(ctx)
	}
	var token string
	err := ask(func(ctx context.Context) (err error) { token, err = p.post(ctx, key, raw); return err })
	s.trace.Note(p.link.name, "post "+raw, told(err))
	if err != nil {
		s.failed(key, raw, err)
	} else {
		s.acknowledged(key, raw)
	}
	if reader := s.anyProcess(random); err == nil && reader != nil && random.IntN(3) == 0 {
		var shown string
		isTruthful := s.store.Truthful(func() {
			err = ask(func(ctx context.Context) (err error) { shown, err = reader.get(ctx, key, token); return err })
		})
		s.trace.Note(reader.link.name, "get "+key+" "+shown, told(err))
		if why := s.wrong(key, shown); err == nil && isTruthful && why != "" {
			s.t.Errorf("seed %d: a read with the token of %s %q %s", s.seed, key, raw, why)
		}
	}
	other := s.anyProcess(random)
	if other == nil || random.IntN(2) == 0 {
		return
	}
	changed := fmt.Sprintf(`{"id":%q,"v":%d}`, key, 1_000_000+random.IntN(1_000_000))
	var isThere bool
	isTruthful := s.store.Truthful(func() {
		err = ask(func(ctx context.Context) (err error) { isThere, err = other.update(ctx, changed); return err })
	})
	s.trace.Note(other.link.name, "update "+changed, told(err))
	switch {
	case err != nil:
		s.failed(key, changed, err)
	case isThere && isTruthful && s.isGone(key):
		s.t.Errorf("seed %d: I23: %s was updated and was not there", s.seed, key)
	case isThere:
		s.acknowledged(key, changed)
	case isTruthful && s.wrong(key, "") != "":
		s.t.Errorf("seed %d: I23: a forwarded update %s", s.seed, s.wrong(key, ""))
	}
}

// isGone reports whether a key cannot have a document.
func (s *story) isGone(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[key] == "" && len(s.possible[key])+len(s.late[key]) == 0
}

// partition decides what goes wrong between the machines until the end: one way,
// both ways between two machines or all ways of one machine are blocked for a
// while, or are blocked and freed many times within a lease, and pieces are lost,
// delayed or cut off. Now and then a machine loses the bucket at the same times.
func (s *simulation) partition(random *rand.Rand) {
	for !s.isOver() {
		s.rest(between(random, 500*time.Millisecond, 6*time.Second))
		rate := func(n int) int { return random.IntN(n) * random.IntN(2) }
		s.peers.setFaults(peerFaults{Lost: rate(40), Cut: rate(40), Delayed: rate(30)})
		ways := s.ways(random)
		times, least, most := 1, time.Second, 25*time.Second
		if random.IntN(3) == 0 {
			times, least, most = 10+random.IntN(60), 20*time.Millisecond, 400*time.Millisecond
		}
		var both *process
		if random.IntN(4) == 0 {
			both = s.anyProcess(random)
		}
		for range times {
			s.trace.Note("network", fmt.Sprint("bar ", ways), times)
			for _, along := range ways {
				s.peers.bar(along)
			}
			hold := between(random, least, most)
			if both != nil {
				both.link.Away(hold)
			}
			time.Sleep(hold)
			for _, along := range ways {
				s.peers.open(along)
			}
			time.Sleep(between(random, least/2, least))
		}
	}
}

// ways draws which ways are blocked.
func (s *simulation) ways(random *rand.Rand) []way {
	one := s.machines[random.IntN(len(s.machines))].name
	var all []way
	for _, m := range s.machines {
		if m.name != one {
			all = append(all, way{one, m.name}, way{m.name, one})
		}
	}
	first := 2 * random.IntN(len(all)/2)
	switch random.IntN(4) {
	case 0:
		return all // from all others
	case 1:
		return all[first : first+2] // from one, both ways
	}
	return slices.Clone(all[first+random.IntN(2):][:1]) // one way only
}
