//go:build unix

package indexing

import (
	"bufio"
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// commits is the definition of the benchmark against other engines.
const commits = `{"source":"none","fields":{
	"id":{"type":"string","primaryKey":true,"stored":true},
	"body":{"type":"string","matching":{"analyzer":{"custom":{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}}}},
	"repo":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false}},
	"component":{"type":"string","filter":{},"facet":{},"sort":{"collation":"binary"},"keyword":{"caseFolding":false}},
	"year":{"type":"int32","filter":{},"facet":{}},
	"ts":{"type":"int64","filter":{},"sort":{}}}}`

// BenchmarkCorpus measures the processor time of each step of adding a document to
// a segment, on the corpus that QUIRE_CORPUS names (one document per line,
// QUIRE_DOCS of them).
func BenchmarkCorpus(b *testing.B) {
	name := os.Getenv("QUIRE_CORPUS")
	if name == "" {
		b.Skip("QUIRE_CORPUS is not set")
	}
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	most, err := strconv.Atoi(os.Getenv("QUIRE_DOCS"))
	if err != nil {
		most = 100_000
	}
	var lines [][]byte
	for in := bufio.NewScanner(file); in.Scan() && len(lines) < most; {
		lines = append(lines, bytes.Clone(in.Bytes()))
	}
	analyser := analysis.NewBuilder(analysis.Options{})
	d, err := definition.Parse([]byte(commits), analyser.Capabilities())
	if err != nil {
		b.Fatal(err)
	}
	schema := definition.NewSchema(d)
	reader, indexer := document.NewReader(schema), NewIndexer(analysis.NewChains(analyser))
	steps := make([]time.Duration, 3)
	for b.Loop() {
		builder := segment.NewBuilder()
		at := processorTime()
		step := func(n int) {
			now := processorTime()
			steps[n] += now - at
			at = now
		}
		for some := range slices.Chunk(lines, 1000) {
			documents := make([]*document.Document, len(some))
			for i, line := range some {
				var found problem.List
				if documents[i] = reader.Read(line, problem.Path{}, &found); documents[i] == nil {
					b.Fatal(found.Err())
				}
			}
			step(0)
			for _, doc := range documents {
				if _, err := indexer.Add(builder, doc); err != nil {
					b.Fatal(err)
				}
				doc.Release()
			}
			step(1)
		}
		if _, err := builder.Finish(vfs.Memory(), "segment"); err != nil {
			b.Fatal(err)
		}
		step(2)
	}
	for i, unit := range []string{"read-ns/doc", "add-ns/doc", "write-ns/doc"} {
		b.ReportMetric(float64(steps[i].Nanoseconds())/float64(b.N)/float64(len(lines)), unit)
	}
}

// processorTime returns the processor time used by the process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
