package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// Many small indexes on one node: their cost while none is searched, the
// duration of a start, and the duration of the first search of each. In object
// mode the node starts from an empty disk.

const (
	smallDocuments = 500 // per index
	smallWriters   = 4
	idleTime       = 10 * time.Second  // over which the processor time of an idle node is measured
	collectTime    = 130 * time.Second // within which memory is collected in any case
	settleTime     = 5 * time.Minute   // for a node to become idle
)

// smallRun is the result of a node in one mode.
type smallRun struct {
	mode    string
	indexes int
	load    float64 // seconds
	empty   footprint
	loaded  footprint // every index was written by this process
	started footprint // no index was searched
	asked   footprint // every index was searched
	ready   spent     // from the start of the process until ready
	stop    float64   // seconds, for the loaded node
	first   []float64 // milliseconds: the first search of each index after the start
	again   []float64 // and another one of each, one idle time later
	bytes   int64     // on disk, for the loaded node
}

// footprint is the resources held by an idle node.
type footprint struct {
	private     int64
	descriptors int
	mappings    int
	goroutines  int     // 0: not counted
	processor   float64 // seconds of processor time per second
}

// smallIndexes measures both modes and writes the report.
func smallIndexes(o options, indexes int) error {
	bodies, words, err := smallBodies(o)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire-http"); err != nil {
			return err
		}
	}
	var runs []*smallRun
	modes := []string{"local", "object"}
	if len(o.classes) > 0 {
		modes = o.classes
	}
	for _, mode := range modes {
		r := &smallRun{mode: mode, indexes: indexes}
		if err := r.measure(o, bodies, words); err != nil {
			return fmt.Errorf("%s mode: %w", mode, err)
		}
		runs = append(runs, r)
	}
	text := renderSmall(runs)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// smallBodies splits the corpus into bodies of one index each, with a word that
// occurs in documents of the body.
func smallBodies(o options) (bodies [][]byte, words []string, err error) {
	o.docs = 100 * smallDocuments
	corpus, _, err := prepare(o)
	if err != nil {
		return nil, nil, err
	}
	documents, err := head(corpus, o.docs)
	if err != nil {
		return nil, nil, err
	}
	for part := range slices.Chunk(documents, smallDocuments) {
		var d commitDocument
		if err := json.Unmarshal(part[0], &d); err != nil {
			return nil, nil, err
		}
		longest := slices.MaxFunc(strings.Fields(d.Body), func(a, b string) int { return len(a) - len(b) })
		lines := make([][]byte, len(part))
		for i, one := range part {
			lines[i] = one
		}
		bodies, words = append(bodies, append(bytes.Join(lines, []byte("\n")), '\n')), append(words, longest)
	}
	return bodies, words, nil
}

func (r *smallRun) measure(o options, bodies [][]byte, words []string) error {
	directory, err := filepath.Abs(filepath.Join(o.work, "small-"+r.mode))
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	var variables []string
	if r.mode == "object" {
		store, err := startStore(directory + ".s3")
		if err != nil {
			return err
		}
		defer store.stop()
		variables = store.variables
	}
	quire := &contender{command: func(directory, port string, _ bool) *exec.Cmd {
		p := exec.Command("bin/quire", "serve")
		p.Env = append(append(os.Environ(), "SERVICE_HTTP_HOST=127.0.0.1", "SERVICE_HTTP_PORT="+port, "SERVICE_AUTH_MODE=none",
			"SERVICE_STORAGE_LOCAL_DIRECTORY="+directory), variables...)
		return p
	}}
	if err := r.fill(quire, directory, bodies); err != nil {
		return err
	}
	if r.mode == "object" {
		if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
			return err
		}
	}
	return r.ask(quire, directory, words)
}

