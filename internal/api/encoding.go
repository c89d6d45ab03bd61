package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/problem"
)

// The content encodings of bodies.
const (
	encodingGzip = "gzip"
	encodingZstd = "zstd"
)

// contentEncoding returns the encoding of a request body, empty for none, and
// false for one that is not read.
func contentEncoding(header http.Header) (string, bool) {
	switch encoding := strings.ToLower(strings.TrimSpace(strings.Join(header.Values("Content-Encoding"), ","))); encoding {
	case "", "identity":
		return "", true
	case encodingGzip, "x-gzip":
		return encodingGzip, true
	case encodingZstd:
		return encodingZstd, true
	}
	return "", false
}

// Bounds of compressed bodies, besides that of the size: a body must not unpack
// to more than maxUnpackRatio times what arrived, once it is larger than
// freeUnpacked. The data of documents packs to a tenth, seldom to less than a
// fiftieth.
const (
	maxUnpackRatio = 200
	freeUnpacked   = 1 << 20
	maxZstdWindow  = 8 << 20 // what RFC 8878 asks every decoder to support
)

// codecs keeps decoders and encoders for the next request. Its zero value is
// ready; it may be used by any number of goroutines.
type codecs struct {
	gzipReaders, zstdReaders, gzipWriters, zstdWriters sync.Pool
}

// packer is an encoder that writes to another writer.
type packer interface {
	io.WriteCloser
	Reset(io.Writer)
}

// packer returns an encoder that writes to w and a function that hands it back.
func (c *codecs) packer(encoding string, w io.Writer) (packer, func()) {
	if encoding == encodingZstd {
		p, ok := c.zstdWriters.Get().(*zstd.Encoder)
		if !ok {
			// These options are always taken.
			p, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		}
		p.Reset(w)
		return p, func() { p.Reset(nil); c.zstdWriters.Put(p) }
	}
	p, ok := c.gzipWriters.Get().(*gzip.Writer)
	if !ok {
		p, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed)
	}
	p.Reset(w)
	return p, func() { p.Reset(io.Discard); c.gzipWriters.Put(p) }
}

// unpacker returns a decoder of source and a function that hands it back.
func (c *codecs) unpacker(encoding string, source io.Reader) (io.Reader, func(), error) {
	if encoding == encodingZstd {
		d, ok := c.zstdReaders.Get().(*zstd.Decoder)
		if !ok {
			// These options are always taken; one worker reads on the goroutine of the
			// request.
			d, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		}
		err := d.Reset(source)
		return d, func() { _ = d.Reset(nil); c.zstdReaders.Put(d) }, err
	}
	d, ok := c.gzipReaders.Get().(*gzip.Reader)
	if !ok {
		d = new(gzip.Reader)
	}
	err := d.Reset(source)
	return d, func() { c.gzipReaders.Put(d) }, err
}

// unpackedBody reads a compressed body within its bounds. Its errors are
// problems; those of the body as it arrives are passed on.
type unpackedBody struct {
	packed   *boundedBody
	codecs   *codecs
	encoding string
	limit    int64 // of the unpacked size; 0: no bound

	decoder  io.Reader
	release  func()
	arrived  int64
	unpacked int64
	failed   error
}

func newUnpackedBody(packed *boundedBody, c *codecs, encoding string, limit int64) *unpackedBody {
	return &unpackedBody{packed: packed, codecs: c, encoding: encoding, limit: limit}
}

// Read reads what the body unpacks to.
func (b *unpackedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	if b.decoder == nil {
		// The decoder reads the first bytes at once, so it begins with the first read.
		decoder, release, err := b.codecs.unpacker(b.encoding, packedReader{b})
		b.decoder, b.release = decoder, release
		if err != nil {
			b.fail(err)
			return 0, b.failed
		}
	}
	// One byte more than allowed distinguishes a body at the bound from one above it.
	if b.limit > 0 && int64(len(p)) > b.limit-b.unpacked+1 {
		p = p[:b.limit-b.unpacked+1]
	}
	n, err := b.decoder.Read(p)
	b.unpacked += int64(n)
	switch {
	case b.limit > 0 && b.unpacked > b.limit:
		b.failed = problem.RequestBodyTooLarge.New("limit", b.limit)
		n--
	case b.unpacked > freeUnpacked && b.unpacked/maxUnpackRatio > b.arrived:
		b.failed = problem.RequestBodyRatioOutOfRange.New("max", maxUnpackRatio)
	case err != nil:
		b.fail(err)
	}
	return n, b.failed
}

// fail keeps why nothing more is read: the end, a problem of the body as it
// arrives, or that it is not in its encoding.
func (b *unpackedBody) fail(err error) {
	var arriving *problem.Problem
	switch {
	case err == io.EOF:
		b.failed = err
	case errors.As(err, &arriving):
		b.failed = arriving
	default:
		b.failed = problem.RequestBodyEncodingInvalid.New("encoding", b.encoding).Because(err)
	}
}

// close hands the decoder back.
func (b *unpackedBody) close() {
	if b.release != nil {
		b.release()
		b.release = nil
	}
}

// packedReader counts what a decoder takes of the body as it arrives.
type packedReader struct{ body *unpackedBody }

func (r packedReader) Read(p []byte) (int, error) {
	n, err := r.body.packed.Read(p)
	r.body.arrived += int64(n)
	return n, err
}

// minPacked is the length above which an answer is worth compressing.
const minPacked = 1 << 10

// answerEncoding returns the encoding that a caller prefers for answers, empty
// for none. Of two that it likes as much, zstd is smaller and faster.
func answerEncoding(header http.Header) string {
	ranges := acceptRanges(header.Values("Accept-Encoding"))
	best, bestQuality := "", 0.0
	for _, encoding := range []string{encodingZstd, encodingGzip} {
		for _, r := range ranges {
			if (r.media == encoding || r.media == "x-"+encoding) && r.quality > bestQuality {
				best, bestQuality = encoding, r.quality
			}
		}
	}
	return best
}

// pack compresses a response in the encoding, if that is worth it: the body when
// it is long, a stream always. What has an ETag stays as it is, because the tag
// names the bytes. It returns the body to send.
func (c *codecs) pack(r *Response, body []byte, encoding string) ([]byte, error) {
	if r.Stream == nil && len(body) <= minPacked || r.Header.Get("ETag") != "" || r.Header.Get("Content-Encoding") != "" {
		return body, nil
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Add("Vary", "Accept-Encoding")
	if encoding == "" {
		return body, nil
	}
	r.Header.Set("Content-Encoding", encoding)
	if stream := r.Stream; stream != nil {
		r.Stream = func(w io.Writer) error {
			packed, release := c.packer(encoding, w)
			defer release()
			if err := stream(packed); err != nil {
				return err // without an end, so that no client takes it for complete
			}
			return packed.Close()
		}
		return body, nil
	}
	var out bytes.Buffer
	out.Grow(len(body) / 4)
	packed, release := c.packer(encoding, &out)
	defer release()
	if _, err := packed.Write(body); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
