package api

import (
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// frames follows the frames of a zstd body (RFC 8878, section 3.1) as it arrives, to
// learn which window its decoder allocates.
type frames struct {
	window int64 // the largest so far; at most maxZstdWindow

	head    []byte // of a frame or block, as far as it has arrived
	skip    int64  // bytes before the next head
	inFrame bool   // the next head is that of a block
	hasSum  bool   // a checksum follows the last block
}

// see takes the next bytes of the body.
func (f *frames) see(p []byte) {
	for {
		skipped := min(f.skip, int64(len(p)))
		f.skip -= skipped
		p = p[skipped:]
		if len(p) == 0 {
			return
		}
		f.head = append(f.head, p[0])
		p = p[1:]
		if f.inFrame {
			f.block()
		} else {
			f.frame()
		}
	}
}

// frame reads the head of a frame if it is complete.
func (f *frames) frame() {
	var h zstd.Header
	err := h.Decode(f.head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	f.head = f.head[:0]
	switch {
	case err != nil: // the decoder rejects it
		f.skip = math.MaxInt64
	case h.Skippable:
		f.skip = int64(h.SkippableSize)
	default:
		window := h.WindowSize
		if h.SingleSegment {
			window = h.FrameContentSize
		}
		f.window = max(f.window, int64(min(window, maxZstdWindow)))
		f.inFrame, f.hasSum = true, h.HasCheckSum
	}
}

// block reads the head of a block if it is complete.
func (f *frames) block() {
	if len(f.head) < 3 {
		return
	}
	head := int64(f.head[0]) | int64(f.head[1])<<8 | int64(f.head[2])<<16
	f.head = f.head[:0]
	f.skip = head >> 3
	if head>>1&3 == 1 { // one byte, repeated
		f.skip = 1
	}
	if head&1 == 0 {
		return
	}
	f.inFrame = false
	if f.hasSum {
		f.skip += 4
	}
}
