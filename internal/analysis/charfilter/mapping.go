package charfilter

// Mapping replaces keys by values, at every place the longest key that fits.
type Mapping struct {
	root    *mappingNode
	longest int // value
}

// mappingNode is reached by the bytes of keys.
type mappingNode struct {
	next  map[byte]*mappingNode
	value []byte
	ends  bool // a key ends here
}

// maxWalk bounds the bytes looked at for each byte of text, on average. Only
// very long keys that nearly fit everywhere reach it; what follows is then left
// as it is.
const maxWalk = 8

// NewMapping makes the filter. An empty key matches nothing.
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

// Grown returns the most bytes that a text of so many has afterwards.
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

// longestKey finds the longest key text begins with, its length, and how many
// bytes it looked at.
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
