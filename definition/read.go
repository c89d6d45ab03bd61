package definition

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

type reader struct {
	found        *problem.List
	capabilities Capabilities
}

// ReadRanking reads a ranking object and reports problems of its shape.
func ReadRanking(v jsonread.Value) *Ranking { return nil }

// CheckRanking checks a ranking found at a place of a body against the fields.
// Ranking of a definition names top-level fields; with dotted, paths into single
// objects are reached too.
func (s *Schema) CheckRanking(r *Ranking, at problem.Path, dotted bool, found *problem.List) {}

func (r *reader) read(body []byte) *Definition { return &Definition{} }
func (r *reader) expand(d *Definition)         {}
func (r *reader) check(d *Definition)          {}
