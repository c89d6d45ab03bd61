package storagefaults

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/clustertest"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

const rootKey = "root-key-of-the-session"

// reporter receives failures.
type reporter interface {
	Errorf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
}

// machine is what remains when the process of a node ends: its disk and its bucket.
type machine struct {
	t       reporter
	point   point
	trouble *trouble
	store   bucket.Bucket
	files   *faultfs.FS
	log     *slog.Logger
	random  *rand.Rand
	tired   <-chan struct{} // closed when the point takes too long in real time

	process *process
}

// process is one run of a node.
type process struct {
	node   *node.Node
	api    *api.API
	bucket *faultbucket.Bucket
	disk   *disk
	end    func()

	isEnding atomic.Bool
}

func newMachine(t reporter, p point, log *slog.Logger, tired <-chan struct{}) *machine {
	m := &machine{t: t, point: p, trouble: newTrouble(p.kind, p.from, p.length), files: faultfs.New(nil), log: log, tired: tired,
		random: rand.New(rand.NewPCG(uint64(p.number), 17)), store: memory.New(nil)}
	if m.isObject() {
		m.store = clustertest.NewStore(time.Hour, func(why string) { t.Errorf("%v: %s", p, why) })
	}
	return m
}

func (m *machine) isObject() bool { return m.point.place != theDirectory }

// start starts a process. If a fault prevents that it tries again, as a supervisor
// does.
func (m *machine) start() bool {
	for try := range 10 {
		err := m.tryStart()
		if err == nil {
			return true
		}
		m.log.Info("start failed", "try", try, "error", err)
		time.Sleep(5 * time.Second)
	}
	return false
}

func (m *machine) tryStart() error {
	p := &process{bucket: faultbucket.New(m.store, nil), disk: &disk{under: m.files}}
	if m.point.place == theBucket {
		p.bucket.SetPlan(m.trouble.plan)
	} else {
		p.disk.trouble, p.disk.held = m.trouble, m.held(p)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	storage := node.Storage{Bucket: p.bucket, FS: p.disk}
	if m.isObject() {
		member, err := ownership.Join(ctx, p.bucket, ownership.Options{Node: "one", Address: "http://one", Lease: 10 * time.Second,
			Candidate: true, Reclaim: true}, m.log)
		if err != nil {
			return fmt.Errorf("join: %w", err)
		}
		storage.Object = &node.Object{Member: member, RemovalGrace: time.Hour, SweepInterval: 40 * time.Second, VerifyInterval: time.Minute,
			SettingsInterval: 30 * time.Second, FinishInterval: 2 * time.Second, PullConcurrency: 2}
	}
	authority, err := auth.Open(ctx, p.bucket, auth.Options{RootKey: rootKey}, m.log)
	if err != nil {
		return fmt.Errorf("open the keys: %w", err)
	}
	analyser := analysis.NewBuilder(analysis.Options{})
	searcher := search.New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, search.Options{})
	p.node, err = node.Open(ctx, storage, node.Options{NodeID: "one", FreshnessWait: 5 * time.Second, RefreshInterval: 5 * time.Second,
		SampleInterval: time.Minute, Capabilities: analyser.Capabilities(), Search: searcher.Run, CountSearches: true,
		Engine:  engine.Options{MinFree: -1, Workers: 1, MaxChanges: 20, Analysis: analyser, Capabilities: analyser.Capabilities()},
		Reindex: reindex.Options{CatchupInterval: time.Second, SweepInterval: 30 * time.Second}}, nil, m.log)
	if err != nil {
		return fmt.Errorf("open the node: %w", err)
	}
	health := api.NewHealth(5 * time.Second)
	health.AliveWhile(p.node.IsRefreshing)
	health.AtRiskBy(p.node.AtRisk)
	health.DiskBy(p.node.IsWritable, p.node.HasSpace)
	health.RegistryRead()
	health.Preloaded()
	components := api.Components{Node: p.node, Searcher: searcher, Authority: authority, Ownership: p.node, Health: health,
		Metrics: metrics.New(metrics.Options{WithoutRuntime: true}), Log: m.log}
	p.api = api.New(components, api.Options{MaxBodySize: 1 << 20, MaxStreamBodySize: 2 << 20})
	running, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.node.Run(running, health.Refreshed)
	}()
	p.end = func() {
		p.isEnding.Store(true)
		stop()
		<-ended
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = p.node.Close(closing)
	}
	m.process = p
	return nil
}

// held returns a function that runs while a call of a disk hangs: a search of an
// index that does not depend on the call must be answered meanwhile (I19).
func (m *machine) held(p *process) func() {
	var isHeld atomic.Bool
	return func() {
		if p.api == nil || !isHeld.CompareAndSwap(false, true) {
			return
		}
		answered := make(chan answer, 1)
		go func() { answered <- send(p.api, "POST", "/v1alpha1/indexes/other/search", `{"limit":1}`, nil) }()
		select {
		case a := <-answered:
			if a.status != 200 && !p.isEnding.Load() {
				m.t.Errorf("%v: a search of another index: %v", m.point, a)
			}
		case <-m.tired:
			m.t.Errorf("%v: a search of another index waits for a call that hangs", m.point)
		}
	}
}

// stop shuts the process down in good order.
func (m *machine) stop() {
	p := m.process
	p.node.Drain()
	p.end()
	m.process = nil
}

// loss is what a machine loses together with its process.
type loss int

const (
	nothing  loss = iota // only the process was killed
	unsynced             // the power went off
	all                  // the machine is gone
)

// kill ends the process: nothing that it does has an effect any more.
func (m *machine) kill(what loss) {
	p, before := m.process, m.files
	if m.files = faultfs.New(nil); what != all {
		m.files = before.Restart(m.random, what == nothing)
	}
	before.PowerOff()
	p.bucket.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
	p.end()
	m.process = nil
}
