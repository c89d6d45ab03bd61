// Command quire is the benchmark driver of Quire, in process through the
// engine, or with -http through a server: one command per line on standard
// input, one JSON answer per line on standard output. The protocol is described
// in bench/README.md.
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

	Definition json.RawMessage `json:"definition"` // index, write: instead of the default one of the corpus
	Body       json.RawMessage `json:"body"`       // search, set: the body of the API
	At         string          `json:"at"`         // ask: search, suggest or facets/<field>/values
	Seconds    float64         `json:"seconds"`    // mixed, profile, write: how long
	CPU        string          `json:"cpu"`        // profile, index, write: files to write
	Allocs     string          `json:"allocs"`
	Bytes      int64           `json:"bytes"`      // index: bytes of the corpus; 0: all
	Verify     bool            `json:"verify"`     // update: verify the files first
	Each       int             `json:"each"`       // update: documents per commit; 0: all
	Clients    int             `json:"clients"`    // index, write: number of concurrent clients
	Warm       float64         `json:"warm"`       // write: seconds of unmeasured writes before the measurement
	Commits    bool            `json:"commits"`    // index: commit and merge while loading, as a server does
	Rest       float64         `json:"rest"`       // index: maximum seconds to wait until merges are finished
	PerSecond  float64         `json:"per_second"` // trickle: documents per second
}

// performer executes commands.
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
