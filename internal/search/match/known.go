package match

// fewKnown is how many keys are compared one by one.
const fewKnown = 4

// known is a map that needs no memory of its own for the first keys.
type known[K comparable, V any] struct {
	keys   [fewKnown]K
	values [fewKnown]V
	count  int
	rest   map[K]V
}

func (m *known[K, V]) get(key K) (value V, ok bool) {
	for i := range m.count {
		if m.keys[i] == key {
			return m.values[i], true
		}
	}
	value, ok = m.rest[key]
	return value, ok
}

// put adds a key that is not there yet.
func (m *known[K, V]) put(key K, value V) {
	if m.count < fewKnown {
		m.keys[m.count], m.values[m.count] = key, value
		m.count++
		return
	}
	if m.rest == nil {
		m.rest = map[K]V{}
	}
	m.rest[key] = value
}
