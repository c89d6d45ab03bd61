package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/bench/neighbours"
	"github.com/quiresearch/quire/bench/wire"
)

// Nearest-neighbour search of whole services, with and without filters: the
// same vectors in Quire and in OpenSearch with its k-NN plugin, over HTTP.

const (
	knnQueries = 500  // of the set, for recall and for speed
	knnRecall  = 0.95 // target for one setting of OpenSearch
	// A service is calm after this long with hardly any work: Quire merges an
	// index of this size once nothing was written for six seconds.
	knnCalm     = 10 * time.Second
	knnLongCalm = 90 * time.Second // maximum wait
)

var (
	knnConnections = []int{1, 4, 16}
	// knnWidths are the settings of ef_search that are tried to reach a recall.
	knnWidths = []int{20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500}
)

// knnFilters are filters of the set, each with the document field that is 1 for
// the documents the filter keeps.
var knnFilters = []struct {
	name, field string
	at          int // among the filters of the set
}{
	{"no filter", "", 0}, {"10 % at random", "tenth", 1}, {"1 % at random", "hundredth", 4}, {"10 % by region", "region", 7},
}

// knnParts are measured in this order. A merged part follows the same service
// without the merge.
var knnParts = []struct {
	name    string
	service func() *knnContender
	merged  bool
}{
	{"Quire", quireNearest, false},
	{"OpenSearch", openSearchNearest, false},
	{"OpenSearch merged", openSearchNearest, true},
}

// knnContender is a contender with nearest-neighbour search. A width of 0
// leaves it to the service.
type knnContender struct {
	*contender
	nearest  func(vector json.RawMessage, field string, width int) ([]byte, error)
	keys     func(answer []byte) ([]string, error)
	segments func(w *wire.Conn, directory string) (int, error)
	merge    call
	widths   bool // can be set
}

// knnRun is the result of one part. It is stored in a file, so that parts can
// be measured at different times.
type knnRun struct {
	Name, Version, Load string // load is the load average of the machine before the searches
	Documents, Segments int
	LoadClock           float64 // seconds from the first request until everything is searchable
	LoadProcessor       float64
	CalmClock           float64 // seconds of work after that; for a merged part, of the merge
	CalmProcessor       float64
	Bytes               int64
	Resident, Private   int64 // before the searches
	Searched            int64 // resident after them
	Rows                []knnRow
}

// knnRow is the result for one filter with one setting.
type knnRow struct {
	Filter, Setting string
	Width           int
	Recall          float64
	Cells           []knnCell // in the order of connections
}

// knnCell is a cell with times in seconds.
type knnCell struct{ PerSecond, P50, P99, Processor float64 }

// compareNearest measures the selected parts and reports them together with the
// last results of the others.
func compareNearest(o options) error {
	set, err := neighbours.Glove(o.data)
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire-http"); err != nil {
			return err
		}
	}
	if err := fetchOpenSearch("OPENSEARCH_KNN=1"); err != nil {
		return err
	}
	var runs []*knnRun
	for _, part := range knnParts {
		kept := filepath.Join(o.work, "knn-"+strings.ReplaceAll(part.name, " ", "-")+".json")
		run := &knnRun{Name: part.name}
		if o.classes == nil || slices.Contains(o.classes, part.name) {
			m := &knnMeasurement{options: o, set: set, service: part.service(), run: run}
			if len(runs) > 0 {
				m.beside = runs[0]
			}
			if err := m.measure(part.merged); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
			text, err := json.MarshalIndent(run, "", "\t")
			if err := errors.Join(err, os.WriteFile(kept, text, 0o644)); err != nil {
				return err
			}
		} else if text, err := os.ReadFile(kept); err != nil {
			continue // not measured yet
		} else if err := json.Unmarshal(text, run); err != nil {
			return err
		}
		runs = append(runs, run)
	}
	text := renderNearest(o, set, runs)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// knnMeasurement is the measurement of one part.
type knnMeasurement struct {
	options options
	set     *neighbours.Set
	service *knnContender
	run     *knnRun
	beside  *knnRun // run whose recalls a setting should reach, or nil
	whole   *wholeRun
}

