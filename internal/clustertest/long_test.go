package clustertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/manifest"
)

// F24, F41: some runs last for hours, with rare requests and rare faults. In one
// kind a machine that only reads gets files so slowly that pulls last longer than
// the grace, while the writer merges and sweeps. In the other, nothing may be left
// over in the end.

// lag reads from the machine that is far behind until the end. The machine must
// show only states that were written, and never go back.
func (s *simulation) lag(m *machine, random *rand.Rand) {
	for !s.isOver() {
		time.Sleep(between(random, 10*time.Second, 10*time.Minute))
		p := m.process()
		if p == nil {
			continue
		}
		p.link.Slow(between(random, time.Second, 25*time.Minute))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		shown, err := p.read(ctx, books, "")
		cancel()
		s.trace.Note(p.link.name, "read behind", told(err))
		if errors.Is(err, errWentBack) {
			s.t.Errorf("seed %d: %v", s.seed, err)
		}
		for key, raw := range shown.documents {
			if !s.wasSent(key, raw) {
				s.t.Errorf("seed %d: a slow reader shows %s, which was never written", s.seed, raw)
			}
		}
		s.count("read behind")
	}
}

// wasSent reports whether a document was ever written, and not refused.
func (s *story) wasSent(key, raw string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.sent[key], raw)
}

// tidy fails when the bucket holds objects that nothing needs any more, hours after
// the last fault: data of generations that are not listed, and, of the live one,
// files that no manifest names and log records that are in files. An index that no
// node writes is not swept. A removed generation has a removal mark, unless the
// registry was lost before the mark was written. If its identity or its manifest
// was lost too, a repair does not bring it back and nothing says that a client
// removed it: its data stays (I14).
func (s *simulation) tidy() {
	time.Sleep(10 * time.Minute) // until no index is handed over any more
	if p := s.machines[0].process(); p != nil {
		// Its owner opens the index to write.
		if _, err := s.write(context.Background(), p, books, "tidy", `{"id":"tidy","v":0}`); err != nil {
			s.t.Errorf("seed %d: %v", s.seed, err)
		}
	}
	time.Sleep(4 * objectGrace)
	index, err := s.truth().Find(books)
	if err != nil {
		s.t.Errorf("seed %d: %v", s.seed, err)
		return
	}
	live := index.Generations[index.Live].ID.String()
	listed := make(map[string]bool)
	for _, index := range s.truth().List() {
		for _, generation := range index.Generations {
			listed[generation.ID.String()] = true
		}
	}
	left := make(map[string]int)
	listing, err := s.store.List(context.Background(), "g/", "")
	if err != nil {
		s.t.Errorf("seed %d: %v", s.seed, err)
	}
	for _, entry := range listing.Entries {
		parts := strings.SplitN(entry.Key, "/", 3)
		switch id := parts[1]; {
		case !listed[id] && !s.store.WasMarked(id) && s.cannotReturn(id):
			s.count("left undecided")
		case !listed[id] && strings.Contains(parts[2], "/"):
			left["data of a generation that is not listed"]++
		case id == live:
			left[s.isLeft(id, parts[2])]++
		}
	}
	delete(left, "")
	for why, count := range left {
		s.t.Errorf("seed %d: F41: %d times: %s", s.seed, count, why)
	}
}

// cannotReturn reports whether the bucket lost what a repair needs to list a
// generation.
func (s *simulation) cannotReturn(id string) bool {
	return s.store.IsLost(path.Join("g", id, "identity")) || s.store.IsLost(path.Join("g", id, "manifest"))
}

// isLeft returns why an object of a written generation should be gone, or an empty
// string if it should not.
func (s *simulation) isLeft(id, name string) string {
	stored := s.manifestOf(id)
	if stored == nil {
		return "a generation without a manifest"
	}
	switch kind, _, _ := strings.Cut(name, "/"); kind {
	case "seg":
		if !slices.ContainsFunc(stored.Files, func(f manifest.File) bool { return f.Key == name }) {
			return "a file that no manifest names"
		}
	case "wal":
		if lsn, err := strconv.ParseUint(path.Base(name), 10, 64); err == nil && lsn+2 <= stored.LastLSN {
			return "a log record that is in files"
		}
	}
	return ""
}
