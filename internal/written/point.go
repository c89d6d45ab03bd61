package written

import (
	"strconv"
	"strings"
)

// Point reads "52.52, 13.405" and "POINT(13.405 52.52)" as latitude and
// longitude, each a JSON number.
func Point(text string) (lat, lon string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 80 {
		return "", "", false
	}
	if inner, isPoint := cutPoint(text); isPoint {
		parts := strings.Fields(inner)
		if len(parts) != 2 {
			return "", "", false
		}
		return coordinates(parts[1], parts[0])
	}
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), "["), "]")
	first, second, found := strings.Cut(text, ",")
	if !found {
		return "", "", false
	}
	return coordinates(strings.TrimSpace(first), strings.TrimSpace(second))
}

func cutPoint(text string) (inner string, ok bool) {
	if len(text) < 6 || !strings.EqualFold(text[:5], "POINT") || !strings.HasSuffix(text, ")") {
		return "", false
	}
	inner, ok = strings.CutPrefix(strings.TrimSpace(text[5:]), "(")
	return strings.TrimSuffix(inner, ")"), ok
}

// coordinates checks a pair. Both must have a fraction, or any two small numbers
// would be a point.
func coordinates(lat, lon string) (string, string, bool) {
	if !strings.Contains(lat, ".") || !strings.Contains(lon, ".") {
		return "", "", false
	}
	north, ok := Degrees(lat, 90)
	if !ok {
		return "", "", false
	}
	east, ok := Degrees(lon, 180)
	return north, east, ok
}

// Degrees reads a latitude or longitude with an absolute value of at most bound, as
// a JSON number.
func Degrees(text string, bound float64) (string, bool) {
	mark := byte('.')
	if strings.ContainsRune(text, ',') {
		mark = ','
	}
	literal, unit, ok := Number(text, mark)
	if !ok || unit != "" && unit != "°" {
		return "", false
	}
	value, err := strconv.ParseFloat(literal, 64)
	return literal, err == nil && value >= -bound && value <= bound
}
