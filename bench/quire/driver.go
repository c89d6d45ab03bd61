package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

// definitionText makes Quire do the same work as the other engines: one
// analysed text, two keywords, two numbers, and only the key stored. The runner
// gives all engines a text whose words are already separated, so that splitting
// at spaces yields the same words everywhere.
const definitionText = `{"source":"none","fields":{
	"id":{"type":"string","primaryKey":true,"stored":true},
	"body":{"type":"string","matching":{"analyzer":{"custom":{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}},
		"typoTolerance":{"minLengthOneTypo":1,"minLengthTwoTypos":100}}},
	"repo":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false}},
	"component":{"type":"string","filter":{},"facet":{},"sort":{"collation":"binary"},"keyword":{"caseFolding":false}},
	"year":{"type":"int32","filter":{},"facet":{}},
	"ts":{"type":"int64","filter":{},"sort":{}}}}`

type driver struct {
	builder  *analysis.Builder
	searcher *search.Searcher
	open     *engine.Generation
	settings *settings.Settings
	trickle  *trickle
	writing  *writing
}

// newDriver returns a driver whose searches may use this many additional
// threads each, or none if threads is negative.
func newDriver(threads int) *driver {
	runner := collect.NewRunner(collect.Options{Threads: threads}, nil)
	return &driver{
		builder:  analysis.NewBuilder(analysis.Options{}),
		searcher: search.New(runner, nil, search.Options{}),
	}
}

func (d *driver) run(c command) (any, error) {
	switch c.Do {
	case "hello":
		return map[string]any{"engine": "quire", "version": "head", "runtime": runtime.Version()}, nil
	case "index":
		return d.index(c)
	case "open":
		return d.openIndex(c)
	case "query":
		return d.query(c)
	case "throughput":
		return d.throughput(c)
	case "update":
		return d.update(c)
	case "search":
		return d.searchBody(c)
	case "mixed":
		return d.mixed(c)
	case "trickle":
		return d.startTrickle(c)
	case "still":
		return d.still()
	case "profile":
		return d.profile(c)
	case "write":
		return d.durableWrites(c)
	case "set":
		return d.set(c)
	case "ask":
		return d.ask(c)
	}
	return nil, fmt.Errorf("unknown command %q", c.Do)
}

func (d *driver) storage(dir string) engine.Storage {
	return engine.Storage{FS: vfs.OS(filepath.Dir(dir)), Directory: filepath.Base(dir)}
}

func (d *driver) options() engine.Options {
	return engine.Options{MaxChanges: -1, MaxInterval: -1, Memory: 512 << 20, Analysis: d.builder, Capabilities: d.builder.Capabilities(), MinFree: -1}
}

func (d *driver) index(c command) (any, error) {
	if c.CPU != "" {
		f, err := os.Create(c.CPU)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	stop := sync.OnceValues(watch(os.Getpid()))
	defer stop()
	began, cpu, written := time.Now(), cpuSeconds(), writtenBytes()
	ctx := context.Background()
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, err
	}
	text := []byte(c.Definition)
	if len(text) == 0 {
		text = []byte(definitionText)
	}
	def, err := definition.Parse(text, d.builder.Capabilities())
	if err != nil {
		return nil, err
	}
	if err := engine.Create(ctx, d.storage(c.Dir), def); err != nil {
		return nil, err
	}
	options := d.options()
	if c.Commits {
		options.MaxChanges, options.MaxInterval = 0, 0
	}
	g, err := engine.Open(ctx, d.storage(c.Dir), options)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(c.Corpus)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := io.Reader(f)
	if c.Bytes > 0 {
		from = io.LimitReader(f, c.Bytes)
	}
	docs, err := d.load(ctx, g, from, max(1, c.Threads))
	if err != nil {
		return nil, err
	}
	if _, err := g.Commit(ctx, engine.Explicit); err != nil {
		return nil, err
	}
	seconds, merged := time.Since(began).Seconds(), 0.0
	if c.Merge {
		before := time.Now()
		if err := g.MergeAll(ctx); err != nil {
			return nil, err
		}
		merged = time.Since(before).Seconds()
	}
	segments := segmentsOf(g)
	_, before := g.Written()
	rested := rest(g, c.Rest)
	flushed, rewritten := g.Written()
	if err := g.Close(ctx); err != nil {
		return nil, err
	}
	private, mapped := stop()
	bytes, err := size(c.Dir)
	return map[string]any{"docs": docs, "seconds": seconds, "merge_seconds": merged, "rest_seconds": rested,
		"written": writtenBytes() - written, "flushed": flushed, "merged": rewritten, "segments": segments, "debt": rewritten - before,
		"cpu_seconds": cpuSeconds() - cpu, "bytes": bytes, "peak_rss": status("VmHWM:"), "peak_private": private, "peak_mapped": mapped}, err
}

