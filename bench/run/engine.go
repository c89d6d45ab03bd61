package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// engine is a running driver process.
type engine struct {
	name    string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	hello   hello
	dir     string
	built   built
	opened  opened
}

type hello struct {
	Engine  string `json:"engine"`
	Version string `json:"version"`
	Runtime string `json:"runtime"`
}

type built struct {
	Docs         int     `json:"docs"`
	Seconds      float64 `json:"seconds"`
	MergeSeconds float64 `json:"merge_seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	Bytes        int64   `json:"bytes"`
	PeakRSS      int64   `json:"peak_rss"`
	RestSeconds  float64 `json:"rest_seconds"` // from the last commit until no merge was due
	Written      int64   `json:"written"`      // to files, including a log
	Flushed      int64   `json:"flushed"`      // of it, segments built from documents (quire)
	Merged       int64   `json:"merged"`       // of it, segments built from other segments
}

type opened struct {
	Docs     int     `json:"docs"`
	Segments int     `json:"segments"`
	Seconds  float64 `json:"seconds"`
	RSS      int64   `json:"rss"`
}

type answer struct {
	Count  int                 `json:"count"`
	Exact  bool                `json:"exact"`
	Micros float64             `json:"us"`
	Bare   float64             `json:"bare_us"` // without reading the keys of the hits, if the driver reports it
	All    []float64           `json:"all"`     // all runs, if the driver reports them
	Top    []string            `json:"top"`
	Facets [][]json.RawMessage `json:"facets"`
}

type throughput struct {
	Queries    int     `json:"queries"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
}

// driverCommand returns how to build and start a driver. Paths are relative to
// the root of the project.
func driverCommand(name string) (build, run []string, err error) {
	switch name {
	case "lucene":
		java, err := newestJava()
		if err != nil {
			return nil, nil, err
		}
		return []string{"mvn", "-q", "-B", "-f", "bench/lucene/pom.xml", "package"},
			[]string{java, "-Xmx3g", "--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED",
				"-cp", "bench/lucene/target/classes:bench/lucene/target/lib/*", "bench.Driver"}, nil
	case "tantivy":
		return []string{"cargo", "build", "--release", "--manifest-path", "bench/tantivy/Cargo.toml"},
			[]string{"bench/tantivy/target/release/tantivy-driver"}, nil
	case "bleve", "quire":
		return []string{"go", "build", "-C", "bench/" + name, "-o", "../../bin/bench-" + name, "."}, []string{"bin/bench-" + name}, nil
	case "quire-http": // builds the server; the driver is that of quire
		return []string{"go", "build", "-trimpath", "-o", "bin/quire", "./cmd/quire"}, []string{"bin/bench-quire", "-http"}, nil
	}
	return nil, nil, fmt.Errorf("unknown engine %q", name)
}

// newestJava returns the java of the newest JDK on the machine: Lucene 10 needs
// Java 21 and reaches its full speed with the vector module.
func newestJava() (string, error) {
	candidates, _ := filepath.Glob("/usr/lib/jvm/*/bin/java")
	if home := os.Getenv("JAVA_HOME"); home != "" {
		candidates = append(candidates, filepath.Join(home, "bin", "java"))
	}
	if path, err := exec.LookPath("java"); err == nil {
		candidates = append(candidates, path)
	}
	best, bestVersion := "", 0
	for _, c := range candidates {
		text, err := exec.Command(c, "-XshowSettings:properties", "-version").CombinedOutput()
		if err != nil {
			continue
		}
		for line := range bytes.Lines(text) {
			var major int
			if n, _ := fmt.Sscanf(strings.TrimSpace(string(line)), "java.specification.version = %d", &major); n == 1 && major > bestVersion {
				best, bestVersion = c, major
			}
		}
	}
	if bestVersion < 21 {
		return "", errors.New("lucene 10 needs Java 21 or newer")
	}
	return best, nil
}