func (m *knnMeasurement) measure(merged bool) error {
	directory, err := filepath.Abs(filepath.Join(m.options.work, "knn-"+m.service.name))
	if err != nil {
		return err
	}
	if !merged {
		if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
			return err
		}
	}
	m.whole = &wholeRun{service: m.service.contender}
	n, err := startNode(m.service.contender, directory, true)
	if err != nil {
		return err
	}
	defer n.stop()
	w, err := m.whole.greet(n)
	if err != nil {
		return err
	}
	defer w.Close()
	m.run.Version = m.whole.version
	if merged {
		err = m.merge(n, w)
	} else {
		err = m.load(n, w)
	}
	if err != nil {
		return err
	}
	m.run.Documents = m.set.Rows()
	if m.run.Segments, err = m.service.segments(w, directory); err != nil {
		return err
	}
	if m.run.Bytes, err = bytesBelow(directory); err != nil {
		return err
	}
	now := memoryOf(n.process.Process.Pid)
	m.run.Resident, m.run.Private = now.resident, now.private
	if err := m.searches(n); err != nil {
		return err
	}
	m.run.Searched = memoryOf(n.process.Process.Pid).resident
	after, err := m.service.segments(w, directory)
	if err == nil && after != m.run.Segments {
		err = fmt.Errorf("%d segments became %d during the searches", m.run.Segments, after)
	}
	return err
}

// load adds the vectors and waits until the service is calm.
func (m *knnMeasurement) load(n *node, w *wire.Conn) error {
	lines := make([]json.RawMessage, m.set.Rows())
	for row := range lines {
		line := fmt.Appendf(nil, `{"id":"%d"`, row)
		for _, f := range knnFilters[1:] {
			value := 0
			if m.set.Filters[f.at].Keep.Get(uint32(row)) {
				value = 1
			}
			line = fmt.Appendf(line, `,%q:%d`, f.field, value)
		}
		line = append(line, `,"vector":`...)
		lines[row] = append(append(line, written(m.set.Row(row))...), '}')
	}
	took, err := m.whole.loadOnce(n, w, m.whole.requestsOf(lines, bulkDocuments))
	if err != nil {
		return err
	}
	m.run.LoadClock, m.run.LoadProcessor = took.clock, took.processor
	return m.rest(n, w, m.service.settle)
}

// merge merges the data loaded by an earlier part into one segment.
func (m *knnMeasurement) merge(n *node, w *wire.Conn) error {
	query, err := m.service.nearest(written(m.set.Query(0)), "", 0)
	if err != nil {
		return err
	}
	found, err := n.await(func(w *wire.Conn) error {
		_, err := w.Send("POST", m.service.searchPath, "application/json", query)
		return err
	})
	if err != nil {
		return err
	}
	found.Close()
	return m.rest(n, w, append([]call{m.service.merge}, m.service.settle...))
}

// rest performs the calls, waits until the service is calm and makes the merged
// data visible.
func (m *knnMeasurement) rest(n *node, w *wire.Conn, calls []call) error {
	began, processor := time.Now(), n.processor()
	if err := doAll(w, calls); err != nil {
		return err
	}
	m.calm(n, began, processor)
	return doAll(w, slices.Concat(m.service.visible, m.service.settle))
}

// calm waits until the service has used hardly any processor time for a while,
// and records the time used until then.
func (m *knnMeasurement) calm(n *node, began time.Time, processor time.Duration) {
	const step = 2 * time.Second
	work := n.spentSince(began, processor)
	for quiet := time.Duration(0); quiet < knnCalm && time.Since(began) < knnLongCalm; {
		before := n.processor()
		time.Sleep(step)
		if quiet += step; n.processor()-before > 100*time.Millisecond {
			quiet, work = 0, n.spentSince(began, processor)
		}
	}
	m.run.CalmClock, m.run.CalmProcessor = work.clock, work.processor
}

