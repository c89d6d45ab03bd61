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

// instants is the source of everything random in a run: its bytes come from the
// seed, the instant at which they are asked for, where in the program that is,
// and how often it happened there at this instant. What a process that was killed
// still draws, unseen by everybody, changes nothing for the others, and the order
// in which goroutines run that are ready at one instant seldom does.
type instants struct {
	seed uint64

	mu    sync.Mutex
	now   time.Time
	asked map[uint64]uint64 // at now, by place
}

var _ io.Reader = (*instants)(nil)

// useInstants makes a test draw everything random from its seed.
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

// place stands for where in the program bytes are asked for: the calls that led
// there.
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
