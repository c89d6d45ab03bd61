package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Loading a file: quire load reads a CSV file, converts its cells and sends
// them in batches; curl sends the same rows as ready-made NDJSON, in batches of
// the same size and in one request. The methods alternate and load into indexes
// with the same definition, which quire load drafts from the file.

const (
	roundRows   = 200_000 // of a load that is repeated
	batchBytes  = 8 << 20 // as quire load sends
	stealLimit  = 0.10    // a load is repeated if other machines took more of the processor time than this
	stealRounds = 5
)

var loadWays = []string{"quire load of CSV", "curl, NDJSON in batches", "curl, NDJSON in one request"}

// fileLoad is one load of a file.
type fileLoad struct {
	way            string
	rows           int
	seconds        float64
	server, client float64 // processor time
	peak           int64   // resident bytes of the client
	steal          float64 // share of processor time taken by other machines
}

// loadFiles measures all methods and writes the report.
func loadFiles(o options) error {
	packed := filepath.Join(o.data, "commits.ndjson.zst")
	var loads []fileLoad
	for _, rows := range []int{min(roundRows, o.docs), o.docs} {
		rounds := o.rounds
		if rows == o.docs {
			rounds = 1
		}
		files, err := prepareRows(o, packed, rows)
		if err != nil {
			return err
		}
		for round := range rounds {
			for i := range loadWays {
				one, err := loadQuietly(o, files, loadWays[(i+round)%len(loadWays)])
				if err != nil {
					return err
				}
				fmt.Println(one)
				loads = append(loads, one)
			}
		}
		if rows == o.docs {
			break
		}
	}
	text := renderLoads(loads)
	fmt.Println(text)
	return os.WriteFile(o.out, []byte(text), 0o644)
}

// rowFiles are the same rows in the formats to send.
type rowFiles struct {
	rows       int
	csv, lines string
	batches    []string
	definition []byte
}

func prepareRows(o options, packed string, rows int) (*rowFiles, error) {
	directory, err := filepath.Abs(filepath.Join(o.work, "load"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(directory), os.MkdirAll(directory, 0o755)); err != nil {
		return nil, err
	}
	f := &rowFiles{rows: rows, csv: filepath.Join(directory, "commits.csv"), lines: filepath.Join(directory, "commits.ndjson")}
	if err := errors.Join(unpack(packed, f.csv, rows, asCSV()), unpack(packed, f.lines, rows, asDocument)); err != nil {
		return nil, err
	}
	if f.batches, err = cut(f.lines); err != nil {
		return nil, err
	}
	drafted := filepath.Join(directory, "definition.json")
	if out, err := exec.Command("bin/quire", "load", f.csv, "--draft", drafted).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("draft: %w: %s", err, out)
	}
	f.definition, err = os.ReadFile(drafted)
	return f, err
}

// message is a document of the corpus.
type message struct {
	ID        string   `json:"id"`
	Repo      string   `json:"repo,omitempty"`
	Component string   `json:"component,omitempty"`
	Author    string   `json:"author,omitempty"`
	TS        any      `json:"ts"` // seconds since 1970; a string in documents
	Year      int64    `json:"year"`
	Labels    []string `json:"labels,omitempty"`
	Size      int64    `json:"size"`
	Title     string   `json:"title,omitempty"`
	Body      string   `json:"body,omitempty"`
}

func parseMessage(line []byte) (m message, seconds int64, err error) {
	err = json.Unmarshal(line, &m)
	count, _ := m.TS.(float64)
	return m, int64(count), err
}

// asDocument converts a message to the form the definition expects, so that no
// conversion remains.
func asDocument(line []byte) ([]byte, error) {
	m, seconds, err := parseMessage(line)
	m.TS = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	document, failed := json.Marshal(m)
	return document, errors.Join(err, failed)
}