// searches selects the widths to compare, warms up the service and measures
// them.
func (m *knnMeasurement) searches(n *node) error {
	var all [][]byte
	for i := range knnFilters {
		rows, err := m.settings(n, i)
		if err != nil {
			return err
		}
		m.run.Rows = append(m.run.Rows, rows...)
		for _, row := range rows {
			requests, err := m.requests(i, row.Width)
			if err != nil {
				return err
			}
			all = append(all, requests...)
		}
	}
	interleaved := make([][]byte, 0, len(all))
	for q := range knnQueries {
		for at := q; at < len(all); at += knnQueries {
			interleaved = append(interleaved, all[at])
		}
	}
	fmt.Println("asking", m.run.Name)
	if err := m.whole.warm(m.options, n, interleaved); err != nil {
		return err
	}
	m.run.Load = loadAverage()
	for i := range m.run.Rows {
		row := &m.run.Rows[i]
		requests := all[i*knnQueries:][:knnQueries]
		for _, connections := range knnConnections {
			c, err := m.whole.cell(n, connections, m.options.cell, requests)
			if err != nil {
				return fmt.Errorf("%s: %w", row.Filter, err)
			}
			row.Cells = append(row.Cells, knnCell{c.perSecond, c.p50.Seconds(), c.p99.Seconds(), c.processor.Seconds()})
			fmt.Printf("%s, %s, %s (%d): recall %.3f, %d connections, %s\n", m.run.Name, row.Filter, row.Setting, row.Width, row.Recall, connections, c)
		}
	}
	return nil
}

// settings returns the widths to measure with a filter: the default of the
// service, the smallest with a recall of 0.95, and the smallest with the recall
// of the part to compare with.
func (m *knnMeasurement) settings(n *node, filter int) ([]knnRow, error) {
	name := knnFilters[filter].name
	recall, err := m.recall(n, filter, 0)
	if err != nil {
		return nil, err
	}
	rows := []knnRow{{Filter: name, Setting: "as it comes", Recall: recall}}
	if !m.service.widths {
		return rows, nil
	}
	goals := []knnRow{{Filter: name, Setting: fmt.Sprintf("recall of %.2f", knnRecall), Recall: knnRecall}}
	if m.beside != nil {
		for _, row := range m.beside.Rows {
			if row.Filter == name {
				goals = append(goals, knnRow{Filter: name, Setting: "recall of " + m.beside.Name, Recall: row.Recall})
			}
		}
	}
	tried := 0
	for _, goal := range goals {
		last := &rows[len(rows)-1]
		for last.Recall < goal.Recall && tried < len(knnWidths) {
			goal.Width = knnWidths[tried]
			tried++
			reached, err := m.recall(n, filter, goal.Width)
			if err != nil {
				return nil, err
			}
			if reached >= goal.Recall || tried == len(knnWidths) {
				goal.Recall = reached
				rows = append(rows, goal)
				last = &rows[len(rows)-1]
			}
		}
	}
	return rows, nil
}

// recall runs every query once and returns the share of true neighbours found.
func (m *knnMeasurement) recall(n *node, filter, width int) (float64, error) {
	requests, err := m.requests(filter, width)
	if err != nil {
		return 0, err
	}
	truth := m.set.Filters[knnFilters[filter].at].Truth
	var found, wanted atomic.Int64
	err = n.each(4, len(requests), func(w *wire.Conn, q int) error {
		answer, err := w.Send("POST", m.service.searchPath, "application/json", requests[q])
		if err != nil {
			return err
		}
		keys, err := m.service.keys(answer)
		if err != nil {
			return err
		}
		for _, row := range truth[q] {
			if slices.Contains(keys, strconv.Itoa(int(row))) {
				found.Add(1)
			}
		}
		wanted.Add(int64(len(truth[q])))
		return nil
	})
	return float64(found.Load()) / float64(wanted.Load()), err
}

// requests returns the bodies of the queries with a filter.
func (m *knnMeasurement) requests(filter, width int) ([][]byte, error) {
	var all [][]byte
	for q := range min(knnQueries, m.set.Asked()) {
		body, err := m.service.nearest(written(m.set.Query(q)), knnFilters[filter].field, width)
		if err != nil {
			return nil, err
		}
		all = append(all, body)
	}
	return all, nil
}

// written returns a vector as a JSON array of numbers.
func written(vector []float32) json.RawMessage {
	text := []byte{'['}
	for i, x := range vector {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendFloat(text, float64(x), 'g', -1, 32)
	}
	return append(text, ']')
}
