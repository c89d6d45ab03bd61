// Command vectors compares nearest-neighbour search with hnswlib, usearch,
// faiss, Qdrant Edge and Milvus Lite on the same vectors in one run: recall of
// the ten nearest against exact search, queries per second, build time and
// memory, for every quantization and several filters.
//
// The peers run in a Python process (peer.py). Sides take turns at every
// breadth; the fastest round counts. The speed of one thread is measured in
// processor time, so that other work on the machine hardly matters; that of all
// threads in wall-clock time, or also in processor time with -busy.
//
// To run one set with one library, use -sets 384 -peers hnswlib; most of the
// time of a set is building the peers. With -filters 2 there are searches
// without a filter and with one that keeps 10 %. To compare two versions on one
// graph, use -sets million -columns none -python= -busy, the second time with
// -reuse.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/quiresearch/quire/bench/neighbours"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

// peerBuild is the breadth for building peers, twice the default of Quire:
// their graphs cost more and find more at the same breadth of a search.
const peerBuild = 200

var (
	breadths = []int{16, 32, 64, 96, 128, 192, 256, 384}
	wanted   = 0.97
	threads  = runtime.GOMAXPROCS(0)
)

func main() {
	var o options
	flag.StringVar(&o.data, "data", "../shared/data", "directory of the corpora")
	flag.StringVar(&o.work, "work", "bench/data", "directory for generated files")
	flag.StringVar(&o.out, "out", "", "file of the report")
	flag.StringVar(&o.python, "python", "bench/data/venv/bin/python", "command that runs Python with the peers; empty: without them")
	flag.StringVar(&o.peer, "peer", "bench/vectors/peer.py", "the program of the peers")
	flag.IntVar(&o.rounds, "rounds", 2, "times that every search is measured")
	flag.IntVar(&o.filters, "filters", 8, "how many filters to measure, from 100 % and 10 % on; 0: none")
	flag.BoolVar(&o.busy, "busy", false, "other work runs on the machine: count all threads by processor time")
	flag.BoolVar(&o.reuse, "reuse", false, "read the columns that an earlier run of the same set left in the work directory instead of building them")
	columns := flag.String("columns", "none,int8,int4,peers", "columns of Quire: none, int8, int4, and peers, which is none built as peers are")
	names := flag.String("sets", "glove,384,128", "glove, 384 (100,000 × 384), 128 (500,000 × 128), million (1,000,000 × 128), small (30,000 × 64)")
	beside := flag.String("peers", "hnswlib,usearch-f32,usearch-i8,faiss,qdrant,milvus", "libraries to measure beside")
	flag.Parse()
	o.peers = strings.Split(*beside, ",")
	o.columns = strings.Split(*columns, ",")
	if err := run(o, strings.Split(*names, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

type options struct {
	data, work, out, python, peer string
	peers                         []string
	columns                       []string
	reuse                         bool
	rounds                        int
	filters                       int
	busy                          bool
}

func run(o options, names []string) error {
	var report strings.Builder
	how := "by the clock"
	if o.busy {
		how = "by processor time on a busy machine, each thread counted with the time of all"
	}
	fmt.Fprintf(&report, "# Nearest neighbours, %s\n\nTen nearest under cosine similarity, M 16 everywhere; peers build with 200 candidates, Quire with its default of 100, all with %d threads. QPS of one thread is by its processor time, that of %d threads %s. Build memory is what the process grew by at most while building, beyond the vectors given to it. The graph does not depend on the quantization: int8 and int4 take over that of the first column.\n", time.Now().Format("2006-01-02"), threads, threads, how)
	for _, name := range names {
		s, err := open(name, o.data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if s == nil {
			continue
		}
		shown := report.Len()
		if err := measure(s, o, &report); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println(report.String()[shown:])
		if o.out == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(o.out, []byte(report.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func open(name, data string) (*neighbours.Set, error) {
	switch name {
	case "glove":
		s, err := neighbours.Glove(data)
		if os.IsNotExist(err) {
			fmt.Println("no GloVe vectors in", data)
			return nil, nil
		}
		return s, err
	case "384":
		return neighbours.Clustered("clustered, 100,000 × 384", 100_000, 384, 500), nil
	case "128":
		return neighbours.Clustered("clustered, 500,000 × 128", 500_000, 128, 500), nil
	case "million":
		return neighbours.Clustered("clustered, 1,000,000 × 128", 1_000_000, 128, 500), nil
	case "small":
		return neighbours.Clustered("clustered, 30,000 × 64", 30_000, 64, 200), nil
	}
	return nil, fmt.Errorf("unknown set")
}

// side is one engine with one representation of vectors.
type side struct {
	name       string
	build      float64 // seconds
	cpu        float64
	peak       int64 // peak bytes used by building
	bytes      int64 // of the index, 0 if unknown
	hasKeep    bool  // supports filters
	hasDefault bool  // has a default breadth
	search     func(filter, breadth, threads int) (recall, qps float64, err error)
}

func measure(s *neighbours.Set, o options, report *strings.Builder) error {
	fmt.Println(s.Name)
	s.Filters = s.Filters[:min(max(1, o.filters), len(s.Filters))]
	dir := filepath.Join(o.work, "vectors")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	sides, err := ours(s, dir, o)
	if err != nil {
		return err
	}
	if o.python != "" {
		p, err := startPeers(o.python, o.peer)
		if err != nil {
			fmt.Fprintln(os.Stderr, "vectors: without peers:", err)
		} else {
			defer p.stop()
			more, err := p.sides(s, dir, o)
			if err != nil {
				return err
			}
			sides = append(sides, more...)
		}
	}
	sweeps := make([]map[int]point, len(sides))
	for i := range sides {
		sweeps[i] = map[int]point{}
	}
	for range o.rounds {
		for _, b := range append([]int{0}, breadths...) {
			for i, side := range sides {
				if b == 0 && !side.hasDefault {
					continue
				}
				recall, qps, err := side.search(0, b, 1)
				if err != nil {
					return fmt.Errorf("%s: %w", side.name, err)
				}
				sweeps[i][b] = point{recall, max(qps, sweeps[i][b].qps)}
			}
		}
	}
	renderSweep(report, s, sides, sweeps)
	if o.filters == 0 {
		return nil
	}
	return renderFilters(report, s, sides, o.rounds)
}

type point struct{ recall, qps float64 }

// at interpolates the queries per second at which a sweep reaches a recall.
func at(sweep map[int]point, recall float64) (float64, bool) {
	last := point{}
	for i, b := range breadths {
		p := sweep[b]
		if p.recall >= recall {
			if i == 0 || p.recall == last.recall {
				return p.qps, true
			}
			part := (recall - last.recall) / (p.recall - last.recall)
			return math.Exp(math.Log(last.qps)*(1-part) + math.Log(p.qps)*part), true
		}
		last = p
	}
	return 0, false
}

func shown(sweep map[int]point, recall float64) string {
	if qps, ok := at(sweep, recall); ok {
		return fmt.Sprintf("%.0f", qps)
	}
	return "not reached"
}

func renderSweep(b *strings.Builder, s *neighbours.Set, sides []side, sweeps []map[int]point) {
	fmt.Fprintf(b, "\n## %s (%d queries)\n\nRecall@10 / QPS of one thread by breadth of the walk, nothing filtered. Quire is built with its default efConstruction of 100, peers and the row that says so with %d. A search that names no breadth has the default one; the last column is how fast peers are where they find as much.\n\n| | build s | build CPU s | build MB | index MB |", s.Name, s.Asked(), peerBuild)
	for _, n := range breadths {
		fmt.Fprintf(b, " %d |", n)
	}
	usual := sweeps[0][0].recall // of the first column at its default breadth
	fmt.Fprintf(b, " QPS at %.2f | default | QPS at %.3f |\n|---|---|---|---|---|%s---|---|---|\n", wanted, usual, strings.Repeat("---|", len(breadths)))
	for i, side := range sides {
		size := "–"
		if side.bytes > 0 {
			size = fmt.Sprintf("%.0f", float64(side.bytes)/1e6)
		}
		grown := "–" // less than was allocated before
		if side.peak > 0 {
			grown = fmt.Sprintf("%.0f", float64(side.peak)/1e6)
		}
		fmt.Fprintf(b, "| %s | %.1f | %.1f | %s | %s |", side.name, side.build, side.cpu, grown, size)
		for _, n := range breadths {
			p := sweeps[i][n]
			fmt.Fprintf(b, " %.3f / %.0f |", p.recall, p.qps)
		}
		fmt.Fprintf(b, " **%s** |", shown(sweeps[i], wanted))
		if p := sweeps[i][0]; side.hasDefault {
			fmt.Fprintf(b, " %.3f / %.0f | |\n", p.recall, p.qps)
		} else {
			fmt.Fprintf(b, " – | %s |\n", shown(sweeps[i], usual))
		}
	}
}

// renderFilters shows every side at its default breadth (peers: 256) with every
// filter.
func renderFilters(b *strings.Builder, s *neighbours.Set, sides []side, rounds int) error {
	fmt.Fprintf(b, "\nBy the share that a filter keeps, at the default breadth (peers: 256): recall@10 / QPS of one thread · of %d. Filters by region keep the vectors around some of 64 others, so that most queries lie away from what is kept.\n\n| |", threads)
	for _, f := range s.Filters {
		fmt.Fprintf(b, " %s |", f.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(s.Filters)) + "\n")
	cells := make([][]string, len(sides))
	for f := range s.Filters {
		one, all, recall := make([]float64, len(sides)), make([]float64, len(sides)), make([]float64, len(sides))
		for range rounds {
			for i, side := range sides {
				if f > 0 && !side.hasKeep {
					continue
				}
				var qps float64
				var err error
				if recall[i], qps, err = side.search(f, 0, 1); err != nil {
					return err
				}
				one[i] = max(one[i], qps)
				if _, qps, err = side.search(f, 0, threads); err != nil {
					return err
				}
				all[i] = max(all[i], qps)
			}
		}
		for i := range sides {
			cell := "–"
			if one[i] > 0 {
				cell = fmt.Sprintf("%.3f / %.0f · %.0f", recall[i], one[i], all[i])
			}
			cells[i] = append(cells[i], cell)
		}
	}
	for i, side := range sides {
		fmt.Fprintf(b, "| %s | %s |\n", side.name, strings.Join(cells[i], " | "))
	}
	return nil
}

// ours builds a column for every selected quantization.
func ours(s *neighbours.Set, dir string, o options) ([]side, error) {
	var all []side
	var first *vectors.Reader
	for _, z := range []struct {
		column, name string
		vectors.Quantization
		breadth int // for building; 0 is the default
	}{
		{"none", "Quire none", vectors.None, 0},
		{"int8", "Quire int8", vectors.Int8, 0},
		{"int4", "Quire int4", vectors.Int4, 0},
		{"peers", "Quire none, built as peers are", vectors.None, peerBuild},
	} {
		if !slices.Contains(o.columns, z.column) {
			continue
		}
		file := filepath.Join(dir, strings.ReplaceAll(z.name, " ", "-"))
		from := first
		if z.breadth > 0 {
			from = nil
		}
		began, cpu, before := time.Now(), cpuSeconds(), startPeak()
		if _, err := os.Stat(file); !o.reuse || err != nil {
			if err := column(s, vectors.Options{Dimensions: s.Dimensions, Quantization: z.Quantization, EfConstruction: z.breadth}, from, file); err != nil {
				return nil, err
			}
		}
		one := side{name: z.name, build: time.Since(began).Seconds(), cpu: cpuSeconds() - cpu, peak: peak() - before, hasKeep: true, hasDefault: true}
		data, err := mapped(file)
		if err != nil {
			return nil, err
		}
		one.bytes = int64(len(data))
		fmt.Printf("  %s built in %.1f s, %.1f s of processor time, %.0f MB\n", z.name, one.build, one.cpu, float64(one.peak)/1e6)
		r, err := vectors.Open(data)
		if err != nil {
			return nil, err
		}
		if r.Len() != s.Rows() || r.Options().Dimensions != s.Dimensions {
			return nil, fmt.Errorf("%s holds another set", file)
		}
		if first == nil {
			first = r
		}
		one.search = func(filter, breadth, threads int) (float64, float64, error) {
			return searchOurs(s, r, filter, breadth, threads, o.busy || threads == 1)
		}
		all = append(all, one)
	}
	return all, nil
}

// column writes a column, or copies the graph of another one.
func column(s *neighbours.Set, o vectors.Options, from *vectors.Reader, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if from != nil {
		same := func(doc uint32) (uint32, bool) { return doc, true }
		err = vectors.Merge(context.Background(), out, o, []vectors.Input{{Reader: from, Doc: same}}, 0)
	} else {
		docs := make([]uint32, s.Rows())
		for row := range docs {
			docs[row] = uint32(row)
		}
		err = vectors.Write(context.Background(), out, o, docs, s.Base, 0)
	}
	return errors.Join(err, out.Close())
}

// mapped maps a file into memory, as segments are read.
func mapped(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED|syscall.MAP_POPULATE)
}

// repeats is how many times each query runs with several threads, so that their
// start does not matter.
func repeats(threads int) int {
	if threads == 1 {
		return 1
	}
	return 2 * threads
}

func searchOurs(s *neighbours.Set, r *vectors.Reader, filter, breadth, threads int, byCPU bool) (recall, qps float64, err error) {
	var next, found, total atomic.Int64
	var failed atomic.Value
	var wg sync.WaitGroup
	f := s.Filters[filter]
	asked := s.Asked() * repeats(threads)
	cpu, began := cpuSeconds(), time.Now()
	for range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= asked {
					return
				}
				i %= s.Asked()
				hits, err := r.Search(context.Background(), vectors.Prepare(vectors.Cosine, s.Query(i)), neighbours.K, breadth, f.Keep)
				if err != nil {
					failed.Store(err)
					return
				}
				same := 0
				for _, h := range hits {
					for _, row := range f.Truth[i] {
						if h.Doc == row {
							same++
						}
					}
				}
				found.Add(int64(same))
				total.Add(int64(len(f.Truth[i])))
			}
		}()
	}
	wg.Wait()
	seconds := time.Since(began).Seconds()
	if byCPU {
		seconds = (cpuSeconds() - cpu) / float64(threads)
	}
	if err, ok := failed.Load().(error); ok {
		return 0, 0, err
	}
	return float64(found.Load()) / float64(total.Load()), float64(asked) / seconds, nil
}

// peers is the Python process.
type peers struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startPeers(python, program string) (*peers, error) {
	command := append(strings.Fields(python), program)
	p := exec.Command(command[0], command[1:]...)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peers{p, in, bufio.NewReader(out)}, p.Start()
}

func (p *peers) stop() {
	_ = p.in.Close()
	_ = p.process.Wait()
}

type peerAnswer struct {
	Error      string  `json:"error"`
	Version    string  `json:"version"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	Peak       int64   `json:"peak"`
	Bytes      int64   `json:"bytes"`
	Filters    bool    `json:"filters"`
	Recall     float64 `json:"recall"`
	QPS        float64 `json:"qps"`
}

func (p *peers) ask(command map[string]any) (a peerAnswer, err error) {
	text, err := json.Marshal(command)
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		return a, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("peers ended: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, err
	}
	if a.Error != "" {
		return a, fmt.Errorf("peers: %s", a.Error)
	}
	return a, nil
}

// sides builds the index of a set with every library.
func (p *peers) sides(s *neighbours.Set, dir string, o options) ([]side, error) {
	data, err := s.Save(dir)
	if err != nil {
		return nil, err
	}
	if _, err := p.ask(data); err != nil {
		return nil, err
	}
	var all []side
	for _, name := range o.peers {
		a, err := p.ask(map[string]any{"do": "build", "engine": name, "m": 16, "ef": peerBuild, "threads": threads})
		if err != nil {
			fmt.Fprintln(os.Stderr, "vectors: without", name+":", err)
			continue
		}
		fmt.Printf("  %s built in %.1f s, %.1f s of processor time, %.0f MB\n", a.Version, a.Seconds, a.CPUSeconds, float64(a.Peak)/1e6)
		all = append(all, side{name: a.Version, build: a.Seconds, cpu: a.CPUSeconds, peak: a.Peak, bytes: a.Bytes, hasKeep: a.Filters,
			search: func(filter, breadth, threads int) (float64, float64, error) {
				if breadth == 0 {
					breadth = 256
				}
				found, err := p.ask(map[string]any{"do": "search", "engine": name, "filter": s.Filters[filter].Name, "ef": breadth, "threads": threads, "repeats": repeats(threads), "busy": o.busy || threads == 1})
				return found.Recall, found.QPS, err
			}})
	}
	return all, nil
}

// cpuSeconds returns the processor time of the process; getrusage counts in
// clock ticks, which is too coarse for a round of queries.
func cpuSeconds() float64 {
	var t syscall.Timespec
	const processTime = 2
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processTime, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}

// startPeak resets the peak memory of the process and returns its current
// memory.
func startPeak() int64 {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return memory("VmRSS")
}

// peak returns the peak memory since startPeak.
func peak() int64 { return memory("VmHWM") }

func memory(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			var kilobytes int64
			if _, err := fmt.Sscan(rest, &kilobytes); err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}
