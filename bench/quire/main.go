// Command quire is Quire's side of the benchmark, in process through the
// engine, or with -http through a server: one command per line on standard input, one JSON answer per line on
// standard output. The protocol is in bench/README.md.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
)

type command struct {
	Do        string            `json:"do"`
	Corpus    string            `json:"corpus"`
	Dir       string            `json:"dir"`
	Threads   int               `json:"threads"`
	Merge     bool              `json:"merge"`
	Repeat    int               `json:"repeat"`
	Rounds    int               `json:"rounds"`
	Query     work              `json:"query"`
	Queries   []work            `json:"queries"`
	Documents []json.RawMessage `json:"documents"`
	Bodies    []json.RawMessage `json:"bodies"` // ask

	Definition json.RawMessage `json:"definition"` // index, write: in place of the corpus's own
	Body       json.RawMessage `json:"body"`       // search, set: the request as the interface takes it
	At         string          `json:"at"`         // ask: search, suggest or facets/<field>/values
	Seconds    float64         `json:"seconds"`    // mixed, profile, write: how long
	CPU        string          `json:"cpu"`        // profile, index, write: files to write
	Allocs     string          `json:"allocs"`
	Bytes      int64           `json:"bytes"`      // index: of the corpus; 0: all
	Verify     bool            `json:"verify"`     // update: after the files are verified
	Each       int             `json:"each"`       // update: documents of one commit; 0: all
	Clients    int             `json:"clients"`    // index, write: how many send at once
	Warm       float64         `json:"warm"`       // write: seconds of writes before those that are measured
	Commits    bool            `json:"commits"`    // index: commit and merge while loading, as a server does
	Rest       float64         `json:"rest"`       // index: seconds to wait at most until merges come to rest
	PerSecond  float64         `json:"per_second"` // trickle: documents
}

// performer does the commands.
type performer interface {
	run(c command) (any, error)
}

func main() {
	http := flag.Bool("http", false, "through a server on loopback, started from bin/quire")
	threads := flag.Int("threads", -1, "threads that a search may use beside its own; -1: none, as other engines are measured")
	flag.Parse()
	var d performer = newDriver(*threads)
	if *http {
		r := &remote{}
		defer r.stop()
		d = r
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return
		}
		var c command
		var answer any
		if err := json.Unmarshal(line, &c); err != nil {
			answer = map[string]string{"error": err.Error()}
		} else if answer, err = d.run(c); err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if out.Encode(answer) != nil {
			return
		}
	}
}
