// Package server puts the components of a node together, runs them, and stops them
// in order. No other package knows all of them.
//
// Run opens storage, keys and indexes, then listens; the node is ready when
// requests will be served. When ctx ends it stops accepting requests, waits for
// those in flight, commits and closes every index, and returns.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/localedata"
	"github.com/quiresearch/quire/internal/analysis/segmenter"
	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/console"
	"github.com/quiresearch/quire/internal/mcp"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// ErrRefused marks a start that was refused because of the configuration or of what
// it refers to. Nothing was changed.
var ErrRefused = errors.New("start refused")

// closeTimeout bounds the last commits of a stopping node. Changes that are not
// committed by then are in the log and come back with the next start.
const closeTimeout = 60 * time.Second

// Run runs a node until ctx ends. listening is called once with the address when
// requests are accepted, and may be nil.
func Run(ctx context.Context, c *config.Config, log *slog.Logger, listening func(net.Addr)) error {
	announce(c, log)
	limitMemory(c)
	defer runtime.KeepAlive(reserveHeap())
	meters := newMeters(c)
	store, err := openStorage(ctx, c, meters, log)
	if err != nil {
		return err
	}
	defer store.close()

	authority, err := auth.Open(ctx, store.Bucket, auth.Options{
		Mode: auth.Mode(c.Auth.Mode), RootKey: auth.Secret(c.Auth.RootKey.Reveal()), AnonymousKey: c.Auth.AnonymousKey,
		RefreshInterval: c.Auth.RefreshInterval, StaleLimit: c.Auth.StaleLimit,
	}, log)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	builder, err := analysisBuilder(c.Node.LocaleDataDirectory)
	if err != nil {
		return err
	}
	records := snapshot.NewRecords(keptRecords(c), meters)
	searcher := newSearcher(c, records, meters, log)
	opened, err := node.Open(ctx, store.Storage, nodeOptions(c, builder, store.nodeID, searcher), meters, log)
	var other *registry.DeploymentError
	if errors.As(err, &other) {
		return refuseDeployment(c, other)
	}
	if err != nil {
		return fmt.Errorf("open the node: %w", err)
	}
	if c.Indexer.Enabled && !c.Storage.IsLocal() {
		log.Info("indexing enabled", "node", store.nodeID, "address", c.Node.Address)
	}
	s := &service{
		config: c, log: log, meters: meters, authority: authority, node: opened, searcher: searcher, records: records,
	}
	err = s.serve(ctx, listening)

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if closeErr := opened.Close(last); closeErr != nil {
		err = errors.Join(err, fmt.Errorf("close the indexes: %w", closeErr))
	}
	if err == nil {
		log.Info("stopped")
	}
	return err
}

// service is a node whose components are open. Nothing runs before serve.
type service struct {
	config    *config.Config
	log       *slog.Logger
	meters    *metrics.Set
	authority *auth.Authority
	node      *node.Node
	searcher  *search.Searcher
	records   *snapshot.Records
}

// serve listens and runs all background work until ctx ends or something fails.
func (s *service) serve(ctx context.Context, listening func(net.Addr)) error {
	c := s.config
	health := s.newHealth()
	warmer := newWarmer(c, s.searcher, s.node)
	requests, err := s.newHTTPServer(health)
	if err != nil {
		return err
	}

	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return ignoreCancelled(s.authority.Run(running)) })
	group.Go(func() error {
		return ignoreCancelled(s.node.Run(running, func() {
			if s.node.IsReady() {
				health.RegistryRead()
			}
			health.Refreshed()
		}))
	})
	group.Go(func() error {
		warmer.Run(running)
		return nil
	})
	group.Go(func() error {
		preload(running, c.Indexes, s.node, health)
		return nil
	})
	if c.Metrics.OTLPPublish {
		group.Go(func() error {
			s.pushMeters(running)
			return nil
		})
	}
	group.Go(func() error { return requests.serve(running) })
	if s.node.IsReady() {
		health.RegistryRead()
	}
	s.announceAddress(requests.listener.Addr())
	if listening != nil {
		listening(requests.listener.Addr())
	}
	return group.Wait()
}

