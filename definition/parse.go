package definition

import (
	"github.com/quiresearch/quire/problem"
)

// Parse reads a definition body. The error holds every problem found; problems
// of the body's shape are reported alone.
func Parse(body []byte, capabilities Capabilities) (*Definition, error) {
	var found problem.List
	r := &reader{found: &found, capabilities: capabilities}
	d := r.read(body)
	if found.Len() > 0 {
		return nil, found.Err()
	}
	r.expand(d)
	r.check(d)
	if found.Len() > 0 {
		return nil, found.Err()
	}
	return d, nil
}
