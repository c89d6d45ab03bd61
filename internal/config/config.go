// Package config reads the configuration of a node from environment variables.
//
// The table in variables.go is the only list of variables: name, kind, default,
// bounds and meaning. Load reads all of them, collects every value that is bad or
// contradicts another, and returns an error that names the variables. Nothing else
// in the program reads the environment.
//
// A Config does not change after Load.
package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config is every setting of a node.
type Config struct {
	Storage Storage
	Node    Node
	Indexer Indexer
	Auth    Auth
	HTTP    HTTP
	Indexes Indexes
	Search  Search
	Metrics Metrics
	Log     Log

	// Dev says that the node runs for trying it out: local, loopback, without
	// credentials.
	Dev bool
	// RestoreBucket says that an empty bucket becomes that of the deployment the
	// directory belongs to, so that nodes can restore what it lost.
	RestoreBucket bool

	// Warnings list variables that are set but have no effect.
	Warnings []string
	// Values are the variables in the order of the table, for printing.
	Values []Value
}

// Storage says where data is kept.
type Storage struct {
	Mode           string // local or object
	LocalDirectory string
	Remote         Remote
}

// IsLocal reports whether the directory is the deployment.
func (s Storage) IsLocal() bool { return s.Mode == modeLocal }

// Remote is the bucket of object mode.
type Remote struct {
	URL, Bucket, Prefix, Region         string
	Auth                                string // static, aws, file or gcp
	AccessKey, SecretKey, SessionToken  Secret
	CredentialsFile, CredentialsProfile string
}

// Node is the identity of this node.
type Node struct {
	ID                  string // empty: generated at the start
	Address             string
	LocaleDataDirectory string
	MemoryBudget        int64 // 0: the memory of the machine
}

// Indexer configures the part of a node that writes.
type Indexer struct {
	Enabled                bool
	LeaseDuration          time.Duration
	MemoryBudget           int64
	ReindexMaxConcurrent   int
	ReindexSweepInterval   time.Duration
	ReindexCatchupInterval time.Duration
}

// Auth says who may send requests.
type Auth struct {
	Mode            string // keys or none
	RootKey         Secret
	AnonymousKey    string
	RefreshInterval time.Duration
	StaleLimit      time.Duration
}

// HTTP is the listener and its bounds.
type HTTP struct {
	Host                     string
	Port                     int
	MaxBodySize              int64
	MaxStreamBodySize        int64 // 0: no bound
	CORSEnabled              bool
	CORSOrigins              []string
	AllowedHosts             []string
	CertificateFile, KeyFile string
	DrainTimeout             time.Duration
	MaxConnections           int
	AccessLog                bool
	MCPEnabled               bool
}

// Indexes says how generations are opened, committed and kept.
type Indexes struct {
	MaxOpen              int // 0: no bound
	RefreshInterval      time.Duration
	RefreshConcurrency   int
	VerifyInterval       time.Duration
	SettingsRefresh      time.Duration
	CloseGracePeriod     time.Duration
	PreloadIdleLimit     int
	PreloadMaxIndexes    int
	PreloadMaxDuration   time.Duration
	PreloadReadinessWait time.Duration
	CommitMaxChanges     int
	CommitMaxInterval    time.Duration
	MergeFloorSegment    int64 // 0: the engine's own
	DiskMaxSize          int64 // 0: no bound
	DiskMinIdle          time.Duration
	DiskHalfLife         time.Duration
	DiskSweepInterval    time.Duration
	RemovalGrace         time.Duration
	RemovalSweepInterval time.Duration
	DocumentCacheMaxSize int64 // 0: off
}

// Search bounds searches and sizes their caches.
type Search struct {
	MaxLimit, MaxPageDepth, MaxRescoreWindow, MaxKNNK, MaxFuseDepth int
	MaxClauses, MaxClauseDepth, MaxFacetValues, SuggestMaxLimit     int
	MaxAnswerSize                                                   int64 // 0: no bound
	Timeout, SuggestTimeout, FreshnessWait                          time.Duration
	Threads                                                         int // -1: one per core
	WarmThreads                                                     int
	QueryCacheMaxQueries                                            int
	QueryCacheMaxSize                                               int64 // 0: a twentieth of the memory budget
	TermCacheMaxSize                                                int64
	TypoCacheMaxEntries, PrefixCacheMaxEntries                      int
	FacetCacheMaxSize                                               int64
	CountsEnabled                                                   bool
	EvaluationMaxShare                                              int // per cent of one processor
}

