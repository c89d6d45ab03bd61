package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// One search on idle cores: slow classes, run by one client of a process that
// may use n cores for a search, compared with a process that uses one core. The
// same with n clients, where no core is idle: neither throughput nor processor
// time may get worse.

// coresClasses are the classes of slow searches, and one class of short ones.
var coresClasses = []string{"or_high", "or3_4", "and_high", "phrase", "facet", "facet_all", "sort", "sort_string", "filter_term", "term_high"}

// coresCounts are the numbers of cores to measure, as far as the machine has
// them.
var coresCounts = []int{2, 4, 8}

// cored is a driver that may use some cores, and some of them for a single
// search.
type cored struct {
	*engine
	cores, each int
}

func startCored(cores, each int) (*cored, error) {
	threads := each - 1
	if threads == 0 {
		threads = -1
	}
	e, err := startWith("quire", []string{"GOMAXPROCS=" + strconv.Itoa(cores)}, "-threads", strconv.Itoa(threads))
	return &cored{e, cores, each}, err
}

// measureCores runs the measurement and writes the report.
func measureCores(o options) error {
	corpus, _, queries, err := growingCorpus(o, []int{o.docs})
	if err != nil {
		return err
	}
	if !o.built {
		if err := build("quire"); err != nil {
			return err
		}
	}
	all := []*cored{}
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	add := func(cores, each int) error {
		c, err := startCored(cores, each)
		if err == nil {
			all = append(all, c)
		}
		return err
	}
	if err := add(1, 1); err != nil {
		return err
	}
	for _, n := range coresCounts {
		if n > runtime.NumCPU() {
			break
		}
		if err := add(n, 1); err != nil {
			return err
		}
		if err := add(n, n); err != nil {
			return err
		}
	}
	if err := all[0].index(o, corpus, true); err != nil {
		return err
	}
	for i, c := range all {
		if i > 0 { // every process has its own index
			c.dir = fmt.Sprintf("%s-%d", all[0].dir, i)
			if err := errors.Join(os.RemoveAll(c.dir), os.CopyFS(c.dir, os.DirFS(all[0].dir))); err != nil {
				return err
			}
			defer os.RemoveAll(c.dir)
		}
	}
	for _, c := range all {
		if err := c.open(); err != nil {
			return err
		}
	}
	if len(o.classes) == 0 {
		o.classes = coresClasses
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# One search on several cores, %s\n\nCommit: %s. %d documents in one segment, %d cores. "+
		"Median of the time of a search in microseconds, asked for the first time and (best of %d) again, by one client; "+
		"then searches a second and processor time of a search in microseconds with as many clients as cores.\n",
		time.Now().Format("2006-01-02"), commit(), o.docs, runtime.NumCPU(), o.repeat)
	for i := 1; i < len(all); i += 2 {
		if err := compareCores(&b, o, queries, all[0], all[i], all[i+1]); err != nil {
			return err
		}
	}
	fmt.Println(b.String())
	return os.WriteFile(o.out, []byte(b.String()), 0o644)
}

// compareCores writes the table for a number of cores: one core alone, all
// cores with one per search, and all cores for every search.
func compareCores(b *strings.Builder, o options, queries map[string][]query, one, apart, joined *cored) error {
	n := joined.cores
	fmt.Fprintf(b, "\n## %d cores\n\n| class | first, 1 core | first, %d | share | again, 1 core | again, %d | share | %d clients, one core each | all cores | ratio | processor time, one core | all cores |\n|%s\n",
		n, n, n, n, strings.Repeat("---|", 12))
	for _, class := range o.classes {
		asked := queries[class]
		if len(asked) == 0 {
			continue
		}
		drivers := []*engine{one.engine, joined.engine}
		first, err := askOnce(drivers, asked)
		if err != nil {
			return err
		}
		again := [][]float64{{}, {}}
		for _, q := range asked {
			for i, e := range drivers {
				var a answer
				if err := e.ask(map[string]any{"do": "query", "query": q, "repeat": o.repeat}, &a); err != nil {
					return err
				}
				again[i] = append(again[i], a.Micros)
			}
		}
		pair, err := paceTogether(o, n, asked, middle(again[0]), apart.engine, joined.engine)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %s | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.0f | %.0f |\n", class,
			middle(first[0]), middle(first[1]), middleRatio(first[1], first[0]), middle(again[0]), middle(again[1]), middleRatio(again[1], again[0]),
			pair[0].perSecond, pair[1].perSecond, pair[1].perSecond/pair[0].perSecond, pair[0].micros, pair[1].micros)
	}
	return nil
}

// middleRatio returns the median of the ratios of times per query.
func middleRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return middle(ratios)
}

// paced is the performance of a driver under load.
type paced struct {
	perSecond, micros float64
}

// paceTogether loads drivers with this many clients, in turns, and returns the
// medians.
func paceTogether(o options, clients int, queries []query, micros float64, drivers ...*engine) ([]paced, error) {
	rounds := max(1, int(0.3e6*float64(clients)/micros/float64(len(queries))))
	perSecond, cpu := make([][]float64, len(drivers)), make([][]float64, len(drivers))
	for turn := range 2*o.rounds + 1 {
		for k := range drivers {
			i := (k + turn) % len(drivers)
			var t throughput
			if err := drivers[i].ask(map[string]any{"do": "throughput", "queries": queries, "threads": clients, "rounds": rounds}, &t); err != nil {
				return nil, err
			}
			perSecond[i] = append(perSecond[i], float64(t.Queries)/t.Seconds)
			cpu[i] = append(cpu[i], t.CPUSeconds*1e6/float64(t.Queries))
		}
	}
	all := make([]paced, len(drivers))
	for i := range all {
		all[i] = paced{middle(perSecond[i]), middle(cpu[i])}
	}
	return all, nil
}