// newHealth returns the health of the node, which queries its components.
func (s *service) newHealth() *api.Health {
	health := api.NewHealth(s.config.Indexes.RefreshInterval)
	health.AliveWhile(s.node.IsRefreshing)
	health.AtRiskBy(s.node.AtRisk)
	health.WarnOf(func() []string { return rootKeyWarnings(s.config, s.node) })
	health.DiskBy(s.node.IsWritable, s.node.HasSpace)
	return health
}

// newHTTPServer returns the HTTP interface of the node, which already listens.
func (s *service) newHTTPServer(health *api.Health) (*httpServer, error) {
	handler := api.New(api.Components{
		Node: s.node, Searcher: s.searcher, Records: s.records, Authority: s.authority, Ownership: s.node, Health: health,
		Metrics: s.meters, Log: s.log,
	}, apiOptions(s.config))
	pages, err := console.New(handler, api.Bounded)
	if err != nil {
		return nil, err
	}
	served := http.Handler(pages)
	if s.config.HTTP.MCPEnabled {
		served = mcp.Mount(pages, api.Bounded(mcp.Handler(handler, Version())))
	}
	listener, err := listen(s.config.HTTP)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return &httpServer{
		config: s.config.HTTP, listener: listener, handler: served, refusal: handler.Refusal, log: s.log,
		stopping: func() { s.log.Info("stopping", "drain", s.config.HTTP.DrainTimeout) },
		draining: s.node.Drain,
	}, nil
}

// pushMeters sends the meters to a collector until ctx ends.
func (s *service) pushMeters(ctx context.Context) {
	headers, err := s.config.Metrics.Headers()
	if err == nil {
		err = s.meters.Push(ctx, metrics.PushOptions{URL: s.config.Metrics.OTLPURL, Step: s.config.Metrics.OTLPStep, Headers: headers})
	}
	if err != nil {
		s.log.Warn("cannot push meters", "error", err)
	}
}

// announceAddress logs the address of the node.
func (s *service) announceAddress(address net.Addr) {
	scheme := "http"
	if s.config.HTTP.CertificateFile != "" {
		scheme = "https"
	}
	base := scheme + "://" + address.String()
	s.log.Info("listening", "address", base)
	if s.config.Dev {
		s.log.Info("API documentation", "address", base+"/q/docs")
		s.log.Info("console", "address", base+console.Path)
	}
}

func ignoreCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// preload opens indexes and then makes the node ready, at the latest when the wait
// is over.
func preload(ctx context.Context, c config.Indexes, opened *node.Node, health *api.Health) {
	wait := time.AfterFunc(c.PreloadReadinessWait, health.Preloaded)
	defer wait.Stop()
	bounded, cancel := context.WithTimeout(ctx, c.PreloadMaxDuration)
	defer cancel()
	opened.Preload(bounded)
	health.Preloaded()
}

// announce logs how the node runs before anything is opened.
func announce(c *config.Config, log *slog.Logger) {
	log.Info("starting", "version", Version(), "storage", c.Storage.Mode, "directory", c.Storage.LocalDirectory,
		"auth", c.Auth.Mode, "indexer", c.Indexer.Enabled)
	for _, warning := range c.Warnings {
		log.Warn(warning)
	}
	if c.Storage.IsLocal() {
		log.Warn("local mode: this node is the whole deployment and its directory holds the only copy", "directory", c.Storage.LocalDirectory)
	}
	if c.Dev {
		log.Warn("development mode: only this machine can reach the node")
	}
	if c.Auth.Mode == string(auth.ModeNone) && !c.HTTP.IsLoopback() {
		log.Warn("AUTHENTICATION IS TURNED OFF and the node can be reached from other machines: anyone can read, change and delete everything",
			"variable", "SERVICE_AUTH_MODE")
	}
}

// rootKeyWarnings returns what is wrong with the root key, for the health report.
func rootKeyWarnings(c *config.Config, opened *node.Node) []string {
	var warnings []string
	if c.Auth.Mode != string(auth.ModeNone) && c.Auth.HasShortRootKey() {
		warnings = append(warnings, "the root key is short and may be guessed")
	}
	if others := opened.OtherRootKeys(); len(others) > 0 {
		warnings = append(warnings, "nodes with another root key share the bucket: "+strings.Join(others, ", "))
	}
	return warnings
}

