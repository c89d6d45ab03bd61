package charfilter

import "sort"

// Mapping replaces keys by values, at every place the longest key that fits.
type Mapping struct {
	first [256][]mapped // by the first byte of the key, longest key first
}

type mapped struct{ key, value string }

// NewMapping makes the filter. An empty key matches nothing.
func NewMapping(mappings map[string]string) *Mapping {
	m := &Mapping{}
	for key, value := range mappings {
		if key != "" {
			m.first[key[0]] = append(m.first[key[0]], mapped{key, value})
		}
	}
	for _, list := range m.first {
		sort.Slice(list, func(i, j int) bool {
			if len(list[i].key) != len(list[j].key) {
				return len(list[i].key) > len(list[j].key)
			}
			return list[i].key < list[j].key
		})
	}
	return m
}

// Apply replaces every key in the text.
func (m *Mapping) Apply(t *Text) {
	t.begin()
	text := t.current
	for i := 0; i < len(text); {
		match := m.match(text[i:])
		if match == nil {
			i++
			continue
		}
		t.copyTo(i)
		i += len(match.key)
		if !t.replaceTo(i, []byte(match.value)) {
			break
		}
	}
	t.finish()
}

func (m *Mapping) match(text []byte) *mapped {
	list := m.first[text[0]]
	for i := range list {
		if k := list[i].key; len(k) <= len(text) && string(text[:len(k)]) == k {
			return &list[i]
		}
	}
	return nil
}
