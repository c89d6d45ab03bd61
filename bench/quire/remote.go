package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// remote executes commands through its own server on loopback.
type remote struct {
	process *exec.Cmd
	url     string
	client  *http.Client
}

const remoteIndex = "bench"

func (r *remote) run(c command) (any, error) {
	switch c.Do {
	case "hello":
		return map[string]any{"engine": "quire-http", "version": "head", "runtime": runtime.Version() + ", HTTP/1.1 on loopback, keep-alive"}, nil
	case "index", "ingest":
		return r.index(c)
	case "open":
		began := time.Now()
		if err := r.start(c.Dir); err != nil {
			return nil, err
		}
		return map[string]any{"seconds": time.Since(began).Seconds(), "rss": statusOf(r.process.Process.Pid, "VmRSS:")}, nil
	case "query":
		body, err := c.Query.request()
		if err != nil {
			return nil, err
		}
		return r.query(body, c.Repeat)
	case "search":
		return r.query(c.Body, c.Repeat)
	case "throughput":
		return r.throughput(c)
	case "update":
		return r.update(c)
	case "set":
		return r.set(c)
	case "ask":
		return r.ask(c)
	}
	return nil, fmt.Errorf("unknown command %q", c.Do)
}

// start runs bin/quire on a directory and waits until it responds.
func (r *remote) start(dir string) error {
	if r.process != nil {
		return nil
	}
	address, port, err := wire.FreeAddress()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	p := exec.Command(cmp.Or(os.Getenv("QUIRE_BINARY"), "bin/quire"), "serve", "--dev")
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	p.Env = append(os.Environ(), "SERVICE_HTTP_PORT="+port, "SERVICE_STORAGE_LOCAL_DIRECTORY="+absolute)
	notes, err := os.Create(filepath.Join(filepath.Dir(absolute), filepath.Base(absolute)+".server.txt"))
	if err != nil {
		return err
	}
	p.Stdout, p.Stderr = notes, notes
	if err := p.Start(); err != nil {
		return err
	}
	r.process, r.url = p, "http://"+address
	r.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10, DisableCompression: true}}
	for range 3000 {
		if _, err := r.send(http.MethodGet, "/q/health/ready", "", nil); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.stop()
	return errors.New("the server did not become ready; see " + notes.Name())
}

func (r *remote) stop() {
	if r.process == nil {
		return
	}
	_ = r.process.Process.Signal(syscall.SIGTERM)
	_ = r.process.Wait()
	r.process = nil
}

func (r *remote) send(method, path, kind string, body io.Reader) ([]byte, error) {
	return wire.Send(r.client, method, r.url, path, kind, body)
}

// index loads a corpus as NDJSON, with one or more clients that each send a
// share of the lines in one streamed request.
func (r *remote) index(c command) (any, error) {
	if err := r.start(c.Dir); err != nil {
		return nil, err
	}
	definition := c.Definition
	if len(definition) == 0 {
		definition = []byte(definitionText)
	}
	body := []byte(definition)
	if _, err := r.send(http.MethodPut, "/v1alpha1/admin/indexes/"+remoteIndex, "application/json", bytes.NewReader(body)); err != nil {
		return nil, err
	}
	shares, docs, sent, err := r.shares(c)
	if err != nil {
		return nil, err
	}
	pid := r.process.Process.Pid
	stop := watch(pid)
	began, cpu := time.Now(), cpuSecondsOf(pid)
	failures := make([]error, len(shares))
	var wg sync.WaitGroup
	for i, share := range shares {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, failures[i] = r.send(http.MethodPost, "/v1alpha1/indexes/"+remoteIndex+"/documents", "application/x-ndjson", bytes.NewReader(share))
		}()
	}
	wg.Wait()
	acknowledged := time.Since(began).Seconds()
	err = errors.Join(failures...)
	if err == nil {
		_, err = r.send(http.MethodPost, "/v1alpha1/admin/indexes/"+remoteIndex+"/actions/commit", "application/json", nil)
	}
	seconds := time.Since(began).Seconds()
	private, mapped := stop()
	if err != nil {
		return nil, err
	}
	spent := cpuSecondsOf(pid) - cpu
	rested := restOf(pid, c.Rest)
	bytesOnDisk, err := size(c.Dir)
	return map[string]any{"docs": docs, "seconds": seconds, "acknowledged": acknowledged, "sent": sent, "cpu_seconds": spent, "rest_seconds": rested,
		"bytes": bytesOnDisk, "peak_rss": statusOf(pid, "VmHWM:"), "peak_private": private, "peak_mapped": mapped}, err
}