func newMeters(c *config.Config) *metrics.Set {
	return metrics.New(metrics.Options{
		Mode: metrics.HistogramMode(c.Metrics.HistogramMode), IndexGauges: c.Metrics.IndexEnabled,
		IndexTimers: c.Metrics.IndexSearchHistogram, MaxURITags: c.Metrics.HTTPMaxURITags, DiskMaxBytes: c.Indexes.DiskMaxSize,
	})
}

func apiOptions(c *config.Config) api.Options {
	options := api.Options{MaxBodySize: c.HTTP.MaxBodySize, MaxStreamBodySize: c.HTTP.MaxStreamBodySize,
		AccessLog: c.HTTP.AccessLog, IndexTimers: c.Metrics.IndexSearchHistogram, Limits: limits(c)}
	if c.HTTP.CORSEnabled {
		options.CORSOrigins = c.HTTP.CORSOrigins
	}
	options.IsOpen, options.OnlyLoopback = c.Auth.Mode == string(auth.ModeNone), c.Dev
	options.Hosts = allowedHosts(c)
	return options
}

// allowedHosts returns the host names that requests may use: the configured ones,
// and the one to which other nodes forward writes.
func allowedHosts(c *config.Config) []string {
	if len(c.HTTP.AllowedHosts) == 0 {
		return nil
	}
	hosts := make([]string, 0, len(c.HTTP.AllowedHosts)+1)
	for _, host := range c.HTTP.AllowedHosts {
		hosts = append(hosts, strings.ToLower(strings.Trim(host, "[]")))
	}
	if own, err := url.Parse(c.Node.Address); err == nil && own.Hostname() != "" {
		hosts = append(hosts, strings.ToLower(own.Hostname()))
	}
	return hosts
}

func limits(c *config.Config) query.Limits {
	s := c.Search
	return query.Limits{
		MaxLimit: s.MaxLimit, MaxPageDepth: s.MaxPageDepth, MaxRescoreWindow: s.MaxRescoreWindow, MaxKnnK: s.MaxKNNK,
		MaxFuseDepth: s.MaxFuseDepth, MaxClauses: s.MaxClauses, MaxClauseDepth: s.MaxClauseDepth,
		MaxFacetValues: s.MaxFacetValues, MaxSuggestions: s.SuggestMaxLimit,
	}
}

// analysisBuilder returns the builder of chains with the word lists of the program
// and the locale data of the node.
func analysisBuilder(directory string) (*analysis.Builder, error) {
	options := analysis.Options{Segmenters: segmenter.Tokenizers(), Breaker: segmenter.Breaker}
	if err := localedata.Add(&options, directory); err != nil {
		return nil, err
	}
	return analysis.NewBuilder(options), nil
}

func nodeOptions(c *config.Config, builder *analysis.Builder, id string, searcher *search.Searcher) node.Options {
	return node.Options{
		NodeID: id, RefreshInterval: c.Indexes.RefreshInterval, FreshnessWait: c.Search.FreshnessWait,
		MaxOpen: c.Indexes.MaxOpen, CloseGrace: c.Indexes.CloseGracePeriod, Preload: c.Indexes.PreloadMaxIndexes,
		SampleInterval: c.Metrics.IndexInterval,
		Engine: engine.Options{
			MaxChanges: offWhenZero(c.Indexes.CommitMaxChanges), MaxInterval: offWhenZero(c.Indexes.CommitMaxInterval),
			MergeFloor: c.Indexes.MergeFloorSegment, Memory: c.Indexer.MemoryBudget, Budget: engine.NewBudget(c.Indexer.MemoryBudget),
			Analysis: builder, Capabilities: builder.Capabilities(),
		},
		Capabilities: builder.Capabilities(), Search: searcher.Run, Limits: limits(c), CountSearches: c.Search.CountsEnabled, EvaluationShare: float64(c.Search.EvaluationMaxShare) / 100,
		Reindex: reindex.Options{MaxConcurrent: c.Indexer.ReindexMaxConcurrent, CatchupInterval: c.Indexer.ReindexCatchupInterval,
			SweepInterval: c.Indexer.ReindexSweepInterval},
	}
}

// offWhenZero turns the zero that a variable uses for off into the negative value
// that the engine uses.
func offWhenZero[T int | int64 | time.Duration](value T) T {
	if value == 0 {
		return -1
	}
	return value
}
