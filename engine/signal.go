package engine

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// signalValue is the value of a signal field, or its absence. Value is the number
// as the column holds it (layout.Float for floats and doubles).
type signalValue struct {
	Field string // path of the signal field
	Value int64
	Has   bool
}

// mergeSignals returns the values of older, overridden by those of newer, by field.
// It changes neither.
func mergeSignals(older, newer []signalValue) []signalValue {
	if len(older) == 0 {
		return newer
	}
	merged := slices.Clone(older)
	for _, value := range newer {
		at, found := slices.BinarySearchFunc(merged, value.Field, func(s signalValue, field string) int {
			return strings.Compare(s.Field, field)
		})
		if found {
			merged[at] = value
		} else {
			merged = slices.Insert(merged, at, value)
		}
	}
	return merged
}

// signalBytes is the most that appendSignals writes for a value besides its field,
// including the number of values.
const signalBytes = 2*binary.MaxVarintLen32 + 9

var errOperation = errors.New("operation is malformed")

// appendSignals encodes values, which come first in an operation.
func appendSignals(dst []byte, values []signalValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	for _, value := range values {
		dst = binary.AppendUvarint(dst, uint64(len(value.Field)))
		dst = append(dst, value.Field...)
		if value.Has {
			dst = append(dst, 1)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(value.Value))
		} else {
			dst = append(dst, 0)
		}
	}
	return dst
}

// cutSignals decodes values and returns the bytes after them.
func cutSignals(body []byte) (values []signalValue, rest []byte, err error) {
	count, n := binary.Uvarint(body)
	if n <= 0 || count > uint64(len(body)) {
		return nil, nil, errOperation
	}
	body = body[n:]
	for range count {
		length, n := binary.Uvarint(body)
		if n <= 0 || length >= uint64(len(body)-n) {
			return nil, nil, errOperation
		}
		value := signalValue{Field: string(body[n : n+int(length)])}
		body = body[n+int(length):]
		switch {
		case body[0] == 0:
			body = body[1:]
		case body[0] == 1 && len(body) >= 9:
			value.Has, value.Value = true, int64(binary.LittleEndian.Uint64(body[1:]))
			body = body[9:]
		default:
			return nil, nil, errOperation
		}
		values = append(values, value)
	}
	return values, body, nil
}
