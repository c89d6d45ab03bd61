package document

import (
	"strconv"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
)

// Refreshes is a list of changes that only set signal fields, one after another in
// shared memory. The zero value is empty.
type Refreshes struct {
	keys    []byte
	signals []Signal
	ends    []refreshEnd
}

// refreshEnd holds the offsets at which a refresh ends.
type refreshEnd struct{ key, signals int }

// Len returns the number of refreshes.
func (r *Refreshes) Len() int { return len(r.ends) }

// Clear removes all refreshes and keeps the memory.
func (r *Refreshes) Clear() { r.keys, r.signals, r.ends = r.keys[:0], r.signals[:0], r.ends[:0] }

// Each calls visit for the refreshes in order. The caller may keep the keys;
// signals are valid until Clear.
func (r *Refreshes) Each(visit func(key Key, signals []Signal)) {
	keys := Key(r.keys)
	var from refreshEnd
	for _, to := range r.ends {
		visit(keys[from.key:to.key], r.signals[from.signals:to.signals:to.signals])
		from = to
	}
}

// ReadRefresh appends a change object, which need not be checked, to refreshes and
// returns true if it is plain JSON that names the key and signal fields with valid
// values, each once. Otherwise it appends nothing and returns false, and ReadChange
// must read or reject the change.
func (r *Reader) ReadRefresh(raw []byte, to *Refreshes) bool {
	keys, signals := len(to.keys), len(to.signals)
	if r.readRefresh(raw, to) && len(to.keys) > keys && len(to.signals) > signals {
		to.ends = append(to.ends, refreshEnd{len(to.keys), len(to.signals)})
		return true
	}
	to.keys, to.signals = to.keys[:keys], to.signals[:signals]
	return false
}

func (r *Reader) readRefresh(raw []byte, to *Refreshes) bool {
	key := r.schema.PrimaryKey()
	start, hasKey := len(to.signals), false
	members := jsonread.Plain(raw)
	for {
		name, value, ok := members.Next()
		if !ok {
			return members.IsWhole()
		}
		f := r.schema.Root().ChildOf(name)
		switch {
		case f == nil:
			return false
		case f == key && !hasKey:
			hasKey = to.appendKey(f, value)
			if !hasKey {
				return false
			}
		case f.Signal && value[0] != '"':
			for _, other := range to.signals[start:] {
				if other.Field == f {
					return false
				}
			}
			whole, float, refused := numberOf(f, value)
			if refused != nil {
				return false
			}
			to.signals = append(to.signals, Signal{Field: f, Number: signalNumber(f, whole, float)})
		default:
			return false
		}
	}
}

// appendKey appends the key of a plain value, and returns false if it needs
// ReadChange.
func (r *Refreshes) appendKey(f *definition.ResolvedField, value []byte) bool {
	isText := value[0] == '"'
	switch {
	case f.Type.IsWhole() && !isText:
		whole, _, refused := numberOf(f, value)
		if refused == nil {
			r.keys = strconv.AppendInt(r.keys, whole, 10)
		}
		return refused == nil
	case f.Type == definition.String && isText && len(value) > 2 && len(value) <= layout.MaxTerm/caseGrowth:
		r.keys = append(r.keys, value[1:len(value)-1]...)
		return true
	}
	return false
}
