package charfilter

// Mapping replaces keys with values. At every position the longest matching key
// wins.
type Mapping struct {
	root    *mappingNode
	longest int // length of the longest value
}

// mappingNode is the node of a trie over the bytes of keys.
type mappingNode struct {
	next  map[byte]*mappingNode
	value []byte
	ends  bool // a key ends here
}

// maxWalk bounds the bytes read per byte of text, on average. Only very long
// keys that almost match everywhere reach it; the rest of the text is then left
// unchanged.
const maxWalk = 8

// NewMapping returns the filter. An empty key matches nothing.
func NewMapping(mappings map[string]string) *Mapping {
	m := &Mapping{root: &mappingNode{}}
	for key, value := range mappings {
		if key == "" {
			continue
		}
		node := m.root
		for i := range len(key) {
			child := node.next[key[i]]
			if child == nil {
				child = &mappingNode{}
				if node.next == nil {
					node.next = map[byte]*mappingNode{}
				}
				node.next[key[i]] = child
			}
			node = child
		}
		node.value, node.ends = []byte(value), true
		m.longest = max(m.longest, len(value))
	}
	return m
}

// Grown returns the maximum length of the output for a text of this length.
func (m *Mapping) Grown(length int) int { return length * max(1, m.longest) }

// Apply replaces every key in the text.
func (m *Mapping) Apply(t *Text) {
	var starts [256]bool
	for c := range m.root.next {
		starts[c] = true
	}
	t.begin()
	text := t.current
	budget := maxWalk*len(text) + MaxGrowth
	for i := 0; i < len(text) && budget > 0; {
		if !starts[text[i]] {
			i++
			continue
		}
		node, length, walked := m.longestKey(text[i:])
		budget -= walked
		if node == nil {
			i++
			continue
		}
		t.copyTo(i)
		i += length
		if !t.replaceTo(i, node.value) {
			break
		}
	}
	t.finish()
}

// longestKey returns the longest key that text begins with, its length, and the
// number of bytes read.
func (m *Mapping) longestKey(text []byte) (found *mappingNode, length, walked int) {
	node := m.root
	for i, c := range text {
		node = node.next[c]
		walked = i + 1
		if node == nil {
			break
		}
		if node.ends {
			found, length = node, i+1
		}
	}
	return found, length, walked
}
