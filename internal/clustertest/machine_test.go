package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

const lease = 10 * time.Second

// cluster is the machines of a deployment.
type cluster struct {
	t      *testing.T
	seed   uint64
	shared bucket.Bucket
	trace  *Trace
	log    *slog.Logger
	sweep  time.Duration // between sweeps; 0: about ten minutes
	peers  *network      // between the machines; nil: nodes are called directly

	gone sync.WaitGroup // killed processes that end by themselves

	mu       sync.Mutex
	machines []*machine
	started  uint64
}

// machine is one machine; its process may or may not be running.
type machine struct {
	cluster *cluster
	name    string
	isIndex bool // a candidate

	mu   sync.Mutex
	disk *faultfs.FS
	now  *process // nil while it is down
}

// process is one run of a node.
type process struct {
	node  *node.Node
	link  *Link
	clock *clock
	api   *api.API  // nil without a network
	lock  io.Closer // of the directory
	stop  func()

	mu   sync.Mutex
	seen map[string]uint64 // highest commit shown, by generation
}

func (c *cluster) add(name string, isIndex bool) *machine {
	m := &machine{cluster: c, name: name, isIndex: isIndex, disk: faultfs.New(nil)}
	c.mu.Lock()
	c.machines = append(c.machines, m)
	c.mu.Unlock()
	return m
}

// start runs a process on the machine and reports whether it started. It does not
// while another process runs, starts or stops on the disk.
func (m *machine) start(faults Faults) bool {
	m.mu.Lock()
	disk := m.disk
	m.mu.Unlock()
	lock, err := disk.Lock("node.lock")
	if err != nil {
		return false
	}
	if !m.startOn(disk, lock, faults) {
		_ = lock.Close()
		return false
	}
	return true
}

func (m *machine) startOn(disk *faultfs.FS, lock io.Closer, faults Faults) bool {
	c := m.cluster
	c.mu.Lock()
	c.started++
	link := NewLink(c.shared, fmt.Sprintf("%s#%d", m.name, c.started), c.seed<<16+c.started, c.trace)
	watch := newClock(rand.New(rand.NewPCG(c.seed, 1<<32+c.started)))
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	link.SetFaults(faults)
	member, err := ownership.Join(ctx, link, ownership.Options{Node: m.name, Address: "http://" + m.name, Lease: lease,
		Candidate: m.isIndex, Reclaim: true, Clock: watch.now}, c.log)
	if err != nil {
		return false
	}
	sweep := c.sweep
	if sweep == 0 {
		sweep = 10*time.Minute + 17*time.Millisecond
	}
	// The intervals share no multiple: nothing is due at the same instant as
	// something else, so the seed alone decides what comes first.
	opened, err := node.Open(ctx, node.Storage{Bucket: link, FS: disk, Object: &node.Object{Member: member,
		RemovalGrace: time.Hour, SweepInterval: sweep, VerifyInterval: 5 * time.Minute,
		SettingsInterval: 61*time.Second + 13*time.Millisecond, FinishInterval: 2*time.Second + 5*time.Millisecond, PullConcurrency: 2,
		PreloadIdleLimit: 16 * int(c.seed%2)}},
		node.Options{NodeID: m.name, FreshnessWait: 10 * time.Second, RefreshInterval: 5*time.Second + 7*time.Millisecond, SampleInterval: 30*time.Second + 3*time.Millisecond,
			Engine:  engine.Options{MinFree: -1, Workers: 1, MaxChanges: 20},
			Reindex: reindex.Options{CatchupInterval: 30*time.Second + 11*time.Millisecond, SweepInterval: 31*time.Second + 19*time.Millisecond}}, nil, c.log)
	if err != nil {
		return false
	}
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = opened.Run(running, nil)
	}()
	p := &process{node: opened, link: link, clock: watch, lock: lock, stop: func() { stop(); <-ended }, seen: make(map[string]uint64)}
	if c.peers != nil {
		m.serve(ctx, p)
	}
	m.mu.Lock()
	m.now = p
	m.mu.Unlock()
	return true
}

func (m *machine) process() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// loss is what a machine loses together with its process.
type loss int

const (
	nothing  loss = iota // only the process was killed
	unsynced             // the power failed
	disk                 // the machine is gone
)

// kill ends the process: nothing it does has an effect any more.
func (m *machine) kill(what loss, random *rand.Rand) {
	m.mu.Lock()
	p, before := m.now, m.disk
	m.now = nil
	if what == disk {
		m.disk = faultfs.New(nil)
	} else {
		m.disk = before.Restart(random, what == nothing)
	}
	before.PowerOff()
	m.mu.Unlock()
	if p == nil {
		return
	}
	p.link.Cut()
	m.disconnect()
	m.cluster.gone.Go(func() { p.end() })
}

