package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// usage is what a process holds.
type usage struct {
	memory      int64
	descriptors int
	goroutines  int
	mappings    int
}

func (u usage) String() string {
	return fmt.Sprintf("%d MB, %d descriptors, %d goroutines, %d mappings", u.memory>>20, u.descriptors, u.goroutines, u.mappings)
}

func (p *process) usage(t *testing.T) usage {
	t.Helper()
	u := usage{memory: resident(t, p)}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	u.descriptors = len(open)
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	u.mappings = strings.Count(string(maps), "generations")
	if match := regexp.MustCompile(`(?m)^go_goroutines (\d+)`).FindStringSubmatch(meters(t, p)); match != nil {
		u.goroutines, _ = strconv.Atoi(match[1])
	}
	return u
}

// F39, F41: a node that opens, closes, merges, reindexes and deletes for a long
// time leaks nothing.
func TestSoakHoldsOnToNothing(t *testing.T) {
	directory := t.TempDir()
	p := start(t, directory, append(quick, "SERVICE_INDEXES_MAX_OPEN=4", "SERVICE_INDEXES_CLOSE_GRACE_PERIOD=200ms",
		"SERVICE_INDEXES_REMOVAL_GRACE=0", "SERVICE_INDEXES_REMOVAL_SWEEP_INTERVAL=200ms")...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/stays", definition)
	var kept []usage
	operations := 0
	for part := range 4 {
		operations += churn(t, c, *soak/4, uint64(part))
		kept = append(kept, rest(t, p, c, directory))
		t.Logf("after %v: %s", time.Duration(part+1)*(*soak/4), kept[part])
	}
	t.Logf("%d rounds", operations)
	first, last := kept[1], kept[3]
	if last.descriptors > first.descriptors+10 || last.goroutines > first.goroutines+10 || last.mappings > first.mappings+4 {
		t.Errorf("%s became %s", first, last)
	}
	if last.memory > first.memory*3/2+(64<<20) {
		t.Errorf("%d MB became %d MB", first.memory>>20, last.memory>>20)
	}
	p.noPanic(t)
	if err := p.terminate(40 * time.Second); err != nil {
		t.Errorf("%v\n%s", err, tail(p.output.String()))
	}
	check(t, directory)
}

// churn works on indexes that come and go, each with its own client.
func churn(t *testing.T, c *caller, length time.Duration, seed uint64) int {
	t.Helper()
	end := time.Now().Add(length)
	var group sync.WaitGroup
	rounds := make([]int, 8)
	for client := range rounds {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for time.Now().Before(end) && !t.Failed() {
				index := fmt.Sprintf("s%d", client)
				o := newOwner(index, client, 300, random.Uint64())
				o.stopping = func() bool { return false }
				if err := round(c, o, random); err != nil {
					t.Error(err)
				}
				rounds[client]++
			}
		})
	}
	group.Wait()
	sum := 0
	for _, n := range rounds {
		sum += n
	}
	return sum
}

// round is the life of one index.
func round(c *caller, o *owner, random *rand.Rand) error {
	send := func(method, path, body string, allowed ...int) error {
		got, err := c.send(method, path, asJSON, body)
		if err != nil {
			return err
		}
		for _, status := range allowed {
			if got.status == status {
				return nil
			}
		}
		if got.status >= 300 {
			return fmt.Errorf("%s %s: %s", method, path, got)
		}
		return nil
	}
	if err := send("PUT", "/admin/indexes/"+o.index, definition); err != nil {
		return err
	}
	if err := o.fill(c); err != nil {
		return err
	}
	for range 30 + random.IntN(30) {
		if err := o.step(c); err != nil {
			return err
		}
	}
	if random.IntN(3) == 0 {
		if err := send("PUT", "/admin/indexes/"+o.index+"@2?reindex=auto", definition); err != nil {
			return err
		}
		for range random.IntN(20) {
			if err := o.step(c); err != nil {
				return err
			}
		}
	}
	if err := send("PUT", "/admin/indexes/"+o.index+"/settings", `{"synonyms":{"a":{"rules":["x, y"]}}}`, 201, 400); err != nil {
		return err
	}
	return send("DELETE", "/admin/indexes/"+o.index, "")
}

// rest waits until the files of deleted indexes are gone and returns what the
// process still holds.
func rest(t *testing.T, p *process, c *caller, directory string) usage {
	t.Helper()
	wait(t, 2*time.Minute, "the files of deleted indexes are removed", func() bool {
		left, _ := filepath.Glob(filepath.Join(directory, "generations", "*"))
		return len(left) == 1
	})
	c.http.CloseIdleConnections()
	// Connections end on their own: the process is at rest when nothing changed for
	// several checks in a row.
	var before usage
	same := 0
	wait(t, 2*time.Minute, "the process comes to rest", func() bool {
		now := p.usage(t)
		if same++; now.descriptors != before.descriptors || now.goroutines != before.goroutines {
			same = 0
		}
		before = now
		return same == 3
	})
	return before
}
