package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type report struct {
	options options
	engines []*engine
	rows    []row
	update  []float64
	mixed   []mixed
	service *service

	rested     []*engine // the same documents without a forced merge, settled
	first      *askedFirst
	restedRows []row
	trickled   []*trickled
}

// updates measures one hundred changed documents on the whole index, from the
// first change until a search would see the last one, and searches while
// documents are written. Both work on a copy, so that the next run finds the
// index as it was built.
func (r *report) updates(o options, corpus string, queries map[string][]query) error {
	documents, err := head(corpus, 5000)
	if err != nil {
		return err
	}
	var plain []query
	for _, class := range []string{"term_mid", "and2", "or2"} {
		plain = append(plain, queries[class]...)
	}
	seconds := 10
	if o.docs < 500_000 {
		seconds = 5
	}
	for _, e := range r.engines {
		e.close()
		copied := e.dir + ".changed"
		if err := errors.Join(os.RemoveAll(copied), os.CopyFS(copied, os.DirFS(e.dir))); err != nil {
			return err
		}
		a := struct {
			Seconds float64 `json:"seconds"`
		}{math.NaN()}
		if err := once(e.name, map[string]any{"do": "update", "dir": copied, "documents": documents[:min(100, len(documents))]}, &a); err != nil {
			return err
		}
		r.update = append(r.update, a.Seconds)
		var m mixed
		if len(plain) > 0 && e.name != "quire-http" {
			if err := once(e.name, map[string]any{"do": "mixed", "dir": copied, "documents": documents, "queries": plain, "seconds": seconds}, &m); err != nil && !strings.Contains(err.Error(), "unknown command") {
				return err
			}
		}
		r.mixed = append(r.mixed, m)
		if err := os.RemoveAll(copied); err != nil {
			return err
		}
	}
	return nil
}

// mixed is the result of concurrent searches and writes.
type mixed struct {
	Searches  int     `json:"searches"`
	Documents int     `json:"documents"`
	Seconds   float64 `json:"seconds"`
}

// once starts a driver for a single command.
func once(name string, command, answer any) error {
	e, err := start(name)
	if err != nil {
		return err
	}
	defer e.close()
	return e.ask(command, answer)
}

// head reads the first documents of a corpus.
func head(corpus string, count int) ([]json.RawMessage, error) {
	f, err := os.Open(corpus)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	var documents []json.RawMessage
	for range count {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		documents = append(documents, json.RawMessage(bytes.TrimSpace(line)))
	}
	return documents, nil
}

func line(engines []*engine, row row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s", row.class)
	for i, e := range engines {
		fmt.Fprintf(&b, "  %s %.0f/%.0f µs (counts %d/%d, top %.2f)", e.name, row.p50[i], row.p99[i], row.counts[i], row.asked[i], row.overlap[i])
	}
	return b.String()
}

