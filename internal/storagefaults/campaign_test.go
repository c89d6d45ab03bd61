package storagefaults

import (
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
)

var (
	wanted  = flag.Int("faults", 100, "how many faults of the storage TestFaultsOfStorage injects")
	first   = flag.Int("first", 1, "the first point of TestFaultsOfStorage")
	stride  = flag.Int("stride", 0, "points between two that are run; 0: all are, and in short runs few")
	only    = flag.String("point", "", "the one point that TestFaultsOfStorage runs, as a failure names it: place, kind, call and calls in a row")
	verbose = flag.Bool("log", false, "show what the nodes log")
)

// TestMain runs a part of a session before the tests. Those run in bubbles of
// virtual time, in which nothing that the process shares may be created.
func TestMain(m *testing.M) {
	flag.Parse()
	s := newSession(panics{}, point{place: theDirectory}, nil)
	if !s.start() {
		panic("the first node does not start")
	}
	s.prepare()
	s.change("putIndex", "PUT", admin+"books", defined(""), "index books", "there")
	for i := range 20 {
		s.change("putDocument", "PUT", fmt.Sprint(data, "books/documents/", i), fmt.Sprintf(`{"v":%d}`, i), "", "")
	}
	s.write("books", "1", 1)
	s.reads()
	s.settings()
	s.stop()
	os.Exit(m.Run())
}

// panics is a reporter for use outside of tests.
type panics struct{}

func (panics) Errorf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }
func (panics) Fatalf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }

// survey returns the number of calls that a session without faults makes, by place
// and operation.
func survey(t *testing.T, where place) map[string]int {
	var calls map[string]int
	inVirtualTime(t, point{place: where}, func(t *testing.T, tired <-chan struct{}) {
		s := play(t, point{place: where}, tired)
		calls = s.trouble.calls
	})
	return calls
}

// maxFailed is the number of failed points that ends a campaign.
const maxFailed = 40

// limit is the longest real time for a point.
const limit = 30 * time.Minute

// inVirtualTime runs do in a bubble. The channel that it passes is closed when do
// takes too long in real time.
func inVirtualTime(t *testing.T, p point, do func(*testing.T, <-chan struct{})) (passed bool) {
	tired := make(chan struct{})
	soon := time.AfterFunc(limit/4, func() { close(tired) })
	defer soon.Stop()
	stuck := time.AfterFunc(limit, func() { panic(fmt.Sprintf("%v takes longer than %v", p, limit)) })
	defer stuck.Stop()
	return t.Run(fmt.Sprint(p.number), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { do(t, tired) }) })
}

