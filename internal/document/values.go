package document

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
)

// value reads one value that is neither null nor, except for vectors, a list. A
// rejected value counts as given.
func (r *Reader) value(f *definition.ResolvedField, variant string, raw []byte) bool {
	if isObject(raw) && f.Type != definition.GeoPoint && f.Type != definition.Vector {
		r.misplacedObject(f, raw)
		return true
	}
	// The value is read in place: memory beyond the values is zero.
	n := len(*r.into)
	if n == cap(*r.into) {
		*r.into = slices.Grow(*r.into, 1)
	}
	v := &(*r.into)[:n+1][n]
	v.Field, v.Variant = f, variant
	ok := false
	switch f.Type {
	case definition.String:
		ok = r.text(v, raw)
	case definition.Boolean:
		if ok = raw[0] == 't' || raw[0] == 'f'; ok {
			v.Number = layout.Bool(raw[0] == 't')
		} else {
			r.invalidKind("a boolean", raw)
		}
	case definition.Timestamp:
		ok = r.timestamp(v, raw)
	case definition.GeoPoint:
		ok = r.point(v, raw)
	case definition.Vector:
		ok = r.vector(v, raw)
	default:
		v.Number, v.Float, ok = r.number(f, raw)
	}
	if !ok {
		*v = Value{}
		return true
	}
	*r.into = (*r.into)[:n+1]
	return true
}

func (r *Reader) invalidKind(expected string, raw []byte) {
	r.isRefused = true
	if r.found.Len() < problem.MaxReported {
		reason := "expected " + expected + ", found " + jsonread.KindOf(raw).String()
		r.found.Report(problem.RequestValueInvalid.At(r.currentPath(), "reason", reason).
			Advise("Write a string in double quotes, true and false without."))
	}
}

// misplacedObject reports an object on a field that does not accept one: as locales
// when its names look like tags, as an object otherwise.
func (r *Reader) misplacedObject(f *definition.ResolvedField, raw []byte) {
	first := ""
	for it := jsonread.Members(raw); it.Next(); {
		tag := jsonread.String(it.RawName())
		if _, ok := locale.ResolveSupported(tag); !ok {
			first = ""
			break
		}
		if first == "" {
			first = tag
		}
	}
	if first != "" && f.Locales == nil {
		r.report(problem.DocumentLocaleUnsupported, "name", f.Path, "locale", first)
		return
	}
	r.report(problem.DocumentObjectUnsupported, "name", f.Path)
}

func (r *Reader) text(v *Value, raw []byte) bool {
	if raw[0] != '"' {
		r.invalidKind("a string", raw)
		return false
	}
	v.Text = r.decoded(raw)
	if v.Field.PrimaryKey && v.Text == "" {
		r.report(problem.RequestValueInvalid, "reason", "a key holds 1 to 8191 bytes")
		return false
	}
	if length := comparedLength(v); length > layout.MaxTerm && !r.isAccepted {
		r.report(problem.DocumentStringValueTooLong, "name", v.Field.Path, "length", length, "limit", layout.MaxTerm)
		return false
	}
	if v.Field.PrimaryKey {
		r.doc.Key = Key(strings.Clone(v.Text)) // the key outlives the document
	}
	return true
}

// caseGrowth bounds the growth in bytes of a text converted to lower case.
const caseGrowth = 3

// comparedLength returns the length of the longest form in which a string is
// compared as a whole, unchanged or in lower case, and 0 when it is not compared.
func comparedLength(v *Value) int {
	f, length := v.Field, len(v.Text)
	if length <= layout.MaxTerm/caseGrowth || !isCompared(f) {
		return 0
	}
	if !f.CaseFolding || length > layout.MaxTerm {
		return length
	}
	if f.Locales == nil {
		return max(length, len(layout.Fold(v.Variant, v.Text, true)))
	}
	for _, variant := range f.Locales { // each may be filled from this variant
		length = max(length, len(layout.Fold(variant, v.Text, true)))
	}
	return length
}

// isCompared reports whether values of a field are filtered, counted, sorted or
// identified as a whole.
func isCompared(f *definition.ResolvedField) bool {
	return f.Filter || f.Facet || f.Sort || f.Hierarchy || f.PrimaryKey || f.Parent != nil && f.Parent.Key == f
}

// decoded returns the text of a raw string, valid as long as the document.
func (r *Reader) decoded(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return r.view(inner)
	}
	start := len(r.doc.text)
	r.doc.text = jsonread.AppendText(r.doc.text, raw)
	return r.view(r.doc.text[start:])
}

func (r *Reader) timestamp(v *Value, raw []byte) bool {
	if raw[0] == '"' {
		v.Text = r.decoded(raw)
		if ms, ok := ParseTimestamp(v.Text); ok {
			v.Number = ms
			return true
		}
	}
	r.report(problem.DocumentTimestampValueInvalid, "name", v.Field.Path, "value", shorten(raw))
	return false
}

// number reads a number within the field's type and bounds. It returns whole
// numbers in whole and others in float.
func (r *Reader) number(f *definition.ResolvedField, raw []byte) (whole int64, float float64, ok bool) {
	whole, float, refused := numberOf(f, raw)
	switch refused {
	case nil:
	case problem.DocumentNumberValueInvalid:
		r.report(refused, "name", f.Path, "type", f.Type, "value", shorten(raw))
		return 0, 0, false
	default:
		r.report(refused, "name", f.Path, "value", shorten(raw))
		return 0, 0, false
	}
	if f.PrimaryKey {
		r.doc.Key, _ = KeyOf(f, raw)
	}
	return whole, float, true
}

