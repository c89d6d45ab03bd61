package points

import (
	"math"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Geo holds the points of a column in blocks of nearby points.
//
// A block is described by its bounding box (south and north, west and east, each
// pair in one word), by offset and widths, and by its lowest document.
type Geo struct{ index }

func packInts(low, high int32) uint64 { return uint64(uint32(low)) | uint64(uint32(high))<<32 }

func unpackInts(v uint64) (low, high int32) { return int32(uint32(v)), int32(uint32(v >> 32)) }

// OpenGeo opens the index with the given owner in a file with numDocs documents.
func OpenGeo(file *blockfile.Reader, owner, numDocs uint32) (*Geo, error) {
	in, corrupt, err := openIndex(file, owner)
	if err != nil {
		return nil, err
	}
	p := &Geo{in}
	for b := range p.numBlocks() {
		info, n := p.blocks[blockWords*b+2], p.count(b)
		aw, ow, dw := int(info>>16&0xff), int(info>>8&0xff), int(info&0xff)
		size := uint64(bitpack.Size(n, aw) + bitpack.Size(n, ow) + bitpack.Size(n, dw))
		if aw > 32 || ow > 32 || dw > 32 || info>>24 > uint64(len(p.data)) || size > uint64(len(p.data))-info>>24 ||
			p.blocks[blockWords*b+3] > uint64(numDocs) {
			return nil, corrupt("block %d of points", b)
		}
	}
	return p, nil
}

type geoBlock struct {
	lats, lons, docs [BlockSize]uint32
}

// decode decodes block b; latitudes and longitudes are relative to its box.
func (p *Geo) decode(b int, out *geoBlock) int {
	n, info := p.count(b), p.blocks[blockWords*b+2]
	at := int(info >> 24)
	aw, ow, dw := int(info>>16&0xff), int(info>>8&0xff), int(info&0xff)
	bitpack.Unpack32(out.lats[:n], p.data[at:], aw)
	at += bitpack.Size(n, aw)
	bitpack.Unpack32(out.lons[:n], p.data[at:], ow)
	at += bitpack.Size(n, ow)
	bitpack.UnpackAdd32(out.docs[:n], p.data[at:], dw, uint32(p.blocks[blockWords*b+3]))
	return n
}

// box is a region in units of columns.Point, inclusive.
type box struct{ south, north, west, east int32 }

func newBox(south, north, west, east float64) box {
	low, high := columns.EncodeGeo(south, west), columns.EncodeGeo(north, east)
	return box{low.Lat, high.Lat, low.Lon, high.Lon}
}

// split splits a region that crosses the date line into two boxes.
func split(south, west, north, east float64) []box {
	if west > east {
		return []box{newBox(south, north, west, 180), newBox(south, north, -180, east)}
	}
	return []box{newBox(south, north, west, east)}
}

// each adds the documents with a point in a region for which accept, if not nil,
// returns true.
func (p *Geo) each(region box, accept func(columns.Point) bool, out *bitset.Bitset) {
	words, limit := out.Words(), out.Len()
	var buf geoBlock
	for b := range len(p.blocks) / blockWords {
		south, north := unpackInts(p.blocks[blockWords*b])
		west, east := unpackInts(p.blocks[blockWords*b+1])
		if south > region.north || north < region.south || west > region.east || east < region.west {
			continue
		}
		inside := south >= region.south && north <= region.north && west >= region.west && east <= region.east
		n := p.decode(b, &buf)
		for i, d := range buf.docs[:n] {
			if d >= limit {
				continue
			}
			at := columns.Point{Lat: south + int32(buf.lats[i]), Lon: west + int32(buf.lons[i])}
			if !inside && (at.Lat < region.south || at.Lat > region.north || at.Lon < region.west || at.Lon > region.east) {
				continue
			}
			if accept == nil || accept(at) {
				words[d>>6] |= 1 << (d & 63)
			}
		}
	}
}

// IntoCircle adds to out the documents with a point at most metres away from (lat,
// lon). It filters by bounding box first and then by exact distance.
func (p *Geo) IntoCircle(lat, lon, metres float64, out *bitset.Bitset) {
	if metres < 0 || math.IsNaN(metres) {
		return
	}
	const rad = math.Pi / 180
	accept := func(at columns.Point) bool { return at.Distance(lat, lon) <= metres }
	// Slightly more than the angle, so that rounding loses nothing.
	angle := metres/columns.EarthRadius*(1+1e-9) + 1e-8
	south, north := lat-angle/rad, lat+angle/rad
	if south <= -90 || north >= 90 || angle >= math.Pi/2 {
		p.each(newBox(south, north, -180, 180), accept, out)
		return
	}
	spread := math.Asin(min(math.Sin(angle)/math.Cos(lat*rad), 1)) / rad
	west, east := lon-spread, lon+spread
	switch {
	case spread >= 180:
		west, east = -180, 180
	case west < -180:
		west += 360
	case east > 180:
		east -= 360
	}
	for _, region := range split(south, west, north, east) {
		p.each(region, accept, out)
	}
}

// GeoWriter collects points with their documents.
type GeoWriter struct {
	pairs  []pair
	points []columns.Point
}

// Add appends a point of a document; documents must come in ascending order.
func (w *GeoWriter) Add(doc uint32, p columns.Point) {
	key := interleave(uint32(p.Lat)^1<<31)<<1 | interleave(uint32(p.Lon)^1<<31)
	w.pairs = append(w.pairs, pair{key: key, doc: doc, at: uint32(len(w.points))})
	w.points = append(w.points, p)
}

// interleave spreads the bits of v over the even bit positions.
func interleave(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// Finish sorts the points along the curve and writes the index with the given
// owner.
func (w *GeoWriter) Finish(out *blockfile.Writer, owner uint32) error {
	pairs := sortPairs(w.pairs)
	out.Begin(blockfile.ID{Owner: owner, Part: PartData})
	words := []uint64{uint64(len(pairs))}
	var buf []byte
	var lats, lons, docs []uint32
	for from := 0; from < len(pairs); from += BlockSize {
		block := pairs[from:min(from+BlockSize, len(pairs))]
		first := w.points[block[0].at]
		b := box{first.Lat, first.Lat, first.Lon, first.Lon}
		docs = docs[:0]
		for _, q := range block {
			at := w.points[q.at]
			b = box{min(b.south, at.Lat), max(b.north, at.Lat), min(b.west, at.Lon), max(b.east, at.Lon)}
			docs = append(docs, q.doc)
		}
		lats, lons = lats[:0], lons[:0]
		for _, q := range block {
			at := w.points[q.at]
			lats = append(lats, uint32(at.Lat)-uint32(b.south))
			lons = append(lons, uint32(at.Lon)-uint32(b.west))
		}
		lowDoc, highDoc := packDocs(docs)
		aw, ow := bitpack.Width32(uint32(b.north)-uint32(b.south)), bitpack.Width32(uint32(b.east)-uint32(b.west))
		dw := bitpack.Width32(highDoc - lowDoc)
		words = append(words, packInts(b.south, b.north), packInts(b.west, b.east),
			uint64(out.Offset())<<24|uint64(aw)<<16|uint64(ow)<<8|uint64(dw), uint64(lowDoc))
		buf = bitpack.Append32(buf[:0], lats, aw)
		buf = bitpack.Append32(buf, lons, ow)
		buf = bitpack.Append32(buf, docs, dw)
		out.Write(buf)
	}
	out.Section(blockfile.ID{Owner: owner, Part: PartBlocks}, bitpack.AppendUint64s(nil, words))
	return out.Err()
}