// load adds the documents of a file, one per line, and returns their number
// when all are durable.
func (d *driver) load(ctx context.Context, g *engine.Generation, from io.Reader, threads int) (int64, error) {
	blocks := make(chan []byte, 2*threads)
	spare := make(chan []byte, cap(blocks)+threads+1)
	for range cap(spare) {
		spare <- nil
	}
	added := make([]int64, threads)
	failures := make([]error, threads+1)
	over := make(chan struct{}) // a worker failed
	fail := sync.OnceFunc(func() { close(over) })
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			if added[i], failures[i] = add(ctx, g, blocks, spare); failures[i] != nil {
				fail()
			}
		})
	}
	failures[threads] = read(from, blocks, spare, over)
	close(blocks)
	wg.Wait()
	docs := int64(0)
	for _, n := range added {
		docs += n
	}
	return docs, errors.Join(failures...)
}

// blockBytes is how much of a file is read at once; a longer line enlarges its
// block.
const blockBytes = 256 << 10

// read splits a file into blocks of whole lines.
func read(from io.Reader, blocks chan<- []byte, spare <-chan []byte, over <-chan struct{}) error {
	var rest []byte // the beginning of a line whose end has not been read
	for {
		var block []byte
		select {
		case block = <-spare:
		case <-over:
			return nil
		}
		block, end, err := fill(from, append(block[:0], rest...))
		if err != nil && err != io.EOF {
			return err
		}
		rest = append(rest[:0], block[end:]...)
		select {
		case blocks <- block[:end]:
		case <-over:
			return nil
		}
		if err == io.EOF {
			return nil
		}
	}
}

// fill reads until a block contains the end of a line, and returns the end of
// the last one. At the end of the file, reported as io.EOF, the last line needs
// no terminator.
func fill(from io.Reader, block []byte) (_ []byte, end int, _ error) {
	for {
		block = slices.Grow(block, blockBytes)
		n, err := io.ReadFull(from, block[len(block):len(block)+blockBytes])
		block = block[:len(block)+n]
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return block, len(block), io.EOF
		case err != nil:
			return block, 0, err
		}
		if end := bytes.LastIndexByte(block, '\n') + 1; end > 0 {
			return block, end, nil
		}
	}
}

// add adds the documents of blocks and returns their number.
func add(ctx context.Context, g *engine.Generation, blocks <-chan []byte, spare chan<- []byte) (int64, error) {
	r := newReader(g.Schema())
	s := g.WriteStream()
	added := int64(0)
	for block := range blocks {
		for line := range bytes.Lines(block) {
			if line = bytes.TrimSuffix(line, []byte("\n")); len(line) == 0 {
				continue
			}
			doc, err := r.document(line)
			if err == nil {
				err = s.Add(ctx, doc)
			}
			if err != nil {
				return added, err
			}
			added++
		}
		spare <- block
	}
	_, err := s.Wait(ctx)
	return added, err
}

// reader parses lines of the corpus as documents. It checks that they are JSON,
// as the parsers of the other engines and a server do.
type reader struct {
	checker   *jsonread.Checker
	documents *document.Reader
}

func newReader(schema *definition.Schema) reader {
	return reader{new(jsonread.Checker), document.NewReader(schema)}
}

func (r reader) document(line []byte) (*document.Document, error) {
	raw, err := r.checker.Check(line)
	if err != nil {
		return nil, err
	}
	var found problem.List
	doc := r.documents.Read(raw, problem.Path{}, &found)
	return doc, found.Err()
}

func (d *driver) openIndex(c command) (any, error) {
	began := time.Now()
	g, err := engine.Open(context.Background(), d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	d.open = g
	s := g.Snapshot()
	defer s.Release()
	n, err := g.Count()
	return map[string]any{"docs": n, "segments": len(s.Segments), "seconds": time.Since(began).Seconds(), "rss": status("VmRSS:")}, err
}

func segmentsOf(g *engine.Generation) int {
	s := g.Snapshot()
	defer s.Release()
	return len(s.Segments)
}

func (d *driver) update(c command) (any, error) {
	ctx := context.Background()
	g, err := engine.Open(ctx, d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	if c.Verify { // background work after an open is not part of the update
		if err := g.Verify(ctx); err != nil {
			return nil, err
		}
	}
	r := newReader(g.Schema())
	began, cpu, commits := time.Now(), cpuSeconds(), 0.0
	parts := 0
	for part := range slices.Chunk(c.Documents, cmp.Or(c.Each, len(c.Documents))) {
		s := g.WriteStream()
		for _, raw := range part {
			doc, err := r.document(raw)
			if err == nil {
				err = s.Add(ctx, doc)
			}
			if err != nil {
				return nil, err
			}
		}
		if _, err := s.Wait(ctx); err != nil {
			return nil, err
		}
		durable := time.Now()
		if _, err := g.Commit(ctx, engine.Explicit); err != nil {
			return nil, err
		}
		commits += time.Since(durable).Seconds()
		parts++
	}
	n := float64(parts)
	return map[string]any{"seconds": time.Since(began).Seconds() / n, "commit_seconds": commits / n, "cpu_seconds": (cpuSeconds() - cpu) / n}, g.Close(ctx)
}

// size returns the size of the index in bytes. It excludes the log, which no
// longer contains committed changes and whose last file is overwritten from the
// start.
func size(dir string) (int64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "log" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			if i, err := e.Info(); err == nil {
				bytes += i.Size()
			}
		}
		return err
	})
	return bytes, err
}

func status(field string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, field); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n * 1024
		}
	}
	return 0
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
