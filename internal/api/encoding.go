package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/problem"
)

// The content encodings of bodies.
const (
	encodingGzip = "gzip"
	encodingZstd = "zstd"
)

// contentEncoding returns the encoding of a request body, empty for none. It
// reports false for an unsupported encoding.
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

// Limits of compressed bodies, in addition to that of the size: once a body
// unpacks to more than freeUnpacked, it must not exceed maxUnpackRatio times
// the bytes that arrived. Document data compresses to a tenth, rarely to less
// than a fiftieth.
const (
	maxUnpackRatio = 200
	freeUnpacked   = 1 << 20
	maxZstdWindow  = 8 << 20 // RFC 8878 asks every decoder to support it
)

// codecs pools decoders and encoders. Its zero value is ready to use; it may be
// used by any number of goroutines.
type codecs struct {
	gzipReaders, zstdReaders, gzipWriters, zstdWriters sync.Pool
}

// packer is an encoder that can be reset to another writer.
type packer interface {
	io.WriteCloser
	Reset(io.Writer)
}

// packer returns an encoder that writes to w and a function that returns it to
// the pool.
func (c *codecs) packer(encoding string, w io.Writer) (packer, func()) {
	if encoding == encodingZstd {
		p, ok := c.zstdWriters.Get().(*zstd.Encoder)
		if !ok {
			// These options are always valid.
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

// unpacker returns a decoder of source and a function that returns it to the
// pool.
func (c *codecs) unpacker(encoding string, source io.Reader) (io.Reader, func(), error) {
	if encoding == encodingZstd {
		d, ok := c.zstdReaders.Get().(*zstd.Decoder)
		if !ok {
			// These options are always valid; one worker decodes on the goroutine of the
			// request.
			// A short body in a bytes.Buffer is unpacked at once, without a window, unless
			// it unpacks to more than the most memory.
			d, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderMaxMemory(maxZstdWindow))
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

// unpackedBody decompresses a body within its limits. Its errors are problems;
// those of the compressed body are passed on.
//
// A body that is not processed as it arrives is decompressed once it has arrived:
// until then its memory is bounded by what its client has sent. Ten bytes may ask
// for a window of 8 MB.
type unpackedBody struct {
	packed   *boundedBody
	codecs   *codecs
	encoding string
	limit    int64 // of the unpacked size; 0: no limit

	windows *reservations // of bodies that are processed as they arrive; nil for others
	window  *reservation  // nil: a small one
	frames  frames

	decoder  io.Reader
	release  func()
	arrived  int64
	unpacked int64
	failed   error
}

func newUnpackedBody(packed *boundedBody, c *codecs, encoding string, limit int64) *unpackedBody {
	return &unpackedBody{packed: packed, codecs: c, encoding: encoding, limit: limit}
}

// open creates the decoder, which reads the first bytes of the body.
func (b *unpackedBody) open() (err error) {
	var source io.Reader = packedReader{b}
	if b.windows == nil {
		whole := newBodyBuffer(b.packed.length)
		if _, err := whole.ReadFrom(source); err != nil {
			return err
		}
		source = whole
	}
	b.decoder, b.release, err = b.codecs.unpacker(b.encoding, source)
	return err
}

// Read reads decompressed bytes.
func (b *unpackedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	if b.decoder == nil {
		if err := b.open(); err != nil {
			b.fail(err)
			return 0, b.failed
		}
	}
	// One extra byte distinguishes a body at the limit from one above it.
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

// fail records why reading stopped: the end of the body, a problem with the
// compressed body, or invalid encoding. The decoder is not needed any more.
func (b *unpackedBody) fail(err error) {
	defer b.close()
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

// close returns the decoder to the pool. One with a large window is dropped if the
// body was not read to its end: the pool would keep the memory of cut requests.
func (b *unpackedBody) close() {
	isDropped := b.window != nil && b.failed != io.EOF
	if b.window != nil {
		b.windows.release(b.window)
		b.window = nil
	}
	if b.release != nil && !isDropped {
		b.release()
	}
	b.release = nil
}

// packedReader counts the compressed bytes a decoder reads, and reserves its window.
type packedReader struct{ body *unpackedBody }

func (r packedReader) Read(p []byte) (int, error) {
	b := r.body
	if err := b.await(); err != nil {
		return 0, err
	}
	n, err := b.packed.Read(p)
	b.arrived += int64(n)
	if b.windows != nil && b.encoding == encodingZstd {
		b.frames.see(p[:n])
		b.reserve(n)
	}
	return n, err
}

// await returns an error if the body was cut.
func (b *unpackedBody) await() error {
	if b.window == nil || b.packed.failed != nil {
		return nil
	}
	b.packed.arm() // before the check, as it may undo a cut
	if !b.windows.await(b.window) {
		return problem.RequestBodyUnreadable.New().Because(errCut)
	}
	return nil
}

// reserve accounts for the window of the decoder after n bytes have arrived.
func (b *unpackedBody) reserve(n int) {
	window := b.frames.window
	if b.window != nil && b.window.size < window {
		b.windows.release(b.window)
		b.window = nil
	}
	if b.window == nil && window >= leastReserved {
		b.window = b.windows.reserve(int(window), func() error { return b.packed.control.SetReadDeadline(time.Unix(1, 0)) })
	}
	if b.window != nil {
		b.windows.arrive(b.window, n)
	}
}

// minPacked is the length above which a response is worth compressing.
const minPacked = 1 << 10

// answerEncoding returns the encoding the caller prefers for responses, empty
// for none. zstd wins ties, because it is smaller and faster.
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

// pack compresses a response if that is worth it: long bodies, and streams
// always. A response with an ETag stays as it is, because the tag names the
// bytes. pack returns the body to send.
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
				return err // leave out the trailer, so that no client takes it for complete
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
