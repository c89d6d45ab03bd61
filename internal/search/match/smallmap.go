package match

// fewKeys is how many keys are compared one by one.
const fewKeys = 4

// smallMap is a map that allocates nothing for the first fewKeys keys.
type smallMap[K comparable, V any] struct {
	keys   [fewKeys]K
	values [fewKeys]V
	count  int
	rest   map[K]V
}

func (m *smallMap[K, V]) get(key K) (value V, ok bool) {
	for i := range m.count {
		if m.keys[i] == key {
			return m.values[i], true
		}
	}
	value, ok = m.rest[key]
	return value, ok
}

// put adds a key that is not in the map yet.
func (m *smallMap[K, V]) put(key K, value V) {
	if m.count < fewKeys {
		m.keys[m.count], m.values[m.count] = key, value
		m.count++
		return
	}
	if m.rest == nil {
		m.rest = map[K]V{}
	}
	m.rest[key] = value
}
