package terms

import "sync/atomic"

// trie is a sorted list with the structures that walks through it need.
type trie struct {
	list     *List
	skips    skips
	branches branches
}

func newTrie(list *List, prefixes []byte) *trie {
	t := &trie{list: list, skips: newSkips(prefixes)}
	t.branches = newBranches(list, &t.skips)
	return t
}

// lazyTrie builds a trie on first use, which reads the whole list. If that fails,
// as reading pages of a mapped file may, the next walk tries again.
type lazyTrie struct{ made atomic.Pointer[trie] }

// of returns the trie of a list. Concurrent walks may each build it; one is kept.
func (l *lazyTrie) of(list *List, prefixes []byte) *trie {
	if l.made.Load() == nil {
		l.made.CompareAndSwap(nil, newTrie(list, prefixes))
	}
	return l.made.Load()
}
