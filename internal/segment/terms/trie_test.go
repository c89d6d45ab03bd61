package terms

import "testing"

// TestATrieIsMadeAgainAfterAFault makes the first walk fail while it reads the
// list, as it does when a page of a mapped file cannot be read.
func TestATrieIsMadeAgainAfterAFault(t *testing.T) {
	var l lazyTrie
	func() {
		defer func() {
			if recover() == nil {
				t.Fatal("no fault")
			}
		}()
		l.of(nil, make([]byte, branchedTerms))
	}()
	list := new(List)
	list.offsets = []uint32{0}
	if made := l.of(list, nil); made == nil || made.list != list || l.of(list, nil) != made {
		t.Fatal("no trie, or another at the second walk")
	}
}