// shares reads the corpus and distributes its lines among the clients.
func (r *remote) shares(c command) (shares [][]byte, docs int, size int64, err error) {
	f, err := os.Open(c.Corpus)
	if err != nil {
		return nil, 0, 0, err
	}
	defer f.Close()
	shares = make([][]byte, max(1, c.Clients))
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 1<<20), 64<<20)
	for ; in.Scan(); docs++ {
		line := in.Bytes()
		i := docs % len(shares)
		shares[i] = append(append(shares[i], line...), '\n')
		size += int64(len(line)) + 1
	}
	return shares, docs, size, in.Err()
}

type remoteAnswer struct {
	Total struct {
		Count int  `json:"count"`
		Exact bool `json:"exact"`
	} `json:"total"`
	Hits []struct {
		ID string `json:"id"`
	} `json:"hits"`
}

func (r *remote) query(body []byte, repeat int) (any, error) {
	best := time.Duration(1<<63 - 1)
	var all []float64
	var text []byte
	w, err := r.dial()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	for range max(1, repeat) {
		began := time.Now()
		if text, err = post(w, "search", body); err != nil {
			return nil, err
		}
		took := time.Since(began)
		all = append(all, float64(took.Nanoseconds())/1e3)
		best = min(best, took)
	}
	var answer remoteAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	top := []string{}
	for _, h := range answer.Hits {
		top = append(top, h.ID)
	}
	return map[string]any{"count": answer.Total.Count, "exact": answer.Total.Exact, "us": float64(best.Nanoseconds()) / 1e3, "all": all, "top": top}, nil
}

func (r *remote) throughput(c command) (any, error) {
	bodies := make([][]byte, len(c.Queries))
	for i, w := range c.Queries {
		var err error
		if bodies[i], err = w.request(); err != nil {
			return nil, err
		}
	}
	total := int64(len(bodies) * max(1, c.Rounds))
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Value
	pid := r.process.Process.Pid
	began, cpu := time.Now(), cpuSecondsOf(pid)
	for range max(1, c.Threads) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w, err := r.dial()
			if err != nil {
				failed.Store(err)
				return
			}
			defer w.Close()
			for n := next.Add(1) - 1; n < total; n = next.Add(1) - 1 {
				if _, err := post(w, "search", bodies[int(n)%len(bodies)]); err != nil {
					failed.Store(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return nil, err
	}
	return map[string]any{"queries": total, "seconds": time.Since(began).Seconds(), "cpu_seconds": cpuSecondsOf(pid) - cpu}, nil
}

func (r *remote) update(c command) (any, error) {
	if err := r.start(c.Dir); err != nil {
		return nil, err
	}
	var lines []byte
	for _, line := range c.Documents {
		lines = append(append(lines, line...), '\n')
	}
	began := time.Now()
	if _, err := r.send(http.MethodPost, "/v1alpha1/indexes/"+remoteIndex+"/documents", "application/x-ndjson", bytes.NewReader(lines)); err != nil {
		return nil, err
	}
	if _, err := r.send(http.MethodPost, "/v1alpha1/admin/indexes/"+remoteIndex+"/actions/commit", "application/json", nil); err != nil {
		return nil, err
	}
	return map[string]any{"seconds": time.Since(began).Seconds()}, nil
}

func statusOf(pid int, field string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, field); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n * 1024
		}
	}
	return 0
}

// cpuSecondsOf returns the processor time of another process, in steps of 10
// ms.
func cpuSecondsOf(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(rest))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
