package storagefaults

import (
	"fmt"
	"maps"
	"slices"
)

// story is what clients were told about the things they changed, by name. The empty
// text stands for a thing that does not exist.
type story struct {
	known    map[string]string   // acknowledged last
	possible map[string][]string // sent since, outcome unknown
	refused  map[string][]string // sent and refused
	why      map[string]string   // the last answer that refused a value of a thing
}

func newStory() *story {
	return &story{known: make(map[string]string), possible: make(map[string][]string), refused: make(map[string][]string),
		why: make(map[string]string)}
}

// told records the answer to a change of a thing.
func (s *story) told(thing, value string, ended outcome) {
	if _, isKnown := s.known[thing]; !isKnown {
		s.known[thing] = ""
	}
	switch ended {
	case acknowledged:
		s.known[thing] = value
		s.possible[thing] = nil
	case unknown:
		s.possible[thing] = append(s.possible[thing], value)
	case refused:
		s.refused[thing] = append(s.refused[thing], value)
	}
}

// things returns the names of everything that was changed.
func (s *story) things() []string { return slices.Sorted(maps.Keys(s.known)) }

// wrong describes what is wrong with the shown value of a thing; empty: nothing.
func (s *story) wrong(thing, got string) string {
	switch {
	case got == s.known[thing], slices.Contains(s.possible[thing], got):
		return ""
	case got != "" && slices.Contains(s.refused[thing], got):
		return fmt.Sprintf("%s shows %q, which was refused: %s", thing, got, s.why[thing+got])
	}
	return fmt.Sprintf("%s shows %q, acknowledged %q, possible %q", thing, got, s.known[thing], s.possible[thing])
}

// outcome is what a client knows about a change after its answer.
type outcome int

const (
	acknowledged outcome = iota
	refused
	unknown
)