// failSync makes the next sync of a file fail; later ones succeed.
func (m *machine) failSync() {
	m.mu.Lock()
	defer m.mu.Unlock()
	failed := false
	m.disk.SetFault(func(c faultfs.Call) error {
		if failed || c.Op != "sync" {
			return nil
		}
		failed = true
		return syscall.EIO
	})
}

func (p *process) end() {
	p.stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = p.node.Close(ctx)
	p.link.Settle()
	_ = p.lock.Close()
}

// terminate stops the process in an orderly way.
func (m *machine) terminate() {
	m.mu.Lock()
	p := m.now
	m.now = nil
	m.mu.Unlock()
	if p != nil {
		p.node.Drain()
		m.disconnect()
		p.end()
	}
}

// disconnect ends the connections to other machines.
func (m *machine) disconnect() {
	if peers := m.cluster.peers; peers != nil {
		peers.disconnect(m.name)
	}
}

var (
	books      = registry.Name{Index: "books"}
	definition = [2]string{
		`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int32"}}}`,
		`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int32"},"extra":{"type":"string","filter":{}}}}`,
	}
)

// writer returns the process that takes writes of an index, as for a request that
// arrives at p.
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

// write adds one document through p, or deletes it when raw is empty, and returns
// the token.
func (c *cluster) write(ctx context.Context, p *process, name registry.Name, key, raw string) (string, error) {
	holder, err := c.writer(ctx, p, name.Index)
	if err != nil {
		return "", err
	}
	w := holder.node.Write(name)
	err = w.Do(ctx, func(g *generations.Generation, s *engine.WriteStream) error {
		if raw == "" {
			return s.Delete(ctx, document.Key(key))
		}
		var found problem.List
		d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
		if err := found.Err(); err != nil {
			return err
		}
		return s.Add(ctx, d)
	})
	token, finished := w.Finish(ctx)
	if err == nil {
		err = finished
	}
	return token, err
}

var errAsked = errors.New("nothing is changed")

// newest returns the newest state of a document, as its writer answers a change
// that is refused.
func (c *cluster) newest(ctx context.Context, p *process, name registry.Name, key string) (shown string, err error) {
	holder, err := c.writer(ctx, p, name.Index)
	if err != nil {
		return "", err
	}
	w := holder.node.Write(name)
	err = w.Do(ctx, func(_ *generations.Generation, s *engine.WriteStream) error {
		_, err := s.Update(ctx, document.Key(key), func(current engine.Current) (*document.Document, error) {
			source, err := current.Source()
			shown = string(source)
			return nil, errors.Join(err, errAsked)
		})
		return err
	})
	_, finished := w.Finish(ctx)
	if errors.Is(err, errAsked) || err == nil {
		err = finished
	}
	return shown, err
}

var errWentBack = errors.New("the view went back")

// view is what a process shows.
type view struct {
	documents map[string]string
	word      string // of the settings in force
}

// word returns the word by which the settings of a simulation differ.
func word(stored *settings.Settings) string {
	if stored == nil || len(stored.TypoExclusions) == 0 {
		return ""
	}
	return stored.TypoExclusions[0].Words[0]
}

// read returns what p shows at the state of a token.
func (p *process) read(ctx context.Context, name registry.Name, text string) (view, error) {
	var token freshness.Token
	if text != "" {
		var err error
		if token, err = freshness.Parse(text, problem.Path{}); err != nil {
			return view{}, err
		}
	}
	p.mu.Lock()
	before := maps.Clone(p.seen)
	p.mu.Unlock()
	r, err := p.node.Read(ctx, name, token, nil)
	if err != nil {
		return view{}, err
	}
	defer r.Close()
	// I6: a later read never shows an older state.
	generation := r.Generation.Entry.Generation.String()
	if r.Snapshot.Sequence < before[generation] {
		return view{}, fmt.Errorf("%w: commit %d after %d", errWentBack, r.Snapshot.Sequence, before[generation])
	}
	p.mu.Lock()
	p.seen[generation] = max(p.seen[generation], r.Snapshot.Sequence)
	p.mu.Unlock()
	shown := view{documents: make(map[string]string), word: word(r.Settings)}
	keys, err := r.Snapshot.Keys("", false, false)
	if err != nil {
		return view{}, err
	}
	for {
		key, segment, doc, ok := keys.Next()
		if !ok {
			return shown, keys.Err()
		}
		raw, err := segment.Reader.Stored().Get(nil, doc)
		if err != nil {
			return view{}, err
		}
		record, err := document.OpenRecord(raw)
		if err != nil {
			return view{}, err
		}
		shown.documents[key] = string(document.AsSent(r.Schema).Append(nil, record, nil))
	}
}