// asCSV converts messages to rows, preceded by a header row.
func asCSV() func([]byte) ([]byte, error) {
	hasHeader := false
	return func(line []byte) ([]byte, error) {
		m, seconds, err := parseMessage(line)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		if !hasHeader {
			err = w.Write([]string{"id", "repo", "component", "author", "ts", "year", "labels", "size", "title", "body"})
			hasHeader = true
		}
		err = errors.Join(err, w.Write([]string{m.ID, m.Repo, m.Component, m.Author, strconv.FormatInt(seconds, 10), strconv.FormatInt(m.Year, 10),
			strings.Join(m.Labels, ";"), strconv.FormatInt(m.Size, 10), m.Title, m.Body}))
		w.Flush()
		return bytes.TrimSuffix(b.Bytes(), []byte("\n")), errors.Join(err, w.Error())
	}
}

// cut splits the lines of a file into files the size of a batch.
func cut(lines string) (batches []string, err error) {
	in, err := os.Open(lines)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	batch := make([]byte, batchBytes)
	held := 0
	for {
		n, failed := io.ReadFull(in, batch[held:])
		end := held + n
		if failed == nil {
			end = bytes.LastIndexByte(batch, '\n') + 1
		} else if !errors.Is(failed, io.EOF) && !errors.Is(failed, io.ErrUnexpectedEOF) {
			return nil, failed
		}
		if end > 0 {
			name := fmt.Sprintf("%s.%03d", lines, len(batches))
			if err := os.WriteFile(name, batch[:end], 0o644); err != nil {
				return nil, err
			}
			batches = append(batches, name)
		}
		if failed != nil {
			return batches, nil
		}
		held = copy(batch, batch[end:])
	}
}

// loadQuietly loads a file, and repeats that while other machines take too much
// time.
func loadQuietly(o options, f *rowFiles, way string) (one fileLoad, err error) {
	for range stealRounds {
		if one, err = loadFile(o, f, way); err != nil || one.steal <= stealLimit {
			return one, err
		}
		fmt.Println("repeated:", one)
	}
	return one, nil
}

// loadFile loads the rows into a new index of an empty node, up to and
// including the commit.
func loadFile(o options, f *rowFiles, way string) (one fileLoad, err error) {
	s, err := startServer(o)
	if err != nil {
		return one, err
	}
	defer s.stop()
	if _, err := s.send("PUT", "/v1alpha1/admin/indexes/messages", "application/json", bytes.NewReader(f.definition)); err != nil {
		return one, err
	}
	commands := f.commands(s, way)
	one = fileLoad{way: way, rows: f.rows}
	began, before, spent := time.Now(), stolen(), processorOf(s.process.Process.Pid)
	for _, args := range commands {
		if err := one.run(args); err != nil {
			return one, err
		}
	}
	one.seconds = time.Since(began).Seconds()
	one.server = (processorOf(s.process.Process.Pid) - spent).Seconds()
	one.steal = stolen().since(before)
	return one, s.checkCount(f.rows)
}

// run runs a command to its end and tracks its memory. The kernel's peak of a
// child is unusable, because it includes the memory of this process before the
// exec.
func (l *fileLoad) run(args []string) error {
	var out bytes.Buffer
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.peak = max(l.peak, memoryOf(c.Process.Pid).highest)
		case err := <-ended:
			l.client += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
			if err != nil && c.ProcessState.ExitCode() != 3 { // 3: some rows were rejected
				return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out.Bytes())
			}
			return nil
		}
	}
}

// commands returns the commands of a method, to be run in sequence.
func (f *rowFiles) commands(s *server, way string) [][]string {
	if way == loadWays[0] {
		return [][]string{{"bin/quire", "load", f.csv, "--index", "messages", "--url", s.url}}
	}
	post := func(args ...string) []string {
		return append([]string{"curl", "-sS", "--fail-with-body", "-o", os.DevNull, "-X", "POST"}, args...)
	}
	documents := []string{"-H", "Content-Type: application/x-ndjson", s.url + "/v1alpha1/indexes/messages/documents?onError=skip"}
	var all [][]string
	if way == loadWays[1] {
		for _, batch := range f.batches {
			all = append(all, post(append(documents, "--data-binary", "@"+batch)...))
		}
	} else {
		all = append(all, post(append(documents, "-T", f.lines)...))
	}
	return append(all, post(s.url+"/v1alpha1/admin/indexes/messages/actions/commit"))
}