// build builds drivers.
func build(names ...string) error {
	for _, name := range names {
		build, run, err := driverCommand(name)
		if err != nil {
			return err
		}
		fmt.Println("building", name)
		b := exec.Command(build[0], build[1:]...)
		b.Env = os.Environ()
		if name == "lucene" {
			b.Env = append(b.Env, "JAVA_HOME="+filepath.Dir(filepath.Dir(run[0])))
		}
		if text, err := b.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w: %s", name, err, text)
		}
	}
	return nil
}

// start starts a driver that has been built.
func start(name string) (*engine, error) { return startWith(name, nil) }

// startWith is like start, with additional variables and arguments.
func startWith(name string, variables []string, arguments ...string) (*engine, error) {
	_, run, err := driverCommand(name)
	if err != nil {
		return nil, err
	}
	p := exec.Command(run[0], append(run[1:], arguments...)...)
	p.Env = append(os.Environ(), variables...)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	e := &engine{name: name, process: p, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	return e, e.ask(map[string]any{"do": "hello"}, &e.hello)
}

func (e *engine) close() {
	_ = e.in.Close()
	_ = e.process.Wait()
}

func (e *engine) ask(command, answer any) error {
	text, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if _, err := e.in.Write(append(text, '\n')); err != nil {
		return err
	}
	line, err := e.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s ended: %w", e.name, err)
	}
	var failed struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(line, &failed) == nil && failed.Error != "" {
		return fmt.Errorf("%s: %s", e.name, failed.Error)
	}
	return json.Unmarshal(line, answer)
}

// index builds the index in a separate process, so that its memory is not
// counted later, and keeps it for the next run with the same corpus and driver
// version.
//
// The index is either merged into one segment, or left in the state the engine
// leaves it in: committed as often as a server does by default, and settled
// after the last commit.
func (e *engine) index(o options, corpus string, merge bool) error {
	e.dir = filepath.Join(o.work, fmt.Sprintf("%s-%s-%s", e.name, filepath.Base(strings.TrimSuffix(corpus, ".ndjson")), e.hello.Version))
	if !merge {
		e.dir += "-rested"
	}
	note := e.dir + ".built.json"
	if text, err := os.ReadFile(note); err == nil && json.Unmarshal(text, &e.built) == nil && e.name != "quire" && e.name != "quire-http" {
		return nil
	}
	if err := os.RemoveAll(e.dir); err != nil {
		return err
	}
	fmt.Println("indexing with", e.name)
	builder, err := start(e.name)
	if err != nil {
		return err
	}
	defer builder.close()
	command := map[string]any{"do": "index", "corpus": corpus, "dir": e.dir, "threads": 2, "merge": merge}
	if !merge {
		command["commits"], command["rest"] = true, restLimit
	}
	if err := builder.ask(command, &e.built); err != nil {
		return err
	}
	text, err := json.Marshal(e.built)
	if err != nil {
		return err
	}
	return os.WriteFile(note, text, 0o644)
}

func (e *engine) open() error {
	return e.ask(map[string]any{"do": "open", "dir": e.dir}, &e.opened)
}

// warm runs all queries repeatedly, so that caches are filled and a
// just-in-time compiler has seen each kind: for the given time, and then until
// a round is no faster than the best one before, up to a limit.
func (e *engine) warm(o options, queries map[string][]query) error {
	var all []query
	for _, class := range classNames(o, queries) {
		all = append(all, e.share(o, queries[class])...)
	}
	best := math.MaxFloat64
	calm := 0
	for began := time.Now(); time.Since(began) < o.warm || calm < 3 && time.Since(began) < 3*o.warm; {
		var t throughput
		if err := e.ask(map[string]any{"do": "throughput", "queries": all, "threads": 1, "rounds": 1}, &t); err != nil {
			return err
		}
		if calm++; t.Seconds < 0.97*best {
			calm = 0
		}
		best = min(best, t.Seconds)
	}
	// The code path of a single query is compiled separately.
	for _, q := range all {
		var a answer
		if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": o.repeat}, &a); err != nil {
			return err
		}
	}
	return nil
}

func sortedCopy(values []float64) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted
}
