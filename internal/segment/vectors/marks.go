package vectors

// marks is a set of nodes that is cleared often: one bit each, so that it stays in
// the fastest cache, and the list of those set.
type marks struct {
	words []uint64
	nodes []uint32
}

func newMarks(nodes int) marks { return marks{words: make([]uint64, (nodes+63)/64)} }

// add sets a node and reports whether it was new.
func (m *marks) add(node uint32) bool {
	word, bit := &m.words[node>>6], uint64(1)<<(node&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	m.nodes = append(m.nodes, node)
	return true
}

func (m *marks) has(node uint32) bool { return m.words[node>>6]>>(node&63)&1 != 0 }

func (m *marks) clear() {
	if len(m.nodes) > len(m.words)/4 {
		clear(m.words)
	} else {
		for _, node := range m.nodes {
			m.words[node>>6] = 0
		}
	}
	m.nodes = m.nodes[:0]
}