// Metrics says how meters are published.
type Metrics struct {
	HistogramMode        string
	IndexEnabled         bool
	IndexInterval        time.Duration
	IndexSearchHistogram bool
	HTTPMaxURITags       int
	OTLPPublish          bool
	OTLPURL              string
	OTLPStep             time.Duration
	OTLPHeaders          Secret // key=value, comma-separated
}

// Log says how the node logs.
type Log struct {
	Level string
	JSON  bool
}

// Secret is a value that is never printed.
type Secret string

// String returns three asterisks.
func (s Secret) String() string { return "***" }

// GoString returns three asterisks.
func (s Secret) GoString() string { return "***" }

// Format writes three asterisks whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("***")) }

// MarshalText returns three asterisks.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// Value is a variable with its value.
type Value struct {
	Variable Variable
	Text     string // masked for secrets
	Source   string // environment, default or --dev
}

// The sources of a value.
const (
	sourceEnvironment = "environment"
	sourceDefault     = "default"
	sourceDev         = "--dev"
)

// devValues are the values that --dev sets. The environment may repeat but not
// contradict those that keep the node harmless.
var devValues = map[string]string{
	"SERVICE_STORAGE_MODE":            modeLocal,
	"SERVICE_STORAGE_LOCAL_DIRECTORY": "quire-data",
	"SERVICE_AUTH_MODE":               authNone,
	"SERVICE_HTTP_HOST":               "127.0.0.1",
}

// Load reads the configuration from an environment as os.Environ returns it. The
// error names every variable that is wrong; the configuration then only has useful
// Values and Warnings.
func Load(environment []string, dev bool) (*Config, error) {
	set := make(map[string]string)
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "SERVICE_") || strings.HasPrefix(name, "PLATFORM_METRICS_EXPORT_OTLP_") {
			set[name] = value
		}
	}
	c := &Config{Dev: dev}
	var problems []error
	for _, v := range variables {
		text, source := v.Default, sourceDefault
		if value, ok := devValues[v.Name]; dev && ok {
			text, source = value, sourceDev
		}
		if value, ok := set[v.Name]; ok && value != "" {
			if dev && source == sourceDev && v.Name != "SERVICE_STORAGE_LOCAL_DIRECTORY" && !sameDevValue(v.Name, value) {
				problems = append(problems, fmt.Errorf("%s=%s contradicts --dev, which needs %s", v.Name, value, text))
			}
			text, source = value, sourceEnvironment
		}
		delete(set, v.Name)
		if err := v.set(c, text); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", v.Name, err))
		}
		if v.Secret && text != "" {
			text = "***"
		}
		c.Values = append(c.Values, Value{Variable: v, Text: text, Source: source})
	}
	problems = append(problems, c.contradictions()...)
	c.warn(set)
	if len(problems) > 0 {
		return c, errors.Join(problems...)
	}
	c.derive()
	c.regionOf(environment)
	return c, nil
}

// regionOf uses the region of the environment with credentials of the environment,
// unless a region is configured.
func (c *Config) regionOf(environment []string) {
	if c.Storage.Remote.Auth != "aws" || c.isSet("SERVICE_STORAGE_REMOTE_REGION") {
		return
	}
	for _, wanted := range []string{"AWS_DEFAULT_REGION", "AWS_REGION"} { // the last one wins
		for _, entry := range environment {
			if name, value, _ := strings.Cut(entry, "="); name == wanted && value != "" {
				c.Storage.Remote.Region = value
			}
		}
	}
}

func sameDevValue(name, value string) bool {
	if name == "SERVICE_HTTP_HOST" {
		return isLoopback(value)
	}
	return value == devValues[name]
}

// isSet reports whether the environment sets a variable.
func (c *Config) isSet(name string) bool {
	at := slices.IndexFunc(c.Values, func(v Value) bool { return v.Variable.Name == name })
	return at >= 0 && c.Values[at].Source == sourceEnvironment
}
