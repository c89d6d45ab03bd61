package clustertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const lease = 10 * time.Second

// cluster is the machines of a deployment.
type cluster struct {
	t      *testing.T
	seed   uint64
	shared bucket.Bucket
	log    *slog.Logger

	gone sync.WaitGroup // processes that were killed and end by themselves

	mu       sync.Mutex
	machines []*machine
	started  uint64
}

// machine is one machine; its process may be running or not.
type machine struct {
	cluster *cluster
	name    string
	isIndex bool // a candidate

	mu   sync.Mutex
	disk vfs.FS
	now  *process // nil while it is down
}

// process is one run of a node.
type process struct {
	node *node.Node
	link *Link
	stop func()

	mu   sync.Mutex
	seen map[string]uint64 // highest commit shown by generation
}

func (c *cluster) add(name string, isIndex bool) *machine {
	m := &machine{cluster: c, name: name, isIndex: isIndex, disk: vfs.Memory()}
	c.mu.Lock()
	c.machines = append(c.machines, m)
	c.mu.Unlock()
	return m
}

// start runs a process on the machine and reports whether it came up.
func (m *machine) start(faults Faults) bool {
	c := m.cluster
	c.mu.Lock()
	c.started++
	link := NewLink(c.shared, c.seed<<16+c.started)
	c.mu.Unlock()
	m.mu.Lock()
	disk := m.disk
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	link.SetFaults(faults)
	member, err := ownership.Join(ctx, link, ownership.Options{Node: m.name, Address: "http://" + m.name, Lease: lease,
		Candidate: m.isIndex, Reclaim: true, Clock: sinceStart()}, c.log)
	if err != nil {
		return false
	}
	opened, err := node.Open(ctx, node.Storage{Bucket: link, FS: disk, Object: &node.Object{Member: member,
		RemovalGrace: time.Hour, SweepInterval: 10 * time.Minute, VerifyInterval: 5 * time.Minute,
		SettingsInterval: time.Minute, PullConcurrency: 2, PreloadIdleLimit: 16}},
		node.Options{NodeID: m.name, FreshnessWait: 10 * time.Second, RefreshInterval: 5 * time.Second,
			Engine:  engine.Options{MinFree: -1, Workers: 1, MaxChanges: 20},
			Reindex: reindex.Options{}}, nil, c.log)
	if err != nil {
		return false
	}
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = opened.Run(running, nil)
	}()
	p := &process{node: opened, link: link, stop: func() { stop(); <-ended }, seen: make(map[string]uint64)}
	m.mu.Lock()
	m.now = p
	m.mu.Unlock()
	return true
}

func sinceStart() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

func (m *machine) process() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// kill ends the process: nothing it does reaches anybody any more. The disk
// stays, or is gone too.
func (m *machine) kill(keepDisk bool) {
	m.mu.Lock()
	p := m.now
	m.now = nil
	if keepDisk && p != nil {
		m.disk = copyDisk(m.disk)
	} else {
		m.disk = vfs.Memory()
	}
	m.mu.Unlock()
	if p == nil {
		return
	}
	p.link.Cut()
	m.cluster.gone.Go(func() { p.end() })
}

func (p *process) end() {
	p.stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = p.node.Close(ctx)
	p.link.Settle()
}

// terminate stops the process in good order.
func (m *machine) terminate() {
	m.mu.Lock()
	p := m.now
	m.now = nil
	m.mu.Unlock()
	if p != nil {
		p.node.Drain()
		p.end()
	}
}

// copyDisk returns what the next process finds: what the killed one still does
// to its own files is not seen.
func copyDisk(from vfs.FS) vfs.FS {
	to := vfs.Memory()
	var walk func(dir string)
	walk = func(dir string) {
		names, err := from.List(dir)
		if err != nil {
			return
		}
		for _, name := range names {
			full := dir + "/" + name
			if name[len(name)-1] == '/' {
				_ = to.MakeDir(full[:len(full)-1])
				walk(full[:len(full)-1])
				continue
			}
			content, err := from.ReadFile(full)
			if err != nil {
				continue
			}
			if file, err := to.Create(full); err == nil {
				_, _ = file.Write(content)
				_ = file.Close()
			}
		}
	}
	walk(".")
	return to
}

var (
	books      = registry.Name{Index: "books"}
	definition = [2]string{
		`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int32"}}}`,
		`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int32"},"extra":{"type":"string","filter":{}}}}`,
	}
)

// writer finds the process that takes writes of an index, as a request would
// that arrives at p.
func (c *cluster) writer(ctx context.Context, p *process, name string) (*process, error) {
	address, err := p.node.WriterAddress(ctx, name, true)
	if err != nil || address == "" {
		return p, err
	}
	for _, m := range c.machines {
		if "http://"+m.name != address {
			continue
		}
		holder := m.process()
		if holder == nil {
			return nil, problem.IndexerUnreachable.New()
		}
		again, err := holder.node.WriterAddress(ctx, name, true)
		if err == nil && again != "" {
			err = problem.IndexerUnavailable.New()
		}
		return holder, err
	}
	return nil, fmt.Errorf("no machine has the address %s", address)
}

// write puts one document in by way of p and returns the token.
func (c *cluster) write(ctx context.Context, p *process, name registry.Name, raw string) (string, error) {
	holder, err := c.writer(ctx, p, name.Index)
	if err != nil {
		return "", err
	}
	w := holder.node.Write(name)
	err = w.Do(ctx, func(g *generations.Generation, s *engine.Session) error {
		var found problem.List
		d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
		if err := found.Err(); err != nil {
			return err
		}
		return s.Add(d)
	})
	token, finished := w.Finish(ctx)
	if err == nil {
		err = finished
	}
	return token, err
}

var errWentBack = errors.New("the view went back")

// read returns the documents that p shows at the state of a token, with the
// commit they are of.
func (p *process) read(ctx context.Context, name registry.Name, text string) (map[string]string, error) {
	var token freshness.Token
	if text != "" {
		var err error
		if token, err = freshness.Parse(text, problem.Path{}); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	before := maps.Clone(p.seen)
	p.mu.Unlock()
	r, err := p.node.Read(ctx, name, token)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// I6: what a later read shows is never older.
	generation := r.Generation.Entry.Generation.String()
	if r.Snapshot.Sequence < before[generation] {
		return nil, fmt.Errorf("%w: commit %d after %d", errWentBack, r.Snapshot.Sequence, before[generation])
	}
	p.mu.Lock()
	p.seen[generation] = max(p.seen[generation], r.Snapshot.Sequence)
	p.mu.Unlock()
	found := make(map[string]string)
	keys, err := r.Snapshot.Keys("", false, false)
	if err != nil {
		return nil, err
	}
	for {
		key, segment, doc, ok := keys.Next()
		if !ok {
			return found, keys.Err()
		}
		raw, err := segment.Reader.Stored().Get(nil, doc)
		if err != nil {
			return nil, err
		}
		record, err := document.OpenRecord(raw)
		if err != nil {
			return nil, err
		}
		found[key] = string(document.AsSent(r.Schema).Append(nil, record, nil))
	}
}
