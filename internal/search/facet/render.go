package facet

import (
	"math"
	"strconv"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/query"
)

// Renderer returns a function that writes counted values of a type as JSON.
func Renderer(t definition.Type) func(value []byte) []byte {
	switch t {
	case definition.String:
		return func(value []byte) []byte { return query.TextOf(string(value)) }
	case definition.Timestamp:
		return func(value []byte) []byte { return query.TextOf(Show(t, value)) }
	}
	return func(value []byte) []byte { return []byte(Show(t, value)) }
}

// Show returns the text of a counted value as users see it.
func Show(t definition.Type, value []byte) string {
	if t == definition.String {
		return string(value)
	}
	n, ok := layout.NumberOfKey(value)
	if !ok {
		return "null"
	}
	switch t {
	case definition.Boolean:
		return strconv.FormatBool(n != 0)
	case definition.Float:
		return number(layout.FloatOf(n), 32)
	case definition.Double:
		return number(layout.FloatOf(n), 64)
	case definition.Timestamp:
		return instant(n)
	}
	return strconv.FormatInt(n, 10)
}

func number(f float64, size int) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, size)
}

// instant formats milliseconds since 1970 as a UTC instant, with a fraction only if it is not
// zero.
func instant(millis int64) string {
	form := "2006-01-02T15:04:05Z07:00"
	if millis%1000 != 0 {
		form = "2006-01-02T15:04:05.000Z07:00"
	}
	return time.UnixMilli(millis).UTC().Format(form)
}
