package definition

// Obstacle returns why no definition could give the field a usage, such as "is of
// type vector", or "" if one could. Usages are those that a search names: filter,
// sort, facet, stored, matching, hierarchy and highlight.
func (f *ResolvedField) Obstacle(usage string) string {
	isPlain := f.Type != Vector && f.Type != Object
	fits := true
	switch usage {
	case "filter":
		fits = isPlain
	case "sort":
		fits = isPlain
	case "facet":
		fits = isPlain && f.Type != GeoPoint
	case "matching", "hierarchy", "highlight":
		fits = f.Type == String
	}
	switch {
	case !fits:
		return "is of type " + string(f.Type)
	case usage == "sort" && f.Multiple && f.Type != GeoPoint:
		return "has several values"
	case usage == "sort" && f.BelowFlattened:
		return "is inside a flattened list"
	case f.Signal && (usage == "filter" || usage == "facet" || usage == "stored"):
		return "is a signal"
	}
	return ""
}
