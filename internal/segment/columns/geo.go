package columns

import (
	"encoding/binary"
	"math"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
)

// Point is a place on earth in ten-millionths of a degree, about a centimetre.
type Point struct{ Lat, Lon int32 }

// degree is the number of units of a Point in one degree.
const degree = 1e7

// EarthRadius is the mean radius of the earth in metres.
const EarthRadius = 6371008.7714

// EncodeGeo converts degrees to a Point, rounded; values beyond the poles or the
// date line are clamped.
func EncodeGeo(lat, lon float64) Point {
	return Point{
		Lat: int32(math.Round(min(max(lat, -90), 90) * degree)),
		Lon: int32(math.Round(min(max(lon, -180), 180) * degree)),
	}
}

// Degrees returns the point in degrees.
func (p Point) Degrees() (lat, lon float64) { return float64(p.Lat) / degree, float64(p.Lon) / degree }

// Distance returns the great-circle distance in metres (haversine).
func (p Point) Distance(lat, lon float64) float64 {
	a, b := p.Degrees()
	return Haversine(a, b, lat, lon)
}

// Haversine returns the great-circle distance in metres between two places in
// degrees.
func Haversine(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	s := math.Sin((lat2 - lat1) * rad / 2)
	t := math.Sin((lon2 - lon1) * rad / 2)
	h := s*s + math.Cos(lat1*rad)*math.Cos(lat2*rad)*t*t
	return 2 * EarthRadius * math.Asin(math.Sqrt(min(h, 1)))
}

// Geo is the read side of a column of points.
type Geo struct {
	multi     bool
	numDocs   uint32
	numValues uint64
	withValue uint32
	points    []int32 // lat, lon, lat, …
	starts    series
	present   *bitset.Bitset
}

// OpenGeo opens the column with the given owner in a file with numDocs documents.
func OpenGeo(file *blockfile.Reader, owner, numDocs uint32, multi bool) (*Geo, error) {
	s := sections{file, owner}
	info, err := s.info(2)
	if err != nil {
		return nil, err
	}
	c := &Geo{multi: multi, numDocs: numDocs, withValue: uint32(info[0]), numValues: info[1]}
	if info[0] > uint64(numDocs) || info[1] < info[0] || info[1] > 1<<32-1 {
		return nil, s.corrupt(PartInfo, "%d points in %d documents", info[1], info[0])
	}
	if c.withValue != numDocs {
		set, ok := bitset.FromBytes(s.part(PartPresent), numDocs)
		if !ok || set.Count() != int(c.withValue) {
			return nil, s.corrupt(PartPresent, "documents with a point")
		}
		c.present = set
	}
	n := int(numDocs)
	if multi {
		n = int(c.numValues)
		var ok bool
		if c.starts, ok = openStarts(s, int(numDocs), n); !ok {
			return nil, s.corrupt(PartStartBlocks, "starts of points")
		}
	}
	raw := s.part(PartValues)
	if len(raw) != n*8 {
		return nil, s.corrupt(PartValues, "%d bytes for %d points", len(raw), n)
	}
	c.points = bitpack.Int32s(raw)
	return c, nil
}

// NumValues returns the number of points.
func (c *Geo) NumValues() uint64 { return c.numValues }

// DocsWithValue returns the number of documents with at least one point.
func (c *Geo) DocsWithValue() uint32 { return c.withValue }

// Has reports whether the document has a point.
func (c *Geo) Has(doc uint32) bool { return c.present == nil || c.present.Get(doc) }

// at returns point number i.
func (c *Geo) at(i int) Point { return Point{c.points[2*i], c.points[2*i+1]} }

// Get returns the first point of a document, and false when it has none.
func (c *Geo) Get(doc uint32) (Point, bool) {
	if !c.Has(doc) {
		return Point{}, false
	}
	if c.multi {
		return c.at(int(c.starts.get(int(doc)))), true
	}
	return c.at(int(doc)), true
}

// Append appends all points of a document in the order in which they were added.
func (c *Geo) Append(dst []Point, doc uint32) []Point {
	if !c.multi {
		if p, ok := c.Get(doc); ok {
			dst = append(dst, p)
		}
		return dst
	}
	for i, end := c.starts.get(int(doc)), c.starts.get(int(doc)+1); i < end; i++ {
		dst = append(dst, c.at(int(i)))
	}
	return dst
}

// Distance returns the distance in metres from the nearest point of a document to
// (lat, lon) in degrees; ok is false when the document has no point.
func (c *Geo) Distance(doc uint32, lat, lon float64) (metres float64, ok bool) {
	if !c.Has(doc) {
		return 0, false
	}
	if !c.multi {
		return c.at(int(doc)).Distance(lat, lon), true
	}
	metres = math.Inf(1)
	for i, end := c.starts.get(int(doc)), c.starts.get(int(doc)+1); i < end; i++ {
		metres = min(metres, c.at(int(i)).Distance(lat, lon))
	}
	return metres, true
}

// GeoWriter writes a column of points.
type GeoWriter struct {
	out       *blockfile.Writer
	owner     uint32
	multi     bool
	numDocs   uint32
	raw       []byte
	starts    startsWriter
	present   *bitset.Bitset
	last      uint32
	withValue uint32
	numValues uint64
}

// NewGeoWriter prepares the column with the given owner for numDocs documents.
func NewGeoWriter(out *blockfile.Writer, owner, numDocs uint32, multi bool) *GeoWriter {
	w := &GeoWriter{out: out, owner: owner, multi: multi, numDocs: numDocs, present: bitset.New(numDocs)}
	if !multi {
		w.raw = make([]byte, 8*int(numDocs))
	}
	return w
}

// Add appends a point. A single-valued column keeps only the last point of a
// document.
func (w *GeoWriter) Add(doc uint32, p Point) {
	invariant.Check(w.withValue == 0 || doc >= w.last, "CO1: document %d after %d", doc, w.last)
	fresh := !w.present.Get(doc)
	if fresh {
		w.present.Set(doc)
		w.withValue++
		if w.multi {
			w.starts.set(doc, w.numValues)
		}
	}
	w.last = doc
	if w.multi {
		w.raw = binary.LittleEndian.AppendUint32(w.raw, uint32(p.Lat))
		w.raw = binary.LittleEndian.AppendUint32(w.raw, uint32(p.Lon))
		w.numValues++
		return
	}
	if fresh {
		w.numValues++
	}
	binary.LittleEndian.PutUint32(w.raw[8*int(doc):], uint32(p.Lat))
	binary.LittleEndian.PutUint32(w.raw[8*int(doc)+4:], uint32(p.Lon))
}

// Finish writes the column.
func (w *GeoWriter) Finish() error {
	section := func(part uint16, data []byte) {
		w.out.Section(blockfile.ID{Owner: w.owner, Part: part}, data)
	}
	section(PartValues, w.raw)
	if w.withValue != w.numDocs {
		section(PartPresent, w.present.AppendBytes(nil))
	}
	if w.multi {
		w.starts.finish(w.out, w.owner, w.numDocs, w.numValues)
	}
	section(PartInfo, appendInfo(uint64(w.withValue), w.numValues))
	return w.out.Err()
}
