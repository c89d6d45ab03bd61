package ownership

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/internal/bucket/memory"
)

// Nodes that share a bucket share their root key; a node with another one is known
// to all, and a node without one is not a mistake.
func TestNodesWithAnotherRootKeyAreKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		enter := func(node, fingerprint string) *Member {
			m, err := Join(t.Context(), b, Options{Node: node, Lease: lease, Candidate: true, Clock: clock(), RootKey: fingerprint}, quiet)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		first, same, none := enter("a", "1111"), enter("b", "1111"), enter("c", "")
		for _, m := range []*Member{first, same, none} {
			if err := m.beat(t.Context()); err != nil {
				t.Fatal(err)
			}
			if others := m.OtherRootKeys(); others != nil {
				t.Errorf("%s finds other keys on %v", m.options.Node, others)
			}
		}
		other := enter("d", "2222")
		if err := first.beat(t.Context()); err != nil {
			t.Fatal(err)
		}
		if others := first.OtherRootKeys(); !slices.Equal(others, []string{"d"}) {
			t.Errorf("other keys on %v", others)
		}
		if others := other.OtherRootKeys(); !slices.Equal(others, []string{"a", "b"}) {
			t.Errorf("other keys on %v", others)
		}
	})
}
