package clustertest

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	random "math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// instants is the source of all randomness in a run. Its bytes are determined by
// the seed, the instant of the request, the place in the program, and how many
// requests that place made at this instant. Bytes that a killed process still
// draws, unseen, change nothing for the others, and neither, mostly, does the order
// in which goroutines run that are ready at one instant.
type instants struct {
	seed uint64

	mu    sync.Mutex
	now   time.Time
	asked map[uint64]uint64 // at now, by place
}

var _ io.Reader = (*instants)(nil)

// useInstants makes a test draw all randomness from its seed.
func useInstants(t *testing.T, seed uint64) {
	before := rand.Reader
	rand.Reader = &instants{seed: seed, asked: make(map[uint64]uint64)}
	t.Cleanup(func() { rand.Reader = before })
}

func (i *instants) Read(p []byte) (int, error) {
	place := place()
	i.mu.Lock()
	now := time.Now()
	if !now.Equal(i.now) {
		i.now = now
		clear(i.asked)
	}
	i.asked[place]++
	asked := i.asked[place]
	i.mu.Unlock()
	var key [32]byte
	for n, part := range []uint64{i.seed, uint64(now.UnixNano()), place, asked} {
		binary.LittleEndian.PutUint64(key[8*n:], part)
	}
	return random.NewChaCha8(key).Read(p)
}

// place identifies the place in the program that requests bytes by the calls that
// led there.
func place() uint64 {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls[:])])
	sum := fnv.New64a()
	for {
		frame, more := frames.Next()
		_, _ = fmt.Fprintln(sum, frame.Function, frame.Line)
		if !more {
			return sum.Sum64()
		}
	}
}
