package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// restLimit is the maximum number of seconds for an engine to settle after a
// load.
const restLimit = 60

// startRested starts the engines on indexes in a realistic state: committed
// while loading, merged by the engine's own policy, settled. Slow engines are
// left out.
func (r *report) startRested(o options, corpus string) error {
	for _, name := range o.engines {
		if slices.Contains(o.brief, name) {
			continue
		}
		e, err := start(name)
		if err != nil {
			return fmt.Errorf("start %s: %w", name, err)
		}
		r.rested = append(r.rested, e)
		if err := e.index(o, corpus, false); err != nil {
			return fmt.Errorf("index with %s without merge: %w", name, err)
		}
	}
	return nil
}

func (r *report) closeRested() {
	for _, e := range r.rested {
		e.close()
	}
}

// add adds the results of a class: first the engines on merged indexes, then
// those on settled ones.
func (r *report) add(class string, found []samples) {
	merged := compare(class, found[:len(r.engines)])
	r.rows = append(r.rows, merged)
	fmt.Println(line(r.engines, merged))
	if len(r.rested) > 0 {
		rested := compare(class, found[len(r.engines):])
		r.restedRows = append(r.restedRows, rested)
		fmt.Println(line(r.rested, rested), " at rest")
	}
}

// trickled is the result of one engine during a trickle of updates.
type trickled struct {
	engine         string
	classes        []string
	quiet, trickle []float64 // p50 by class
	Documents      int       `json:"documents"`
	Seconds        float64   `json:"seconds"`
	Segments       int       `json:"segments"`
	Flushed        int64     `json:"flushed"`
	Merged         int64     `json:"merged"`
}

// perSecond is the number of documents that a trickle changes per second.
const perSecond = 100

// trickles measures each engine with a settled index, and the same engine on a
// copy of its index while documents are changed.
func (r *report) trickles(o options, corpus string, queries map[string][]query) error {
	if o.trickle <= 0 {
		return nil
	}
	documents, err := head(corpus, 20_000)
	if err != nil {
		return err
	}
	for _, e := range r.rested {
		if e.name == "quire-http" {
			continue
		}
		t, err := e.trickle(o, documents, queries)
		if err != nil {
			return fmt.Errorf("trickle of %s: %w", e.name, err)
		}
		r.trickled = append(r.trickled, t)
	}
	return nil
}

// trickle runs every query alternately on the engine and on another one that
// writes.
func (e *engine) trickle(o options, documents []json.RawMessage, queries map[string][]query) (*trickled, error) {
	copied := e.dir + ".trickle"
	defer os.RemoveAll(copied)
	if err := errors.Join(os.RemoveAll(copied), os.CopyFS(copied, os.DirFS(e.dir))); err != nil {
		return nil, err
	}
	writer, err := start(e.name)
	if err != nil {
		return nil, err
	}
	defer writer.close()
	if err := writer.ask(map[string]any{"do": "trickle", "dir": copied, "documents": documents, "per_second": perSecond}, &struct{}{}); err != nil {
		return nil, err
	}
	if err := writer.warm(o, queries); err != nil {
		return nil, err
	}
	t := &trickled{engine: e.name, classes: classNames(o, queries)}
	quiet, busy := make([][]float64, len(t.classes)), make([][]float64, len(t.classes))
	for began := time.Now(); time.Since(began) < o.trickle; {
		for i, class := range t.classes {
			times, err := askOnce([]*engine{e, writer}, queries[class])
			if err != nil {
				return nil, err
			}
			quiet[i], busy[i] = append(quiet[i], times[0]...), append(busy[i], times[1]...)
		}
	}
	for i := range t.classes {
		t.quiet, t.trickle = append(t.quiet, middle(quiet[i])), append(t.trickle, middle(busy[i]))
	}
	return t, writer.ask(map[string]any{"do": "still"}, t)
}