// fill loads the indexes into an empty node, waits until it is idle and stops
// it.
func (r *smallRun) fill(quire *contender, directory string, bodies [][]byte) error {
	n, err := startReady(quire, directory)
	if err != nil {
		return err
	}
	defer n.stop()
	if r.empty, err = n.rest(0); err != nil {
		return err
	}
	began := time.Now()
	err = n.each(smallWriters, r.indexes, func(w *wire.Conn, item int) error {
		name := smallName(item)
		_, err := w.Send("PUT", "/v1alpha1/admin/indexes/"+name, "application/json", []byte(wholeDefinition))
		if err == nil {
			_, err = w.Send("POST", "/v1alpha1/indexes/"+name+"/documents", "application/x-ndjson", bodies[item%len(bodies)])
		}
		if err == nil {
			_, err = w.Send("POST", "/v1alpha1/admin/indexes/"+name+"/actions/commit", "application/json", nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.load = time.Since(began).Seconds()
	if r.loaded, err = n.rest(collectTime); err != nil {
		return err
	}
	if r.bytes, err = bytesBelow(directory); err != nil {
		return err
	}
	fmt.Printf("%s mode: %d indexes in %.1f s, %+v\n", r.mode, r.indexes, r.load, r.loaded)
	began = time.Now()
	n.stop()
	r.stop = time.Since(began).Seconds()
	return nil
}

// ask starts a node with the indexes and searches each twice.
func (r *smallRun) ask(quire *contender, directory string, words []string) error {
	n, err := startReady(quire, directory)
	if err != nil {
		return err
	}
	defer n.stop()
	r.ready = n.spentSince(n.began, 0)
	if r.started, err = n.rest(0); err != nil {
		return err
	}
	fmt.Printf("%s mode: ready after %.2f s, %+v\n", r.mode, r.ready.clock, r.started)
	if r.first, err = r.searchAll(n, words); err != nil {
		return err
	}
	if r.asked, err = n.rest(collectTime); err != nil {
		return err
	}
	if r.again, err = r.searchAll(n, words); err != nil {
		return err
	}
	r.asked.goroutines, err = n.countGoroutines()
	fmt.Printf("%s mode: first search p50 %.2f ms, p99 %.2f ms, %+v\n", r.mode, quantile(r.first, 50), quantile(r.first, 99), r.asked)
	return err
}

// searchAll searches every index once, one after the other.
func (r *smallRun) searchAll(n *node, words []string) ([]float64, error) {
	w, err := wire.Dial(n.address)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	times := make([]float64, r.indexes)
	for i := range times {
		body, err := quireRequest(query{Op: "term", Terms: words[i%len(words):][:1]})
		if err != nil {
			return nil, err
		}
		began := time.Now()
		answer, err := w.Send("POST", "/v1alpha1/indexes/"+smallName(i)+"/search", "application/json", body)
		times[i] = time.Since(began).Seconds() * 1e3
		if err != nil {
			return nil, err
		}
		if total, err := quireContender().total(answer); err != nil || total == 0 {
			return nil, errors.Join(err, fmt.Errorf("index %d has no hit for %s", i, words[i%len(words)]))
		}
	}
	return times, nil
}

func smallName(i int) string { return fmt.Sprintf("small-%04d", i) }

func startReady(c *contender, directory string) (*node, error) {
	n, err := startNode(c, directory, true)
	if err != nil {
		return nil, err
	}
	w, err := n.ready("/q/health/ready")
	if err != nil {
		n.stop()
		return nil, err
	}
	w.Close()
	return n, nil
}

// rest waits until the node is idle: its processor time over the idle time and
// its private memory no longer decrease. The garbage of a load is freed by the
// collection that the runtime forces every two minutes.
func (n *node) rest(least time.Duration) (footprint, error) {
	pid := n.process.Process.Pid
	last := footprint{processor: 1, private: 1 << 60}
	for began := time.Now(); time.Since(began) < settleTime; {
		before := n.processor()
		time.Sleep(idleTime)
		now := footprint{private: memoryOf(pid).private, processor: (n.processor() - before).Seconds() / idleTime.Seconds()}
		if time.Since(began) >= least && now.processor > last.processor-0.02 && now.private > last.private/100*99 {
			var failed error
			now.descriptors, failed = entriesOf(fmt.Sprintf("/proc/%d/fd", pid))
			maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
			now.mappings = bytes.Count(maps, []byte("\n"))
			return now, errors.Join(failed, err)
		}
		last = now
	}
	return footprint{}, errors.New("the node does not become idle")
}

func entriesOf(directory string) (int, error) {
	entries, err := os.ReadDir(directory)
	return len(entries), err
}

var goroutineHeader = regexp.MustCompile(`(?m)^goroutine \d+`)

// countGoroutines ends the node with the signal on which the runtime prints the
// stacks of all goroutines.
func (n *node) countGoroutines() (int, error) {
	if err := n.process.Process.Signal(syscall.SIGQUIT); err != nil {
		return 0, err
	}
	_ = n.process.Wait()
	text, err := os.ReadFile(n.directory + ".log")
	return len(goroutineHeader.FindAll(text, -1)), err
}

// store is a running S3 server.
type store struct {
	process   *exec.Cmd
	directory string
	variables []string // that make a node use it
}

// startStore runs the S3 server of the tests on an empty directory.
func startStore(directory string) (*store, error) {
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(filepath.Join(directory, "bucket"), 0o755)); err != nil {
		return nil, err
	}
	address, _, err := wire.FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &store{directory: directory, variables: []string{"SERVICE_STORAGE_MODE=object", "SERVICE_STORAGE_REMOTE_URL=http://" + address,
		"SERVICE_STORAGE_REMOTE_BUCKET=bucket", "SERVICE_STORAGE_REMOTE_ACCESS_KEY=access", "SERVICE_STORAGE_REMOTE_SECRET_KEY=secretsecret",
		"SERVICE_INDEXER_ENABLED=true", "SERVICE_NODE_ID=small"}}
	s.process = exec.Command(".tools/versitygw", "--access", "access", "--secret", "secretsecret", "--port", address, "--health", "/health", "--quiet", "posix", directory)
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("%w; make tools builds it", err)
	}
	n := &node{process: s.process, address: address, directory: directory, began: time.Now()}
	w, err := n.ready("/health")
	if err != nil {
		s.stop()
		return nil, err
	}
	w.Close()
	return s, nil
}

func (s *store) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	_ = os.RemoveAll(s.directory)
}

func quantile(values []float64, percent int) float64 {
	sorted := sortedCopy(values)
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}
