// Command quire is Quire's side of the benchmark, in process through the
// engine: one command per line on standard input, one JSON answer per line on
// standard output. The protocol is in bench/README.md.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
)

type command struct {
	Do        string            `json:"do"`
	Corpus    string            `json:"corpus"`
	Dir       string            `json:"dir"`
	Analysis  string            `json:"analysis"`
	Threads   int               `json:"threads"`
	Merge     bool              `json:"merge"`
	Repeat    int               `json:"repeat"`
	Rounds    int               `json:"rounds"`
	Query     work              `json:"query"`
	Queries   []work            `json:"queries"`
	Documents []json.RawMessage `json:"documents"`
}

func main() {
	profile := flag.String("profile", "", "write a CPU profile of the throughput commands to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	d := newDriver()
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