func (r *report) render() string {
	var b strings.Builder
	base := r.engines[0]
	fmt.Fprintf(&b, "# Benchmark of %s\n\n", time.Now().Format("2006-01-02"))
	fmt.Fprintf(&b, "Machine: %s, %d cores, %s/%s, load average %s. Corpus: %d documents. Rounds: %d, fastest of %d runs a round.\nCommit: %s\n\n",
		cpuName(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, loadAverage(), r.engines[0].built.Docs, r.options.rounds, r.options.repeat, commit())
	for _, e := range r.engines {
		fmt.Fprintf(&b, "- %s %s (%s)\n", e.name, e.hello.Version, e.hello.Runtime)
	}
	if r.first != nil {
		b.WriteString("\n## Asked for the first time: indexes at rest, without a forced merge\n\n")
		r.first.render(&b)
	}
	r.renderRested(&b)
	b.WriteString("\n## Merged into one segment: indexing\n\n| engine | documents/s | wall s | merge s | CPU s | size MB | peak MB | open ms | at rest MB | 100 updates s |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, e := range r.engines {
		fmt.Fprintf(&b, "| %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.0f | %.1f | %.0f | %.3f |\n", e.name, float64(e.built.Docs)/e.built.Seconds,
			e.built.Seconds, e.built.MergeSeconds, e.built.CPUSeconds, float64(e.built.Bytes)/1e6, float64(e.built.PeakRSS)/1e6,
			e.opened.Seconds*1e3, float64(e.opened.RSS)/1e6, r.update[i])
	}
	b.WriteString("\nSize is that of the force-merged index without log. At rest: resident memory after opening, mapped pages touched so far included.\n")
	r.renderMixed(&b)
	fmt.Fprintf(&b, "\n## Merged into one segment: top-10 latency, one thread, µs p50 · p99, and speed relative to %s (above 1 is faster)\n\nA search ends when the keys of its hits are read. The column before the remarks shows the first engine without that. A class holds up to %d queries%s.\n\n| class |", base.name, r.options.perKind, r.briefly())
	for _, e := range r.engines {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	for _, e := range r.engines[1:] {
		fmt.Fprintf(&b, " %s ÷ |", e.name)
	}
	fmt.Fprintf(&b, " %s without keys | remark |\n|---|%s\n", base.name, strings.Repeat("---|", 2*len(r.engines)+1))
	means := make([]float64, len(r.engines))
	for _, row := range r.rows {
		fmt.Fprintf(&b, "| %s |", row.class)
		for i := range r.engines {
			fmt.Fprintf(&b, " %.0f · %.0f |", row.p50[i], row.p99[i])
		}
		for i := 1; i < len(r.engines); i++ {
			fmt.Fprintf(&b, " %s |", ratio(row.base[i], row.p50[i]))
			means[i] += math.Log(row.base[i] / row.p50[i])
		}
		fmt.Fprintf(&b, " %.0f | %s |\n", row.bare, r.agreement(row))
	}
	b.WriteString("| geometric mean |" + strings.Repeat(" |", len(r.engines)))
	for i := 1; i < len(r.engines); i++ {
		fmt.Fprintf(&b, " **%.2f** |", math.Exp(means[i]/float64(len(r.rows))))
	}
	fmt.Fprintf(&b, " | |\n\n## Merged into one segment: queries per second of processor time on one thread · per second of the clock on %d\n\n| class |", r.options.threads)
	for _, e := range r.engines {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(r.engines)) + "\n")
	for _, row := range r.rows {
		fmt.Fprintf(&b, "| %s |", row.class)
		for i := range r.engines {
			fmt.Fprintf(&b, " %.0f · %.0f |", row.qps[i], row.qpsAll[i])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n![Speed relative to %s per class](%s)\n", base.name, filepath.Base(r.plotPath()))
	if r.service != nil {
		r.service.render(&b)
	}
	return b.String()
}

// briefly lists the engines that ran fewer queries.
func (r *report) briefly() string {
	var slow []string
	for _, e := range r.engines {
		if e.isBrief(r.options) {
			slow = append(slow, e.name)
		}
	}
	if len(slow) == 0 || r.options.perKind <= briefQueries {
		return ""
	}
	return fmt.Sprintf("; %s is asked the first %d of them in one round, and its ratio is over those", strings.Join(slow, ", "), briefQueries)
}

func (r *report) renderMixed(b *strings.Builder) {
	b.WriteString("\nSearches of one thread (term, and, or) while another writes documents that are there already, visible about every second:\n\n| engine | searches/s | documents/s |\n|---|---|---|\n")
	for i, e := range r.engines {
		if m := r.mixed[i]; m.Seconds > 0 {
			fmt.Fprintf(b, "| %s | %.0f | %.0f |\n", e.name, float64(m.Searches)/m.Seconds, float64(m.Documents)/m.Seconds)
		}
	}
}

func (r *report) plotPath() string { return strings.TrimSuffix(r.options.out, ".md") + ".svg" }

// write writes the report and its plot.
func (r *report) write(text string) error {
	if err := os.MkdirAll(filepath.Dir(r.options.out), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(r.plotPath(), r.plot(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(r.options.out, []byte(text), 0o644)
}

// agreement describes how the results of engines differ from those of the first
// one.
func (r *report) agreement(row row) string {
	var remarks []string
	if row.remark != "" {
		remarks = append(remarks, row.remark)
	}
	for i := 1; i < len(r.engines); i++ {
		exact := row.counts[i] == row.asked[i]
		// Drivers without an exact count for sorted searches return the number of
		// hits they show.
		if !exact {
			remarks = append(remarks, fmt.Sprintf("%s counts equal in %d of %d", r.engines[i].name, row.counts[i], row.asked[i]))
		}
		if row.overlap[i] < 0.95 && row.remark == "" {
			remarks = append(remarks, fmt.Sprintf("%s top-10 overlap %.2f", r.engines[i].name, row.overlap[i]))
		}
	}
	slices.Sort(remarks)
	return strings.Join(remarks, "; ")
}

func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name\t: "); ok {
			return strings.TrimSpace(name)
		}
	}
	return "unknown processor"
}

// loadAverage returns the load averages of the machine, which indicate how far
// wall-clock times can be trusted.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

func commit() string {
	text, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
