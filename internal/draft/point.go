package draft

import (
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
)

type pointForm int

const (
	notPoint pointForm = iota
	loosePoint
	strictPoint
)

// pointKind reports whether an object is a geo point: {lat,lon} in the format
// of the API, with other names, or a GeoJSON point.
func pointKind(raw []byte) pointForm {
	_, _, form := readPoint(raw)
	return form
}

// Point returns latitude and longitude of an object if it is a geo point.
func Point(raw []byte) (lat, lon []byte, ok bool) {
	lat, lon, form := readPoint(raw)
	return lat, lon, form != notPoint
}

func readPoint(raw []byte) (lat, lon []byte, form pointForm) {
	count, isGeoJSON, hasCoordinates, isStrict := 0, false, false, true
	for members := jsonread.Members(raw); members.Next(); {
		count++
		name, value := text(members.RawName()), members.Value()
		isNumber := jsonread.KindOf(value) == jsonread.NumberKind
		switch strings.ToLower(name) {
		case "lat", "latitude":
			if isNumber {
				lat, isStrict = value, isStrict && name == "lat"
			}
		case "lon", "lng", "long", "longitude":
			if isNumber {
				lon, isStrict = value, isStrict && name == "lon"
			}
		case "type":
			isGeoJSON = jsonread.KindOf(value) == jsonread.TextKind && text(value) == "Point"
		case "coordinates":
			lon, lat = pair(value)
			hasCoordinates, isStrict = true, false
		}
	}
	switch {
	case count != 2 || lat == nil || lon == nil || hasCoordinates != isGeoJSON:
		return nil, nil, notPoint
	case isStrict:
		return lat, lon, strictPoint
	}
	return lat, lon, loosePoint
}

// pair returns the two numbers of a list, nil if it is not a pair.
func pair(raw []byte) (first, second []byte) {
	if jsonread.KindOf(raw) != jsonread.ListKind {
		return nil, nil
	}
	position := 0
	for items := jsonread.Items(raw); items.Next(); position++ {
		if jsonread.KindOf(items.Value()) != jsonread.NumberKind {
			return nil, nil
		}
		switch position {
		case 0:
			first = items.Value()
		case 1:
			second = items.Value()
		}
	}
	return first, second
}

// Pair returns the two numbers of a list and reports whether it contains
// exactly these.
func Pair(raw []byte) (first, second []byte, ok bool) {
	first, second = pair(raw)
	return first, second, first != nil && second != nil
}