// numberOf converts raw JSON to a number of a field, or returns why it is rejected.
func numberOf(f *definition.ResolvedField, raw []byte) (whole int64, float float64, refused *problem.Code) {
	ok := false
	switch f.Type {
	case definition.Int32:
		whole, ok = jsonread.Int64(raw)
		ok = ok && int64(int32(whole)) == whole
	case definition.Int64:
		whole, ok = jsonread.Int64(raw)
	case definition.Float:
		var narrow float32
		narrow, ok = jsonread.Float32(raw)
		float = float64(narrow)
	default:
		float, ok = jsonread.Float64(raw)
	}
	if !ok {
		return 0, 0, problem.DocumentNumberValueInvalid
	}
	below, above := false, false
	if f.Type.IsWhole() {
		below = f.Min != nil && whole < f.Min.Int64()
		above = f.Max != nil && whole > f.Max.Int64()
	} else {
		given := float
		if f.Type == definition.Float && (f.Min != nil || f.Max != nil) {
			given, _ = jsonread.Float64(raw) // not narrowed, as the bounds are not: 0.1 is not above 0.1
		}
		below = f.Min != nil && given < f.Min.Float64()
		above = f.Max != nil && given > f.Max.Float64()
	}
	if below || above {
		return 0, 0, problem.DocumentNumberValueOutOfRange
	}
	return whole, float, nil
}

// signal reads the value of a signal field.
func (r *Reader) signal(f *definition.ResolvedField, raw []byte) bool {
	switch {
	case isList(raw):
		r.report(problem.DocumentMultipleUnsupported, "name", f.Path)
	case isObject(raw):
		r.misplacedObject(f, raw)
	default:
		if whole, float, ok := r.number(f, raw); ok {
			r.doc.Signals = append(r.doc.Signals, Signal{Field: f, Number: signalNumber(f, whole, float)})
		}
	}
	return true
}

func signalNumber(f *definition.ResolvedField, whole int64, float float64) int64 {
	if f.Type.IsWhole() {
		return whole
	}
	return layout.Float(float)
}

// isVariants reports whether a value of a localized field is a map from tag to
// value.
func isVariants(f *definition.ResolvedField, raw []byte) bool {
	return f.Locales != nil && isObject(raw) && !(f.Type == definition.GeoPoint && isPoint(raw))
}

// holdsValueOf reports whether a field is given a value, in any variant.
func holdsValueOf(f *definition.ResolvedField, raw []byte) bool {
	if !isVariants(f, raw) {
		return holdsValue(raw)
	}
	for it := jsonread.Members(raw); it.Next(); {
		if holdsValue(it.Value()) {
			return true
		}
	}
	return false
}

// isPoint reports whether an object holds coordinates rather than locales.
func isPoint(raw []byte) bool {
	var name []byte
	for it := jsonread.Members(raw); it.Next(); {
		switch string(it.Name(&name)) {
		case "lat", "lon", "latitude", "longitude":
			return true
		}
	}
	return false
}

func (r *Reader) point(v *Value, raw []byte) bool {
	lat, lon, ok := readPoint(raw)
	switch {
	case !ok:
		r.report(problem.DocumentGeoPointValueInvalid, "name", v.Field.Path)
	case math.Abs(lat) > 90 || math.Abs(lon) > 180:
		r.report(problem.DocumentGeoPointValueOutOfRange, "name", v.Field.Path, "lat", lat, "lon", lon)
		ok = false
	}
	v.Lat, v.Lon = lat, lon
	return ok
}

// readPoint reads a raw geo point: an object with lat and lon, or latitude and
// longitude, and nothing else. It does not check their range.
func readPoint(raw []byte) (lat, lon float64, ok bool) {
	hasLat, hasLon := false, false
	var name []byte
	for it := jsonread.Members(raw); it.Next(); {
		value, isNumber := jsonread.Float64(it.Value())
		switch string(it.Name(&name)) {
		case "lat", "latitude":
			if hasLat || !isNumber {
				return 0, 0, false
			}
			lat, hasLat = value, true
		case "lon", "longitude":
			if hasLon || !isNumber {
				return 0, 0, false
			}
			lon, hasLon = value, true
		default:
			return 0, 0, false
		}
	}
	return lat, lon, hasLat && hasLon
}

func (r *Reader) vector(v *Value, raw []byte) bool {
	f := v.Field
	if !isList(raw) {
		r.report(problem.DocumentVectorValueInvalid, "name", f.Path)
		return false
	}
	start := len(r.doc.floats)
	isZero := true
	for it := jsonread.Items(raw); it.Next(); {
		if jsonread.KindOf(it.Value()) != jsonread.NumberKind {
			r.doc.floats = r.doc.floats[:start]
			r.report(problem.DocumentVectorValueInvalid, "name", f.Path)
			return false
		}
		number, ok := jsonread.Float32(it.Value())
		if !ok {
			r.doc.floats = r.doc.floats[:start]
			r.report(problem.DocumentVectorValueNotFinite, "name", f.Path)
			return false
		}
		isZero = isZero && number == 0
		r.doc.floats = append(r.doc.floats, number)
	}
	v.Vector = r.doc.floats[start:len(r.doc.floats):len(r.doc.floats)]
	switch {
	case len(v.Vector) != f.Dimensions:
		r.report(problem.DocumentVectorDimensionsMismatch, "name", f.Path, "expected", f.Dimensions, "actual", len(v.Vector))
		return false
	case isZero && f.Similarity == definition.Cosine:
		r.report(problem.DocumentVectorValueZero, "name", f.Path)
		return false
	}
	return true
}

func shorten(raw []byte) string {
	const most = 60
	if len(raw) > most {
		return string(bytes.ToValidUTF8(raw[:most], nil)) + "…"
	}
	return string(raw)
}