func newSession(t reporter, p point, tired <-chan struct{}) *session {
	log := slog.New(slog.DiscardHandler)
	if *verbose {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	m := newMachine(t, p, log, tired)
	return &session{machine: m, story: newStory(), isClean: true, sent: make(map[string]bool), codes: make(map[string]int)}
}

// play runs one session with the fault of a point.
func play(t *testing.T, p point, tired <-chan struct{}) *session {
	s := newSession(t, p, tired)
	if !s.start() {
		t.Fatalf("%v: a healthy node does not start", p)
	}
	s.prepare()
	s.isClean = p.from == 0
	s.trouble.start()
	s.run()
	s.trouble.stop()
	s.process.bucket.Settle()
	s.check("after the fault")
	switch {
	case p.number%3 == 0:
		s.stop()
	case p.number%3 == 1 && s.isObject():
		s.kill(all)
	case p.number%3 == 1:
		s.kill(unsynced)
	default:
		s.kill(nothing)
	}
	if !s.start() {
		t.Errorf("%v: the node does not start again", p)
		return s
	}
	s.check("after a restart")
	s.stop()
	return s
}

// The session sends requests of every operation that uses the storage.
func TestTheSessionSendsEveryOperation(t *testing.T) {
	for _, where := range []place{theBucket, theDirectory} {
		inVirtualTime(t, point{place: where}, func(t *testing.T, tired <-chan struct{}) {
			s := play(t, point{place: where}, tired)
			for _, route := range api.Routes() {
				isOfBucket := route.Tag == "Registry" || route.Operation == "listIndexers"
				if route.IsVersioned() && !s.sent[route.Operation] && (s.isObject() || !isOfBucket) {
					t.Errorf("%s: nothing asks for %s", where, route.Operation)
				}
			}
			t.Logf("%s: %v, %v", where, s.codes, s.trouble.calls)
		})
	}
}

// course is the sequence of points: for every place and kind, every call that can
// meet it, then the same with several consecutive calls.
type course struct {
	lanes []lane
}

// lane is the points of one place and kind.
type lane struct {
	place place
	kind  kind
	calls int
}

func newCourse(t *testing.T) course {
	var c course
	for _, where := range []place{theBucket, theDisk, theDirectory} {
		calls, kinds := survey(t, where), diskKinds
		if where == theBucket {
			kinds = bucketKinds
		}
		for _, k := range kinds {
			sum := 0
			for op, n := range calls {
				if k.meets(op) {
					sum += n
				}
			}
			c.lanes = append(c.lanes, lane{where, k, sum})
		}
	}
	return c
}

// rows are the numbers of consecutive calls that meet a fault: one in the first
// lap, then more.
var rows = []int{1, 3, 8}

// size returns the number of points in a lap.
func (c course) size() int {
	sum := 0
	for _, l := range c.lanes {
		sum += l.calls
	}
	return sum
}

// point returns the point with a number, from 1. Consecutive points differ in place
// and kind.
func (c course) point(number int) point {
	lap, at := (number-1)/c.size(), (number-1)%c.size()
	for from := 1; ; from++ {
		for _, l := range c.lanes {
			if from > l.calls {
				continue
			}
			if at == 0 {
				return point{number, l.place, l.kind, from, rows[lap%len(rows)]}
			}
			at--
		}
	}
}

// readPoint parses the point that a failure prints.
func readPoint(t *testing.T, text string) point {
	t.Helper()
	p := point{number: *first}
	parts := strings.Split(text, ", ")
	if len(parts) != 4 {
		t.Fatalf("%q is not a place, a kind, a call and calls in a row", text)
	}
	p.place = place(parts[0])
	for _, k := range slices.Concat(bucketKinds, diskKinds) {
		if k.name == parts[1] && (k.fault == faultbucket.None) == (p.place != theBucket) {
			p.kind = k
		}
	}
	_, err := fmt.Sscan(parts[2]+" "+parts[3], &p.from, &p.length)
	if err != nil || p.kind.name == "" {
		t.Fatalf("%q names no point: %v", text, err)
	}
	return p
}

// Every kind of fault at every call of the storage: see the package comment.
func TestFaultsOfStorage(t *testing.T) {
	if *only != "" {
		p := readPoint(t, *only)
		inVirtualTime(t, p, func(t *testing.T, tired <-chan struct{}) { play(t, p, tired) })
		return
	}
	c := newCourse(t)
	apart := *stride
	if apart == 0 {
		if apart = 1; *wanted < c.size()/4 {
			apart = c.size()/(*wanted) | 1
		}
	}
	t.Logf("%d points a lap", c.size())
	injected := make(map[string]int)
	met := make(map[string]int)
	answers := make(map[string]int)
	sum, points, empty, failed := 0, 0, 0, 0
	number := *first
	for ; sum < *wanted && failed < maxFailed; number += apart {
		p := c.point(number)
		passed := inVirtualTime(t, p, func(t *testing.T, tired <-chan struct{}) {
			s := play(t, p, tired)
			count := s.trouble.injected()
			sum += count
			injected[string(p.place)+" "+p.kind.name] += count
			for op, n := range s.trouble.met {
				met[string(p.place)+" "+op] += n
			}
			for code, n := range s.codes {
				answers[code] += n
			}
			if points++; count == 0 {
				empty++ // the session made fewer calls
			}
		})
		if !passed {
			failed++
		}
		if points%500 == 0 {
			t.Logf("%d faults at %d points, the last is %d", sum, points, number)
		}
	}
	var b strings.Builder
	show := func(title string, counts map[string]int) {
		fmt.Fprintln(&b, title)
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "%9d %s\n", counts[name], name)
		}
	}
	show("faults by kind", injected)
	show("faults by call", met)
	show("answers", answers)
	t.Logf("%d faults at %d points from %d on; %d points met none; go on with -first %d\n%s", sum, points, *first, empty, number, b.String())
}