func (r *report) renderRested(b *strings.Builder) {
	if len(r.restedRows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Asked again: indexes at rest, without a forced merge\n\nEach engine commits every 10,000 documents and every 5 seconds while it loads, merges by its own policy as it comes, and is measured when no merge is due any more, %d seconds after the last commit at the latest.\n\n", restLimit)
	b.WriteString("| engine | segments | documents/s | CPU s | at rest after s | size MB | written MB | written ÷ size | open ms |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range r.rested {
		fmt.Fprintf(b, "| %s | %d | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", e.name, e.opened.Segments, float64(e.built.Docs)/e.built.Seconds, e.built.CPUSeconds,
			e.built.RestSeconds, float64(e.built.Bytes)/1e6, float64(e.built.Written)/1e6, float64(e.built.Written)/float64(e.built.Bytes), e.opened.Seconds*1e3)
	}
	for _, e := range r.rested {
		if e.built.Flushed > 0 {
			fmt.Fprintf(b, "\nOf what %s wrote, %.1f MB are segments made of documents and %.1f MB segments made by merges (write amplification **%.1f**, bound: 8); the rest is its log.\n",
				e.name, float64(e.built.Flushed)/1e6, float64(e.built.Merged)/1e6, float64(e.built.Flushed+e.built.Merged)/float64(e.built.Bytes))
		}
	}
	fmt.Fprintf(b, "\nTop-10 latency, one thread, µs p50 · p99, speed relative to %s (above 1 is faster), and the p50 at rest as a multiple of the force-merged one (bound for quire: 1.3):\n\n| class |", r.rested[0].name)
	for _, e := range r.rested {
		fmt.Fprintf(b, " %s |", e.name)
	}
	for _, e := range r.rested[1:] {
		fmt.Fprintf(b, " %s ÷ |", e.name)
	}
	for _, e := range r.rested {
		fmt.Fprintf(b, " %s ÷ merged |", e.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 3*len(r.rested)-1) + "\n")
	speeds, costs := make([]float64, len(r.rested)), make([]float64, len(r.rested))
	for at, row := range r.restedRows {
		fmt.Fprintf(b, "| %s |", row.class)
		for i := range r.rested {
			fmt.Fprintf(b, " %.0f · %.0f |", row.p50[i], row.p99[i])
		}
		for i := 1; i < len(r.rested); i++ {
			fmt.Fprintf(b, " %s |", ratio(row.base[i], row.p50[i]))
			speeds[i] += math.Log(row.base[i] / row.p50[i])
		}
		for i, e := range r.rested {
			merged := r.rows[at].p50[slices.IndexFunc(r.engines, func(m *engine) bool { return m.name == e.name })]
			fmt.Fprintf(b, " %s |", ratio(row.p50[i], merged))
			costs[i] += math.Log(row.p50[i] / merged)
		}
		b.WriteString("\n")
	}
	b.WriteString("| geometric mean |" + strings.Repeat(" |", len(r.rested)))
	for i := 1; i < len(r.rested); i++ {
		fmt.Fprintf(b, " **%.2f** |", math.Exp(speeds[i]/float64(len(r.restedRows))))
	}
	for i := range r.rested {
		fmt.Fprintf(b, " %.2f |", math.Exp(costs[i]/float64(len(r.restedRows))))
	}
	b.WriteString("\n")
	r.renderTrickled(b)
}

func (r *report) renderTrickled(b *strings.Builder) {
	if len(r.trickled) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### During a trickle of updates\n\np50 in µs of single searches on the index at rest → on a copy of it of which %d documents a second are changed, and how many times as long that is (bound for quire: 2):\n\n| class |", perSecond)
	for _, t := range r.trickled {
		fmt.Fprintf(b, " %s | × |", t.engine)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 2*len(r.trickled)) + "\n")
	for i, class := range r.trickled[0].classes {
		fmt.Fprintf(b, "| %s |", class)
		for _, t := range r.trickled {
			fmt.Fprintf(b, " %.0f → %.0f | %.2f |", t.quiet[i], t.trickle[i], t.trickle[i]/t.quiet[i])
		}
		b.WriteString("\n")
	}
	for _, t := range r.trickled {
		fmt.Fprintf(b, "\n%s changed %d documents in %.0f s and had %d segments at the end", t.engine, t.Documents, t.Seconds, t.Segments)
		if t.Flushed > 0 {
			fmt.Fprintf(b, "; it wrote %.1f MB of segments made of documents and %.1f MB made by merges", float64(t.Flushed)/1e6, float64(t.Merged)/1e6)
		}
		b.WriteString(".\n")
	}
}
