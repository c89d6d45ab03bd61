package definition

import (
	"fmt"
	"strings"
	"testing"
)

// Every definition with a usage that Obstacle excludes is rejected, and every other
// one is accepted.
func TestObstacleAgreesWithDefinitions(t *testing.T) {
	checked := 0
	for _, kind := range []Type{String, Boolean, Int32, Int64, Float, Double, Timestamp, GeoPoint, Vector, Object} {
		for _, more := range []string{"", `,"multiple":true`, `,"signal":{}`} {
			switch kind {
			case Vector:
				more += `,"dimensions":2`
			case Object:
				more += `,"fields":{"inner":{"type":"string"}}`
				if strings.HasPrefix(more, `,"multiple"`) {
					more += `,"mode":"nested"`
				}
			}
			field := fmt.Sprintf(`"type":%q%s`, kind, more)
			plain, err := Parse([]byte(`{"fields":{"f":{`+field+`}}}`), node)
			if err != nil {
				continue // the type excludes the rest of the definition
			}
			f, _ := NewSchema(plain).Resolve("f")
			for usage, member := range map[string]string{
				"filter": `"filter":{}`, "sort": `"sort":{}`, "facet": `"facet":{}`, "matching": `"matching":{}`,
				"hierarchy": `"hierarchy":{},"filter":{}`, "highlight": `"matching":{"highlight":{}}`,
			} {
				if usage == "sort" && f.Signal {
					continue // it has sort
				}
				checked++
				_, err := Parse([]byte(`{"fields":{"f":{`+field+`,`+member+`}}}`), node)
				if obstacle := f.Obstacle(usage); (err != nil) != (obstacle != "") {
					t.Errorf("%s with %s: obstacle %q, defined: %v", field, member, obstacle, err)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("compared only %d definitions", checked)
	}
}
