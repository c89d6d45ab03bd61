package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

// phases are the phases in which a job is killed, in order.
var phases = []string{"pending", "copying", "replaying", "ready", "promoting"}

var phaseOf = regexp.MustCompile(`"phase":"([a-z]+)"`)

// recorded returns the phase in the job record of a stopped node.
func recorded(t *testing.T, directory string) string {
	t.Helper()
	found := "none"
	err := filepath.WalkDir(filepath.Join(directory, "bucket", "jobs"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if match := phaseOf.FindSubmatch(text); match != nil {
			found = string(match[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// migration copies one generation after another from its predecessor.
type migration struct {
	*load
	generation int
	killed     map[string]int // by recorded phase
}

func (m *migration) target() string { return fmt.Sprintf("%s@%d", m.index, m.generation) }

// F31, I16: a job that is killed in every phase, while clients write, patch and
// delete by query, ends with everything that was acknowledged.
func TestReindexSurvivesKillsInEveryPhase(t *testing.T) {
	m := &migration{load: newLoad(t, max(*documents, 3000), quick...), generation: 1, killed: make(map[string]int)}
	for _, phase := range phases {
		for attempt := range 4 {
			m.killIn(phase)
			m.finish()
			if m.killed[phase] > 0 || attempt == 3 {
				break
			}
		}
	}
	writes, reads := m.figures()
	t.Logf("killed by phase: %v; %d generations, %d acknowledged writes, %d checked reads", m.killed, m.generation, writes, reads)
}

// killIn starts a job under load and kills the node as soon as the job is seen in a
// phase, or just after.
func (m *migration) killIn(phase string) {
	m.t.Helper()
	m.generation++
	mode := "auto"
	if phase == "ready" || phase == "promoting" || m.random.IntN(2) == 0 {
		mode = "manual"
	}
	m.while(func() {
		m.call.must(m.t, "PUT", "/admin/indexes/"+m.target()+"?reindex="+mode, definition)
		want := slices.Index(phases, phase)
		if phase == "promoting" {
			want--
		}
		for phase != "pending" {
			job := m.call.job(m.t, m.index)
			if at := slices.Index(phases, job.Phase); at < 0 || at >= want {
				break
			}
		}
		if phase == "promoting" {
			promoting := make(chan struct{})
			go func() {
				close(promoting)
				_, _ = m.call.send("POST", "/admin/indexes/"+m.target()+"/actions/promote", "", "")
			}()
			<-promoting
			m.ask(m.random.IntN(30))
		}
		m.kill()
	})
	m.killed[recorded(m.t, m.directory)]++
	m.restart()
}

// ask makes the node answer a number of requests, so that what follows comes at
// some moment of its work.
func (m *migration) ask(questions int) {
	for range questions {
		_, _ = m.call.send("GET", "/admin/reindexes/"+m.index, "", "")
	}
}

// finish brings the job of the last kill to its end under load, with more kills on
// the way, and compares source and target while it waits.
func (m *migration) finish() {
	m.t.Helper()
	for kills := 0; ; {
		var job record
		again := kills < 2 && m.random.IntN(3) == 0
		m.while(func() {
			if again {
				m.ask(m.random.IntN(300))
				m.kill()
				return
			}
			wait(m.t, 10*time.Minute, "the job ends or waits", func() bool {
				job = m.call.job(m.t, m.index)
				return job.Phase == "ready" || job.Phase == "done" || job.Phase == "failed"
			})
		})
		if again {
			kills++
			m.killed[recorded(m.t, m.directory)]++
			m.restart()
			continue
		}
		switch job.Phase {
		case "failed":
			m.t.Fatalf("the job failed: %s\n%s", *job.Error, tail(m.node.output.String()))
		case "ready":
			m.compareGenerations()
			m.while(func() {
				m.call.must(m.t, "POST", "/admin/indexes/"+m.target()+"/actions/promote", "")
			})
		case "done":
			m.verify()
			m.call.must(m.t, "DELETE", fmt.Sprintf("/admin/indexes/%s@%d", m.index, m.generation-1), "")
			return
		}
	}
}

// compareGenerations waits, without writes, until the target holds the same keys
// with the same content as the source.
func (m *migration) compareGenerations() {
	m.t.Helper()
	token := m.call.must(m.t, "POST", "/admin/indexes/"+m.index+"/actions/commit", "").token()
	source := m.call.list(m.t, fmt.Sprintf("%s@%d", m.index, m.generation-1), token)
	m.compare(source)
	wait(m.t, time.Minute, "the target catches up", func() bool {
		m.call.must(m.t, "POST", "/admin/indexes/"+m.target()+"/actions/commit", "")
		return maps.EqualFunc(source, m.call.list(m.t, m.target(), ""), func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	})
}

// F36: SIGTERM in the middle of a job ends the process cleanly; the job continues
// afterwards.
func TestReindexIsStoppedAndGoesOn(t *testing.T) {
	m := &migration{load: newLoad(t, max(*documents, 3000), quick...), generation: 2, killed: make(map[string]int)}
	m.while(func() {
		m.call.must(t, "PUT", "/admin/indexes/"+m.target()+"?reindex=manual", definition)
		m.isOver.Store(true)
		if err := m.node.terminate(40 * time.Second); err != nil {
			t.Errorf("SIGTERM during a job: %v\n%s", err, tail(m.node.output.String()))
		}
	})
	m.restart()
	m.finish()
}
