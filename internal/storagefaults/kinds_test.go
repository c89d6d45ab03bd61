package storagefaults

import (
	"fmt"
	"slices"
	"sync"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
)

// place is the storage of a node that fails.
type place string

const (
	theBucket    place = "bucket"    // of a node in object mode
	theDisk      place = "disk"      // of a node in object mode
	theDirectory place = "directory" // of a node in local mode
)

// kind is one kind of fault.
type kind struct {
	name string
	// ops are the calls that can meet it; nil means all.
	ops []string
	// fault is the corresponding fault of a bucket.
	fault faultbucket.Fault
}

var bucketKinds = []kind{
	{name: "fail", fault: faultbucket.Unavailable},
	{name: "slow", fault: faultbucket.Slow},
	{name: "hang", fault: faultbucket.Hang},
	{name: "cut", ops: []string{"get", "put"}, fault: faultbucket.Cut},
	{name: "lost answer", ops: []string{"put", "delete"}, fault: faultbucket.LoseReply},
	{name: "duplicated", ops: []string{"put", "delete"}, fault: faultbucket.Duplicate},
	{name: "undecided", ops: []string{"put"}, fault: faultbucket.Undecided},
	{name: "late", ops: []string{"put"}, fault: faultbucket.Late},
	{name: "stale listing", ops: []string{"list"}, fault: faultbucket.Stale},
}

// changing lists the calls of a file system that change something.
var changing = []string{"create", "write", "truncate", "reserve", "sync", "rename", "remove", "syncdir", "makedir"}

// A disk has no second sender and shows its names as they are: calls are not
// duplicated and listings are not stale. A slow call is one that hangs for a while.
var diskKinds = []kind{
	{name: "fail"},
	{name: "hang"},
	{name: "full", ops: []string{"create", "write", "reserve", "makedir"}},
	{name: "cut", ops: []string{"write", "read"}},
	{name: "lost answer", ops: changing},
}

func (k kind) meets(op string) bool { return k.ops == nil || slices.Contains(k.ops, op) }

// trouble decides which calls of a session meet a fault: those that the kind
// applies to, from a number on. It is safe for concurrent use.
type trouble struct {
	kind   kind
	from   int // number among the calls that can meet the fault, from 1; 0: none
	length int // number of consecutive calls that meet it

	mu    sync.Mutex
	calls map[string]int // so far, by operation
	met   map[string]int // calls that met the fault
	isOn  bool
	seen  int
}

func newTrouble(k kind, from, length int) *trouble {
	return &trouble{kind: k, from: from, length: length, calls: make(map[string]int), met: make(map[string]int)}
}

// start begins to count calls.
func (t *trouble) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isOn = true
}

// stop lets all calls through from now on.
func (t *trouble) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.isOn = false
}

// hits counts a call and reports whether it meets the fault.
func (t *trouble) hits(op string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isOn {
		return false
	}
	t.calls[op]++
	if t.from == 0 || !t.kind.meets(op) {
		return false
	}
	t.seen++
	if t.seen < t.from || t.seen >= t.from+t.length {
		return false
	}
	t.met[op]++
	return true
}

// plan is the trouble of a bucket.
func (t *trouble) plan(call faultbucket.Call) faultbucket.Fault {
	if t.kind.fault == faultbucket.Undecided && !call.IsConditional || !t.hits(call.Op) {
		return faultbucket.None
	}
	return t.kind.fault
}

// injected returns the number of calls that met the fault.
func (t *trouble) injected() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range t.met {
		sum += n
	}
	return sum
}

// point is one session: where, how and when something fails.
type point struct {
	number int
	place  place
	kind   kind
	from   int
	length int
}

func (p point) String() string {
	return fmt.Sprintf("-first %d -point %q", p.number, fmt.Sprintf("%s, %s, %d, %d", p.place, p.kind.name, p.from, p.length))
}
