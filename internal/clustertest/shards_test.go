package clustertest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var failedLine = regexp.MustCompile(`(?m)^\s+\S+_test\.go:\d+: seed .*$`)

// runShards divides the seeds among processes, each of which runs one goroutine at
// a time. It shows the lines that name failed seeds.
func runShards(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu      sync.Mutex
		running sync.WaitGroup
	)
	share := (*seeds + *shards - 1) / *shards
	for shard := range *shards {
		from, count := *first+uint64(shard*share), min(share, *seeds-shard*share)
		if count <= 0 {
			break
		}
		running.Go(func() {
			child := exec.Command(self, "-test.run=^TestSimulation$", "-test.timeout=0",
				fmt.Sprintf("-first=%d", from), fmt.Sprintf("-seeds=%d", count))
			child.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
			out, err := child.CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			failed := failedLine.FindAllString(string(out), -1)
			switch {
			case err != nil && len(failed) > 0:
				t.Errorf("seeds %d to %d:\n%s", from, from+uint64(count)-1, strings.Join(failed, "\n"))
			case err != nil:
				t.Errorf("seeds %d to %d: %v\n%s", from, from+uint64(count)-1, err, out[:min(len(out), 8000)])
			default:
				t.Logf("seeds %d to %d passed", from, from+uint64(count)-1)
			}
		})
	}
	running.Wait()
}
