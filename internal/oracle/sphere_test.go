package oracle

import (
	"math"
	"testing"
)

func TestDistanceOfKnownCities(t *testing.T) {
	// Stockholm to Göteborg, about 397 km.
	if d := greatCircle(59.3293, 18.0686, 57.7089, 11.9746); math.Abs(d-397_000) > 2000 {
		t.Errorf("got %.0f m", d)
	}
	if d := greatCircle(0, 179.5, 0, -179.5); math.Abs(d-111_195) > 10 {
		t.Errorf("across the date line: %.0f m", d)
	}
}
