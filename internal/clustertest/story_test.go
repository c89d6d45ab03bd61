package clustertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/quiresearch/quire/problem"
)

// story is what clients were told of their keys. The empty string stands for no
// document.
type story struct {
	mu       sync.Mutex
	known    map[string]string   // acknowledged last
	possible map[string][]string // sent since, outcome unknown
	refused  map[string][]string // sent and refused: must never be seen (I17)
	late     map[string][]string // forwarded to another node, which may get it at any time
	sent     map[string][]string // everything that was not refused
	acks     int
	errors   map[string]int
}

func newStory() story {
	return story{known: map[string]string{}, possible: map[string][]string{}, refused: map[string][]string{}, late: map[string][]string{}, sent: map[string][]string{}, errors: map[string]int{}}
}

func (s *story) acknowledged(key, raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[key] = raw
	s.sent[key] = append(s.sent[key], raw)
	s.possible[key] = nil
	s.acks++
}

// isOpen reports whether a failed write may still have been made.
func isOpen(err error) bool {
	var got *answered
	if errors.As(err, &got) {
		return got.isOpen()
	}
	return errors.Is(err, problem.StorageUnknown) || len(problem.All(err)) == 0
}

func (s *story) failed(key, raw string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors[code(err)]++
	if isUndelivered(err) {
		s.late[key] = append(s.late[key], raw)
	}
	if isOpen(err) {
		s.sent[key] = append(s.sent[key], raw)
		s.possible[key] = append(s.possible[key], raw)
	} else {
		s.refused[key] = append(s.refused[key], raw)
	}
}

func code(err error) string {
	var got *answered
	if errors.As(err, &got) {
		return got.code
	}
	if p := problem.All(err); len(p) > 0 {
		return p[0].Code.Name()
	}
	return "other"
}

// wrong returns what is wrong with what is shown of a key, or an empty string.
func (s *story) wrong(key, got string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case got == s.known[key], slices.Contains(s.possible[key], got), slices.Contains(s.late[key], got):
		return ""
	case got != "" && slices.Contains(s.refused[key], got):
		return fmt.Sprintf("I17: shows %s, which was refused", got)
	}
	return fmt.Sprintf("shows %q for %s, acknowledged %q, possible %q", got, key, s.known[key], s.possible[key])
}
