package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// clausesOf returns a list of random clauses of every kind that contains others.
func clausesOf(rng *rand.Rand, depth int) string {
	var all []string
	for range rng.IntN(4) {
		inner := "[]"
		if depth > 0 {
			inner = clausesOf(rng, depth-1)
		}
		forms := []string{
			`{"type":"bool","clauses":%s}`, `{"type":"nested","filter":%s}`, `{"rankings":[{"clauses":%s}]}`,
			`{"interpret":{"fields":[{"field":"a","when":%s,"fallback":[{"field":"b"}]}]}}`,
			`{"match":{"interpret":{"fields":[{"when":%s}]}}}`, `{"match":{"values":[1,"a,[",2]},"x":%s}`,
		}
		all = append(all, fmt.Sprintf(forms[rng.IntN(len(forms))], inner))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestShortBodiesAreWithinTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	short, over := 0, 0
	for range 20_000 {
		forms := []string{`{"query":%s}`, `{"limit":1,"filters":%s}`, `{"hits":{"when":%s}}`, `{"rescore":{"boost":%s}}`, `{"sort":[{"when":%s,"fallback":[{"fallback":[1]}]}]}`}
		body := fmt.Sprintf(forms[rng.IntN(len(forms))], clausesOf(rng, rng.IntN(5)))
		b := budget{limits: Limits{MaxClauses: rng.IntN(20), MaxClauseDepth: rng.IntN(12)}}
		b.body(jsonread.New([]byte(body), problem.Path{}, nil))
		isShort := isWithin([]byte(body), b.limits)
		if isShort && b.over != nil {
			t.Fatalf("%+v %s: %v", b.limits, body, b.over)
		}
		if isShort {
			short++
		}
		if b.over != nil {
			over++
		}
	}
	if short < 1000 || over < 1000 {
		t.Errorf("%d short bodies, %d beyond the budget", short, over)
	}
}
