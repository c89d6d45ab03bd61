package oracle

import "math"

// earthRadius is the mean radius in metres of the sphere on which distances are
// measured.
const earthRadius = 6371008.7714

// greatCircle returns the distance in metres between two points given in
// degrees.
func greatCircle(lat1, lon1, lat2, lon2 float64) float64 {
	const radians = math.Pi / 180
	a1, a2 := lat1*radians, lat2*radians
	sinLat := math.Sin((a2 - a1) / 2)
	sinLon := math.Sin((lon2 - lon1) * radians / 2)
	h := sinLat*sinLat + math.Cos(a1)*math.Cos(a2)*sinLon*sinLon
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
}