// checkCount fails if rows are missing: the corpus has a few titles that are
// rejected, the same ones with every method.
func (s *server) checkCount(rows int) error {
	var answer struct {
		Total struct {
			Count int `json:"count"`
		} `json:"total"`
	}
	if err := s.sendJSON("POST", "/v1alpha1/indexes/messages/search", map[string]any{"limit": 0}, &answer); err != nil {
		return err
	}
	if answer.Total.Count < rows-10 {
		return fmt.Errorf("%d of %d rows were added", answer.Total.Count, rows)
	}
	return nil
}

// ticks is the time the processors spent since the machine started.
type ticks struct{ stolen, all float64 }

// stolen returns the processor time taken by other machines, or zero if the
// system does not report it.
func stolen() (t ticks) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		value, _ := strconv.ParseFloat(field, 64)
		if i == 8 {
			t.stolen = value
		}
		if i > 0 && i <= 8 {
			t.all += value
		}
	}
	return t
}

func (t ticks) since(before ticks) float64 {
	if t.all <= before.all {
		return 0
	}
	return (t.stolen - before.stolen) / (t.all - before.all)
}

func (l fileLoad) String() string {
	return fmt.Sprintf("| %s | %d | %.1f | %.0f | %.2f | %.2f | %.0f | %.0f %% |", l.way, l.rows, l.seconds, float64(l.rows)/l.seconds, l.server, l.client, float64(l.peak)/1e6, 100*l.steal)
}

func renderLoads(loads []fileLoad) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Loading a file, %s\n\nMachine: %s; the sender runs on the same cores. Load average (1, 5, 15 minutes) at the end: %s. Quire: commit %s. Commit messages. Command: `make bench-load`.\n\n",
		time.Now().Format("2006-01-02"), machine(), loadAverage(), commit())
	b.WriteString("Each load fills an index of the drafted definition on an empty node, up to the commit. The NDJSON is ready to be added: the time to make it of the CSV is not in it. ")
	fmt.Fprintf(&b, "Batches have %d MB, as quire load sends them. Steal is the share of the processors' time that other machines took; loads with more than %.0f %% were repeated, up to %d times.\n\n",
		batchBytes>>20, 100*stealLimit, stealRounds)
	b.WriteString("| way | rows | seconds | rows/s | CPU s of the node | CPU s of the sender | peak MB of the sender | steal |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range loads {
		fmt.Fprintln(&b, l)
	}
	b.WriteString("\nRate of quire load relative to curl (bound: 0.60 of the batches), by the sums of the loads:\n\n| rows | against | by the clock | by processor time, node and sender |\n|---|---|---|---|\n")
	for _, rows := range sizes(loads) {
		ours := sum(loads, rows, loadWays[0])
		for _, way := range loadWays[1:] {
			theirs := sum(loads, rows, way)
			fmt.Fprintf(&b, "| %d | %s | %.2f | %.2f |\n", rows, way, theirs.seconds/ours.seconds, (theirs.server+theirs.client)/(ours.server+ours.client))
		}
	}
	return b.String()
}

func sizes(loads []fileLoad) (all []int) {
	for _, l := range loads {
		if len(all) == 0 || all[len(all)-1] != l.rows {
			all = append(all, l.rows)
		}
	}
	return all
}

func sum(loads []fileLoad, rows int, way string) (total fileLoad) {
	for _, l := range loads {
		if l.rows == rows && l.way == way {
			total.seconds, total.server, total.client = total.seconds+l.seconds, total.server+l.server, total.client+l.client
		}
	}
	return total
}
